// The item that shows a block: its long texts, which grow with every token, as members. A string declared in QML lives on the
// script engine's heap: each new text of a reply was garbage there a moment later, and collecting it a tenth of a frame.
#pragma once

#include <QQuickItem>
#include <QString>
#include <qqmlregistration.h>

namespace minerva::app {

class BlockItem : public QQuickItem {
  Q_OBJECT
  QML_ELEMENT
  Q_PROPERTY(QString html MEMBER m_html NOTIFY htmlChanged REQUIRED)  // BlockModel's roles
  Q_PROPERTY(QString verbatim MEMBER m_verbatim NOTIFY verbatimChanged REQUIRED)
 public:
  using QQuickItem::QQuickItem;

 Q_SIGNALS:
  void htmlChanged();
  void verbatimChanged();

 private:
  QString m_html, m_verbatim;
};

}  // namespace minerva::app
