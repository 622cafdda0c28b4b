// Host memory for weights, cache and scratch: large zeroed allocations.
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace minerva::cpu {

// Owns zeroed pages that the OS allocates on first touch.
class HostMemory {
 public:
  HostMemory() = default;
  // hugePages: request 2 MB pages (for data that is streamed). Errors: outOfMemory.
  [[nodiscard]] static Result<HostMemory> create(std::size_t bytes, bool hugePages);
  HostMemory(HostMemory&& other) noexcept : m_data(std::exchange(other.m_data, nullptr)), m_size(std::exchange(other.m_size, 0)) {}
  HostMemory& operator=(HostMemory&& other) noexcept {
    std::swap(m_data, other.m_data);
    std::swap(m_size, other.m_size);
    return *this;
  }
  ~HostMemory();

  [[nodiscard]] std::byte* data() const { return m_data; }
  [[nodiscard]] std::size_t size() const { return m_size; }  // as requested

 private:
  HostMemory(std::byte* data, std::size_t size) : m_data(data), m_size(size) {}
  std::byte* m_data = nullptr;
  std::size_t m_size = 0;
};

}  // namespace minerva::cpu
