#include "app/library/other_apps.h"

#include "app/hub/choices.h"
#include "app/hub/hub_access.h"
#include "app/library/model_header.h"

#include <QCoreApplication>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QSet>
#include <QStandardPaths>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace minerva::app {
namespace {

using Layout = OtherAppPlace::Layout;
constexpr int deepestFolder = 5;     // folder levels below a place
constexpr int mostLookedAt = 20000;  // files and folders scanned per place
constexpr qint64 longestManifest = 1 << 20;

// The folder of LM Studio can be changed in its settings.
QString lmStudioFolder(const QString& home) {
  QFile settings(home + QStringLiteral("/.lmstudio/settings.json"));
  QString folder;
  if (settings.open(QIODevice::ReadOnly))
    folder = QJsonDocument::fromJson(settings.read(longestManifest)).object()[QStringLiteral("downloadsFolder")].toString();
  return folder.isEmpty() ? home + QStringLiteral("/.lmstudio/models") : folder;
}

QString variableOr(const char* name, const QString& otherwise) {
  const QString value = qEnvironmentVariable(name);
  return value.isEmpty() ? otherwise : value;
}

bool hasModelName(const QString& name) {
  static const QRegularExpression unfinished(QStringLiteral("^(incomplete-|downloading_)"), QRegularExpression::CaseInsensitiveOption);
  return opensAModel(name) && !unfinished.match(name).hasMatch();
}

bool isModelFolder(const QDir& folder) {
  return folder.exists(QStringLiteral("config.json")) && !folder.entryList({QStringLiteral("*.safetensors")}, QDir::Files).isEmpty();
}

void collect(const QDir& folder, const QString& app, int depth, int& looked, QList<OtherAppModel>& found) {
  if (isModelFolder(folder)) {
    found << OtherAppModel{app, {}, folder.path()};
    return;
  }
  for (const QFileInfo& entry : folder.entryInfoList(QDir::Files | QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name)) {
    if (++looked > mostLookedAt) return;
    if (entry.isDir() && !entry.isSymLink() && depth < deepestFolder) collect(QDir(entry.filePath()), app, depth + 1, looked, found);
    if (entry.isDir() || !hasModelName(entry.fileName())) continue;
    // Jan names every file model.gguf; the folder has the model's name.
    const QString name = entry.fileName() == QLatin1String("model.gguf") ? folder.dirName() : QString();
    found << OtherAppModel{app, name, entry.filePath()};
  }
}

QString firstLine(const QString& file) {
  QFile opened(file);
  return opened.open(QIODevice::ReadOnly) ? QString::fromUtf8(opened.readLine(256)).trimmed() : QString();
}

void collectHubCache(const OtherAppPlace& place, QList<OtherAppModel>& found) {
  const QDir root(place.folder);
  for (const QString& repository : root.entryList({QStringLiteral("models--*")}, QDir::Dirs, QDir::Name)) {
    const QDir folder(root.filePath(repository));
    QString commit = firstLine(folder.filePath(QStringLiteral("refs/main")));
    if (commit.isEmpty())
      commit = QDir(folder.filePath(QStringLiteral("snapshots"))).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Time).value(0);
    const QDir snapshot(folder.filePath(QStringLiteral("snapshots/") + commit));
    if (commit.isEmpty() || !snapshot.exists()) continue;
    const qsizetype before = found.size();
    int looked = 0;
    collect(snapshot, place.app, 0, looked, found);
    for (qsizetype i = before; i < found.size(); ++i)  // do not use the commit as the name
      if (found[i].path == snapshot.path()) found[i].name = repository.section(QStringLiteral("--"), -1);
  }
}

// The blob of the model layer in a tag's manifest; empty if there is none.
QString blobOf(const QString& manifest, const QDir& root) {
  QFile file(manifest);
  if (!file.open(QIODevice::ReadOnly)) return {};
  const QJsonArray layers = QJsonDocument::fromJson(file.read(longestManifest)).object()[QStringLiteral("layers")].toArray();
  for (const QJsonValue& layer : layers) {
    if (layer[QStringLiteral("mediaType")].toString() != QLatin1String("application/vnd.ollama.image.model")) continue;
    QString digest = layer[QStringLiteral("digest")].toString();
    static const QRegularExpression form(QStringLiteral("^sha256:[0-9a-f]{64}$"));
    if (!form.match(digest).hasMatch()) return {};
    return root.filePath(QStringLiteral("blobs/") + digest.replace(QLatin1Char(':'), QLatin1Char('-')));
  }
  return {};
}

