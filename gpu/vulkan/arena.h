// Many ranges of device memory in a few large buffers ("slabs"), laid out before anything is allocated.
//
// A slab never exceeds the device's maximum allocation size. Owns its buffers; views are valid as long as the Arena.
#pragma once

#include "gpu/vulkan/buffer.h"

#include <span>
#include <vector>

namespace minerva::vulkan {

// Placement of ranges in slabs. Computed by a pure function, so that it can be tested without a device.
struct ArenaLayout {
  struct Place {
    std::size_t slab;
    std::uint64_t offset;
  };
  std::vector<Place> places;         // one per size
  std::vector<std::uint64_t> slabs;  // bytes of each
  [[nodiscard]] std::uint64_t total() const;
};
// alignment: a power of two. A size above slabLimit gets a separate slab (and create() fails if the device refuses it).
[[nodiscard]] ArenaLayout layOut(std::span<const std::uint64_t> sizes, std::uint64_t alignment, std::uint64_t slabLimit);

class Arena {
 public:
  // Checks the memory budget first, for MemoryKind::device. Errors: outOfMemory with needed and free bytes, limit.
  [[nodiscard]] static Result<Arena> create(const std::shared_ptr<Device>& device, std::span<const std::uint64_t> sizes, MemoryKind kind);

  // The layout create() would use on this device.
  [[nodiscard]] static ArenaLayout layoutOn(const DeviceInfo& info, std::span<const std::uint64_t> sizes);

  [[nodiscard]] BufferView view(std::size_t i) const;
  [[nodiscard]] std::uint64_t bytes() const { return m_layout.total(); }
  [[nodiscard]] const std::vector<Buffer>& slabs() const { return m_slabs; }

 private:
  ArenaLayout m_layout;
  std::vector<std::uint64_t> m_sizes;
  std::vector<Buffer> m_slabs;
};

// Fails with outOfMemory if `needed` bytes exceed what the device has free now.
[[nodiscard]] Result<void> checkBudget(const Device& device, std::uint64_t needed);

}  // namespace minerva::vulkan
