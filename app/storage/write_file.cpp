#include "app/storage/write_file.h"

#include <QSaveFile>

namespace minerva::app {

Result<void> writeFile(const QString& file, const QByteArray& bytes) {
  QSaveFile target(file);
  if (target.open(QIODevice::WriteOnly) && target.write(bytes) == bytes.size() && target.commit()) return {};
  return fail({.kind = ErrorKind::io,
               .what = "the file cannot be written",
               .where = file.toStdString(),
               .actual = target.errorString().toStdString(),
               .hint = "choose another folder"});
}

}  // namespace minerva::app
