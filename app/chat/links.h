// Links of messages and pages (QML singleton `Links`): where one leads, whether its text says so, and opening it.
//
// Nothing else of the window opens an address. Only http and https with a host, and mailto. GUI thread only; the functions
// outside of the class are pure and safe on any thread.
#pragma once

#include <QObject>
#include <QString>
#include <QUrl>
#include <qqmlregistration.h>

namespace minerva::app {

[[nodiscard]] bool mayBeOpened(const QUrl& link);

// The address as it is read before it is opened: the host in ASCII, so that letters which look like others are seen; what is very
// long ends in "...".
[[nodiscard]] QString shownAddress(const QUrl& link);

// Whether somebody who reads `text` would expect to be led elsewhere: it names another host or mail address, or the link has a
// name before its host ("https://bank.example@elsewhere.example").
[[nodiscard]] bool misleads(const QString& text, const QUrl& link);

class Links : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_SINGLETON
 public:
  using QObject::QObject;
  Q_INVOKABLE static QString address(const QString& link) { return shownAddress(QUrl(link)); }
  Q_INVOKABLE static bool surprises(const QString& text, const QString& link) { return misleads(text, QUrl(link)); }
  Q_INVOKABLE static bool open(const QString& link);  // false: it may not be opened, or nothing here opens it
};

}  // namespace minerva::app
