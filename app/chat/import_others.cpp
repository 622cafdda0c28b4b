// Readers for other programs' files: ChatGPT's tree of nodes ("mapping"), and lists of {"role", "content"}.
#include "app/chat/import_forms.h"
#include "app/chat/prompt.h"

#include <QHash>
#include <QSet>

#include <cmath>
#include <optional>

namespace minerva::app {
namespace {

// The text of "content": a string, or a list of parts, of which those without text are skipped and counted.
Result<QString> contentText(const JsonPlace& content, int& leftOut) {
  if (content.value().isString()) return content.value().toString();
  if (content.value().isNull()) return QString();
  if (!content.value().isArray()) return fail(content.wrong("text, or a list of parts"));
  QStringList texts;
  for (qsizetype i = 0; i < content.size(); ++i) {
    const JsonPlace part = content.item(i);
    if (part.value().isString()) texts << part.value().toString();
    else if (part.has("text") && part.at("text").value().isString()) texts << part.at("text").value().toString();
    else ++leftOut;
  }
  texts.removeAll(QString());
  return texts.join(QStringLiteral("\n\n"));
}

std::optional<Author> authorOfRole(const QString& role) {
  if (role == QLatin1String("user")) return Author::user;
  if (role == QLatin1String("assistant")) return Author::assistant;
  if (role == QLatin1String("system") || role == QLatin1String("developer")) return Author::system;
  return {};
}

QDateTime secondsAt(const JsonPlace& place, const QDateTime& fallback) {
  const double seconds = place.value().toDouble(NAN);
  return std::isfinite(seconds) && seconds > 0 && seconds < 1e11
             ? QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(seconds * 1000)).toUTC()
             : fallback;
}

void nameIt(ImportedConversation& one) {
  if (!one.conversation.title.isEmpty()) return;
  for (const Message& message : one.messages)
    if (message.author == Author::user) {
      one.conversation.title = titleFrom(message.text);
      return;
    }
}

// The message of a node of ChatGPT's tree; nullopt for the root, hidden nodes and tool messages.
Result<std::optional<Message>> messageOf(const JsonPlace& node, const QDateTime& now, int& leftOut) {
  const JsonPlace place = node.at("message");
  if (!place.value().isObject()) return std::nullopt;
  const JsonPlace content = place.at("content");
  MINERVA_ASSIGN(const QString role, place.at("author").at("role").text());
  const auto author = authorOfRole(role);
  const bool hidden = place.at("metadata").at("is_visually_hidden_from_conversation").value().toBool();
  const QString kind = content.at("content_type").value().toString();
  QString text;
  if (kind == QLatin1String("text") || kind == QLatin1String("multimodal_text")) {
    MINERVA_TRY(content.at("parts").isArray());
    MINERVA_ASSIGN(text, contentText(content.at("parts"), leftOut));
  } else if (kind == QLatin1String("code") && place.at("recipient").value().toString(QStringLiteral("all")) == QLatin1String("all")) {
    MINERVA_ASSIGN(text, content.at("text").text());
    text = QStringLiteral("```\n") + text + QStringLiteral("\n```");
  }
  if (!author || hidden || text.isEmpty()) {
    if (!hidden && !(author == Author::system && text.isEmpty())) ++leftOut;
    return std::nullopt;
  }
  Message message;
  message.author = *author;
  message.text = text;
  message.created = secondsAt(place.at("create_time"), now);
  if (*author == Author::assistant) message.modelName = place.at("metadata").at("model_slug").value().toString();
  if (place.at("status").value().toString() == QLatin1String("in_progress")) message.status = Status::interrupted;
  return message;
}

}  // namespace

