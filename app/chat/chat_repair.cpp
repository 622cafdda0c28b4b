// The part of ChatStore about damage: what is derived from the messages is made again, and what can be read of a file is copied.
#include "app/chat/chat_store.h"

#include <QVariant>

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace minerva::app {
namespace {

constexpr const char* vectors = "message_vectors";
constexpr const char* derived[] = {"message_text", "attachment_text", vectors, "messages_of", "conversations_in"};

// Vectors took long to compute, so they are kept if they can be read.
bool isWhole(const SqliteFile& file, const char* table) {
  bool whole = false;
  const auto done = file.each(QStringLiteral("PRAGMA quick_check(%1)").arg(QLatin1String(table)), {},
                              [&](const QSqlQuery& row) { whole = row.value(0).toString() == QLatin1String("ok"); });
  return done && whole;
}

// DROP would read the damaged pages. Without their rows in the schema, they are unused until the file is compacted.
Result<QString> takeFromSchema(const SqliteFile& file, const QString& name) {
  QString sql;
  MINERVA_TRY(file.each(QStringLiteral("SELECT sql FROM sqlite_schema WHERE name = ?"), {name},
                        [&](const QSqlQuery& row) { sql = row.value(0).toString(); }));
  QVariantList all{name};  // a full-text index has tables of its own
  for (const char* suffix : {"_data", "_idx", "_docsize", "_config"}) all << name + QLatin1String(suffix);
  MINERVA_TRY(file.run(QStringLiteral("DELETE FROM sqlite_schema WHERE name IN (?, ?, ?, ?, ?)"), all));
  return sql;
}

Result<void> makeAgain(const SqliteFile& file, const std::vector<QString>& names) {
  MINERVA_TRY(file.run(QStringLiteral("PRAGMA writable_schema=ON")));
  QStringList statements;
  for (const QString& name : names) {
    MINERVA_ASSIGN(const QString sql, takeFromSchema(file, name));
    statements << sql;
  }
  MINERVA_TRY(file.run(QStringLiteral("PRAGMA writable_schema=RESET")));  // reads the schema again
  for (const QString& sql : statements) MINERVA_TRY(file.run(sql));
  MINERVA_TRY(file.run(
      QStringLiteral("INSERT INTO message_text(rowid, text) SELECT id, text FROM messages WHERE status NOT IN ('waiting', 'streaming')")));
  return file.run(QStringLiteral("INSERT INTO attachment_text(rowid, name, text) SELECT id, name, text FROM attachments"));
}

// Columns that the table has in both files; the other file may be of an earlier version.
QStringList sharedColumns(const SqliteFile& file, const QString& table) {
  QStringList columns;
  static_cast<void>(file.each(
      QStringLiteral("SELECT m.name FROM pragma_table_info(?, 'main') m JOIN pragma_table_info(?, 'damaged') d ON d.name = m.name"),
      {table, table}, [&](const QSqlQuery& row) { columns << row.value(0).toString(); }));
  return columns;
}

struct TableRows {
  QString name;
  QStringList columns;
  std::vector<QVariantList> rows;
};

// The rows up to the first damaged page, and from the end down to the last one.
TableRows readableRows(const SqliteFile& file, const QString& name) {
  TableRows table{.name = name, .columns = sharedColumns(file, name), .rows = {}};
  if (table.columns.isEmpty()) return table;
  const auto take = [&](const QSqlQuery& row) {
    QVariantList& values = table.rows.emplace_back();
    for (qsizetype i = 0; i < table.columns.size(); ++i) values << row.value(static_cast<int>(i));
  };
  for (const char* order : {"ASC", "DESC"})
    if (file.each(QStringLiteral("SELECT %1 FROM damaged.%2 ORDER BY rowid %3").arg(table.columns.join(u','), name, QLatin1String(order)),
                  {}, take))
      break;
  return table;
}

// Returns how many rows were inserted. What refers to a lost message is left out; a lost conversation gets a row without a title.
int insertRows(const SqliteFile& file, const TableRows& table) {
  const QString insert = QStringLiteral("INSERT OR IGNORE INTO %1 (%2) VALUES (%3)")
                             .arg(table.name, table.columns.join(u','), QStringList(table.columns.size(), QStringLiteral("?")).join(u','));
  const qsizetype conversation = table.columns.indexOf(QLatin1String("conversation"));
  const qsizetype created = table.columns.indexOf(QLatin1String("created"));
  int inserted = 0;
  for (const QVariantList& values : table.rows) {
    if (conversation >= 0 && created >= 0)
      static_cast<void>(file.run(QStringLiteral("INSERT OR IGNORE INTO conversations (id, created, updated) VALUES (?, ?, ?)"),
                                 {values[conversation], values[created], values[created]}));
    if (const auto done = file.query(insert, values); done) inserted += std::max(0, done->numRowsAffected());
  }
  return inserted;
}

}  // namespace

// Everything is read before the transaction: after damage, SQLite writes nothing more in it.
Result<int> ChatStore::copyFrom(const QString& damaged) {
  MINERVA_TRY(m_file->run(QStringLiteral("ATTACH ? AS damaged"), {damaged}));
  std::vector<TableRows> tables;
  for (const char* name : {"folders", "conversations", "messages", "attachments", "drafts", "draft_files"})
    tables.push_back(readableRows(*m_file, QString::fromLatin1(name)));
  qint64 purged = 0;
  static_cast<void>(m_file->each(QStringLiteral("SELECT last_id FROM damaged.purged"), {},
                                 [&](const QSqlQuery& row) { purged = row.value(0).toLongLong(); }));
  MINERVA_TRY(m_file->run(QStringLiteral("DETACH damaged")));
  int messages = 0;
  MINERVA_TRY(m_file->together([&]() -> Result<void> {
    for (const TableRows& table : tables) {
      const int inserted = insertRows(*m_file, table);
      if (table.name == QLatin1String("messages")) messages = inserted;
    }
    MINERVA_TRY(m_file->run(QStringLiteral("UPDATE purged SET last_id = ?"), {purged}));
    return m_file->run(QStringLiteral("UPDATE conversations SET folder = NULL WHERE folder NOT IN (SELECT id FROM folders)"));
  }));
  return messages;
}

Result<void> ChatStore::rebuildIndexes() {
  if (std::exchange(m_rebuilt, true))
    return fail({.kind = ErrorKind::corrupt, .what = "the conversations are damaged", .where = m_file->file().toStdString()});
  std::vector<QString> names;
  for (const char* name : derived)
    if (QLatin1String(name) != QLatin1String(vectors) || !isWhole(*m_file, vectors)) names.push_back(QString::fromLatin1(name));
  if (const auto done = m_file->together([&] { return makeAgain(*m_file, names); }); !done) {
    static_cast<void>(m_file->run(QStringLiteral("PRAGMA writable_schema=RESET")));
    return done;
  }
  spdlog::warn("the indexes of {} were damaged and have been made again", m_file->file().toStdString());
  // Overwrites the pages that nothing refers to any more: they may hold text of a conversation that is purged.
  if (const auto done = m_file->run(QStringLiteral("VACUUM")); !done) spdlog::warn("{}", done.error().message());
  return {};
}

}  // namespace minerva::app
