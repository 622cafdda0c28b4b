#include "app/library/model_trash.h"

#include "app/hub/kept_version.h"
#include "app/library/duplicates.h"
#include "app/library/model_header.h"
#include "app/library/models_folder.h"

#include <QDir>
#include <QDirIterator>
#include <QFileInfo>
#include <QFutureWatcher>
#include <QSet>
#include <QtConcurrent>

#include <algorithm>
#include <optional>

namespace minerva::app {
namespace {

// The model's files and their version records, or the whole folder of its repository if it contains nothing else.
QStringList pathsOf(const FolderModel& model, const QString& folder) {
  if (model.item.repository.isEmpty()) return filesOf(model);
  const QDir repository(model.item.folder(folder));
  QStringList paths;
  QSet<QString> own;
  for (const HubFile& file : model.item.files) {
    own.insert(file.path);
    for (const QString& path : {repository.filePath(file.path), versionRecord(repository.path(), file.path)})
      if (QFileInfo::exists(path)) paths << path;
  }
  bool alone = true;
  QDirIterator all(repository.path(), QDir::Files | QDir::Hidden | QDir::System, QDirIterator::Subdirectories);
  while (alone && all.hasNext()) {
    const QString path = repository.relativeFilePath(all.next());
    alone = own.contains(path) || path.startsWith(QLatin1String(".cache/huggingface/"));
  }
  return alone ? QStringList{repository.path()} : paths;
}

QString canonical(const QString& folder) { return folder.isEmpty() ? QString() : QDir(folder).canonicalPath(); }
bool isBelow(const QString& path, const QString& place) { return !place.isEmpty() && path.startsWith(place + QLatin1Char('/')); }

bool isGguf(const QString& path) { return path.endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive); }

// The model at this path. A GGUF file anywhere else below the folder is one too, with all its parts; not one that is being downloaded.
std::optional<FolderModel> modelAt(const QString& path, const QString& folder) {
  const QList<FolderModel> models = modelsIn(folder);
  const auto model = std::ranges::find_if(models, [&](const FolderModel& one) { return QFileInfo(one.path) == QFileInfo(path); });
  if (model != models.end()) return *model;
  const bool downloading = path.contains(QLatin1String("/.incoming/"));
  if (!isGguf(path) || !QFileInfo(path).isFile() || !isBelow(placeOf(path), canonical(folder)) || downloading) return std::nullopt;
  FolderModel alone{.name = {}, .path = path, .format = {}, .item = {}};
  for (const QString& file : weightFilesOf(path)) alone.item.files << HubFile{.path = QFileInfo(file).fileName()};
  return alone;
}

}  // namespace

Result<QList<TrashedFile>> trashModel(const QString& path, const QString& folder) {
  const std::optional<FolderModel> model = modelAt(path, folder);
  if (!model)
    return fail({.kind = ErrorKind::notFound,
                 .what = "this model is not in Minerva's own folder",
                 .where = path.toStdString(),
                 .expected = "a model in " + folder.toStdString(),
                 .actual = {},
                 .hint = "delete it with the program it belongs to, or in a file manager"});
  if (!model->complete())
    return fail({.kind = ErrorKind::limit,
                 .what = "the model is being downloaded",
                 .where = path.toStdString(),
                 .expected = {},
                 .actual = {},
                 .hint = "cancel the download instead"});
  QList<TrashedFile> moved;
  for (const QString& file : pathsOf(*model, folder)) {
    Result<TrashedFile> gone = moveToTrash(file);
    if (gone) {
      moved << *gone;
      continue;
    }
    if (const Result<void> back = restore(moved); !back) gone.error().actual += "; " + back.error().message();
    return fail(gone.error());
  }
  if (!model->item.repository.isEmpty()) {
    const QString repository = model->item.folder(folder);
    for (const HubFile& file : model->item.files) forgetVersion(repository, file.path);  // also removes folders that are now empty
    for (const QString& empty : {repository, QFileInfo(repository).path()}) QDir().rmdir(empty);
  }
  return moved;
}

ModelTrash::ModelTrash(QObject* parent) : QObject(parent) {}
ModelTrash::~ModelTrash() = default;

bool ModelTrash::holds(const QString& path) const {
  if (m_place.isEmpty()) m_place = canonical(m_folder);  // it may have been made since
  return isBelow(path, m_place);
}

bool ModelTrash::takesFile(const QString& path) const { return isGguf(path) && holds(path); }

QString ModelTrash::place() const { return m_files.isEmpty() ? QString() : QFileInfo(m_files.first().at).path(); }

void ModelTrash::put(const QString& path, const QString& name, double bytes) {
  if (m_busy) return;
  m_busy = true;
  m_error = {};
  Q_EMIT changed();
  auto* watcher = new QFutureWatcher<Result<QList<TrashedFile>>>(this);
  connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher, path, name, bytes] {
    watcher->deleteLater();
    m_busy = false;
    const Result<QList<TrashedFile>> done = watcher->result();
    if (done) {
      m_files = *done;
      m_path = path;
      m_name = name;
      m_bytes = bytes;
      Q_EMIT trashed(path);
    } else {
      m_error = ErrorInfo::from(done.error(), tr("%1 could not be deleted").arg(name));
    }
    Q_EMIT changed();
  });
  watcher->setFuture(QtConcurrent::run(&trashModel, path, m_folder));
}

void ModelTrash::took(const QString& name, double bytes, const TrashedFile& file) {
  if (m_busy) return;
  m_files = {file};
  m_path.clear();
  m_name = name;
  m_bytes = bytes;
  m_error = {};
  Q_EMIT changed();
}

void ModelTrash::undo() {
  if (m_busy || m_name.isEmpty()) return;
  m_busy = true;
  Q_EMIT changed();
  auto* watcher = new QFutureWatcher<Result<void>>(this);
  connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher] {
    watcher->deleteLater();
    m_busy = false;
    const Result<void> done = watcher->result();
    m_error = done ? ErrorInfo() : ErrorInfo::from(done.error(), tr("%1 could not be restored").arg(m_name));
    if (done) m_files.clear();
    else m_files.removeIf([](const TrashedFile& file) { return !QFileInfo::exists(file.at); });  // undo() may be tried again with the rest
    if (m_files.isEmpty()) m_name.clear();
    if (done) Q_EMIT restored(m_path);
    Q_EMIT changed();
  });
  watcher->setFuture(QtConcurrent::run(&restore, m_files));
}

void ModelTrash::dismiss() {
  m_name.clear();
  m_files.clear();
  m_error = {};
  Q_EMIT changed();
}

}  // namespace minerva::app
