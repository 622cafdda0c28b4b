// Links in messages and pages (QML singleton `Links`): the target, whether the link text is misleading, and opening it.
//
// All addresses of the window are opened here: only http and https with a host, and mailto. GUI thread only; the free
// functions are pure and thread-safe.
#pragma once

#include <QObject>
#include <QString>
#include <QUrl>
#include <qqmlregistration.h>

namespace minerva::app {

[[nodiscard]] bool mayBeOpened(const QUrl& link);

// The address to show before it is opened: the host in ASCII (punycode), to reveal look-alike letters; shortened with
// "..." if very long.
[[nodiscard]] QString shownAddress(const QUrl& link);

// Whether the text suggests a different target: it names another host or mail address, or the link has user info before
// its host ("https://bank.example@elsewhere.example").
[[nodiscard]] bool misleads(const QString& text, const QUrl& link);

class Links : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_SINGLETON
 public:
  using QObject::QObject;
  Q_INVOKABLE static QString address(const QString& link) { return shownAddress(QUrl(link)); }
  Q_INVOKABLE static bool surprises(const QString& text, const QString& link) { return misleads(text, QUrl(link)); }
  Q_INVOKABLE static bool open(const QString& link);  // false: not allowed, or no application opens it
};

}  // namespace minerva::app
