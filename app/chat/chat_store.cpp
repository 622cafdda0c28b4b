#include "app/chat/chat_store.h"

#include <QAtomicInt>
#include <QFile>
#include <QFileInfo>
#include <QSqlError>
#include <QSqlQuery>
#include <QVariant>

namespace minerva::app {
namespace {

constexpr qint64 tidyFromBytes = 4 << 20;
constexpr qint64 keepDeletedMs = 30LL * 24 * 3600 * 1000;

// One entry a version: the statements that lead there from the one before.
const std::vector<QStringList>& migrations() {
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
       QStringLiteral("CREATE INDEX messages_of ON messages(conversation, id)")}};
  return steps;
}

qint64 toMs(const QDateTime& time) { return time.toMSecsSinceEpoch(); }
QDateTime fromMs(const QVariant& ms) { return QDateTime::fromMSecsSinceEpoch(ms.toLongLong()); }
// SQL's NOT NULL refuses a null QString.
QString filled(const QString& text) { return text.isNull() ? QStringLiteral("") : text; }

}  // namespace

ChatStore::ChatStore(QString connection, QString file) : m_connection(std::move(connection)), m_file(std::move(file)) {}

ChatStore::~ChatStore() {
  database().close();
  QSqlDatabase::removeDatabase(m_connection);
}

Result<std::unique_ptr<ChatStore>> ChatStore::open(const QString& file) {
  static QAtomicInt counter;
  const QString connection = QStringLiteral("chat-%1").arg(counter.fetchAndAddRelaxed(1));
  {
    QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), connection);
    database.setDatabaseName(file);
    database.setConnectOptions(QStringLiteral("QSQLITE_BUSY_TIMEOUT=2000"));
  }
  std::unique_ptr<ChatStore> store(new ChatStore(connection, file));
  QSqlDatabase database = store->database();
  if (!database.open()) return fail(store->errorFrom(database.lastError(), "the conversations cannot be opened"));
  MINERVA_TRY(store->prepare());
  return store;
}

minerva::Error ChatStore::errorFrom(const QSqlError& error, const char* what) const {
  const QString code = error.nativeErrorCode();
  const int primary = code.toInt() & 0xff;
  minerva::Error result{.kind = ErrorKind::io, .what = what, .where = m_file.toStdString(), .actual = error.databaseText().toStdString()};
  if (primary == 11 || primary == 26) {  // SQLITE_CORRUPT, SQLITE_NOTADB
    result.kind = ErrorKind::corrupt;
  } else if (primary == 13) {  // SQLITE_FULL
    result.what = "the disk is full; the conversation is kept in memory and written when there is room";
    result.hint = "free some space on this disk";
  } else if (primary == 8 || primary == 14 || primary == 10) {  // SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_IOERR
    result.hint = "check that the folder can be written to";
  }
  return result;
}

Result<void> ChatStore::run(const QString& sql, const QVariantList& values) {
  QSqlQuery query(database());
  if (!query.prepare(sql)) return fail(errorFrom(query.lastError(), "the conversations cannot be read or written"));
  for (const QVariant& value : values) query.addBindValue(value);
  if (!query.exec()) return fail(errorFrom(query.lastError(), "the conversations cannot be read or written"));
  return {};
}

Result<void> ChatStore::prepare() {
  QSqlQuery query(database());
  // Reading the version comes first: a newer file must not even be switched to WAL.
  if (!query.exec(QStringLiteral("PRAGMA user_version")) || !query.next())
    return fail(errorFrom(query.lastError(), "the file is not a database of conversations"));
  const int found = query.value(0).toInt();
  query.finish();
  if (found > version || found < 0)
    return fail({.kind = ErrorKind::unsupported,
                 .what = "the conversations were written by a newer Minerva",
                 .where = m_file.toStdString(),
                 .expected = "version " + std::to_string(version) + " or older",
                 .actual = "version " + std::to_string(found),
                 .hint = "update Minerva to see them again; nothing in that file was changed"});
  MINERVA_TRY(run(QStringLiteral("PRAGMA journal_mode=WAL")));
  MINERVA_TRY(run(QStringLiteral("PRAGMA synchronous=NORMAL")));
  MINERVA_TRY(run(QStringLiteral("PRAGMA wal_autocheckpoint=0")));
  MINERVA_TRY(run(QStringLiteral("PRAGMA foreign_keys=ON")));
  if (found < version) MINERVA_TRY(migrate(found));
  MINERVA_TRY(run(QStringLiteral("UPDATE messages SET status='interrupted' WHERE status IN ('waiting', 'streaming')")));
  MINERVA_TRY(run(QStringLiteral("DELETE FROM conversations WHERE deleted > 0 AND deleted < ?"),
                  {toMs(QDateTime::currentDateTimeUtc()) - keepDeletedMs}));
  // The first write to a fresh log waits for the disk. Let that be now: a reply's text must never wait.
  return run(QStringLiteral("PRAGMA user_version=%1").arg(version));
}

Result<void> ChatStore::migrate(int from) {
  if (from > 0) {
    const QString copy = m_file + QStringLiteral(".before-version-%1").arg(version);
    MINERVA_TRY(run(QStringLiteral("PRAGMA wal_checkpoint(TRUNCATE)")));
    QFile::copy(m_file, copy);
  }
  MINERVA_TRY(begin());
  for (std::size_t step = static_cast<std::size_t>(from); step < migrations().size(); ++step)
    for (const QString& statement : migrations()[step])
      if (auto done = run(statement); !done) {
        rollback();
        return done;
      }
  if (auto done = run(QStringLiteral("PRAGMA user_version=%1").arg(version)); !done) {
    rollback();
    return done;
  }
  return commit();
}

