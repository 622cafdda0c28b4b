// One file of a repository as listed by the hub, and validation of names received from the hub. Value types; thread-safe.
#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QString>

#include <optional>

namespace minerva::app {

struct HubFile {
  QString path;  // in the repository, separated by "/"
  qint64 size = 0;
  QByteArray sha256{};  // 64 hex digits; LFS files only
  QByteArray gitId{};   // 40 hex digits: SHA-1 of "blob SIZE", a NUL, and the content; verified for files without sha256
  friend bool operator==(const HubFile&, const HubFile&) = default;
};

// True for a relative path that stays inside its folder and is a valid file name on every system: no Windows device names
// (CON, nul.txt, COM1), no alternate data streams (a:b), no name with a leading dot or a trailing dot or space.
[[nodiscard]] bool isSafePath(const QString& path);
// "ORG/REPO"; "REPO" alone is accepted too, since a few old models are named like that.
[[nodiscard]] bool isRepositoryName(const QString& name);

[[nodiscard]] QJsonObject toJson(const HubFile& file);
// Returns nullopt if a field is missing or invalid.
[[nodiscard]] std::optional<HubFile> hubFileFrom(const QJsonObject& json);

}  // namespace minerva::app
