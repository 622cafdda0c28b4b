#include "app/storage/trash.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>

namespace minerva::app {
namespace {

std::unexpected<Error> cannot(const char* what, const QString& path, const QString& why, const char* hint) {
  return fail(
      {.kind = ErrorKind::io, .what = what, .where = path.toStdString(), .expected = {}, .actual = why.toStdString(), .hint = hint});
}

QStringList filesIn(const QString& folder) {
  QStringList files;
  QDirIterator all(folder, QDir::Files | QDir::Hidden | QDir::System, QDirIterator::Subdirectories);
  while (all.hasNext()) files << QDir(folder).relativeFilePath(all.next());
  return files;
}

// Moves the files of a folder into one that is there again because something else has come meanwhile.
bool mergeFolder(const QString& from, const QString& to) {
  for (const QString& file : filesIn(from)) {
    const QString target = QDir(to).filePath(file);
    if (!QDir().mkpath(QFileInfo(target).path()) || !QFile::rename(QDir(from).filePath(file), target)) return false;
  }
  return QDir(from).removeRecursively();
}

// The place that another file has taken; empty if there is none.
QString takenPlace(const TrashedFile& file) {
  if (!QFileInfo(file.from).isDir() || !QFileInfo(file.at).isDir()) return QFileInfo::exists(file.from) ? file.from : QString();
  for (const QString& name : filesIn(file.at))
    if (const QString path = QDir(file.from).filePath(name); QFileInfo::exists(path)) return path;
  return {};
}

}  // namespace

Result<TrashedFile> moveToTrash(const QString& path) {
  // The folder must exist, so that the trash can be created in it; otherwise Qt 6.4 would move the file to the current
  // directory.
  const QString data = QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation);
  if (!QDir().mkpath(data) || !QFileInfo(data).isWritable())
    return cannot("it could not be moved to the trash", data, QStringLiteral("this folder, which holds the trash, is not writable"),
                  "nothing was deleted; delete the file in a file manager");
  QFile file(path);
  if (file.moveToTrash() && !QFileInfo::exists(path)) return TrashedFile{path, file.fileName()};
  return cannot("it could not be moved to the trash", path, file.errorString(),
                "nothing was deleted; this disk may have no trash: delete the file in a file manager");
}

Result<void> restore(const QList<TrashedFile>& files) {
  for (const TrashedFile& file : files) {
    if (!QFileInfo::exists(file.at)) return cannot("it is no longer in the trash", file.at, {}, "download it again");
    if (const QString taken = takenPlace(file); !taken.isEmpty())
      return cannot("another file has that name now", taken, {}, "the model is still in the trash");
    const bool moved = QFileInfo::exists(file.from) ? mergeFolder(file.at, file.from)
                                                    : QDir().mkpath(QFileInfo(file.from).path()) && QDir().rename(file.at, file.from);
    if (!moved) return cannot("it could not be restored from the trash", file.at, {}, "move it in a file manager");
    // TRASH/files/NAME has metadata in TRASH/info/NAME.trashinfo.
    const QFileInfo at(file.at);
    QFile::remove(QDir(at.path()).filePath(QStringLiteral("../info/") + at.fileName() + QStringLiteral(".trashinfo")));
  }
  return {};
}

}  // namespace minerva::app
