#include "app/chat/conversation_export.h"

#include "app/chat/conversation_tree.h"
#include "app/storage/write_file.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace minerva::app {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("ConversationExport", text); }

QString speaker(const Message& message) {
  switch (message.author) {
    case Author::user: return tr("You");
    case Author::system: return tr("System");
    case Author::assistant: break;
  }
  return message.modelName.isEmpty() ? tr("Assistant") : message.modelName;
}

QString isoTime(const QDateTime& time) { return time.toUTC().toString(Qt::ISODateWithMs); }

QJsonObject figuresOf(const ReplyFigures& figures) {
  QJsonObject known;
  const auto add = [&](const char* name, double value) {
    if (value >= 0) known.insert(QLatin1String(name), value);
  };
  add("ttft_ms", figures.ttftMs);
  add("prefill_tokens_per_second", figures.prefillTokensPerSecond);
  add("decode_tokens_per_second", figures.decodeTokensPerSecond);
  add("prompt_tokens", figures.promptTokens);
  add("generated_tokens", figures.generatedTokens);
  return known;
}

QJsonObject objectOf(const Message& message) {
  QJsonObject object{{QStringLiteral("id"), message.id},
                     {QStringLiteral("parent"), message.parent},
                     {QStringLiteral("author"), toText(message.author)},
                     {QStringLiteral("status"), toText(message.status)},
                     {QStringLiteral("created"), isoTime(message.created)},
                     {QStringLiteral("text"), message.text}};
  if (!message.modelName.isEmpty()) object.insert(QStringLiteral("model"), message.modelName);
  if (!message.errorText.isEmpty()) object.insert(QStringLiteral("error"), message.errorText);
  if (const QJsonObject figures = figuresOf(message.figures); !figures.isEmpty()) object.insert(QStringLiteral("figures"), figures);
  return object;
}

}  // namespace

QByteArray toMarkdown(const Conversation& conversation, const std::vector<Message>& messages) {
  const ConversationTree tree(messages, conversation.activeLeaf);
  QString text = QStringLiteral("# %1\n").arg(conversation.title.isEmpty() ? tr("New chat") : conversation.title);
  for (const qint64 id : tree.path()) {
    const Message& message = *tree.find(id);
    text += QStringLiteral("\n**%1**\n\n%2\n").arg(speaker(message), message.text.trimmed());
  }
  return text.toUtf8();
}

QByteArray toJson(const Conversation& conversation, const std::vector<Message>& messages) {
  QJsonArray all;
  for (const Message& message : messages) all.append(objectOf(message));
  const QJsonObject root{{QStringLiteral("title"), conversation.title},
                         {QStringLiteral("model"), conversation.modelName},
                         {QStringLiteral("created"), isoTime(conversation.created)},
                         {QStringLiteral("active_leaf"), conversation.activeLeaf},
                         {QStringLiteral("messages"), all}};
  return QJsonDocument(root).toJson(QJsonDocument::Indented);
}

Result<void> exportConversation(const QString& file, const Conversation& conversation, const std::vector<Message>& messages) {
  const bool json = file.endsWith(QLatin1String(".json"), Qt::CaseInsensitive);
  return writeFile(file, json ? toJson(conversation, messages) : toMarkdown(conversation, messages));
}

}  // namespace minerva::app