Result<std::vector<Conversation>> ChatStore::conversations() {
  QSqlQuery query(database());
  query.setForwardOnly(true);
  if (!query.exec(QStringLiteral("SELECT id, title, model, created, updated, active_leaf FROM conversations "
                                 "WHERE deleted = 0 ORDER BY updated DESC, id DESC")))
    return fail(errorFrom(query.lastError(), "the list of conversations cannot be read"));
  std::vector<Conversation> all;
  while (query.next())
    all.push_back({query.value(0).toLongLong(), query.value(1).toString(), query.value(2).toString(), fromMs(query.value(3)),
                   fromMs(query.value(4)), query.value(5).toLongLong()});
  if (query.lastError().isValid()) return fail(errorFrom(query.lastError(), "the list of conversations cannot be read"));
  return all;
}

Result<std::vector<Message>> ChatStore::messages(qint64 conversation) {
  QSqlQuery query(database());
  query.setForwardOnly(true);
  query.prepare(QStringLiteral("SELECT id, parent, author, status, text, model, error, created, ttft_ms, prefill_speed, "
                               "decode_speed, prompt_tokens, generated_tokens FROM messages WHERE conversation = ? ORDER BY id"));
  query.addBindValue(conversation);
  if (!query.exec()) return fail(errorFrom(query.lastError(), "the conversation cannot be read"));
  std::vector<Message> all;
  while (query.next()) {
    Message message;
    message.id = query.value(0).toLongLong();
    message.conversation = conversation;
    message.parent = query.value(1).toLongLong();
    message.author = authorFrom(query.value(2).toString());
    message.status = statusFrom(query.value(3).toString());
    message.text = query.value(4).toString();
    message.modelName = query.value(5).toString();
    message.errorText = query.value(6).toString();
    message.created = fromMs(query.value(7));
    message.figures = {query.value(8).toDouble(), query.value(9).toDouble(), query.value(10).toDouble(),
                       query.value(11).toInt(), query.value(12).toInt()};
    all.push_back(std::move(message));
  }
  if (query.lastError().isValid()) return fail(errorFrom(query.lastError(), "the conversation cannot be read"));
  return all;
}

Result<qint64> ChatStore::lastId() {
  QSqlQuery query(database());
  if (!query.exec(QStringLiteral("SELECT max(coalesce((SELECT max(id) FROM conversations), 0), "
                                 "coalesce((SELECT max(id) FROM messages), 0))")) ||
      !query.next())
    return fail(errorFrom(query.lastError(), "the conversations cannot be read"));
  return query.value(0).toLongLong();
}

Result<void> ChatStore::save(const Conversation& c) {
  return run(QStringLiteral("INSERT INTO conversations (id, title, model, created, updated, active_leaf) VALUES (?, ?, ?, ?, ?, ?) "
                            "ON CONFLICT(id) DO UPDATE SET title = excluded.title, model = excluded.model, "
                            "updated = excluded.updated, active_leaf = excluded.active_leaf"),
             {c.id, filled(c.title), filled(c.modelName), toMs(c.created), toMs(c.updated), c.activeLeaf});
}

Result<void> ChatStore::save(const Message& m) {
  return run(
      QStringLiteral(
          "INSERT INTO messages (id, conversation, parent, author, status, text, model, error, created, ttft_ms, prefill_speed, "
          "decode_speed, prompt_tokens, generated_tokens) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
          "ON CONFLICT(id) DO UPDATE SET status = excluded.status, text = excluded.text, error = excluded.error, "
          "ttft_ms = excluded.ttft_ms, prefill_speed = excluded.prefill_speed, decode_speed = excluded.decode_speed, "
          "prompt_tokens = excluded.prompt_tokens, generated_tokens = excluded.generated_tokens"),
      {m.id, m.conversation, m.parent, toText(m.author), toText(m.status), filled(m.text), filled(m.modelName),
       filled(m.errorText), toMs(m.created), m.figures.ttftMs, m.figures.prefillTokensPerSecond,
       m.figures.decodeTokensPerSecond, m.figures.promptTokens, m.figures.generatedTokens});
}

Result<void> ChatStore::setDeleted(qint64 conversation, bool deleted) {
  const qint64 when = deleted ? toMs(QDateTime::currentDateTimeUtc()) : 0;
  return run(QStringLiteral("UPDATE conversations SET deleted = ? WHERE id = ?"), {when, conversation});
}

Result<void> ChatStore::begin() { return run(QStringLiteral("BEGIN IMMEDIATE")); }
Result<void> ChatStore::commit() { return run(QStringLiteral("COMMIT")); }
void ChatStore::rollback() { static_cast<void>(run(QStringLiteral("ROLLBACK"))); }

Result<void> ChatStore::tidy() {
  if (QFileInfo(m_file + QStringLiteral("-wal")).size() < tidyFromBytes) return {};
  return run(QStringLiteral("PRAGMA wal_checkpoint(PASSIVE)"));
}

Result<void> ChatStore::limitPages(int pages) { return run(QStringLiteral("PRAGMA max_page_count=%1").arg(pages)); }

}  // namespace minerva::app
