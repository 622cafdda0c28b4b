// One file of a repository, as the hub lists it, and the checks of what the hub says. Values; safe on any thread.
#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QString>

#include <optional>

namespace minerva::app {

struct HubFile {
  QString path;  // in the repository, "/" between folders
  qint64 size = 0;
  QByteArray sha256{};  // 64 hex digits; of large files
  QByteArray gitId{};   // 40 hex digits: sha1 of "blob SIZE", a NUL, and the content; of small ones
  friend bool operator==(const HubFile&, const HubFile&) = default;
};

// A relative path that stays inside the folder it is put in and names a file there, on any system: no device of Windows (CON,
// nul.txt, COM1), no stream (a:b), no dot or space at the end of a name.
[[nodiscard]] bool isSafePath(const QString& path);
// "ORG/REPO" ("REPO" alone exists for a few old models, and is taken too).
[[nodiscard]] bool isRepositoryName(const QString& name);

[[nodiscard]] QJsonObject toJson(const HubFile& file);
// Nothing where a field is missing or impossible.
[[nodiscard]] std::optional<HubFile> hubFileFrom(const QJsonObject& json);

}  // namespace minerva::app
