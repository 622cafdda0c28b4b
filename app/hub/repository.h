// Repositories and search results, parsed from the hub's JSON. Value types and pure functions; thread-safe.
#pragma once

#include "app/hub/hub_file.h"
#include "core/base/error.h"

#include <QList>
#include <QStringList>

namespace minerva::app {

struct Repository {
  QString name;  // as spelled by the hub
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

// Parses /api/models/ORG/REPO/revision/REVISION: name, commit, tags, gated. Errors: corrupt.
[[nodiscard]] Result<Repository> repositoryFrom(const QByteArray& json);
// Parses a page of /api/models/ORG/REPO/tree/COMMIT?recursive=true. Leaves out folders and files with an invalid name or
// hash. Errors: corrupt.
[[nodiscard]] Result<QList<HubFile>> filesFrom(const QByteArray& json);
// Parses /api/models?search=... and leaves out repositories without a format that Minerva opens. Errors: corrupt.
[[nodiscard]] Result<QList<SearchHit>> hitsFrom(const QByteArray& json);

// A model reference as typed or pasted by the user: "ORG/REPO", "ORG/REPO:Q4_K_M", "ORG/REPO:folder/file.gguf", or a link to
// a page, file or folder of the hub or its mirror, with or without "https://"; also within the command line of another program
// ("llama serve -hf ORG/REPO:Q4_K_M", "ollama run hf.co/ORG/REPO").
struct ModelReference {
  QString repository;
  QString revision = QStringLiteral("main");
  QString choice{};  // a label, or the path of a file or folder; empty: the recommended choice
};
// Returns nullopt if the text is not a reference but a search text. endpoint: the hub's address. Errors: invalidArgument (a
// link to another host or of another scheme, or to a hub page that is not a model; it must be neither opened nor searched for).
[[nodiscard]] Result<std::optional<ModelReference>> referenceFrom(const QString& text, const QUrl& endpoint);

}  // namespace minerva::app
