// Sends what is queued in conversations that are not shown, once their replies have ended. GUI thread only.
//
// As ContextGuard does for the shown one, prompts are counted first. One that does not fit waits until its conversation is shown, because
// only the person can decide what to leave out.
#pragma once

#include "app/chat/prompt.h"
#include "app/inference/reply_source.h"

#include <QHash>
#include <QObject>
#include <QTimer>

#include <optional>

namespace minerva::app {

class ChatController;

// Tokens of a reply that a prompt should leave room for. longestReply: ReplyTerms::maxTokens.
[[nodiscard]] int roomForReply(int contextLength, int longestReply);

class QueueSender : public QObject {
  Q_OBJECT
 public:
  QueueSender(ChatController* chat, ReplySource* source, QObject* parent = nullptr);
  void setModel(int contextLength);  // the present model has changed; 0: unknown, or none

 private:
  struct Attempt {
    qint64 conversation = 0;
    quint64 entry = 0, question = 0;
  };
  void look();
  void send(const Attempt& attempt);
  ChatController* m_chat;
  ReplySource* m_source;
  QTimer m_soon;
  int m_contextLength = 0;
  std::optional<Attempt> m_attempt;     // being counted
  QHash<qint64, quint64> m_doesNotFit;  // entry by conversation
};

}  // namespace minerva::app
