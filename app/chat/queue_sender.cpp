#include "app/chat/queue_sender.h"

#include "app/chat/chat_controller.h"

#include <algorithm>
#include <utility>

namespace minerva::app {
namespace {

constexpr int reasonableReply = 512;  // tokens; at most a quarter of the context

}  // namespace

int roomForReply(int contextLength, int longestReply) {
  const int reasonable = std::min(reasonableReply, contextLength / 4);
  return longestReply > 0 ? std::min(longestReply, reasonable) : reasonable;
}

QueueSender::QueueSender(ChatController* chat, ReplySource* source, QObject* parent) : QObject(parent), m_chat(chat), m_source(source) {
  m_soon.setSingleShot(true);
  m_soon.setInterval(0);  // other receivers of the signal that makes sending possible run first
  connect(&m_soon, &QTimer::timeout, this, &QueueSender::look);
  const auto soon = [this] { m_soon.start(); };
  connect(chat, &ChatController::activityChanged, this, soon);
  connect(chat, &ChatController::currentChanged, this, [this, soon] {
    m_doesNotFit.remove(m_chat->currentId());
    soon();
  });
  connect(chat->outbox(), &Outbox::changed, this, soon);
  connect(source, &ReplySource::readyChanged, this, soon);
  connect(source, &ReplySource::examined, this, [this](quint64 question, const PromptAnswer& answer) {
    if (!m_attempt || question == 0 || m_attempt->question != question) return;
    const Attempt attempt = *std::exchange(m_attempt, std::nullopt);
    if (answer.error || answer.fits) return send(attempt);  // an error is reported by the reply
    m_doesNotFit[attempt.conversation] = attempt.entry;
    m_soon.start();
  });
}

void QueueSender::setModel(int contextLength) {
  m_contextLength = contextLength;
  m_attempt.reset();  // the answer may not come, and would be about the earlier model
  m_doesNotFit.clear();
  m_soon.start();
}

void QueueSender::look() {
  if (m_attempt) return;
  for (const qint64 conversation : m_chat->waitingElsewhere()) {
    const quint64 entry = m_chat->outbox()->first(conversation)->id;
    if (m_doesNotFit.value(conversation) == entry) continue;
    PromptQuestion question;
    question.request = m_chat->promptOfQueued(conversation).request;
    question.room = roomForReply(m_contextLength, m_chat->termsOf(conversation).maxTokens);
    m_attempt = {.conversation = conversation, .entry = entry, .question = m_source->examine(std::move(question))};
    if (m_attempt->question != 0) return;                  // the answer will come
    return send(*std::exchange(m_attempt, std::nullopt));  // the source cannot count
  }
}

// What cannot be sent any more is looked at again when that changes.
void QueueSender::send(const Attempt& attempt) {
  if (m_chat->sendQueuedIn(attempt.conversation, attempt.entry)) m_soon.start();
}

}  // namespace minerva::app
