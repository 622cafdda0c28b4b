// What the hub says of a repository and of a search, read from its JSON. Values and pure functions; safe on any thread.
#pragma once

#include "app/hub/hub_file.h"
#include "core/base/error.h"

#include <QList>
#include <QStringList>

namespace minerva::app {

struct Repository {
  QString name;  // as the hub spells it
  QString commit;
  QStringList tags{};  // "gguf", "mlx", "license:apache-2.0", ...
  bool gated = false;
  QList<HubFile> files{};
};

struct SearchHit {
  QString name;
  QStringList formats;  // "GGUF", "SafeTensors", "MLX"
  double downloads = 0, likes = 0;
  bool gated = false;
};

// /api/models/ORG/REPO/revision/REVISION: name, commit, tags, gated. Errors: corrupt.
[[nodiscard]] Result<Repository> repositoryFrom(const QByteArray& json);
// A page of /api/models/ORG/REPO/tree/COMMIT?recursive=true. Folders are left out, and so is a file whose name or hash
// is impossible. Errors: corrupt.
[[nodiscard]] Result<QList<HubFile>> filesFrom(const QByteArray& json);
// /api/models?search=...; repositories without a format Minerva opens are left out. Errors: corrupt.
[[nodiscard]] Result<QList<SearchHit>> hitsFrom(const QByteArray& json);

// What a person typed or pasted: "ORG/REPO", "ORG/REPO:Q4_K_M", "ORG/REPO:folder/file.gguf", or a link to a page or
// file of the hub (its mirror, too).
struct ModelReference {
  QString repository;
  QString revision = QStringLiteral("main");
  QString choice{};  // a label or a file's path; empty: the recommended one
};
// Nothing where it is none: then it is text to search for. endpoint: the hub's. Errors: invalidArgument (a link to another
// host, or to something of the hub that is no model: neither is opened or searched for).
[[nodiscard]] Result<std::optional<ModelReference>> referenceFrom(const QString& text, const QUrl& endpoint);

}  // namespace minerva::app
