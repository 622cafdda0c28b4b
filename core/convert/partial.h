// A file or folder that has another name until it is whole.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <filesystem>

namespace minerva::convert {

// What is written has this name until it is whole.
[[nodiscard]] std::filesystem::path partialName(const std::filesystem::path& out);

// Error (limit): the disk that `path` is on has less room than these bytes and a header need.
[[nodiscard]] Result<void> checkSpace(const std::filesystem::path& path, std::uint64_t bytes);

// Removes what was written unless keep() has given it its final name.
class Partial {
 public:
  explicit Partial(std::filesystem::path target) : m_target(std::move(target)), m_path(partialName(m_target)) {}
  ~Partial();
  Partial(const Partial&) = delete;
  Partial& operator=(const Partial&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
  // Makes path() an empty folder. Errors: io.
  [[nodiscard]] Result<void> makeFolder();
  // Writes it to the disk, and replaces a file, or an empty folder. Errors: io.
  [[nodiscard]] Result<void> keep();

 private:
  std::filesystem::path m_target, m_path;
  bool m_kept = false, m_isFolder = false;
};

}  // namespace minerva::convert
