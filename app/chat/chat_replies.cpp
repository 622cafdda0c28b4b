// The part of ChatController about editing: edits of messages while typing, and replies that are saved or continued by
// the model. Nothing is overwritten: each adds a version, which is saved before the model generates anything.
#include "app/chat/chat_controller.h"

#include "app/text/reply_text.h"

#include <utility>

namespace minerva::app {

const Message* ChatController::replyToEdit(int row, const QString& text) const {
  if (!m_opened || isGenerating() || text.trimmed().isEmpty() || row < 0 || row >= m_messages.count()) return nullptr;
  const ConversationTree* shown = shownTree();
  const Message* reply = shown != nullptr ? shown->find(m_messages.at(row).message.id) : nullptr;
  return reply != nullptr && reply->author == Author::assistant && reply->parent != 0 ? reply : nullptr;
}

bool ChatController::saveReply(int row, const QString& text) {
  const Message* reply = replyToEdit(row, text);
  if (reply == nullptr) return false;
  Message edited = *reply;  // keeps the model's name
  const qint64 id = addMessage(m_current, Author::assistant, edited.parent, storedReply(text), Status::complete, {}, edited.modelName);
  endEdit(edited.id);
  m_messages.truncate(row);
  pushRow(id);
  Q_EMIT editEnded(edited.id);
  Q_EMIT activityChanged();  // the prompt has changed
  return true;
}

bool ChatController::continueReply(int row, const QString& text) {
  const Message* reply = replyToEdit(row, text);
  if (reply == nullptr || !canSend()) return false;
  const qint64 parent = reply->parent;
  if (m_drafts.edit(m_current.id, reply->id) == text) endEdit(reply->id);  // otherwise its edit is still unsaved
  tree()->activateUpTo(parent);
  m_messages.truncate(row);
  return requestReply(parent, storedReply(text));
}

void ChatController::beginEdit(int row) {
  if (row < 0 || row >= m_messages.count() || m_messages.at(row).edit) return;
  setEdit(row, plainText(m_messages.at(row).message));
}

void ChatController::setEdit(int row, const QString& text) {
  if (row < 0 || row >= m_messages.count()) return;
  const qint64 id = m_messages.at(row).message.id;
  m_drafts.setEdit(m_current.id, id, text);
  m_messages.setEdit(row, text);
  Q_EMIT edited(id, text);
}

void ChatController::cancelEdit(int row) {
  if (row < 0 || row >= m_messages.count()) return;
  const Message message = m_messages.at(row).message;
  const std::optional<QString> typed = m_drafts.edit(m_current.id, message.id);
  if (typed && *typed != plainText(message)) {
    m_cancelled = Draft{.conversation = m_current.id, .message = message.id, .text = *typed};
    Q_EMIT cancelledChanged();
  }
  endEdit(message.id);
  Q_EMIT editEnded(message.id);
}

int ChatController::undoCancel() {
  const std::optional<Draft> back = std::exchange(m_cancelled, std::nullopt);
  if (!back) return -1;
  Q_EMIT cancelledChanged();
  if (m_conversations.find(back->conversation) == nullptr) return -1;  // deleted meanwhile
  select(back->conversation);
  m_drafts.setEdit(back->conversation, back->message, back->text);
  const int row = m_messages.rowOf(back->message);
  if (row >= 0) setEdit(row, back->text);
  return row;
}

void ChatController::dismissCancel() {
  if (std::exchange(m_cancelled, std::nullopt)) Q_EMIT cancelledChanged();
}

void ChatController::endEdit(qint64 messageId) {
  m_drafts.setEdit(m_current.id, messageId, std::nullopt);
  if (const int row = m_messages.rowOf(messageId); row >= 0) m_messages.setEdit(row, std::nullopt);
}

ChatPrompt ChatController::promptFrom(qint64 parent, const QString& begun) const {
  ChatPrompt prompt = promptAfter(parent);
  if (!begun.isEmpty()) goOnFrom(begun, prompt);
  return prompt;
}

QString ChatController::textToContinue(const QString& reply) {
  QString text = plainReply(reply);
  if (text.endsWith(QChar::ReplacementCharacter)) text.chop(1);  // the reply was cut off inside a character
  return text;
}

}  // namespace minerva::app
