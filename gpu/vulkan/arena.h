// Many ranges of device memory in few large buffers ("slabs"), all decided before the first byte is allocated.
//
// A slab never exceeds what the device allows one allocation to be. Owns its buffers; views live as long as the Arena.
#pragma once

#include "gpu/vulkan/buffer.h"

#include <span>
#include <vector>

namespace minerva::vulkan {

// Where ranges of these sizes go. A pure function, so that it can be tested without a device.
struct ArenaLayout {
  struct Place {
    std::size_t slab;
    std::uint64_t offset;
  };
  std::vector<Place> places;         // one a size
  std::vector<std::uint64_t> slabs;  // bytes of each
  [[nodiscard]] std::uint64_t total() const;
};
// alignment: a power of two. A size above slabLimit gets a slab of its own (and fails in create() if the device refuses).
[[nodiscard]] ArenaLayout layOut(std::span<const std::uint64_t> sizes, std::uint64_t alignment, std::uint64_t slabLimit);

class Arena {
 public:
  // Asks the memory budget first. Errors: outOfMemory with needed and free bytes, limit.
  [[nodiscard]] static Result<Arena> create(const std::shared_ptr<Device>& device, std::span<const std::uint64_t> sizes, MemoryKind kind);

  // Where create() would put them on such a device.
  [[nodiscard]] static ArenaLayout layoutOn(const DeviceInfo& info, std::span<const std::uint64_t> sizes);

  [[nodiscard]] BufferView view(std::size_t i) const;
  [[nodiscard]] std::uint64_t bytes() const { return m_layout.total(); }
  [[nodiscard]] const std::vector<Buffer>& slabs() const { return m_slabs; }

 private:
  ArenaLayout m_layout;
  std::vector<std::uint64_t> m_sizes;
  std::vector<Buffer> m_slabs;
};

// outOfMemory when `needed` bytes do not fit into what the device has free now.
[[nodiscard]] Result<void> checkBudget(const Device& device, std::uint64_t needed);

}  // namespace minerva::vulkan
