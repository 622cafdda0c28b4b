#include "app/chat/chat_store.h"

#include "app/chat/reply_reasoning.h"
#include "app/chat/search_words.h"
#include "app/text/reply_text.h"

#include <QFileInfo>
#include <QVariant>

#include <map>
#include <tuple>

namespace minerva::app {
namespace {

constexpr qint64 tidyFromBytes = 4 << 20;
constexpr int mostFound = 200;
constexpr qint64 dayMs = 24LL * 3600 * 1000;

// One entry per version: the statements that upgrade from the previous one.
const std::vector<QStringList>& chatMigrations() {
  static const std::vector<QStringList> steps{
      {QStringLiteral("CREATE TABLE conversations (id INTEGER PRIMARY KEY, title TEXT NOT NULL DEFAULT '', "
                      "model TEXT NOT NULL DEFAULT '', created INTEGER NOT NULL, updated INTEGER NOT NULL, "
                      "active_leaf INTEGER NOT NULL DEFAULT 0, deleted INTEGER NOT NULL DEFAULT 0)"),
       QStringLiteral("CREATE TABLE messages (id INTEGER PRIMARY KEY, "
                      "conversation INTEGER NOT NULL REFERENCES conversations(id) ON DELETE CASCADE, "
                      "parent INTEGER NOT NULL DEFAULT 0, author TEXT NOT NULL, status TEXT NOT NULL, "
                      "text TEXT NOT NULL DEFAULT '', model TEXT NOT NULL DEFAULT '', error TEXT NOT NULL DEFAULT '', "
                      "created INTEGER NOT NULL, ttft_ms REAL NOT NULL DEFAULT -1, prefill_speed REAL NOT NULL DEFAULT -1, "
                      "decode_speed REAL NOT NULL DEFAULT -1, prompt_tokens INTEGER NOT NULL DEFAULT -1, "
                      "generated_tokens INTEGER NOT NULL DEFAULT -1)"),
       QStringLiteral("CREATE INDEX messages_of ON messages(conversation, id)")},
      // Full-text search by trigrams, which also finds parts of words and works for all languages. A reply is indexed
      // when it is complete, not at every update.
      {QStringLiteral("UPDATE messages SET status='interrupted' WHERE status IN ('waiting', 'streaming')"),
       QStringLiteral("CREATE VIRTUAL TABLE message_text USING fts5(text, content='messages', content_rowid='id', tokenize='trigram')"),
       QStringLiteral("INSERT INTO message_text(message_text) VALUES ('rebuild')"),
       QStringLiteral("CREATE TRIGGER message_added AFTER INSERT ON messages WHEN new.status NOT IN ('waiting', 'streaming') BEGIN "
                      "INSERT INTO message_text(rowid, text) VALUES (new.id, new.text); END"),
       QStringLiteral("CREATE TRIGGER message_removed AFTER DELETE ON messages WHEN old.status NOT IN ('waiting', 'streaming') BEGIN "
                      "INSERT INTO message_text(message_text, rowid, text) VALUES ('delete', old.id, old.text); END"),
       QStringLiteral("CREATE TRIGGER message_left AFTER UPDATE OF status, text ON messages "
                      "WHEN old.status NOT IN ('waiting', 'streaming') BEGIN "
                      "INSERT INTO message_text(message_text, rowid, text) VALUES ('delete', old.id, old.text); END"),
       QStringLiteral("CREATE TRIGGER message_written AFTER UPDATE OF status, text ON messages "
                      "WHEN new.status NOT IN ('waiting', 'streaming') BEGIN "
                      "INSERT INTO message_text(rowid, text) VALUES (new.id, new.text); END")},
      // Where prompts begin, and the number of tokens reused from the KV cache.
      {QStringLiteral("ALTER TABLE messages ADD COLUMN left_out_above INTEGER NOT NULL DEFAULT 0"),
       QStringLiteral("ALTER TABLE messages ADD COLUMN reused_tokens INTEGER NOT NULL DEFAULT -1")},
      // Pins and folders. The foreign key is deferred, because a queued write may be replaced by one that refers to a
      // newer folder.
      {QStringLiteral("CREATE TABLE folders (id INTEGER PRIMARY KEY, name TEXT NOT NULL, collapsed INTEGER NOT NULL DEFAULT 0)"),
       QStringLiteral("ALTER TABLE conversations ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0"),
       QStringLiteral("ALTER TABLE conversations ADD COLUMN folder INTEGER DEFAULT NULL "
                      "REFERENCES folders(id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED"),
       QStringLiteral("CREATE INDEX conversations_in ON conversations(folder)")},
      // Files of messages, also searchable. They are never updated.
      {QStringLiteral("CREATE TABLE attachments (id INTEGER PRIMARY KEY, "
                      "message INTEGER NOT NULL REFERENCES messages(id) ON DELETE CASCADE, position INTEGER NOT NULL, "
                      "name TEXT NOT NULL, text TEXT NOT NULL, UNIQUE (message, position))"),
       QStringLiteral(
           "CREATE VIRTUAL TABLE attachment_text USING fts5(name, text, content='attachments', content_rowid='id', tokenize='trigram')"),
       QStringLiteral("CREATE TRIGGER attachment_added AFTER INSERT ON attachments BEGIN "
                      "INSERT INTO attachment_text(rowid, name, text) VALUES (new.id, new.name, new.text); END"),
       QStringLiteral(
           "CREATE TRIGGER attachment_removed AFTER DELETE ON attachments BEGIN "
           "INSERT INTO attachment_text(attachment_text, rowid, name, text) VALUES ('delete', old.id, old.name, old.text); END")},
      {QStringLiteral("ALTER TABLE conversations ADD COLUMN preset TEXT NOT NULL DEFAULT ''")},
      // Replies that were edited or continued.
      {QStringLiteral("ALTER TABLE messages ADD COLUMN given INTEGER NOT NULL DEFAULT 0")},
      // Drafts. Conversation 0 is the new chat, which has no row: hence a trigger instead of a foreign key.
      {QStringLiteral("CREATE TABLE drafts (conversation INTEGER NOT NULL, message INTEGER NOT NULL, queued INTEGER NOT NULL, "
                      "text TEXT NOT NULL, PRIMARY KEY (conversation, message, queued))"),
       QStringLiteral("CREATE TABLE draft_files (conversation INTEGER NOT NULL, queued INTEGER NOT NULL, position INTEGER NOT NULL, "
                      "name TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (conversation, queued, position))"),
       QStringLiteral("CREATE TRIGGER conversation_removed AFTER DELETE ON conversations BEGIN "
                      "DELETE FROM drafts WHERE conversation = old.id; DELETE FROM draft_files WHERE conversation = old.id; END"),
       // Ids are never reused, so that the metrics of a purged message are not shown for a later one.
       QStringLiteral("CREATE TABLE purged (last_id INTEGER NOT NULL)"), QStringLiteral("INSERT INTO purged VALUES (0)"),
       QStringLiteral("CREATE TRIGGER conversation_purged BEFORE DELETE ON conversations BEGIN UPDATE purged SET last_id = max(last_id, "
                      "old.id, coalesce((SELECT max(id) FROM messages WHERE conversation = old.id), 0)); END")},
      // What is asked of a model that reasons.
      {QStringLiteral("ALTER TABLE conversations ADD COLUMN reasoning TEXT NOT NULL DEFAULT ''"),
       QStringLiteral("ALTER TABLE conversations ADD COLUMN effort TEXT NOT NULL DEFAULT ''")},
      // Vectors of messages, of 16-bit floats, little-endian. The conversation is repeated here, because reading it from the messages
      // would read their texts too.
      {QStringLiteral("CREATE TABLE message_vectors (message INTEGER PRIMARY KEY REFERENCES messages(id) ON DELETE CASCADE, "
                      "conversation INTEGER NOT NULL, model TEXT NOT NULL, vector BLOB NOT NULL)"),
       QStringLiteral("CREATE TRIGGER message_rewritten AFTER UPDATE OF text ON messages WHEN old.text IS NOT new.text BEGIN "
                      "DELETE FROM message_vectors WHERE message = old.id; END")}};
  return steps;
}

qint64 toMs(const QDateTime& time) { return time.toMSecsSinceEpoch(); }
QDateTime fromMs(const QVariant& ms) { return QDateTime::fromMSecsSinceEpoch(ms.toLongLong()); }

constexpr const char* conversationColumns = "id, title, model, created, updated, active_leaf, pinned, folder, preset, reasoning, effort";
Conversation conversationFrom(const QSqlQuery& row) {
  return {row.value(0).toLongLong(), row.value(1).toString(),
          row.value(2).toString(),   fromMs(row.value(3)),
          fromMs(row.value(4)),      row.value(5).toLongLong(),
          row.value(6).toBool(),     row.value(7).toLongLong(),
          row.value(8).toString(),   {switchFrom(row.value(9).toString()), row.value(10).toString().toStdString()}};
}

// What is shown of a message's text m.text: a reply without the tags of its thoughts (app/text/reply_text.h).
constexpr const char* shownText =
    "(CASE WHEN m.author <> 'assistant' THEN m.text ELSE replace(replace(replace(CASE WHEN ltrim(m.text, char(9, 10, 13, 32)) LIKE "
    "'<think>%' THEN substr(ltrim(m.text, char(9, 10, 13, 32)), 8) ELSE m.text END, char(10, 10) || '<think again>', ''), "
    "char(10) || '</think>', ''), '</think\\', '</think') END)";

QString excerptOf(const QString& author, const QString& text, const SearchWords& words) {
  const SplitReply reply = author == toText(Author::assistant) ? splitReply(text) : SplitReply();
  const QString shown = reply.thought ? reply.reasoning + QLatin1Char('\n') + reply.answer : text;
  return excerpt(author == toText(Author::assistant) ? withoutMarks(shown) : shown, words);
}

}  // namespace

ChatStore::ChatStore(std::unique_ptr<SqliteFile> file) : m_file(std::move(file)) {}

Result<std::unique_ptr<ChatStore>> ChatStore::open(const QString& file) {
  Q_ASSERT(version == static_cast<int>(chatMigrations().size()));
  MINERVA_ASSIGN(auto database, SqliteFile::open(file, "the conversations", chatMigrations()));
  std::unique_ptr<ChatStore> store(new ChatStore(std::move(database)));
  MINERVA_TRY(withSoundIndexes(*store, [](ChatStore& opened) { return opened.prepare(); }));
  return store;
}

Result<void> ChatStore::prepare() {
  MINERVA_TRY(m_file->run(QStringLiteral("PRAGMA wal_autocheckpoint=0")));
  MINERVA_TRY(m_file->run(QStringLiteral("PRAGMA secure_delete=ON")));  // overwrites purged data
  MINERVA_TRY(m_file->run(QStringLiteral("UPDATE messages SET status='interrupted' WHERE status IN ('waiting', 'streaming')")));
  MINERVA_ASSIGN(const QSqlQuery removed, m_file->query(QStringLiteral("DELETE FROM conversations WHERE deleted > 0 AND deleted < ?"),
                                                        {toMs(m_file->lastUsed()) - keepDeletedDays * dayMs}));
  m_removedForGood = removed.numRowsAffected() > 0;
  // The first write to a new log waits for the disk. Do it now, because saving a reply must not wait. It also makes this start the
  // last use of the file.
  return m_file->run(QStringLiteral("PRAGMA user_version=%1").arg(version));
}

Result<std::vector<Conversation>> ChatStore::conversations() {
  std::vector<Conversation> all;
  MINERVA_TRY(m_file->each(QStringLiteral("SELECT %1 FROM conversations WHERE deleted = 0 ORDER BY updated DESC, id DESC")
                               .arg(QLatin1String(conversationColumns)),
                           {}, [&](const QSqlQuery& row) { all.push_back(conversationFrom(row)); }));
  return all;
}

Result<std::vector<DeletedConversation>> ChatStore::deletedConversations() {
  std::vector<DeletedConversation> all;
  MINERVA_TRY(m_file->each(QStringLiteral("SELECT %1, deleted FROM conversations WHERE deleted > 0 ORDER BY deleted DESC, id DESC")
                               .arg(QLatin1String(conversationColumns)),
                           {}, [&](const QSqlQuery& row) {
                             all.push_back({conversationFrom(row), fromMs(row.value(11))});
                           }));
  return all;
}

Result<std::vector<Message>> ChatStore::messages(qint64 conversation) {
  std::vector<Message> all;
  MINERVA_TRY(m_file->each(
      QStringLiteral(
          "SELECT id, parent, author, status, text, model, error, created, ttft_ms, prefill_speed, "
          "decode_speed, prompt_tokens, generated_tokens, reused_tokens, left_out_above, given FROM messages WHERE conversation = ? ORDER BY id"),
      {conversation}, [&](const QSqlQuery& row) {
        Message& message = all.emplace_back();
        message.id = row.value(0).toLongLong();
        message.conversation = conversation;
        message.parent = row.value(1).toLongLong();
        message.author = authorFrom(row.value(2).toString());
        message.status = statusFrom(row.value(3).toString());
        message.text = row.value(4).toString();
        message.modelName = row.value(5).toString();
        message.errorText = row.value(6).toString();
        message.created = fromMs(row.value(7));
        message.figures = {row.value(8).toDouble(), row.value(9).toDouble(), row.value(10).toDouble(),
                           row.value(11).toInt(),   row.value(12).toInt(),   row.value(13).toInt()};
        message.leftOutAbove = row.value(14).toInt();
        message.given = row.value(15).toInt();
      }));
  MINERVA_TRY(readAttachments(conversation, all));
  return all;
}

Result<void> ChatStore::readAttachments(qint64 conversation, std::vector<Message>& messages) {
  auto at = messages.begin();  // both are sorted by id
  return m_file->each(QStringLiteral("SELECT a.message, a.name, a.text FROM attachments a JOIN messages m ON m.id = a.message "
                                     "WHERE m.conversation = ? ORDER BY a.message, a.position"),
                      {conversation}, [&](const QSqlQuery& row) {
                        while (at->id != row.value(0).toLongLong()) ++at;
                        at->attachments << attachmentOf(row.value(1).toString(), row.value(2).toString());
                      });
}

Result<std::vector<Found>> ChatStore::search(const QString& typed) {
  const SearchWords words(typed);
  if (words.isEmpty()) return std::vector<Found>{};
  QVariantList values;
  const auto matching = [&](const QString& select, const QString& id, const QString& index, const QString& text) {
    QString sql = select;
    if (!words.indexed.isEmpty()) {
      sql += QStringLiteral(" JOIN %1 ON %1.rowid = %2 WHERE %1 MATCH ?").arg(index, id);
      values << words.match();
    } else {
      sql += QStringLiteral(" WHERE m.status NOT IN ('waiting', 'streaming')");  // as in the index
    }
    for (const QStringList& patterns : words.like()) {
      QStringList either;
      for (const QString& pattern : patterns) {
        either << QStringLiteral("%1 LIKE ? ESCAPE '\\'").arg(text);
        values << pattern;
      }
      sql += QStringLiteral(" AND (%1)").arg(either.join(QLatin1String(" OR ")));
    }
    return sql;
  };
  const QString messages = matching(QStringLiteral("SELECT m.conversation, m.id, m.text, m.author FROM messages m"), QStringLiteral("m.id"),
                                    QStringLiteral("message_text"), QLatin1String(shownText));
  const QString files =
      matching(QStringLiteral(
                   "SELECT m.conversation, m.id, a.name || char(10) || a.text, '' FROM attachments a JOIN messages m ON m.id = a.message"),
               QStringLiteral("a.id"), QStringLiteral("attachment_text"), QStringLiteral("(a.name || char(10) || a.text)"));
  // In SQLite, bare columns beside max() are those of the row with the maximum.
  const QString sql =
      QStringLiteral(
          "SELECT f.conversation, max(f.id), f.text, f.author FROM (%1 UNION ALL %2) f JOIN conversations c ON c.id = f.conversation "
          "WHERE c.deleted = 0 GROUP BY f.conversation ORDER BY c.updated DESC, c.id DESC LIMIT %3")
          .arg(messages, files)
          .arg(mostFound);
  std::vector<Found> found;
  MINERVA_TRY(m_file->each(sql, values, [&](const QSqlQuery& row) {
    found.push_back(
        {row.value(0).toLongLong(), row.value(1).toLongLong(), excerptOf(row.value(3).toString(), row.value(2).toString(), words)});
  }));
  return found;
}

Result<std::vector<Folder>> ChatStore::folders() {
  std::vector<Folder> all;
  MINERVA_TRY(m_file->each(QStringLiteral("SELECT id, name, collapsed FROM folders ORDER BY id"), {}, [&](const QSqlQuery& row) {
    all.push_back({row.value(0).toLongLong(), row.value(1).toString(), row.value(2).toBool()});
  }));
  return all;
}

Result<qint64> ChatStore::lastId() {
  qint64 last = 0;
  MINERVA_TRY(m_file->each(QStringLiteral("SELECT max((SELECT last_id FROM purged), coalesce((SELECT max(id) FROM conversations), 0), "
                                          "coalesce((SELECT max(id) FROM messages), 0), coalesce((SELECT max(id) FROM folders), 0))"),
                           {}, [&](const QSqlQuery& row) { last = row.value(0).toLongLong(); }));
  return last;
}

Result<void> ChatStore::save(const Conversation& c) {
  const QVariant folder = c.folder != 0 ? QVariant(c.folder) : QVariant(QMetaType(QMetaType::LongLong));  // NULL: none
  return m_file->run(
      QStringLiteral(
          "INSERT INTO conversations (id, title, model, created, updated, active_leaf, pinned, folder, preset, reasoning, effort) "
          "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
          "ON CONFLICT(id) DO UPDATE SET title = excluded.title, model = excluded.model, updated = excluded.updated, "
          "active_leaf = excluded.active_leaf, pinned = excluded.pinned, folder = excluded.folder, "
          "preset = excluded.preset, reasoning = excluded.reasoning, effort = excluded.effort"),
      {c.id, filled(c.title), filled(c.modelName), toMs(c.created), toMs(c.updated), c.activeLeaf, c.pinned, folder, filled(c.preset),
       filled(switchText(c.reasoning.on)), filled(QString::fromStdString(c.reasoning.effort))});
}

Result<void> ChatStore::save(const Folder& folder) {
  return m_file->run(QStringLiteral("INSERT INTO folders (id, name, collapsed) VALUES (?, ?, ?) "
                                    "ON CONFLICT(id) DO UPDATE SET name = excluded.name, collapsed = excluded.collapsed"),
                     {folder.id, filled(folder.name), folder.collapsed});
}

Result<void> ChatStore::removeFolder(qint64 folder) { return m_file->run(QStringLiteral("DELETE FROM folders WHERE id = ?"), {folder}); }

Result<void> ChatStore::save(const Message& m) {
  MINERVA_TRY(m_file->run(
      QStringLiteral("INSERT INTO messages (id, conversation, parent, author, status, text, model, error, created, ttft_ms, prefill_speed, "
                     "decode_speed, prompt_tokens, generated_tokens, reused_tokens, left_out_above, given) "
                     "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                     "ON CONFLICT(id) DO UPDATE SET status = excluded.status, text = excluded.text, error = excluded.error, "
                     "ttft_ms = excluded.ttft_ms, prefill_speed = excluded.prefill_speed, decode_speed = excluded.decode_speed, "
                     "prompt_tokens = excluded.prompt_tokens, generated_tokens = excluded.generated_tokens, "
                     "reused_tokens = excluded.reused_tokens, left_out_above = excluded.left_out_above"),
      {m.id, m.conversation, m.parent, toText(m.author), toText(m.status), filled(m.text), filled(m.modelName), filled(m.errorText),
       toMs(m.created), m.figures.ttftMs, m.figures.prefillTokensPerSecond, m.figures.decodeTokensPerSecond, m.figures.promptTokens,
       m.figures.generatedTokens, m.figures.reusedTokens, m.leftOutAbove, m.given}));
  for (qsizetype i = 0; i < m.attachments.size(); ++i)
    MINERVA_TRY(m_file->run(QStringLiteral("INSERT INTO attachments (message, position, name, text) VALUES (?, ?, ?, ?) "
                                           "ON CONFLICT(message, position) DO NOTHING"),
                            {m.id, i, filled(m.attachments[i].name), filled(m.attachments[i].text)}));
  return {};
}

// A deletion is not older than the newest conversation: with a clock that is behind it would be purged as soon as the clock is right.
Result<void> ChatStore::setDeleted(qint64 conversation, bool deleted) {
  if (!deleted) return m_file->run(QStringLiteral("UPDATE conversations SET deleted = 0 WHERE id = ?"), {conversation});
  return m_file->run(QStringLiteral("UPDATE conversations SET deleted = max(?, (SELECT max(updated) FROM conversations)) WHERE id = ?"),
                     {toMs(QDateTime::currentDateTimeUtc()), conversation});
}

Result<void> ChatStore::removeForGood(qint64 conversation) {
  MINERVA_ASSIGN(const QSqlQuery removed,
                 m_file->query(QStringLiteral("DELETE FROM conversations WHERE id = ? AND deleted > 0"), {conversation}));
  if (removed.numRowsAffected() == 0) return {};
  m_removedForGood = true;
  m_purged.insert(conversation);
  return {};
}

// --- drafts --------------------------------------------------------------------------------------------------------

Result<std::vector<Draft>> ChatStore::drafts() {
  std::map<std::tuple<qint64, qint64, int>, Draft> all;
  const auto at = [&](qint64 conversation, qint64 message, int queued) -> Draft& {
    Draft& draft = all[{conversation, message, queued}];
    draft.conversation = conversation;
    draft.message = message;
    draft.queued = queued;
    return draft;
  };
  MINERVA_TRY(m_file->each(QStringLiteral("SELECT conversation, message, queued, text FROM drafts"), {}, [&](const QSqlQuery& row) {
    at(row.value(0).toLongLong(), row.value(1).toLongLong(), row.value(2).toInt()).text = row.value(3).toString();
  }));
  MINERVA_TRY(m_file->each(
      QStringLiteral("SELECT conversation, queued, name, text FROM draft_files ORDER BY conversation, queued, position"), {},
      [&](const QSqlQuery& row) {
        at(row.value(0).toLongLong(), 0, row.value(1).toInt()).files << attachmentOf(row.value(2).toString(), row.value(3).toString());
      }));
  std::vector<Draft> drafts;
  for (auto& [place, draft] : all) drafts.push_back(std::move(draft));
  return drafts;
}

Result<void> ChatStore::saveDraftTexts(qint64 conversation, const std::vector<Draft>& drafts) {
  if (m_purged.contains(conversation)) return {};
  MINERVA_TRY(m_file->run(QStringLiteral("DELETE FROM drafts WHERE conversation = ?"), {conversation}));
  for (const Draft& draft : drafts)
    MINERVA_TRY(m_file->run(QStringLiteral("INSERT INTO drafts (conversation, message, queued, text) VALUES (?, ?, ?, ?)"),
                            {conversation, draft.message, draft.queued, filled(draft.text)}));
  return {};
}

Result<void> ChatStore::saveDraftFiles(qint64 conversation, const std::vector<Draft>& drafts) {
  if (m_purged.contains(conversation)) return {};
  MINERVA_TRY(m_file->run(QStringLiteral("DELETE FROM draft_files WHERE conversation = ?"), {conversation}));
  for (const Draft& draft : drafts)
    for (qsizetype i = 0; i < draft.files.size(); ++i)
      MINERVA_TRY(m_file->run(QStringLiteral("INSERT INTO draft_files (conversation, queued, position, name, text) VALUES (?, ?, ?, ?, ?)"),
                              {conversation, draft.queued, i, filled(draft.files[i].name), filled(draft.files[i].text)}));
  return {};
}

// --- the file ------------------------------------------------------------------------------------------------------

Result<void> ChatStore::begin() { return m_file->run(QStringLiteral("BEGIN IMMEDIATE")); }
Result<void> ChatStore::commit() { return m_file->run(QStringLiteral("COMMIT")); }
void ChatStore::rollback() { static_cast<void>(m_file->run(QStringLiteral("ROLLBACK"))); }

Result<void> ChatStore::tidy() {
  if (m_removedForGood) {
    // The full-text index drops deleted text only when merged, and the log keeps old pages until it is truncated.
    for (const char* index : {"message_text", "attachment_text"})
      MINERVA_TRY(m_file->run(QStringLiteral("INSERT INTO %1(%1) VALUES ('optimize')").arg(QLatin1String(index))));
    MINERVA_TRY(m_file->run(QStringLiteral("PRAGMA wal_checkpoint(TRUNCATE)")));
    m_removedForGood = false;
    return {};
  }
  if (QFileInfo(m_file->file() + QStringLiteral("-wal")).size() < tidyFromBytes) return {};
  return m_file->run(QStringLiteral("PRAGMA wal_checkpoint(PASSIVE)"));
}

Result<void> ChatStore::limitPages(int pages) { return m_file->run(QStringLiteral("PRAGMA max_page_count=%1").arg(pages)); }

}  // namespace minerva::app
