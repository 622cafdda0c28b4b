// The part of ChatStore about damage: what is derived from the messages is made again.
#include "app/chat/chat_store.h"

#include <QVariant>

#include <spdlog/spdlog.h>

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

}  // namespace

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
