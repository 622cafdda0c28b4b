// Device memory: Buffer owns one VkBuffer with its memory, BufferView is a cheap non-owning part of one.
//
// Used by one thread at a time; a view is valid as long as its Buffer (moving the Buffer keeps it valid).
#pragma once

#include "gpu/vulkan/device.h"

#include <cstddef>
#include <memory>

namespace minerva::vulkan {

enum class MemoryKind {
  device,    // where shaders read and write fastest; mapped only where that costs nothing (shared memory)
  written,   // device memory that the host writes a little of before every step, where it can see it: else as `device`
  upload,    // the host writes, the device copies from it
  readback,  // the device writes, the host reads
};

struct BufferView {
  VkBuffer buffer = VK_NULL_HANDLE;
  std::uint64_t offset = 0, size = 0;  // bytes
  VkDeviceAddress address = 0;         // of `offset`
  std::byte* mapped = nullptr;         // of `offset`; null where the host cannot see it

  [[nodiscard]] bool empty() const { return buffer == VK_NULL_HANDLE; }
  // REQUIRES at + bytes <= size.
  [[nodiscard]] BufferView part(std::uint64_t at, std::uint64_t bytes) const {
    return {buffer, offset + at, bytes, address + at, mapped == nullptr ? nullptr : mapped + at};
  }
};

class Buffer {
 public:
  // Errors: outOfMemory, limit (larger than the device allows one buffer to be).
  [[nodiscard]] static Result<Buffer> create(std::shared_ptr<Device> device, std::uint64_t bytes, MemoryKind kind);
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  [[nodiscard]] const BufferView& view() const { return m_view; }

 private:
  explicit Buffer(std::shared_ptr<Device> device) : m_device(std::move(device)) {}
  Result<void> allocate(std::uint64_t bytes, MemoryKind kind);

  std::shared_ptr<Device> m_device;
  VkDeviceMemory m_memory = VK_NULL_HANDLE;
  BufferView m_view;
};

}  // namespace minerva::vulkan
