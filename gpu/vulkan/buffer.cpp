#include "gpu/vulkan/buffer.h"

#include "gpu/vulkan/result.h"

#include <algorithm>
#include <array>
#include <utility>

namespace minerva::vulkan {

namespace {

struct Wishes {
  VkMemoryPropertyFlags wanted, preferred, avoided = 0;
};

constexpr VkMemoryPropertyFlags hostVisible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

bool isShared(const DeviceInfo& info) { return (info.software || info.integrated) && info.mapsDeviceMemory; }

Wishes wishes(const DeviceInfo& info, MemoryKind kind) {
  switch (kind) {
    // The host's own: there may be little of a card's that the host sees.
    case MemoryKind::upload: return {hostVisible, 0, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT};
    case MemoryKind::readback: return {hostVisible, VK_MEMORY_PROPERTY_HOST_CACHED_BIT, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT};
    case MemoryKind::written: return {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, info.mapsDeviceMemory ? hostVisible : VkMemoryPropertyFlags{0}};
    case MemoryKind::device: break;
  }
  return {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, isShared(info) ? hostVisible : VkMemoryPropertyFlags{0}};
}

// On a discrete GPU even memory that is host-visible is not mapped for the device's own data: the host would read results through the bus,
// uncached. AMD's drivers have no other memory where the whole of it is visible.
bool isMapped(const DeviceInfo& info, MemoryKind kind) {
  switch (kind) {
    case MemoryKind::upload:
    case MemoryKind::readback: return true;
    case MemoryKind::written: return info.mapsDeviceMemory;
    case MemoryKind::device: break;
  }
  return isShared(info);
}

}  // namespace

Result<Buffer> Buffer::create(std::shared_ptr<Device> device, std::uint64_t bytes, MemoryKind kind) {
  const DeviceInfo& info = device->info();
  const std::uint64_t largest = info.largestBuffer();
  if (bytes > largest) {
    return fail({.kind = ErrorKind::limit,
                 .what = "A buffer is larger than the GPU allows",
                 .where = info.name,
                 .expected = "at most " + std::to_string(largest) + " bytes",
                 .actual = std::to_string(bytes) + " bytes",
                 .hint = "Use the CPU for this model."});
  }
  Buffer buffer(std::move(device));
  MINERVA_TRY(buffer.allocate(std::max<std::uint64_t>(bytes, 16), kind));
  return buffer;
}

Result<void> Buffer::allocate(std::uint64_t bytes, MemoryKind kind) {
  const Api& api = m_device->api();
  const DeviceInfo& info = m_device->info();
  VkBufferCreateInfo buffer{};
  buffer.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  buffer.size = bytes;
  buffer.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT;
  // Weights are copied on one queue and read on the other. Shared ownership costs nothing for a buffer, which has no layout that a queue
  // might change, and needs no release and acquire for each slab; memory that one queue alone uses stays its own.
  const std::array<std::uint32_t, 2> families{m_device->familyOf(QueueKind::compute), m_device->familyOf(QueueKind::transfer)};
  if (kind == MemoryKind::device && m_device->hasTransferQueue()) {
    buffer.sharingMode = VK_SHARING_MODE_CONCURRENT;
    buffer.queueFamilyIndexCount = families.size();
    buffer.pQueueFamilyIndices = families.data();
  }
  if (const VkResult made = api.CreateBuffer(m_device->handle(), &buffer, nullptr, &m_view.buffer); made != VK_SUCCESS) {
    return failure(made, "The GPU could not create a buffer of " + std::to_string(bytes) + " bytes", info.name);
  }
  VkMemoryRequirements needs{};
  api.GetBufferMemoryRequirements(m_device->handle(), m_view.buffer, &needs);
  const Wishes wish = wishes(info, kind);
  int type = findMemoryType(info, needs.memoryTypeBits, wish.wanted, wish.preferred, wish.avoided);
  if (type < 0) {
    return fail({.kind = ErrorKind::unsupported, .what = "The GPU has no memory of the required type", .where = info.name});
  }
  VkMemoryAllocateFlagsInfo flags{};
  flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryPriorityAllocateInfoEXT priority{};
  priority.sType = VK_STRUCTURE_TYPE_MEMORY_PRIORITY_ALLOCATE_INFO_EXT;
  priority.priority = 1;  // weights in the host's memory would be read through the bus with every token
  if (info.memoryPriority && kind == MemoryKind::device) flags.pNext = &priority;
  VkMemoryAllocateInfo allocation{};
  allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocation.pNext = &flags;
  allocation.allocationSize = needs.size;
  allocation.memoryTypeIndex = static_cast<std::uint32_t>(type);
  VkResult result = api.AllocateMemory(m_device->handle(), &allocation, nullptr, &m_memory);
  const int other = otherHeapType(info, needs.memoryTypeBits, type);
  if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY && kind == MemoryKind::device && other >= 0) {
    type = other;
    allocation.memoryTypeIndex = static_cast<std::uint32_t>(type);
    result = api.AllocateMemory(m_device->handle(), &allocation, nullptr, &m_memory);
  }
  if (result != VK_SUCCESS) {
    return failure(result, "The GPU could not allocate " + std::to_string(needs.size) + " bytes of memory", info.name);
  }
  if (result = api.BindBufferMemory(m_device->handle(), m_view.buffer, m_memory, 0); result != VK_SUCCESS) {
    return failure(result, "The GPU could not bind memory to a buffer", info.name);
  }
  const VkMemoryPropertyFlags properties = info.memory.memoryTypes[type].propertyFlags;
  if (isMapped(info, kind) && (properties & hostVisible) == hostVisible) {
    void* mapped = nullptr;
    if (result = api.MapMemory(m_device->handle(), m_memory, 0, VK_WHOLE_SIZE, 0, &mapped); result != VK_SUCCESS) {
      return failure(result, "The GPU's memory could not be mapped", info.name);
    }
    m_view.mapped = static_cast<std::byte*>(mapped);
    m_view.cached = (properties & VK_MEMORY_PROPERTY_HOST_CACHED_BIT) != 0;
  }
  VkBufferDeviceAddressInfo address{};
  address.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
  address.buffer = m_view.buffer;
  m_view.address = api.GetBufferDeviceAddress(m_device->handle(), &address);
  m_view.size = bytes;
  return {};
}

Buffer::Buffer(Buffer&& other) noexcept
    : m_device(std::move(other.m_device)),
      m_memory(std::exchange(other.m_memory, VK_NULL_HANDLE)),
      m_view(std::exchange(other.m_view, {})) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(m_device, other.m_device);
  std::swap(m_memory, other.m_memory);
  std::swap(m_view, other.m_view);
  return *this;
}

Buffer::~Buffer() {
  if (!m_device) return;
  const Api& api = m_device->api();
  if (m_view.buffer != VK_NULL_HANDLE) api.DestroyBuffer(m_device->handle(), m_view.buffer, nullptr);
  if (m_memory != VK_NULL_HANDLE) api.FreeMemory(m_device->handle(), m_memory, nullptr);  // unmaps
}

}  // namespace minerva::vulkan
