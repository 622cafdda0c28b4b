#include "app/chat/conversation_import.h"

#include "app/chat/chat_store.h"
#include "app/chat/import_forms.h"
#include "app/chat/json_place.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QMultiHash>

#include <algorithm>

namespace minerva::app {
namespace {

minerva::Error notJson(const QByteArray& bytes, const QString& where, const QJsonParseError& error) {
  const auto end = std::min<qsizetype>(error.offset, bytes.size());
  const auto line = bytes.left(end).count('\n') + 1;
  const auto column = end - (end > 0 ? bytes.lastIndexOf('\n', end - 1) : -1);
  return {.kind = ErrorKind::corrupt,
          .what = "this file is not valid JSON",
          .where = QStringLiteral("%1, line %2, column %3").arg(where).arg(line).arg(column).toStdString(),
          .expected = "a JSON document, or one per line",
          .actual = error.errorString().toStdString(),
          .hint = "export it again; nothing was imported"};
}

// JSONL: each line is a conversation, or each is a message of one conversation.
Result<Imported> readLines(const QByteArray& bytes, const QString& file, const QDateTime& now) {
  Imported all;
  QJsonArray messages;
  int line = 0;
  for (const QByteArray& text : bytes.split('\n')) {
    ++line;
    if (text.trimmed().isEmpty()) continue;
    const QString where = QStringLiteral("%1, line %2").arg(file).arg(line);
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(text, &error);
    if (error.error != QJsonParseError::NoError) return fail(notJson(text, where, error));
    const JsonPlace place(document.isArray() ? QJsonValue(document.array()) : QJsonValue(document.object()), where);
    if (place.has("role") && all.conversations.empty()) {
      messages.append(place.value());
      MINERVA_TRY(checkChatMessage(place));
    } else if (!messages.isEmpty()) {
      return fail(place.wrong("a message, as on the lines before: {\"role\", \"content\"}"));
    } else {
      MINERVA_TRY(readDocument(place, now, all));
    }
  }
  if (!messages.isEmpty()) MINERVA_TRY(readDocument(JsonPlace(messages, file), now, all));
  return all;
}

Result<Imported> readJson(const QByteArray& bytes, const QString& file, const QDateTime& now) {
  QJsonParseError error;
  const QJsonDocument document = QJsonDocument::fromJson(bytes, &error);
  if (error.error == QJsonParseError::NoError) {
    Imported all;
    MINERVA_TRY(readDocument(JsonPlace(document.isArray() ? QJsonValue(document.array()) : QJsonValue(document.object()), file), now, all));
    return all;
  }
  // If the first line is a complete document, the file is JSONL.
  const auto end = bytes.indexOf('\n');
  QJsonParseError first;
  static_cast<void>(QJsonDocument::fromJson(bytes.left(end), &first));
  if (end < 0 || first.error != QJsonParseError::NoError) return fail(notJson(bytes, file, error));
  return readLines(bytes, file, now);
}

}  // namespace

int Imported::messages() const {
  std::size_t count = 0;
  for (const ImportedConversation& one : conversations) count += one.messages.size();
  return static_cast<int>(count);
}

Result<Imported> readConversations(const QByteArray& read, const QString& file, const QDateTime& now) {
  const QByteArray bytes = read.startsWith("\xEF\xBB\xBF") ? read.mid(3) : read;
  const QByteArray start = bytes.left(4096).trimmed();
  const bool json = start.startsWith('{') || start.startsWith('[');
  MINERVA_ASSIGN(Imported all, json ? readJson(bytes, file, now) : readMarkdown(QString::fromUtf8(bytes), file, now));
  all.file = file;
  std::erase_if(all.conversations, [](const ImportedConversation& one) { return one.messages.empty(); });
  if (all.conversations.empty())
    return fail(
        {.kind = ErrorKind::corrupt,
         .what = "this file contains no messages",
         .where = file.toStdString(),
         .expected = "an export of Minerva (.json, .md), ChatGPT's conversations.json, or {\"messages\": [{\"role\", \"content\"}]}",
         .hint = "nothing was imported"});
  return all;
}

Result<Imported> importConversations(const QString& path) {
  QFile file(path);
  const QString name = QFileInfo(path).fileName();
  if (!file.open(QIODevice::ReadOnly))
    return fail({.kind = ErrorKind::io,
                 .what = "the file cannot be read",
                 .where = path.toStdString(),
                 .actual = file.errorString().toStdString()});
  if (file.size() > importLimitBytes)
    return fail({.kind = ErrorKind::limit,
                 .what = "the file is too large to import",
                 .where = path.toStdString(),
                 .expected = std::to_string(importLimitBytes >> 20) + " MiB at most",
                 .actual = std::to_string(file.size() >> 20) + " MiB",
                 .hint = "split it into several files; nothing was imported"});
  const QByteArray bytes = file.readAll();
  if (file.error() != QFile::NoError || bytes.size() != file.size())
    return fail({.kind = ErrorKind::io,
                 .what = "the file cannot be read",
                 .where = path.toStdString(),
                 .actual = file.errorString().toStdString()});
  const QDateTime now = QDateTime::currentDateTimeUtc();
  auto all = readConversations(bytes, name, now);
  if (!all) return all;
  // The store dates a deletion no earlier than the newest conversation, so a time in the future would keep deleted ones.
  for (ImportedConversation& one : all->conversations) one.conversation.updated = std::min(one.conversation.updated, now);
  return all;
}

namespace {

bool haveSameWords(const std::vector<Message>& some, const std::vector<Message>& others) {
  return std::ranges::equal(some, others,
                            [](const Message& one, const Message& other) { return one.author == other.author && one.text == other.text; });
}

}  // namespace

Result<void> leaveOutKnown(ChatStore& store, Imported& read) {
  MINERVA_ASSIGN(const std::vector<Conversation> known, store.conversations());
  QMultiHash<qint64, qint64> ids;  // by time, in milliseconds
  for (const Conversation& one : known) ids.insert(one.created.toMSecsSinceEpoch(), one.id);
  std::vector<ImportedConversation> fresh;
  for (ImportedConversation& one : read.conversations) {
    bool isKnown = false;
    for (const qint64 id : ids.values(one.conversation.created.toMSecsSinceEpoch())) {
      MINERVA_ASSIGN(const std::vector<Message> messages, store.messages(id));
      isKnown = isKnown || haveSameWords(messages, one.messages);
    }
    if (isKnown) ++read.here;
    else fresh.push_back(std::move(one));
  }
  read.conversations = std::move(fresh);
  return {};
}

qint64 idsFor(const Imported& read) { return static_cast<qint64>(read.conversations.size()) + read.messages(); }

namespace {

Result<void> saveOne(ChatStore& store, const ImportedConversation& one, qint64 id, std::vector<Conversation>& saved) {
  Conversation conversation = one.conversation;
  conversation.id = id;
  const auto idOf = [id](qint64 number) { return number == 0 ? 0 : id + number; };
  conversation.activeLeaf = idOf(conversation.activeLeaf);
  MINERVA_TRY(store.save(conversation));
  saved.push_back(conversation);
  for (Message message : one.messages) {
    message.conversation = id;
    message.id = idOf(message.id);
    message.parent = idOf(message.parent);
    MINERVA_TRY(store.save(message));
  }
  return {};
}

}  // namespace

Result<void> saveImported(ChatStore& store, const Imported& read, qint64 firstId, std::vector<Conversation>& saved) {
  MINERVA_TRY(store.begin());
  qint64 id = firstId;
  Result<void> done;
  for (const ImportedConversation& one : read.conversations) {
    if (done) done = saveOne(store, one, id, saved);
    id += 1 + static_cast<qint64>(one.messages.size());
  }
  if (done) done = store.commit();
  if (!done) store.rollback();
  return done;
}

}  // namespace minerva::app
