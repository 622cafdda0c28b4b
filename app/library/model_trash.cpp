#include "app/library/model_trash.h"

#include "app/library/models_folder.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QFutureWatcher>
#include <QSet>
#include <QStandardPaths>
#include <QtConcurrent>

#include <algorithm>

namespace minerva::app {
namespace {

Error cannot(const char* what, const QString& path, const QString& why, const char* hint) {
  return {.kind = ErrorKind::io, .what = what, .where = path.toStdString(), .expected = {}, .actual = why.toStdString(), .hint = hint};
}

// The model's files; the whole folder of its repository where nothing else is in it.
QStringList pathsOf(const FolderModel& model, const QString& folder) {
  if (model.item.repository.isEmpty()) return {model.path};
  const QDir repository(model.item.folder(folder));
  QStringList paths;
  QSet<QString> own;
  for (const HubFile& file : model.item.files) {
    own.insert(file.path);
    if (QFileInfo::exists(repository.filePath(file.path))) paths << repository.filePath(file.path);
  }
  bool alone = true;
  QDirIterator all(repository.path(), QDir::Files | QDir::Hidden | QDir::System, QDirIterator::Subdirectories);
  while (alone && all.hasNext()) alone = own.contains(repository.relativeFilePath(all.next()));
  return alone ? QStringList{repository.path()} : paths;
}

}  // namespace

Result<QList<TrashedFile>> trashModel(const QString& path, const QString& folder) {
  const QList<FolderModel> models = modelsIn(folder);
  const auto model = std::ranges::find_if(models, [&](const FolderModel& one) { return QFileInfo(one.path) == QFileInfo(path); });
  if (model == models.end())
    return fail({.kind = ErrorKind::notFound,
                 .what = "this is no model of Minerva's own folder",
                 .where = path.toStdString(),
                 .expected = "a model in " + folder.toStdString(),
                 .actual = {},
                 .hint = "delete it with the program it belongs to, or in a file manager"});
  if (!model->complete())
    return fail({.kind = ErrorKind::limit,
                 .what = "it is being downloaded",
                 .where = path.toStdString(),
                 .expected = {},
                 .actual = {},
                 .hint = "cancel the download instead"});
  // Where the trash is made if there is none; Qt 6.4 would else move the file to the folder that Minerva was started in.
  const QString data = QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation);
  if (!QDir().mkpath(data) || !QFileInfo(data).isWritable())
    return fail(cannot("it could not be moved to the trash", data, QStringLiteral("this folder, where the trash is, cannot be written"),
                       "nothing was deleted; delete the file in a file manager"));
  QList<TrashedFile> moved;
  for (const QString& file : pathsOf(*model, folder)) {
    QFile one(file);
    const QString why = one.moveToTrash() ? QString() : one.errorString();
    if (why.isEmpty() && !QFileInfo::exists(file)) {
      moved << TrashedFile{file, one.fileName()};
      continue;
    }
    const Result<void> back = restore(moved);
    return fail(cannot("it could not be moved to the trash", file,
                       back ? why : why + QStringLiteral("; ") + QString::fromStdString(back.error().message()),
                       "nothing was deleted; this disk may have no trash: delete the file in a file manager"));
  }
  QDir().rmdir(QFileInfo(model->item.repository.isEmpty() ? QString() : model->item.folder(folder)).path());  // ORG, if it is empty now
  return moved;
}

Result<void> restore(const QList<TrashedFile>& files) {
  for (const TrashedFile& file : files) {
    if (QFileInfo::exists(file.from))
      return fail(cannot("something else lies there now", file.from, {}, "the model is still in the trash"));
    if (!QFileInfo::exists(file.at)) return fail(cannot("it is no longer in the trash", file.at, {}, "download it again"));
    if (!QDir().mkpath(QFileInfo(file.from).path()) || !QDir().rename(file.at, file.from))
      return fail(cannot("it could not be taken out of the trash", file.at, {}, "move it by hand, in a file manager"));
    // TRASH/files/NAME goes with TRASH/info/NAME.trashinfo.
    const QFileInfo at(file.at);
    QFile::remove(QDir(at.path()).filePath(QStringLiteral("../info/") + at.fileName() + QStringLiteral(".trashinfo")));
  }
  return {};
}

ModelTrash::ModelTrash(QObject* parent) : QObject(parent) {}
ModelTrash::~ModelTrash() = default;

bool ModelTrash::holds(const QString& path) const {
  return !m_folder.isEmpty() && path.startsWith(QDir(m_folder).canonicalPath() + QLatin1Char('/'));
}

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

void ModelTrash::undo() {
  if (m_busy || m_name.isEmpty()) return;
  m_busy = true;
  Q_EMIT changed();
  auto* watcher = new QFutureWatcher<Result<void>>(this);
  connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher] {
    watcher->deleteLater();
    m_busy = false;
    const Result<void> done = watcher->result();
    m_error = done ? ErrorInfo() : ErrorInfo::from(done.error(), tr("%1 could not be brought back").arg(m_name));
    const QString path = m_path;
    m_name.clear();
    m_files.clear();
    if (done) Q_EMIT restored(path);
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
