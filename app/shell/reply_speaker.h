// Tells a screen reader what was answered: when a reply is complete, its sentences, one after another. Nothing while it is
// written, as half words help nobody. GUI thread only.
#pragma once

#include <QObject>
#include <QPointer>
#include <QStringList>

class QQuickWindow;

namespace minerva::app {

class BlockModel;
class ChatController;

// The sentences of a reply's blocks. Thoughts are left out; code is named, not read.
[[nodiscard]] QStringList spokenSentences(const BlockModel& blocks);

class ReplySpeaker : public QObject {
  Q_OBJECT
 public:
  explicit ReplySpeaker(ChatController* chat, QObject* parent = nullptr);
  void setWindow(QQuickWindow* window);

 Q_SIGNALS:
  void said(const QString& sentence);  // for the window's live region

 private:
  void speak(qint64 messageId);
  ChatController* m_chat;
  QPointer<QQuickWindow> m_window;
};

}  // namespace minerva::app
