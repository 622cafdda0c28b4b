// Base item of a block's delegate. The texts, which grow with every token, are C++ members: string properties declared in
// QML are stored on the script engine's heap, where every outdated text became garbage and collecting it took a tenth of
// a frame.
#pragma once

#include <QQuickItem>
#include <QString>
#include <qqmlregistration.h>

namespace minerva::app {

class BlockItem : public QQuickItem {
  Q_OBJECT
  QML_ELEMENT
  Q_PROPERTY(QString html MEMBER m_html NOTIFY htmlChanged REQUIRED)  // roles of BlockModel
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