void collectOllama(const OtherAppPlace& place, QList<OtherAppModel>& found) {
  const QDir root(place.folder), manifests(root.filePath(QStringLiteral("manifests")));
  QDirIterator files(manifests.path(), QDir::Files, QDirIterator::Subdirectories);
  for (int looked = 0; files.hasNext() && looked < mostLookedAt; ++looked) {
    files.next();
    const QString blob = blobOf(files.filePath(), root);
    if (blob.isEmpty() || !QFile::exists(blob)) continue;
    // HOST/OWNER/NAME/TAG; "library" is Ollama's default owner, omitted in names.
    QStringList parts = manifests.relativeFilePath(files.filePath()).split(QLatin1Char('/')).mid(1);
    if (parts.value(0) == QLatin1String("library")) parts.removeFirst();
    const QString tag = parts.isEmpty() ? QString() : parts.takeLast();
    found << OtherAppModel{place.app, parts.join(QLatin1Char('/')) + QLatin1Char(':') + tag, blob};
  }
}

}  // namespace

QList<OtherAppPlace> otherAppPlaces() {
  const QString home = QDir::homePath();
  const QString cache = QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation);
  const QString data = QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation);
  const QString hub = variableOr("HF_HUB_CACHE", variableOr("HUGGINGFACE_HUB_CACHE", huggingFaceHome() + QStringLiteral("/hub")));
  return {{QStringLiteral("Hugging Face"), hub, Layout::hubCache},
          {QStringLiteral("LM Studio"), lmStudioFolder(home), Layout::tree},
          {QStringLiteral("LM Studio"), home + QStringLiteral("/.cache/lm-studio/models"), Layout::tree},
          {QStringLiteral("Ollama"), variableOr("OLLAMA_MODELS", home + QStringLiteral("/.ollama/models")), Layout::ollama},
          {QStringLiteral("Ollama"), QStringLiteral("/usr/share/ollama/.ollama/models"), Layout::ollama},
          {QStringLiteral("Ollama"), QStringLiteral("/var/lib/ollama/.ollama/models"), Layout::ollama},
          {QStringLiteral("llama.cpp"), variableOr("LLAMA_CACHE", cache + QStringLiteral("/llama.cpp")), Layout::tree},
          {QStringLiteral("Jan"), data + QStringLiteral("/Jan/data/llamacpp/models"), Layout::tree},
          {QStringLiteral("Jan"), home + QStringLiteral("/jan/models"), Layout::tree},
          {QStringLiteral("GPT4All"), data + QStringLiteral("/nomic.ai/GPT4All"), Layout::tree}};
}

QList<OtherAppModel> modelsOfOtherApps(const QList<OtherAppPlace>& places) {
  QList<OtherAppModel> all;
  for (const OtherAppPlace& place : places) {
    if (place.layout == Layout::hubCache) collectHubCache(place, all);
    if (place.layout == Layout::ollama) collectOllama(place, all);
    int looked = 0;
    if (place.layout == Layout::tree && QDir(place.folder).exists()) collect(QDir(place.folder), place.app, 0, looked, all);
  }
  for (OtherAppModel& model : all) model.path = placeOf(model.path);
  QSet<QString> seen;
  all.removeIf([&](const OtherAppModel& model) {
    const QString target = QFileInfo(model.path).canonicalFilePath();
    if (target.isEmpty() || seen.contains(target)) return true;  // broken link or duplicate
    seen.insert(target);
    return false;
  });
  std::ranges::stable_sort(all,
                           [](const OtherAppModel& a, const OtherAppModel& b) { return a.app != b.app ? a.app < b.app : a.path < b.path; });
  return all;
}

QStringList unreadablePlaces(const QList<OtherAppPlace>& places) {
  QStringList notes;
  for (const OtherAppPlace& place : places) {
    // For Ollama, the manifests are read first.
    const QString folder = place.layout == Layout::ollama ? place.folder + QStringLiteral("/manifests") : place.folder;
    if (::faccessat(AT_FDCWD, QFile::encodeName(folder).constData(), R_OK | X_OK, AT_EACCESS) == 0 || errno != EACCES) continue;
    notes
        << QCoreApplication::translate(
               "ModelLibrary",
               "%1 keeps models in %2, which your account cannot read. To use them here, join the group that owns the folder, or run %1 under your own account.")
               .arg(place.app, place.folder);
  }
  return notes;
}

}  // namespace minerva::app
