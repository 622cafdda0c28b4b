#include "app/library/other_apps.h"

#include "app/hub/choices.h"
#include "app/hub/hub_access.h"
#include "app/library/model_header.h"

#include <QCoreApplication>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QHash>
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
constexpr qint64 mostOfLine = 4096;

QString variableOr(const char* name, const QString& otherwise) {
  const QString value = qEnvironmentVariable(name);
  return value.isEmpty() ? otherwise : value;
}

QString firstLine(const QString& file) {
  QFile opened(file);
  return opened.open(QIODevice::ReadOnly) ? QString::fromUtf8(opened.readLine(mostOfLine)).trimmed() : QString();
}

// A text in a program's settings; empty: it is not set.
QString settingIn(const QString& file, const char* key) {
  QFile opened(file);
  if (!opened.open(QIODevice::ReadOnly)) return {};
  return QJsonDocument::fromJson(opened.read(longestManifest)).object()[QLatin1String(key)].toString();
}

// A file in the home folder names LM Studio's own folder, if that was moved; it was another one in earlier versions. In each, the settings
// may name another folder for models.
QList<OtherAppPlace> lmStudioPlaces(const QString& home) {
  QStringList folders{home + QStringLiteral("/.lmstudio"), home + QStringLiteral("/.cache/lm-studio")};
  if (const QString moved = firstLine(home + QStringLiteral("/.lmstudio-home-pointer")); !moved.isEmpty()) folders.prepend(moved);
  QList<OtherAppPlace> places;
  for (const QString& folder : folders) {
    const QString chosen = settingIn(folder + QStringLiteral("/settings.json"), "downloadsFolder");
    places << OtherAppPlace{QStringLiteral("LM Studio"), chosen.isEmpty() ? folder + QStringLiteral("/models") : chosen, Layout::tree};
  }
  return places;
}

// Below Jan's folder, which its settings or a variable may name.
QList<OtherAppPlace> janPlaces(const QString& home, const QString& data) {
  QString folder = variableOr("JAN_DATA_FOLDER", settingIn(data + QStringLiteral("/Jan/settings.json"), "data_folder"));
  if (folder.isEmpty()) folder = data + QStringLiteral("/Jan/data");
  const QString app = QStringLiteral("Jan");
  return {{app, folder + QStringLiteral("/llamacpp/models"), Layout::tree},
          {app, folder + QStringLiteral("/models"), Layout::tree},
          {app, home + QStringLiteral("/jan/models"), Layout::tree}};
}

bool hasModelName(const QString& name) {
  static const QRegularExpression unfinished(QStringLiteral("^(incomplete-|downloading_)"), QRegularExpression::CaseInsensitiveOption);
  return opensAModel(name) && !unfinished.match(name).hasMatch();
}

bool isModelFolder(const QDir& folder) {
  return folder.exists(QStringLiteral("config.json")) && !folder.entryList({QStringLiteral("*.safetensors")}, QDir::Files).isEmpty();
}

// Whether the file is there, a link to it leads somewhere, and no part of its set is missing.
bool hasAllParts(const QFileInfo& file) {
  static const QRegularExpression part(QStringLiteral("^(.*-)\\d{5}(-of-(\\d{5})\\.(?:gguf|safetensors))$"),
                                       QRegularExpression::CaseInsensitiveOption);
  const auto match = part.match(file.fileName());
  if (!match.hasMatch()) return file.exists();
  for (int number = 1; number <= match.captured(3).toInt(); ++number) {
    const QString name = match.captured(1) + QStringLiteral("%1").arg(number, 5, 10, QLatin1Char('0')) + match.captured(2);
    if (!QFileInfo::exists(file.dir().filePath(name))) return false;
  }
  return true;
}

bool isWholeModel(const QString& path) {
  const QFileInfo info(path);
  if (!info.isDir()) return hasAllParts(info);
  const QFileInfoList weights = QDir(path).entryInfoList({QStringLiteral("*.safetensors")}, QDir::Files);
  return std::ranges::all_of(weights, hasAllParts);
}

void collect(const QDir& folder, const QString& app, int depth, int& looked, QList<OtherAppModel>& found) {
  if (folder.exists(QStringLiteral("model_index.json"))) return;  // a diffusion model, whose parts have configurations of their own
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

// The one that refs/main names, then the others, newest first. Not that one alone: a program may write its name before, or without,
// fetching all that an earlier one holds.
QList<QDir> snapshotsOf(const QDir& repository) {
  const QDir folder(repository.filePath(QStringLiteral("snapshots")));
  QStringList commits = folder.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Time);
  if (const qsizetype main = commits.indexOf(firstLine(repository.filePath(QStringLiteral("refs/main")))); main > 0) commits.move(main, 0);
  QList<QDir> snapshots;
  for (const QString& commit : commits) snapshots << QDir(folder.filePath(commit));
  return snapshots;
}

void collectHubCache(const OtherAppPlace& place, QList<OtherAppModel>& found) {
  const QDir root(place.folder);
  for (const QString& repository : root.entryList({QStringLiteral("models--*")}, QDir::Dirs, QDir::Name)) {
    const QDir folder(root.filePath(repository));
    QHash<QString, OtherAppModel> models;  // by their paths within a snapshot
    int looked = 0;
    for (const QDir& snapshot : snapshotsOf(folder)) {
      QList<OtherAppModel> here;
      collect(snapshot, place.app, 0, looked, here);
      for (OtherAppModel& model : here) {
        if (model.path == snapshot.path()) model.name = repository.section(QStringLiteral("--"), -1);  // not the commit
        const auto known = models.find(snapshot.relativeFilePath(model.path));
        if (known == models.end()) models.insert(snapshot.relativeFilePath(model.path), model);
        else if (!isWholeModel(known->path) && isWholeModel(model.path)) *known = model;
      }
    }
    found += models.values();
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
  const QList<OtherAppPlace> others{
      {QStringLiteral("Ollama"), variableOr("OLLAMA_MODELS", home + QStringLiteral("/.ollama/models")), Layout::ollama},
      {QStringLiteral("Ollama"), QStringLiteral("/usr/share/ollama/.ollama/models"), Layout::ollama},
      {QStringLiteral("Ollama"), QStringLiteral("/var/lib/ollama/.ollama/models"), Layout::ollama},
      {QStringLiteral("llama.cpp"), variableOr("LLAMA_CACHE", cache + QStringLiteral("/llama.cpp")), Layout::tree},
      {QStringLiteral("GPT4All"), data + QStringLiteral("/nomic.ai/GPT4All"), Layout::tree}};
  return QList<OtherAppPlace>{{QStringLiteral("Hugging Face"), hub, Layout::hubCache}} + lmStudioPlaces(home) + others +
         janPlaces(home, data);
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
