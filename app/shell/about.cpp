#include "app/shell/about.h"

#include "app/text/text.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QSqlDatabase>
#include <QSqlQuery>

#include <nlohmann/json.hpp>
#include <openssl/crypto.h>
#include <spdlog/fmt/fmt.h>
#include <spdlog/version.h>
#include <utf8proc.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>
#include <utility>

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

namespace minerva::app {
namespace {

QByteArray resource(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QString pcreVersion() {
  char text[64] = {};
  pcre2_config(PCRE2_CONFIG_VERSION, text);  // "10.42 2022-12-11"
  return QString::fromLatin1(text).section(QLatin1Char(' '), 0, 0);
}

QString sqliteVersion() {
  QString version;
  {
    QSqlDatabase memory = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("about"));
    memory.setDatabaseName(QStringLiteral(":memory:"));
    if (memory.open()) {
      QSqlQuery query(QStringLiteral("SELECT sqlite_version()"), memory);
      if (query.next()) version = query.value(0).toString();
    }
  }
  QSqlDatabase::removeDatabase(QStringLiteral("about"));
  return version;
}

QString katexVersion() {
  static const QRegularExpression pattern(QStringLiteral("version:\"([0-9.]+)\""));
  return pattern.match(QString::fromUtf8(resource(QStringLiteral(":/katex/katex.min.js")))).captured(1);
}

QString dotted(int major, int minor, int patch) { return QStringLiteral("%1.%2.%3").arg(major).arg(minor).arg(patch); }

// Keyed by the names in libraries.json. Fonts, certificates and drivers belong to the system and have no version here.
QString versionOf(const QString& library) {
  if (library == QLatin1String("Qt")) return About::qtVersion();
  if (library == QLatin1String("QtKeychain")) return QStringLiteral(MINERVA_KEYCHAIN_VERSION);
  if (library == QLatin1String("OpenSSL")) return QString::fromLatin1(OpenSSL_version(OPENSSL_VERSION_STRING));
  if (library == QLatin1String("SQLite")) return sqliteVersion();
  if (library == QLatin1String("MD4C")) return QStringLiteral(MINERVA_MD4C_VERSION);
  if (library == QLatin1String("KaTeX")) return katexVersion();
  if (library == QLatin1String("PCRE2")) return pcreVersion();
  if (library == QLatin1String("utf8proc")) return QString::fromLatin1(utf8proc_version());
  if (library == QLatin1String("JSON for Modern C++"))
    return dotted(NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH);
  if (library == QLatin1String("spdlog")) return dotted(SPDLOG_VER_MAJOR, SPDLOG_VER_MINOR, SPDLOG_VER_PATCH);
  if (library == QLatin1String("{fmt}")) return dotted(FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100);
  if (library == QLatin1String("cpp-httplib")) return QStringLiteral(MINERVA_HTTPLIB_VERSION);
  if (library == QLatin1String("CLI11")) return QStringLiteral(MINERVA_CLI11_VERSION);
#ifdef __GLIBC__
  if (library == QLatin1String("GNU C Library")) return QString::fromLatin1(gnu_get_libc_version());
#endif
  if (library == QLatin1String("GCC's runtime libraries")) return QStringLiteral(__VERSION__).section(QLatin1Char(' '), 0, 0);
  return {};
}

}  // namespace

QString About::version() { return QStringLiteral(MINERVA_VERSION); }
QString About::qtVersion() { return QString::fromLatin1(qVersion()); }

QVariantList About::libraries() {
  QVariantList rows;
  const QJsonArray all = QJsonDocument::fromJson(resource(QStringLiteral(":/about/libraries.json"))).array();
  for (const QJsonValue& value : all) {
    const QJsonObject row = value.toObject();
    const QString name = row.value(QLatin1String("name")).toString();
    QVariantMap shown{{QStringLiteral("name"), name}, {QStringLiteral("version"), versionOf(name)}};
    for (const char* key : {"license", "copyright", "address"})
      shown.insert(QString::fromLatin1(key), row.value(QLatin1String(key)).toString());
    for (const char* key : {"purpose", "use"})
      shown.insert(QString::fromLatin1(key), tr(row.value(QLatin1String(key)).toString().toUtf8().constData()));
    rows << shown;
  }
  return rows;
}

QString About::licenseText(const QString& name) {
  if (name != QLatin1String("LGPL-3") && name != QLatin1String("GPL-3")) return {};
  return QString::fromUtf8(resource(QStringLiteral(":/about/%1.txt").arg(name)));
}

}  // namespace minerva::app
