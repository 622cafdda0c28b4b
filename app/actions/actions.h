// The actions for QML (singleton `Actions`): titles, keys, the page shown, and triggering an action by name.
//
// Handlers are QML Shortcuts that attach themselves (ActionShortcut.qml). Triggering an action of a page that is not
// shown requests that page first. GUI thread only.
#pragma once

#include "app/actions/action_table.h"

#include <QHash>
#include <QObject>
#include <QPointer>
#include <QStringList>
#include <QVariant>
#include <qqmlregistration.h>

namespace minerva::app {

class Actions : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_SINGLETON
  Q_PROPERTY(QVariantList pages READ pages CONSTANT)                   // pageTable(): [{key, icon, bottom}]
  Q_PROPERTY(QString page READ page WRITE setPage NOTIFY pageChanged)  // the page shown; "": the keys of all pages work
 public:
  using QObject::QObject;
  [[nodiscard]] static QVariantList pages();
  [[nodiscard]] QString page() const { return m_page; }
  void setPage(const QString& page);

  Q_INVOKABLE static QString title(const QString& name);          // "New chat"
  Q_INVOKABLE static QString keys(const QString& name);           // "Ctrl+N", in the desktop's notation
  Q_INVOKABLE static QString nativeKeys(const QString& keys);     // "Ctrl+N", of keys that are no action's
  Q_INVOKABLE static QString tip(const QString& name);            // "New chat  Ctrl+N"
  Q_INVOKABLE static QStringList sequences(const QString& name);  // for Shortcut.sequences
  Q_INVOKABLE static QString pageOf(const QString& name);         // "": everywhere
  Q_INVOKABLE static QVariantList sheet();                        // [{page, title, keys}], for the list of shortcuts

  Q_INVOKABLE void attach(const QString& name, QObject* shortcut);  // a Shortcut; its signal activated() performs the action
  Q_INVOKABLE bool trigger(const QString& name);                    // false: not possible now
  [[nodiscard]] bool isPossible(const QString& name) const;         // trigger() would perform it, or switch to its page and try
  [[nodiscard]] bool isHandled(const QString& name) const { return !m_handlers.value(name).isNull(); }

 Q_SIGNALS:
  void pageChanged();
  void pageRequested(const QString& page);  // must be answered synchronously with setPage()

 private:
  QString m_page;
  QHash<QString, QPointer<QObject>> m_handlers;
};

}  // namespace minerva::app
