// The part of ChatController about the replies that are being generated: at most one in each conversation.
#include "app/chat/chat_controller.h"

#include "app/chat/store_thread.h"
#include "app/inference/reply_source.h"
#include "app/text/error_words.h"
#include "app/text/reply_text.h"

#include <algorithm>
#include <utility>

namespace minerva::app {
namespace {

Status statusAfter(const ReplyUpdate& update) {
  if (update.failed) return update.failed->error.kind == ErrorKind::cancelled ? Status::stopped : Status::failed;
  switch (update.finished->reason) {
    case engine::FinishReason::cancelled: return Status::stopped;
    case engine::FinishReason::length: return Status::lengthLimit;
    case engine::FinishReason::contextFull: return Status::contextFull;
    default: return Status::complete;
  }
}

bool isOfServer(const ReplyUpdate& update) { return update.span.subject && !update.span.subject->model.server.isEmpty(); }

// pieces: see RequestSpan; numbers of tokens are then not known.
ReplyFigures figuresFrom(const engine::Timings& timings, bool pieces) {
  ReplyFigures figures;
  if (pieces) {
    if (timings.ttftMs > 0) figures.ttftMs = timings.ttftMs;
    return figures;
  }
  figures.promptTokens = timings.promptTokens;
  figures.generatedTokens = timings.generatedTokens;
  figures.reusedTokens = timings.reusedTokens;
  if (timings.generatedTokens > 0) figures.ttftMs = timings.ttftMs;
  if (timings.prefillTokensPerSecond > 0) figures.prefillTokensPerSecond = timings.prefillTokensPerSecond;
  if (timings.decodeTokensPerSecond > 0) figures.decodeTokensPerSecond = timings.decodeTokensPerSecond;
  return figures;
}

}  // namespace

const ChatController::Live* ChatController::liveIn(qint64 conversation) const {
  const auto found = std::ranges::find(m_live, conversation, &Live::conversation);
  return found == m_live.end() ? nullptr : &*found;
}

bool ChatController::isGeneratingElsewhere() const {
  return std::ranges::any_of(m_live, [this](const Live& live) { return live.conversation != m_current.id; });
}

quint64 ChatController::request() const {
  const Live* live = liveIn(m_current.id);
  return live == nullptr ? 0 : live->request;
}

qint64 ChatController::conversationOf(quint64 request) const {
  const auto found = std::ranges::find(m_live, request, &Live::request);
  return found == m_live.end() ? 0 : found->conversation;
}

void ChatController::stop() { stopIn(m_current.id); }

void ChatController::stopIn(qint64 conversationId) {
  const auto live = std::ranges::find(m_live, conversationId, &Live::conversation);
  if (live == m_live.end()) return;
  live->stopping = true;
  Q_EMIT activityChanged();
  m_source->cancel(live->request);
}

void ChatController::takeUpdate(const ReplyUpdate& update) {
  const auto live = std::ranges::find(m_live, update.request, &Live::request);
  if (live == m_live.end()) return;
  Message* message = m_trees[live->conversation].find(live->message);
  const int row = live->conversation == m_current.id ? m_messages.rowOf(message->id) : -1;
  message->text += update.text;
  live->dirty = live->dirty || !update.text.isEmpty();
  if (row >= 0 && !update.text.isEmpty()) m_messages.appendText(row, update.text);
  if (row >= 0 && (update.started || update.prefill)) {
    m_messages.update(row,
                      [&](MessageModel::Row& shown) {
                        shown.prefillDone = update.prefill ? update.prefill->done : 0;
                        shown.prefillTotal =
                            update.prefill ? update.prefill->total : update.started->promptTokens - update.started->reusedTokens;
                      },
                      {MessageModel::PrefillDoneRole, MessageModel::PrefillTotalRole});
  }
  if (message->status == Status::waiting && !update.tokens.empty() && !update.isLast()) {
    message->status = Status::streaming;
    if (row >= 0)
      m_messages.update(row, [](MessageModel::Row& shown) { shown.message.status = Status::streaming; },
                        {MessageModel::StatusRole, MessageModel::StatusTextRole});
  }
  if (update.isLast()) endReply(*live, *message, update);
}

void ChatController::endReply(const Live& live, Message& message, const ReplyUpdate& update) {
  message.status = statusAfter(update);
  message.figures = figuresFrom(update.finished ? update.finished->timings : update.failed->timings, update.span.pieces);
  ErrorInfo error;
  if (message.status == Status::failed) {
    error = ErrorInfo::from(update.failed->error, tr("The reply failed"));
    message.errorText = shownMessage(update.failed->error);
  }
  const QString text = isOfServer(update) ? withThoughtsBegun(message.text) : message.text;
  const bool isOther = text != std::exchange(message.text, text);
  saveMessage(message);
  if (const int row = live.conversation == m_current.id ? m_messages.rowOf(message.id) : -1; row >= 0)
    m_messages.update(row,
                      [&](MessageModel::Row& target) {
                        if (isOther) target.blocks->setText(text, true);
                        target.message.text = text;
                        target.message.status = message.status;
                        target.message.figures = message.figures;
                        target.message.errorText = message.errorText;
                        target.error = error;
                      },
                      {});
  if (message.status == Status::failed) m_outbox.hold(live.conversation);  // the next message would fail too
  const qint64 id = message.id;
  forgetReply(live.conversation);
  Q_EMIT replyFinished(id);
}

void ChatController::forgetReply(qint64 conversation) {
  std::erase_if(m_live, [conversation](const Live& live) { return live.conversation == conversation; });
  if (m_live.empty()) m_flushTimer.stop();
  showBusy();
}

void ChatController::showBusy() {
  QSet<qint64> busy;
  for (const Live& live : m_live) busy.insert(live.conversation);
  m_conversations.setBusy(busy);
  Q_EMIT activityChanged();
}

void ChatController::saveReplies() {
  for (Live& live : m_live)
    if (std::exchange(live.dirty, false)) saveMessage(*m_trees[live.conversation].find(live.message));
}

bool ChatController::saveAll() {
  saveReplies();
  m_drafts.save();
  const ErrorInfo problem = m_store->flush();
  if (problem.isSet()) setStoreError(problem);
  return !problem.isSet();
}

void ChatController::flush() {
  for (const Live& live : m_live) {
    Message* message = m_trees[live.conversation].find(live.message);
    message->status = Status::interrupted;
    saveMessage(*message);
  }
  m_drafts.save();
  m_store->flush();
}

}  // namespace minerva::app
