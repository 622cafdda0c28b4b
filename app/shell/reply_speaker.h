// Announces replies to a screen reader: sentence by sentence, once the reply is complete; incomplete words during streaming
// would be useless. GUI thread only.
#pragma once

#include <QObject>
#include <QPointer>
#include <QStringList>

class QQuickWindow;

namespace minerva::app {

class BlockModel;
class ChatController;

// The sentences of a reply's blocks. Reasoning is left out; code is mentioned but not read out.
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
