// A partial download: NAME.part and its journal NAME.part.journal, renamed to NAME once all bytes are present and the hash
// is right. Survives kill -9 at any point; a power failure costs a few MB. Not thread-safe: use on one thread; calls block
// on the disk.
#pragma once

#include "app/hub/hub_file.h"
#include "app/hub/journal.h"
#include "app/hub/sha256.h"

#include <QCryptographicHash>

#include <memory>

namespace minerva::app {

// The hash a file is verified by: SHA-256, or its git blob id.
class FileHash {
 public:
  FileHash() = default;
  explicit FileHash(const HubFile& file);
  void add(QByteArrayView bytes);
  [[nodiscard]] QByteArray hex() const;

 private:
  Sha256 m_sha256;
  std::unique_ptr<QCryptographicHash> m_git;  // null: use m_sha256
};
[[nodiscard]] const QByteArray& wantedHash(const HubFile& file);
[[nodiscard]] const char* hashName(const HubFile& file);  // "sha256", "git id"

class PartFile {
 public:
  static constexpr qint64 syncEvery = 8 << 20;  // bytes; the most that a power failure may cost

  // Resumes a partial download of exactly this file (path, size and hash) and discards any other data. Errors: io; limit
  // (another process is downloading it).
  [[nodiscard]] static Result<PartFile> open(const QString& target, const HubFile& file);
  PartFile() = default;
  PartFile(PartFile&& other) noexcept = default;
  PartFile& operator=(PartFile&& other) noexcept = default;
  ~PartFile() { close(); }

  [[nodiscard]] qint64 bytes() const { return m_bytes; }
  [[nodiscard]] qint64 unhashed() const { return m_bytes - m_hashed; }  // found on the disk and not hashed yet
  [[nodiscard]] Result<void> hashMore(qint64 most);
  // etag: the hub's tag of the content. If it differs from the earlier one, the content has changed: the data is discarded
  // and false is returned.
  [[nodiscard]] Result<bool> sameContent(const QByteArray& etag);
  [[nodiscard]] Result<void> append(const QByteArray& bytes);  // requires unhashed() == 0. Errors: io, limit (disk full)

  [[nodiscard]] Result<void> startOver();                         // discards the data
  [[nodiscard]] QByteArray hash() const { return m_hash.hex(); }  // of the bytes so far; requires unhashed() == 0
  [[nodiscard]] bool isRight() const { return hash() == wantedHash(m_file); }

  enum class Verdict { verified, fetchAgain };
  // Call when all bytes are present. If the hash is right, the file gets its final name; if it is wrong for the first time,
  // the download starts over. Errors: corrupt (wrong twice; everything is deleted), io.
  [[nodiscard]] Result<Verdict> finish();
  void sync();     // call before a pause
  void discard();  // deletes everything

  [[nodiscard]] static QString partName(const QString& target) { return target + QStringLiteral(".part"); }
  [[nodiscard]] static QString journalName(const QString& target) { return target + QStringLiteral(".part.journal"); }
  // Size of the partial file, without opening it.
  [[nodiscard]] static qint64 bytesThere(const QString& target);

 private:
  void close();

  QString m_target;
  HubFile m_file;
  struct Descriptor {
    int number = -1;
    Descriptor() = default;
    Descriptor(Descriptor&& other) noexcept : number(std::exchange(other.number, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
      std::swap(number, other.number);
      return *this;
    }
  } m_part;
  Journal m_journal;
  FileHash m_hash;
  qint64 m_bytes = 0, m_hashed = 0, m_synced = 0;
};

// Bytes available to this user on the file system of the path (or of its nearest existing parent); -1: unknown.
[[nodiscard]] qint64 freeBytes(const QString& path);
// Errors: limit, with the needed and the available space.
[[nodiscard]] Result<void> checkRoomFor(qint64 bytes, const QString& path);

}  // namespace minerva::app
