// A file on its way to the disk: NAME.part and its journal NAME.part.journal beside it, until every byte is there and
// the hash is right; only then does NAME appear. Survives kill -9 at any point, and a power cut with the loss of a few
// MB. One thread's; calls block on the disk.
#pragma once

#include "app/hub/hub_file.h"
#include "app/hub/journal.h"
#include "app/hub/sha256.h"

#include <QCryptographicHash>

#include <memory>

namespace minerva::app {

// The hash a file is checked by: sha256, or git's name of its content.
class FileHash {
 public:
  FileHash() = default;
  explicit FileHash(const HubFile& file);
  void add(QByteArrayView bytes);
  [[nodiscard]] QByteArray hex() const;

 private:
  Sha256 m_sha256;
  std::unique_ptr<QCryptographicHash> m_git;  // null: sha256
};
[[nodiscard]] const QByteArray& wantedHash(const HubFile& file);
[[nodiscard]] const char* hashName(const HubFile& file);  // "sha256", "git id"

class PartFile {
 public:
  static constexpr qint64 syncEvery = 8 << 20;  // what a power cut may cost

  // What of this very file (path, size and hash) is there is kept, anything else thrown away. Errors: io, limit.
  [[nodiscard]] static Result<PartFile> open(const QString& target, const HubFile& file);
  PartFile() = default;
  PartFile(PartFile&& other) noexcept = default;
  PartFile& operator=(PartFile&& other) noexcept = default;
  ~PartFile() { close(); }

  [[nodiscard]] qint64 bytes() const { return m_bytes; }
  [[nodiscard]] qint64 unhashed() const { return m_bytes - m_hashed; }  // found on the disk, not looked at yet
  [[nodiscard]] Result<void> hashMore(qint64 most);
  // The hub's tag of the content: another one than before means other content, and what is there is thrown away.
  [[nodiscard]] Result<bool> sameContent(const QByteArray& etag);
  [[nodiscard]] Result<void> append(const QByteArray& bytes);  // only when nothing is unhashed. Errors: io, limit (disk full)

  enum class Verdict { verified, fetchAgain };
  // When all bytes are there: the hash is right, and the file has its name; or it is wrong the first time, and
  // everything begins again. Errors: corrupt (wrong twice; nothing is left of it), io.
  [[nodiscard]] Result<Verdict> finish();
  void sync();     // before a pause
  void discard();  // nothing is left of it

  [[nodiscard]] static QString partName(const QString& target) { return target + QStringLiteral(".part"); }
  [[nodiscard]] static QString journalName(const QString& target) { return target + QStringLiteral(".part.journal"); }
  // Bytes of the file that are there, without opening it for work.
  [[nodiscard]] static qint64 bytesThere(const QString& target);

 private:
  void close();
  [[nodiscard]] Result<void> startOver();
  [[nodiscard]] Result<void> checkRoom() const;

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

// Bytes free for this user where the path (or its nearest folder that exists) lies; -1: not known.
[[nodiscard]] qint64 freeBytes(const QString& path);
// Errors: limit, with what is needed and what is free.
[[nodiscard]] Result<void> checkRoomFor(qint64 bytes, const QString& path);

}  // namespace minerva::app
