// Readers for Minerva's own exports: JSON with the whole tree, Markdown with one path through it.
#include "app/chat/conversation_export.h"
#include "app/chat/import_forms.h"
#include "app/chat/reply_reasoning.h"
#include "app/text/markdown_names.h"
#include "app/text/reply_text.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QHash>
#include <QRegularExpression>

#include <algorithm>
#include <optional>

namespace minerva::app {
namespace {

Result<QDateTime> timeAt(const JsonPlace& place, const QDateTime& fallback) {
  if (place.value().isUndefined()) return fallback;
  MINERVA_ASSIGN(const QString text, place.text());
  const QDateTime time = QDateTime::fromString(text, Qt::ISODateWithMs);
  if (!time.isValid()) return fail(place.wrong("a time in ISO 8601"));
  return time.toUTC();
}

Result<QString> optionalText(const JsonPlace& place) { return place.value().isUndefined() ? Result<QString>(QString()) : place.text(); }

ReplyFigures figuresAt(const JsonPlace& place) {
  const auto number = [&](const char* key) {
    constexpr double most = 1e12;
    const double value = place.at(key).value().toDouble(-1);
    return value >= 0 && value <= most ? value : -1;
  };
  const auto count = [&](const char* key) { return std::max(-1, place.at(key).value().toInt(-1)); };  // -1 also if it is not an int
  return {number("ttft_ms"),      number("prefill_tokens_per_second"), number("decode_tokens_per_second"),
          count("prompt_tokens"), count("generated_tokens"),           count("reused_tokens")};
}

Result<QList<Attachment>> attachmentsAt(const JsonPlace& place) {
  QList<Attachment> files;
  if (place.value().isUndefined()) return files;
  MINERVA_TRY(place.isArray());
  for (qsizetype i = 0; i < place.size(); ++i) {
    MINERVA_ASSIGN(const QString name, place.item(i).at("name").text());
    MINERVA_ASSIGN(const QString text, place.item(i).at("text").text());
    files << attachmentOf(name, text);
  }
  return files;
}

Result<Message> messageAt(const JsonPlace& place, const QDateTime& now) {
  MINERVA_TRY(place.isObject());
  Message message;
  MINERVA_ASSIGN(message.id, place.at("id").integer());
  MINERVA_ASSIGN(message.parent, place.at("parent").integer());
  MINERVA_ASSIGN(const QString author, place.at("author").text());
  message.author = authorFrom(author);
  if (toText(message.author) != author) return fail(place.at("author").wrong("\"user\", \"assistant\" or \"system\""));
  MINERVA_ASSIGN(const QString status, optionalText(place.at("status")));
  message.status = statusFrom(status);
  if (message.status == Status::waiting || message.status == Status::streaming) message.status = Status::interrupted;
  MINERVA_ASSIGN(message.text, place.at("text").text());
  if (message.author == Author::assistant) message.text = storedReply(message.text);
  MINERVA_ASSIGN(message.modelName, optionalText(place.at("model")));
  MINERVA_ASSIGN(message.errorText, optionalText(place.at("error")));
  MINERVA_ASSIGN(message.created, timeAt(place.at("created"), now));
  message.leftOutAbove = std::max(0, place.at("left_out_above").value().toInt(0));
  message.given = std::clamp(place.at("given").value().toInt(0), 0, static_cast<int>(message.text.size()));
  message.figures = figuresAt(place.at("figures"));
  MINERVA_ASSIGN(message.attachments, attachmentsAt(place.at("attachments")));
  return message;
}

}  // namespace

Result<void> readOwnExport(const JsonPlace& document, const QDateTime& now, Imported& all) {
  ImportedConversation one;
  MINERVA_ASSIGN(one.conversation.title, optionalText(document.at("title")));
  MINERVA_ASSIGN(one.conversation.modelName, optionalText(document.at("model")));
  MINERVA_ASSIGN(one.conversation.preset, optionalText(document.at("preset")));
  MINERVA_ASSIGN(const QString reasoning, optionalText(document.at("reasoning")));
  MINERVA_ASSIGN(const QString effort, optionalText(document.at("reasoning_effort")));
  one.conversation.reasoning = {switchFrom(reasoning), effort.toStdString()};
  MINERVA_ASSIGN(one.conversation.created, timeAt(document.at("created"), now));
  MINERVA_ASSIGN(one.conversation.updated, timeAt(document.at("updated"), one.conversation.created));
  MINERVA_ASSIGN(const qint64 leaf,
                 document.at("active_leaf").value().isUndefined() ? Result<qint64>(0) : document.at("active_leaf").integer());
  const JsonPlace messages = document.at("messages");
  QHash<qint64, qint64> numbers{{0, 0}};  // maps the file's ids, which may have gaps
  for (qsizetype i = 0; i < messages.size(); ++i) {
    MINERVA_ASSIGN(Message message, messageAt(messages.item(i), now));
    // Exports list parents first; checking that also excludes cycles.
    if (message.id == 0 || numbers.contains(message.id)) return fail(messages.item(i).at("id").wrong("a unique id"));
    if (!numbers.contains(message.parent)) return fail(messages.item(i).at("parent").wrong("0 or the id of a message before it"));
    message.parent = numbers.value(message.parent);
    const auto number = static_cast<qint64>(one.messages.size()) + 1;
    numbers.insert(message.id, number);
    message.id = number;
    one.messages.push_back(std::move(message));
  }
  if (!numbers.contains(leaf)) return fail(document.at("active_leaf").wrong("0 or the id of a message"));
  one.conversation.activeLeaf = numbers.value(leaf);
  all.conversations.push_back(std::move(one));
  return {};
}

namespace {

struct Heading {
  Author author = Author::user;
  QString name;
};

// Our headings name the author in a comment. Older exports have only the name.
std::optional<Heading> headingOf(const QString& line, bool marked, Author before) {
  static const QRegularExpression shape(QStringLiteral("^\\*\\*(.+)\\*\\*(?: <!-- (user|assistant|system) -->)?$"));
  const QRegularExpressionMatch match = shape.match(line);
  if (!match.hasMatch() || (marked && match.captured(2).isEmpty())) return {};
  const QString name = markdownUnescaped(match.captured(1));
  if (marked) return Heading{authorFrom(match.captured(2)), name};
  const auto is = [&](const char* word) {
    return name == QLatin1String(word) || name == QCoreApplication::translate("ConversationExport", word);
  };
  if (is("You")) return Heading{Author::user, name};
  if (is("System")) return Heading{Author::system, name};
  if (is("Assistant") || before == Author::user) return Heading{Author::assistant, name};  // replies are headed by their model's name
  return {};
}

}  // namespace

Result<Imported> readMarkdown(const QString& text, const QString& file, const QDateTime& now) {
  ImportedConversation one;
  one.conversation.title = QFileInfo(file).completeBaseName();
  one.conversation.created = one.conversation.updated = now;
  const QStringList lines = QString(text).remove(QLatin1Char('\r')).split(QLatin1Char('\n'));
  const bool marked =
      std::any_of(lines.begin(), lines.end(), [](const QString& line) { return headingOf(line, true, Author::system).has_value(); });
  QStringList said;
  const auto finish = [&] {
    if (!one.messages.empty()) {
      Message& last = one.messages.back();
      last.text = unescapedSpeakers(said.join(QLatin1Char('\n')).trimmed());
      if (last.author == Author::assistant) last.text = storedReply(last.text);
    }
    said.clear();
  };
  for (qsizetype i = 0; i < lines.size(); ++i) {
    const bool alone = (i == 0 || lines[i - 1].trimmed().isEmpty()) && (i + 1 == lines.size() || lines[i + 1].trimmed().isEmpty());
    const auto heading =
        alone ? headingOf(lines[i], marked, one.messages.empty() ? Author::system : one.messages.back().author) : std::nullopt;
    if (!heading) {
      if (one.messages.empty() && lines[i].startsWith(QLatin1String("# ")))
        one.conversation.title = markdownUnescaped(lines[i].mid(2).trimmed());
      said << lines[i];
      continue;
    }
    finish();
    Message message;
    message.id = static_cast<qint64>(one.messages.size()) + 1;
    message.parent = message.id - 1;
    message.author = heading->author;
    const bool named =
        heading->name != QLatin1String("Assistant") && heading->name != QCoreApplication::translate("ConversationExport", "Assistant");
    if (message.author == Author::assistant && named) message.modelName = one.conversation.modelName = heading->name;
    message.created = now;
    one.messages.push_back(message);
  }
  finish();
  one.conversation.activeLeaf = static_cast<qint64>(one.messages.size());
  Imported all;
  all.conversations.push_back(std::move(one));
  return all;
}

}  // namespace minerva::app
