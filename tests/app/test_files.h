// Files that a test writes and reads whole.
#pragma once

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTest>

namespace minerva::app {

// Makes the folders on the way, too.
inline void put(const QString& path, const QByteArray& bytes) {
  QVERIFY(QDir().mkpath(QFileInfo(path).path()));
  QFile file(path);
  QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size());
}

// Empty if it cannot be read.
inline QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace minerva::app
