// A read-only mapping of a whole file. Views into bytes() are valid as long as this object, also after a move.
// Thread-safe after construction. Reading past the end of a file that was truncated meanwhile raises
// SIGBUS.
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

namespace minerva {

// Which file it is, whatever path led to it: symbolic and hard links of one file are equal.
struct FileId {
  std::uint64_t device = 0, inode = 0;
  [[nodiscard]] bool operator==(const FileId&) const = default;
};
// nullopt: there is no such file, or it cannot be asked.
[[nodiscard]] std::optional<FileId> fileIdOf(const std::filesystem::path& path);

class MappedFile {
 public:
  // Fails with notFound (no such file), io (permission, a folder, ...). An empty file maps to an empty span.
  [[nodiscard]] static Result<MappedFile> open(const std::filesystem::path& path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] std::span<const std::byte> bytes() const { return {m_data, m_size}; }
  [[nodiscard]] FileId id() const { return m_id; }

 private:
  MappedFile(const std::byte* data, std::size_t size, FileId id) : m_data(data), m_size(size), m_id(id) {}
  const std::byte* m_data = nullptr;
  std::size_t m_size = 0;
  FileId m_id;
};

}  // namespace minerva
