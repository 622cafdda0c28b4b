#include "app/hub/hub_file.h"

#include <QRegularExpression>
#include <QStringList>

#include <algorithm>

namespace minerva::app {
namespace {

constexpr qsizetype longestPath = 1024;
constexpr qint64 largestFile = qint64{1} << 50;

bool isHex(const QByteArray& text, qsizetype digits) {
  return text.size() == digits && std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace

bool isSafePath(const QString& path) {
  if (path.isEmpty() || path.size() > longestPath) return false;
  const auto forbidden = [](QChar c) {
    return c.unicode() < 0x20 || c == QLatin1Char('\\') || c == QLatin1Char(':') || c.unicode() == 0x7f;
  };
  if (std::ranges::any_of(path, forbidden)) return false;
  const QStringList parts = path.split(QLatin1Char('/'));
  return std::ranges::all_of(parts, [](const QString& part) { return !part.isEmpty() && !part.startsWith(QLatin1Char('.')); });
}

bool isRepositoryName(const QString& name) {
  static const QRegularExpression pattern(QStringLiteral("^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}(/[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?$"));
  return pattern.match(name).hasMatch();
}

QJsonObject toJson(const HubFile& file) {
  return {{QStringLiteral("path"), file.path},
          {QStringLiteral("size"), file.size},
          {QStringLiteral("sha256"), QString::fromLatin1(file.sha256)},
          {QStringLiteral("git"), QString::fromLatin1(file.gitId)}};
}

std::optional<HubFile> hubFileFrom(const QJsonObject& json) {
  HubFile file{json[QStringLiteral("path")].toString(), json[QStringLiteral("size")].toInteger(-1),
               json[QStringLiteral("sha256")].toString().toLatin1(), json[QStringLiteral("git")].toString().toLatin1()};
  const bool hashed = isHex(file.sha256, 64) || (file.sha256.isEmpty() && isHex(file.gitId, 40));
  if (!isSafePath(file.path) || file.size < 0 || file.size > largestFile || !hashed) return std::nullopt;
  return file;
}

}  // namespace minerva::app
