#include "app/shell/reply_speaker.h"

#include "app/chat/chat_controller.h"

#include <QAccessible>
#include <QQuickWindow>
#include <QTextBoundaryFinder>

namespace minerva::app {
namespace {

QStringList sentencesOf(const QString& text) {
  QStringList sentences;
  QTextBoundaryFinder finder(QTextBoundaryFinder::Sentence, text);
  qsizetype start = 0;
  for (qsizetype end = finder.toNextBoundary(); end > 0; end = finder.toNextBoundary()) {
    const QString sentence = text.mid(start, end - start).simplified();
    if (!sentence.isEmpty()) sentences << sentence;
    start = end;
  }
  return sentences;
}

}  // namespace

QStringList spokenSentences(const BlockModel& blocks) {
  QStringList sentences;
  for (int row = 0; row < blocks.rowCount(); ++row) {
    const QModelIndex block = blocks.index(row, 0);
    const QString source = block.data(BlockModel::SourceRole).toString();
    switch (block.data(BlockModel::KindRole).toInt()) {
      case BlockModel::Thinking:
      case BlockModel::Rule: break;
      case BlockModel::Code: sentences << ReplySpeaker::tr("A block of code."); break;
      default: sentences += sentencesOf(source);
    }
  }
  return sentences;
}

ReplySpeaker::ReplySpeaker(ChatController* chat, QObject* parent) : QObject(parent), m_chat(chat) {
  connect(chat, &ChatController::replyFinished, this, &ReplySpeaker::speak);
}

void ReplySpeaker::setWindow(QQuickWindow* window) { m_window = window; }

void ReplySpeaker::speak(qint64 messageId) {
  const MessageModel* messages = m_chat->messages();
  for (int row = messages->rowCount() - 1; row >= 0; --row) {
    const QModelIndex message = messages->index(row, 0);
    if (message.data(MessageModel::MessageIdRole).toLongLong() != messageId) continue;
    const auto* blocks = message.data(MessageModel::BlocksRole).value<BlockModel*>();
    if (blocks == nullptr) return;
    for (const QString& sentence : spokenSentences(*blocks)) {
      Q_EMIT said(sentence);
#if QT_VERSION >= QT_VERSION_CHECK(6, 8, 0)
      if (m_window == nullptr) continue;
      QAccessibleAnnouncementEvent event(m_window, sentence);
      QAccessible::updateAccessibility(&event);
#endif
    }
    return;
  }
}

}  // namespace minerva::app
