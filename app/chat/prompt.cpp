#include "app/chat/prompt.h"

#include "app/settings/reply_terms.h"

#include <algorithm>

namespace minerva::app {
namespace {

constexpr qsizetype titleLength = 48;

// What a model thought is no part of what it said: templates leave it out of later turns, and so do we.
QString answerOf(const QString& reply) {
  const QLatin1String opening("<think>"), closing("</think>");
  const QString trimmed = reply.trimmed();
  if (!trimmed.startsWith(opening)) return reply;
  const qsizetype end = trimmed.indexOf(closing);
  return end < 0 ? QString() : trimmed.mid(end + closing.size()).trimmed();
}

}  // namespace

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
    add(*id, message->author, message->author == Author::assistant ? answerOf(message->text) : withAttachments(message->attachments, message->text));
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
