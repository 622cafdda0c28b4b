#include "app/chat/context_guard.h"

#include "app/chat/chat_controller.h"
#include "app/settings/reply_terms.h"
#include "app/settings/settings.h"
#include "app/text/reply_text.h"

#include <algorithm>
#include <utility>

namespace minerva::app {
namespace {

constexpr int countAfterMs = 120;  // after the last change
constexpr int tellEveryMs = 250;
constexpr int leastReply = 16;
constexpr int excerptLength = 160;
constexpr double usableShareOfFree = 0.9;  // of free memory

QString shortened(const Message& message) {
  QStringList names;
  for (const Attachment& file : message.attachments) names << file.name;
  QString text = message.text;
  if (message.author == Author::assistant) {
    const SplitReply reply = splitReply(text);
    text = reply.answer.isEmpty() ? reply.reasoning : reply.answer;
  }
  return (names.join(QLatin1String(", ")) + QLatin1Char(' ') + text.left(excerptLength)).left(excerptLength).simplified();
}

}  // namespace

ContextGuard::ContextGuard(ChatController* chat, ReplySource* source, Settings* settings, QObject* parent)
    : QObject(parent), m_chat(chat), m_source(source), m_settings(settings), m_elsewhere(chat, source) {
  m_soon.setSingleShot(true);
  m_soon.setInterval(countAfterMs);
  connect(&m_soon, &QTimer::timeout, this, &ContextGuard::count);
  const auto soon = [this] { m_soon.start(); };
  connect(chat, &ChatController::draftChanged, this, soon);
  connect(chat->attachments(), &DraftAttachments::changed, this, soon);
  connect(chat, &ChatController::edited, this, [this](qint64 message, const QString& text) {
    if (!m_attempt || m_attempt->message != message || m_attempt->text == text) return;
    unblock();  // edited further: do not send it yet
    sendNextSoon();
  });
  connect(chat, &ChatController::editEnded, this, [this](qint64 message) {
    if (!m_attempt || m_attempt->message != message || m_attempt->kind == Kind::regenerate) return;
    unblock();
    sendNextSoon();
  });
  connect(chat->outbox(), &Outbox::changed, this, [this] {
    const Outbox::Entry* first = m_chat->outbox()->first();
    if (m_attempt && m_attempt->kind == Kind::send && (first == nullptr || first->id != m_attempt->entry)) unblock();  // entry removed
    sendNextSoon();
  });
  connect(chat, &ChatController::activityChanged, this, soon);
  connect(chat, &ChatController::activityChanged, this, &ContextGuard::sendNextSoon);
  connect(chat->messages(), &MessageModel::countChanged, this, soon);
  connect(chat, &ChatController::presetChanged, this, soon);
  connect(chat, &ChatController::reasoningChanged, this, soon);
  connect(chat, &ChatController::currentChanged, this, [this, soon] {
    if (m_attempt && m_attempt->conversation != m_chat->currentId()) {
      if (m_attempt->kind != Kind::send) m_left.insert(m_attempt->conversation, *m_attempt);  // the others stay in the outbox
      unblock();
    }
    sendNextSoon();
    soon();
  });
  connect(source, &ReplySource::examined, this, &ContextGuard::take);
  connect(source, &ReplySource::updated, this, [this](const ReplyUpdate& update) {
    if (update.contextUsed == 0 || update.request != m_chat->request()) return;
    m_tokens = update.contextUsed;
    if (update.isLast() || !m_told.isValid() || m_told.elapsed() >= tellEveryMs) {  // throttled: text arrives with every frame
      m_told.start();
      Q_EMIT counted();
    }
  });
}

void ContextGuard::setModel(const ModelFacts& model) {
  m_model = model;
  m_contextLength = 0;  // until the first count
  m_countNumber = m_attemptNumber = 0;
  m_elsewhere.setModel(model.contextLength);
  Q_EMIT counted();
  if (!m_contextBefore) {  // otherwise the attempt waits for the larger context
    keepEditing();         // the verdict was about the previous model
    if (!model.isSet()) unblock();
  }
  if (!model.isSet()) m_left.clear();
  if (!model.isSet()) return;
  m_soon.start();
  m_contextBefore.reset();
  if (m_attempt && !tryTo(*m_attempt)) unblock();  // requested while the model was loading
}

void ContextGuard::loadFailed() {
  if (m_contextBefore) m_settings->set_contextLength(*m_contextBefore);
  m_contextBefore.reset();
  m_left.clear();
  takeBack();
}

int ContextGuard::roomIn(int contextLength) const { return roomForReply(contextLength, m_chat->replyTerms().maxTokens); }

int ContextGuard::room() const { return roomIn(m_blocked ? m_answer.contextLength : m_contextLength); }

int ContextGuard::shortestReply() const {
  const int left = m_answer.contextLength - m_answer.tokens;
  return left < leastReply ? 0 : left;
}

int ContextGuard::largerContext() const {
  if (!m_blocked) return 0;
  qint64 length = m_answer.contextLength;
  while (length < m_model.modelContext && m_answer.tokens + roomIn(static_cast<int>(length)) > length)
    length = std::min<qint64>(2 * length, m_model.modelContext);
  return length > m_answer.contextLength && m_answer.tokens + roomIn(static_cast<int>(length)) <= length ? static_cast<int>(length) : 0;
}

double ContextGuard::largerBytes() const { return std::max(0, largerContext() - m_answer.contextLength) * m_model.stateBytesPerPosition; }

bool ContextGuard::canEnlarge() const {
  return largerContext() > 0 && (bytesFree() <= 0 || largerBytes() <= usableShareOfFree * bytesFree());
}

// --- the meter -----------------------------------------------------------------------------------------------------

void ContextGuard::count() {
  const ConversationTree* tree = m_chat->shownTree();
  if (tree == nullptr || m_chat->isGenerating() || !m_model.server.isEmpty()) return;
  PromptQuestion question;
  question.request = m_chat->promptAfter(tree->leaf(), m_chat->draft(), m_chat->attachments()->files()).request;
  if (question.request.chat.messages.empty()) {  // an empty conversation
    m_tokens = m_reusable = 0;
    m_contextLength = m_model.contextLength;
    Q_EMIT counted();
    return;
  }
  m_countNumber = m_source->examine(std::move(question));
  Q_EMIT counted();  // for the properties that do not depend on the answer
}

// --- sending -------------------------------------------------------------------------------------------------------

bool ContextGuard::send(const QString& text) {
  if (!m_chat->enqueue(text)) return false;
  sendNext();
  return true;
}

void ContextGuard::sendNext() {
  if (m_attempt || !m_chat->canSend()) return;
  if (m_left.contains(m_chat->currentId()) && tryTo(m_left.take(m_chat->currentId()))) return;
  const Outbox::Entry* next = m_chat->outbox()->first();
  if (next == nullptr || m_chat->outbox()->isHeld()) return;
  tryTo({.kind = Kind::send, .conversation = m_chat->currentId(), .entry = next->id, .text = next->text, .files = next->files});
}

// Queued, so that other receivers of the signal that makes sending possible run first.
void ContextGuard::sendNextSoon() {
  if (m_chat->outbox()->first() != nullptr || m_left.contains(m_chat->currentId()))
    QMetaObject::invokeMethod(this, &ContextGuard::sendNext, Qt::QueuedConnection);
}

bool ContextGuard::regenerate(int row) { return tryTo(Kind::regenerate, row); }

bool ContextGuard::editAndResend(int row, const QString& text) {
  if (row < 0 || row >= m_chat->messages()->count()) return false;
  if (text.trimmed().isEmpty() && m_chat->messages()->at(row).message.attachments.isEmpty()) return false;
  return tryTo(Kind::edit, row, text);
}

bool ContextGuard::continueReply(int row, const QString& text) {
  if (row < 0 || row >= m_chat->messages()->count()) return false;
  const Message& reply = m_chat->messages()->at(row).message;
  const QString begun = text.isEmpty() ? ChatController::textToContinue(reply.text) : text;
  if (reply.author != Author::assistant || begun.trimmed().isEmpty()) return false;
  return tryTo(Kind::goOn, row, begun);
}

bool ContextGuard::hasRoomAfter(int tokens) const { return !m_model.server.isEmpty() || m_model.contextLength >= tokens + leastReply; }

bool ContextGuard::isContinuable() const {
  const MessageModel* messages = m_chat->messages();
  if (messages->count() == 0 || !m_chat->canSend()) return false;
  const QModelIndex last = messages->index(messages->count() - 1);
  return last.data(MessageModel::AuthorRole).toInt() == MessageModel::Assistant &&
         (last.data(MessageModel::StatusRole).toInt() != MessageModel::ContextFull ||
          hasRoomAfter(last.data(MessageModel::TokensTakenRole).toInt()));
}

ChatPrompt ContextGuard::promptOf(const Attempt& attempt) const {
  if (attempt.kind == Kind::send) return m_chat->promptAfter(m_chat->shownTree()->leaf(), attempt.text, attempt.files);
  const Message& message = *m_chat->shownTree()->find(attempt.message);
  if (attempt.kind == Kind::goOn) return m_chat->promptFrom(message.parent, storedReply(attempt.text));
  if (attempt.kind == Kind::edit) return m_chat->promptAfter(message.parent, attempt.text, message.attachments);
  return m_chat->promptAfter(message.author == Author::assistant ? message.parent : message.id);
}

bool ContextGuard::tryTo(Kind kind, int row, const QString& text) {
  if (row < 0 || row >= m_chat->messages()->count()) return false;
  return tryTo(
      {.kind = kind, .conversation = m_chat->currentId(), .message = m_chat->messages()->at(row).message.id, .text = text, .files = {}});
}

bool ContextGuard::tryTo(Attempt attempt) {
  if (!m_chat->canSend()) return false;
  if (attempt.message != 0 && m_chat->messages()->rowOf(attempt.message) < 0) return false;
  unblock();
  m_attempt = std::move(attempt);
  m_chat->outbox()->setSending(m_attempt->entry);
  m_prompt = promptOf(*m_attempt);
  PromptQuestion question;
  question.request = m_prompt.request;
  question.room = roomIn(m_model.contextLength);
  // Possible starts of a shortened conversation: any message of the user except the first, where nothing would be cut.
  bool first = true;
  for (std::size_t i = 0; i < m_prompt.ids.size(); ++i) {
    if (question.request.chat.messages[i]["role"] != "user") continue;
    if (!std::exchange(first, false)) question.starts.push_back(static_cast<int>(i));
  }
  m_attemptNumber = m_source->examine(std::move(question));
  if (m_attemptNumber == 0) perform();  // the source cannot count
  return true;
}

void ContextGuard::perform() {
  const Attempt attempt = *std::exchange(m_attempt, std::nullopt);
  unblock();
  const int row = m_chat->messages()->rowOf(attempt.message);  // -1 if another version is shown by now; then nothing is sent
  bool sent = false;
  switch (attempt.kind) {
    case Kind::send: sent = m_chat->sendQueued(attempt.entry); break;
    case Kind::regenerate: sent = m_chat->regenerate(row); break;
    case Kind::goOn: sent = m_chat->continueReply(row, attempt.text); break;
    case Kind::edit: sent = m_chat->editAndResend(row, attempt.text); break;
  }
  if (sent) return;
  m_chat->setTerms({});
  sendNextSoon();
}

void ContextGuard::take(quint64 number, const PromptAnswer& answer) {
  if (number != 0 && number == m_countNumber) {
    m_countNumber = 0;
    if (m_chat->isGenerating()) return;
    m_tokens = answer.tokens;
    m_reusable = answer.reusable;
    m_contextLength = answer.error ? 0 : answer.contextLength;
    Q_EMIT counted();
  }
  if (number == 0 || number != m_attemptNumber || !m_attempt) return;
  m_attemptNumber = 0;
  // The reply reports errors: it appears in the transcript and can be retried.
  if (answer.error || answer.fits) return perform();
  block(answer);
}

void ContextGuard::block(const PromptAnswer& answer) {
  m_answer = answer;
  m_leaving.clear();
  const ConversationTree* tree = m_chat->shownTree();
  for (const engine::PromptPart& part : answer.parts) {
    if (part.message < 0 || part.message >= answer.start) continue;
    const Message* message = tree->find(m_prompt.ids[static_cast<std::size_t>(part.message)]);
    if (message == nullptr) continue;  // the system prompt stays
    m_leaving.push_back(QVariantMap{{QStringLiteral("own"), message->author == Author::user},
                                    {QStringLiteral("text"), shortened(*message)},
                                    {QStringLiteral("tokens"), part.tokens}});
  }
  m_blocked = true;
  Q_EMIT blockedChanged();
}

void ContextGuard::unblock() {
  m_attempt.reset();
  m_attemptNumber = 0;
  m_chat->outbox()->setSending(0);
  if (!std::exchange(m_blocked, false)) return;
  m_leaving.clear();
  Q_EMIT blockedChanged();
}

void ContextGuard::keepEditing() {
  if (!m_blocked) return;
  takeBack();
}

void ContextGuard::takeBack() {
  const std::optional<Attempt> attempt = m_attempt;
  unblock();
  if (!attempt) return;
  if (attempt->kind == Kind::send) {
    const Outbox::Entry* first = m_chat->outbox()->first();
    m_chat->outbox()->hold(attempt->conversation);  // later messages must not overtake it
    if (first != nullptr && first->id == attempt->entry) m_chat->editQueued(0);
    return;
  }
  sendNextSoon();
  if (const int row = m_chat->messages()->rowOf(attempt->message); row >= 0 && m_chat->messages()->at(row).edit) {
    Q_EMIT editRejected(row);
  }
}

// Whether the verdict is about the prompt that would be sent now. Otherwise counts again, or takes the message back.
bool ContextGuard::isUpToDate() {
  const Attempt attempt = *m_attempt;
  const bool shown = attempt.message == 0 || m_chat->messages()->rowOf(attempt.message) >= 0;
  if (shown) {
    const ChatPrompt now = promptOf(attempt);
    if (now.ids == m_prompt.ids && now.request.chat.messages == m_prompt.request.chat.messages &&
        now.request.chat.reasoning == m_prompt.request.chat.reasoning && now.request.maxTokens == m_prompt.request.maxTokens)
      return true;
  }
  if (!shown || !tryTo(attempt)) takeBack();
  return false;
}

void ContextGuard::dropOldest() {
  if (!m_blocked || m_answer.start < 0 || !isUpToDate()) return;
  const ConversationTree* tree = m_chat->shownTree();
  const qint64 startAt = m_prompt.ids[static_cast<std::size_t>(m_answer.start)];
  int before = 0;  // already omitted tokens
  for (const qint64 id : m_prompt.ids)
    if (const Message* message = tree->find(id)) before = std::max(before, message->leftOutAbove);
  m_chat->setTerms({.startAt = startAt, .leftOutAbove = before + leavingTokens()});
  perform();
}

void ContextGuard::shortenReply() {
  if (!m_blocked || shortestReply() == 0 || !isUpToDate()) return;
  m_chat->setTerms({.maxTokens = shortestReply()});
  perform();
}

void ContextGuard::enlargeContext() {
  if (!m_blocked || !canEnlarge()) return;
  m_contextBefore = m_settings->contextLength();
  const std::optional<Attempt> attempt = m_attempt;
  const int length = largerContext();
  unblock();
  m_attempt = attempt;
  m_settings->set_contextLength(length);
  Q_EMIT reloadWanted();
}

}  // namespace minerva::app
