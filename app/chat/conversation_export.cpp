#include "app/chat/conversation_export.h"

#include "app/chat/conversation_tree.h"
#include "app/chat/reply_reasoning.h"
#include "app/storage/write_file.h"
#include "app/text/markdown_names.h"
#include "app/text/text.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>

namespace minerva::app {
namespace {

constexpr int longestFileName = 60;  // of a file: at most 240 bytes

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
  add("reused_tokens", figures.reusedTokens);
  return known;
}

QJsonObject objectOf(const Message& message, const QHash<qint64, qint64>& numbers) {
  QJsonObject object{{QStringLiteral("id"), numbers.value(message.id)},     {QStringLiteral("parent"), numbers.value(message.parent)},
                     {QStringLiteral("author"), toText(message.author)},    {QStringLiteral("status"), toText(message.status)},
                     {QStringLiteral("created"), isoTime(message.created)}, {QStringLiteral("text"), plainText(message)}};
  if (!message.modelName.isEmpty()) object.insert(QStringLiteral("model"), message.modelName);
  if (message.leftOutAbove != 0) object.insert(QStringLiteral("left_out_above"), message.leftOutAbove);
  if (message.given != 0) object.insert(QStringLiteral("given"), message.given);
  QJsonArray files;
  for (const Attachment& file : message.attachments)
    files.append(QJsonObject{{QStringLiteral("name"), file.name}, {QStringLiteral("text"), file.text}});
  if (!files.isEmpty()) object.insert(QStringLiteral("attachments"), files);
  if (!message.errorText.isEmpty()) object.insert(QStringLiteral("error"), message.errorText);
  if (const QJsonObject figures = figuresOf(message.figures); !figures.isEmpty()) object.insert(QStringLiteral("figures"), figures);
  return object;
}

// Lines of a message that look like our headings get an additional backslash.
QString escapedSpeakers(QString text) {
  static const QRegularExpression line(QStringLiteral("^(\\\\*\\*\\*.+\\*\\* <!-- (?:user|assistant|system) -->)$"),
                                       QRegularExpression::MultilineOption);
  return text.replace(line, QStringLiteral("\\\\1"));
}

}  // namespace

QString unescapedSpeakers(QString text) {
  static const QRegularExpression line(QStringLiteral("^\\\\(\\\\*\\*\\*.+\\*\\* <!-- (?:user|assistant|system) -->)$"),
                                       QRegularExpression::MultilineOption);
  return text.replace(line, QStringLiteral("\\1"));
}

QByteArray toMarkdown(const Conversation& conversation, const std::vector<Message>& messages) {
  const ConversationTree tree(messages, conversation.activeLeaf);
  QString text = QStringLiteral("# %1\n").arg(conversation.title.isEmpty() ? tr("New chat") : markdownEscaped(conversation.title));
  for (const qint64 id : tree.path()) {
    const Message& message = *tree.find(id);
    QList<Attachment> files = message.attachments;
    for (Attachment& file : files) file.name = markdownEscaped(file.name);
    text += QStringLiteral("\n**%1** <!-- %2 -->\n\n%3\n")
                .arg(markdownEscaped(speaker(message)), toText(message.author),
                     escapedSpeakers(withAttachments(files, plainText(message).trimmed())));
  }
  return text.toUtf8();
}

QByteArray toJson(const Conversation& conversation, const std::vector<Message>& messages) {
  QJsonArray all;
  QHash<qint64, qint64> numbers{{0, 0}};  // ids in the file: from 1, in order of creation
  for (const Message& message : messages) numbers.insert(message.id, numbers.size());
  for (const Message& message : messages) all.append(objectOf(message, numbers));
  QJsonObject root{{QStringLiteral("title"), conversation.title},
                   {QStringLiteral("model"), conversation.modelName},
                   {QStringLiteral("created"), isoTime(conversation.created)},
                   {QStringLiteral("updated"), isoTime(conversation.updated)},
                   {QStringLiteral("active_leaf"), numbers.value(conversation.activeLeaf)},
                   {QStringLiteral("messages"), all}};
  if (!conversation.preset.isEmpty()) root.insert(QStringLiteral("preset"), conversation.preset);
  const text::ReasoningChoice& reasoning = conversation.reasoning;
  if (reasoning.on) root.insert(QStringLiteral("reasoning"), switchText(reasoning.on));
  if (!reasoning.effort.empty()) root.insert(QStringLiteral("reasoning_effort"), text(reasoning.effort));
  return QJsonDocument(root).toJson(QJsonDocument::Indented);
}

QString freeFile(const QString& folder, const QString& title, const QString& ending, const QSet<QString>& taken) {
  static const QRegularExpression refused(QStringLiteral("[\\x00-\\x1f/\\\\:*?\"<>|]+"));
  QString name = QString(title).replace(refused, QStringLiteral(" ")).left(longestFileName).simplified();
  if (!name.isEmpty() && name.back().isHighSurrogate()) name.chop(1);
  while (name.startsWith(u'.')) name.remove(0, 1);  // would be hidden
  while (name.endsWith(u'.')) name.chop(1);
  if (name.isEmpty()) name = tr("New chat");
  for (int number = 1;; ++number) {
    const QString numbered = number == 1 ? name : QStringLiteral("%1 (%2)").arg(name).arg(number);
    const QString file = folder + QLatin1Char('/') + numbered + QLatin1Char('.') + ending;
    if (!QFileInfo::exists(file) && !taken.contains(file)) return file;
  }
}

Result<void> exportConversation(const QString& file, ExportKind kind, const Conversation& conversation,
                                const std::vector<Message>& messages) {
  return writeFile(file, kind == ExportKind::json ? toJson(conversation, messages) : toMarkdown(conversation, messages));
}

}  // namespace minerva::app
