// Pages of mapped files: brought in before they are needed, taken out of this process when they are not needed any more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

namespace minerva {

// Which addresses of this process are shared read-only file mappings. Only pages of these may be released: the file still
// has them, and a later read brings them in again.
class MappedRanges {
 public:
  static MappedRanges read();
  // Takes the pages of `bytes` out of this process, if they are such a mapping, also those shared with what is beside them.
  void release(std::span<const std::byte> bytes) const;
  // Has the pages of `bytes` read from the disk in one go, without waiting for them, if they are such a mapping. Otherwise they are read a
  // little at a time as they are used, which takes much longer on a disk that seeks or answers slowly.
  void expect(std::span<const std::byte> bytes) const;
  // Maps the pages of `bytes` ahead of their first use, if they are such a mapping and the kernel knows how. In pieces: a
  // slow disk does not keep a stop waiting.
  void bringIn(std::span<const std::byte> bytes, const std::stop_token& stop) const;

 private:
  // The pages that `bytes` touch; empty if they are no such mapping.
  [[nodiscard]] std::span<std::byte> pagesOf(std::span<const std::byte> bytes) const;
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> m_ranges;
};

}  // namespace minerva