Result<void> readChatGpt(const JsonPlace& conversation, const QDateTime& now, Imported& all) {
  ImportedConversation one;
  one.conversation.title = conversation.at("title").value().toString();
  one.conversation.created = secondsAt(conversation.at("create_time"), now);
  one.conversation.updated = secondsAt(conversation.at("update_time"), one.conversation.created);
  const JsonPlace mapping = conversation.at("mapping");
  MINERVA_TRY(mapping.isObject());
  const QJsonObject nodes = mapping.value().toObject();
  const QString current = conversation.at("current_node").value().toString();
  struct Step {
    QString node;
    qint64 parent;
  };
  std::vector<Step> waiting;
  for (auto node = nodes.begin(); node != nodes.end(); ++node)
    if (!nodes.contains(node->toObject().value(QLatin1String("parent")).toString())) waiting.push_back({node.key(), 0});
  QSet<QString> seen;
  QHash<QString, qint64> numbers;
  for (std::size_t next = 0; next < waiting.size(); ++next) {  // breadth-first: parents before children, siblings in order
    const Step step = waiting[next];
    if (seen.contains(step.node)) continue;
    seen.insert(step.node);
    const QByteArray key = step.node.toUtf8();
    const JsonPlace node = mapping.at(key.constData());
    MINERVA_TRY(node.isObject());
    MINERVA_ASSIGN(std::optional<Message> message, messageOf(node, one.conversation.created, all.leftOut));
    qint64 parent = step.parent;
    if (message) {
      message->id = static_cast<qint64>(one.messages.size()) + 1;
      message->parent = std::exchange(parent, message->id);
      if (!message->modelName.isEmpty()) one.conversation.modelName = message->modelName;
      one.messages.push_back(std::move(*message));
    }
    numbers.insert(step.node, parent);
    const JsonPlace children = node.at("children");
    for (qsizetype i = 0; i < children.size(); ++i) {
      MINERVA_ASSIGN(const QString child, children.item(i).text());
      if (!nodes.contains(child)) return fail(children.item(i).wrong("the name of a node in \"mapping\""));
      waiting.push_back({child, parent});
    }
  }
  if (seen.size() != nodes.size()) return fail(mapping.wrong("nodes that are all connected to a root"));
  one.conversation.activeLeaf = numbers.value(current);
  nameIt(one);
  all.conversations.push_back(std::move(one));
  return {};
}

Result<void> checkChatMessage(const JsonPlace& message) {
  MINERVA_TRY(message.isObject());
  MINERVA_ASSIGN(const QString role, message.at("role").text());
  if (!authorOfRole(role) && role != QLatin1String("tool") && role != QLatin1String("function"))
    return fail(message.at("role").wrong("\"user\", \"assistant\", \"system\", \"developer\" or \"tool\""));
  int leftOut = 0;
  if (message.has("content")) MINERVA_TRY(contentText(message.at("content"), leftOut));
  return {};
}

Result<void> readChatMessages(const JsonPlace& messages, const QString& title, const QDateTime& now, Imported& all) {
  ImportedConversation one;
  one.conversation.title = title;
  one.conversation.created = one.conversation.updated = now;
  for (qsizetype i = 0; i < messages.size(); ++i) {
    const JsonPlace place = messages.item(i);
    MINERVA_TRY(checkChatMessage(place));
    const auto author = authorOfRole(place.at("role").value().toString());
    QString text;
    if (place.has("content")) {
      MINERVA_ASSIGN(text, contentText(place.at("content"), all.leftOut));
    }
    if (!author || text.isEmpty()) {
      ++all.leftOut;
      continue;
    }
    Message message;
    message.id = static_cast<qint64>(one.messages.size()) + 1;
    message.parent = message.id - 1;
    message.author = *author;
    message.text = text;
    message.created = now;
    one.messages.push_back(std::move(message));
  }
  one.conversation.activeLeaf = static_cast<qint64>(one.messages.size());
  nameIt(one);
  all.conversations.push_back(std::move(one));
  return {};
}

Result<void> readDocument(const JsonPlace& document, const QDateTime& now, Imported& all) {
  if (document.value().isArray()) {
    if (document.size() > 0 && document.item(0).has("role")) return readChatMessages(document, {}, now, all);
    for (qsizetype i = 0; i < document.size(); ++i) MINERVA_TRY(readDocument(document.item(i), now, all));
    return {};
  }
  if (document.has("mapping")) return readChatGpt(document, now, all);
  const JsonPlace messages = document.at("messages");
  if (!document.has("messages")) return fail(document.wrong("\"messages\" (Minerva, OpenAI) or \"mapping\" (ChatGPT)"));
  MINERVA_TRY(messages.isArray());
  if (messages.size() > 0 && messages.item(0).has("role"))
    return readChatMessages(messages, document.at("title").value().toString(), now, all);
  return readOwnExport(document, now, all);
}

}  // namespace minerva::app
