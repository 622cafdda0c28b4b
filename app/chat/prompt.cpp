#include "app/chat/prompt.h"

#include "app/settings/reply_terms.h"
#include "app/text/reply_text.h"

#include <algorithm>

namespace minerva::app {
namespace {

constexpr qsizetype titleLength = 48;

// The reply without its reasoning, which chat templates omit from earlier turns.
QString answerOf(const QString& reply) {
  const SplitReply split = splitReply(reply);
  return split.thought ? split.answer.trimmed() : reply;
}

}  // namespace

text::ReplyStart startOf(const QString& reply) {
  const SplitReply split = splitReply(reply);
  return {.reasoning = split.reasoning.toStdString(), .answer = split.answer.toStdString(), .thinking = split.thinking};
}

void goOnFrom(const QString& reply, ChatPrompt& prompt) {
  const text::ReplyStart start = startOf(reply);
  prompt.request.chat.messages.push_back(
      {{"role", "assistant"}, {"content", start.answer}, {"reasoning_content", start.reasoning}, {"reasoning_open", start.thinking}});
  prompt.request.chat.continueFinalMessage = true;
  prompt.ids.push_back(ChatPrompt::next);
}

ChatPrompt promptFor(const ConversationTree& tree, qint64 leaf, const ReplyTerms& terms, const QString& next,
                     const QList<Attachment>& nextFiles) {
  ChatPrompt prompt;
  prompt.request.sampling = terms.sampling;
  prompt.request.maxTokens = terms.maxTokens;
  auto& messages = prompt.request.chat.messages;
  const auto add = [&](qint64 id, Author author, const QString& text) {
    if (text.isEmpty()) return;
    const std::string role = toText(author).toStdString();
    if (!messages.empty() && messages.back()["role"] == role) {
      messages.back()["content"] = messages.back()["content"].get<std::string>() + "\n\n" + text.toStdString();
      return;
    }
    messages.push_back({{"role", role}, {"content", text.toStdString()}});
    prompt.ids.push_back(id);
  };
  add(ChatPrompt::system, Author::system, terms.systemPrompt);
  const std::vector<qint64> path = tree.pathTo(leaf);
  const auto cut = std::find_if(path.rbegin(), path.rend(), [&](qint64 id) { return tree.find(id)->leftOutAbove > 0; });
  for (auto id = cut == path.rend() ? path.begin() : cut.base() - 1; id != path.end(); ++id) {
    const Message* message = tree.find(*id);
    add(*id, message->author,
        message->author == Author::assistant ? answerOf(message->text) : withAttachments(message->attachments, message->text));
  }
  add(ChatPrompt::next, Author::user, withAttachments(nextFiles, next));
  return prompt;
}

QString titleFrom(const QString& firstMessage) {
  const QString text = firstMessage.trimmed();
  QString line = text.section(QLatin1Char('\n'), 0, 0).simplified();
  if (line.size() <= titleLength) return line;
  line = line.left(titleLength);
  const qsizetype space = line.lastIndexOf(QLatin1Char(' '));
  if (space > titleLength / 2) line = line.left(space);
  if (!line.isEmpty() && line.back().isHighSurrogate()) line.chop(1);
  return line + QStringLiteral("…");
}

}  // namespace minerva::app
