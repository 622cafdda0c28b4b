#include "app/chat/prompt.h"

#include "app/settings/settings.h"

namespace minerva::app {
namespace {

constexpr qsizetype titleLength = 48;

}  // namespace

engine::SamplingOptions samplingFrom(const Settings& settings) {
  engine::SamplingOptions options;
  options.temperature = static_cast<float>(settings.temperature());
  options.topK = settings.topK();
  options.topP = static_cast<float>(settings.topP());
  options.minP = static_cast<float>(settings.minP());
  options.repeatPenalty = static_cast<float>(settings.repeatPenalty());
  options.repeatLastN = settings.repeatLastN();
  options.seed = static_cast<std::uint64_t>(settings.seed());
  return options;
}

engine::Request requestFor(const ConversationTree& tree, qint64 leaf, const Settings& settings) {
  engine::Request request;
  request.sampling = samplingFrom(settings);
  request.maxTokens = settings.maxTokens();
  auto& messages = request.chat.messages;
  const auto add = [&messages](const QString& role, const QString& text) {
    if (text.isEmpty()) return;
    const std::string name = role.toStdString();
    if (!messages.empty() && messages.back()["role"] == name)
      messages.back()["content"] = messages.back()["content"].get<std::string>() + "\n\n" + text.toStdString();
    else
      messages.push_back({{"role", name}, {"content", text.toStdString()}});
  };
  add(toText(Author::system), settings.systemPrompt().trimmed());
  for (const qint64 id : tree.pathTo(leaf)) {
    const Message* message = tree.find(id);
    add(toText(message->author), message->text);
  }
  return request;
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
