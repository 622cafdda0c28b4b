// A whole file mapped read-only. Owns the mapping; views into bytes() live as long as this object (move keeps them valid).
// Thread-safe after construction. A file that shrinks while mapped raises SIGBUS in the reader: callers check sizes at open.
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <filesystem>
#include <span>

namespace minerva {

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

 private:
  MappedFile(const std::byte* data, std::size_t size) : m_data(data), m_size(size) {}
  const std::byte* m_data = nullptr;
  std::size_t m_size = 0;
};

}  // namespace minerva
