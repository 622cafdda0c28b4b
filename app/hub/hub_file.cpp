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

// Windows reserves these device names in every folder, with any extension: CON, nul.gguf, COM1.tar.gz.
bool isDeviceName(const QString& name) {
  static const QRegularExpression devices(QStringLiteral("^(CON|PRN|AUX|NUL|CONIN\\$|CONOUT\\$|(COM|LPT)[0-9\u00b9\u00b2\u00b3]) *(\\.|$)"),
                                          QRegularExpression::CaseInsensitiveOption);
  return devices.match(name).hasMatch();
}

// Checks one component of a path. Control characters (C0, DEL, C1) would steer a terminal that prints the name. A colon would name an
// alternate data stream, and Windows strips trailing dots and spaces.
bool isSafeName(const QString& name) {
  const auto forbidden = [](QChar c) {
    return c.unicode() < 0x20 || (c.unicode() >= 0x7f && c.unicode() <= 0x9f) || QStringLiteral("\\:<>\"|?*").contains(c);
  };
  return !name.isEmpty() && !name.startsWith(QLatin1Char('.')) && !name.endsWith(QLatin1Char('.')) && !name.endsWith(QLatin1Char(' ')) &&
         std::ranges::none_of(name, forbidden) && !isDeviceName(name);
}

}  // namespace

bool isSafePath(const QString& path) {
  if (path.isEmpty() || path.size() > longestPath) return false;
  const QStringList parts = path.split(QLatin1Char('/'));
  return std::ranges::all_of(parts, isSafeName);
}

bool isRepositoryName(const QString& name) {
  static const QRegularExpression pattern(QStringLiteral("^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}(/[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?$"));
  return pattern.match(name).hasMatch() && isSafePath(name);
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
