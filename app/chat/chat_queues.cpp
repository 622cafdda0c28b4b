// The part of ChatController about messages queued in conversations that are not shown.
#include "app/chat/chat_controller.h"

#include "app/inference/reply_source.h"

namespace minerva::app {

// A message is sent to a server only if that was the present model's when the conversation was last shown: the person saw it there.
bool ChatController::canSendIn(qint64 conversation) const {
  const QString server = m_source->serverName();
  return m_opened && conversation != 0 && conversation != m_current.id && m_source->isReady() && liveIn(conversation) == nullptr &&
         m_conversations.find(conversation) != nullptr && m_trees.contains(conversation) && !m_outbox.isHeld(conversation) &&
         (server.isEmpty() || m_serversSeen.value(conversation) == server);
}

QList<qint64> ChatController::waitingElsewhere() const {
  QList<qint64> waiting;
  for (const qint64 conversation : m_outbox.conversations())
    if (canSendIn(conversation)) waiting << conversation;
  return waiting;
}

ReplyTerms ChatController::termsOf(qint64 conversation) const {
  const Conversation* found = m_conversations.find(conversation);
  return termsOf(found != nullptr ? *found : Conversation());
}

ChatPrompt ChatController::promptOfQueued(qint64 conversation) const {
  const Outbox::Entry& first = *m_outbox.first(conversation);
  const ConversationTree& tree = *m_trees.constFind(conversation);
  return promptIn(*m_conversations.find(conversation), tree, tree.leaf(), first.text, first.files);
}

bool ChatController::sendQueuedIn(qint64 conversation, quint64 entry) {
  const Outbox::Entry* first = m_outbox.first(conversation);
  if (!canSendIn(conversation) || first == nullptr || first->id != entry) return false;
  const Drafts::Hold hold(m_drafts);
  const Outbox::Entry taken = *m_outbox.takeFirst(conversation);
  Conversation in = *m_conversations.find(conversation);
  const qint64 user = addMessage(in, Author::user, m_trees[conversation].leaf(), taken.text, Status::complete, taken.files);
  beginReply(in, user, promptIn(in, m_trees[conversation], user, {}, {}).request, {});
  return true;
}

}  // namespace minerva::app
