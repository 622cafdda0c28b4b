// Memory of the host for weights, cache and scratch: what is free, and big zeroed allocations.
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace minerva::cpu {

// Zeroed pages, taken from the system only when touched. Owns them.
class HostMemory {
 public:
  HostMemory() = default;
  // hugePages: ask for 2 MB pages (for what is streamed). Fails with outOfMemory.
  [[nodiscard]] static Result<HostMemory> create(std::size_t bytes, bool hugePages);
  HostMemory(HostMemory&& other) noexcept : m_data(std::exchange(other.m_data, nullptr)), m_size(std::exchange(other.m_size, 0)) {}
  HostMemory& operator=(HostMemory&& other) noexcept {
    std::swap(m_data, other.m_data);
    std::swap(m_size, other.m_size);
    return *this;
  }
  ~HostMemory();

  [[nodiscard]] std::byte* data() const { return m_data; }
  [[nodiscard]] std::size_t size() const { return m_size; }  // as asked for

 private:
  HostMemory(std::byte* data, std::size_t size) : m_data(data), m_size(size) {}
  std::byte* m_data = nullptr;
  std::size_t m_size = 0;
};

// Bytes the system says a process can still use without swapping; 0 when it does not say. And all it has.
[[nodiscard]] std::uint64_t availableMemory();
[[nodiscard]] std::uint64_t totalMemory();

}  // namespace minerva::cpu
