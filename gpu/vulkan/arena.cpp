#include "gpu/vulkan/arena.h"

#include <algorithm>

namespace minerva::vulkan {

namespace {

constexpr std::uint64_t preferredSlab = std::uint64_t{1} << 30;
constexpr std::uint64_t slabOfSeveral = std::uint64_t{256} << 20;  // where memory may be in several heaps: fills each to its end
constexpr std::uint64_t smallestAlignment = 256;

std::uint64_t roundUp(std::uint64_t value, std::uint64_t alignment) { return (value + alignment - 1) / alignment * alignment; }

}  // namespace

std::uint64_t ArenaLayout::total() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t slab : slabs) sum += slab;
  return sum;
}

ArenaLayout layOut(std::span<const std::uint64_t> sizes, std::uint64_t alignment, std::uint64_t slabLimit) {
  ArenaLayout layout;
  std::size_t open = 0;
  bool isOpen = false;
  for (const std::uint64_t size : sizes) {
    const std::uint64_t rounded = roundUp(std::max<std::uint64_t>(size, 1), alignment);
    if (!isOpen || layout.slabs[open] + rounded > slabLimit) {
      layout.slabs.push_back(0);
      open = layout.slabs.size() - 1;
      isOpen = true;
    }
    layout.places.push_back({open, layout.slabs[open]});
    layout.slabs[open] += rounded;
  }
  return layout;
}

Result<void> checkBudget(const Device& device, std::uint64_t needed) {
  const MemoryBudget budget = memoryBudget(device.instance(), device.info());
  if (needed <= budget.free) return {};
  return fail({.kind = ErrorKind::outOfMemory,
               .what = "The model does not fit into the GPU's memory",
               .where = device.info().name,
               .expected = "at most " + std::to_string(budget.free) + " bytes free",
               .actual = std::to_string(needed) + " bytes needed",
               .hint = "Use a shorter context, a smaller or more compressed model, or the CPU."});
}

Result<Arena> Arena::create(const std::shared_ptr<Device>& device, std::span<const std::uint64_t> sizes, MemoryKind kind) {
  Arena arena;
  arena.m_sizes.assign(sizes.begin(), sizes.end());
  arena.m_layout = layoutOn(device->info(), sizes);
  if (kind == MemoryKind::device) MINERVA_TRY(checkBudget(*device, arena.m_layout.total()));
  for (const std::uint64_t slab : arena.m_layout.slabs) {
    MINERVA_ASSIGN(Buffer buffer, Buffer::create(device, slab, kind));
    arena.m_slabs.push_back(std::move(buffer));
  }
  return arena;
}

ArenaLayout Arena::layoutOn(const DeviceInfo& info, std::span<const std::uint64_t> sizes) {
  const std::uint64_t largest = std::min(info.largestBuffer(), info.integrated || hasSeveralHeaps(info) ? slabOfSeveral : preferredSlab);
  return layOut(sizes, std::max(smallestAlignment, info.texelAlignment), largest);
}

BufferView Arena::view(std::size_t i) const {
  const ArenaLayout::Place place = m_layout.places[i];
  return m_slabs[place.slab].view().part(place.offset, m_sizes[i]);
}

}  // namespace minerva::vulkan
