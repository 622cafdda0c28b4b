// Device memory: Buffer owns one VkBuffer with its memory, BufferView is a cheap non-owning range of one.
//
// Not thread-safe. A view is valid as long as its Buffer, also after the Buffer was moved.
#pragma once

#include "gpu/vulkan/device.h"

#include <cstddef>
#include <memory>

namespace minerva::vulkan {

enum class MemoryKind {
  device,    // fastest for shaders; mapped only where that costs nothing (memory shared with the host)
  written,   // device memory the host updates a little before every step: mapped if host-visible, else like `device`
  upload,    // host writes, device copies from it
  readback,  // device writes, host reads
};

struct BufferView {
  VkBuffer buffer = VK_NULL_HANDLE;
  std::uint64_t offset = 0, size = 0;  // bytes
  VkDeviceAddress address = 0;         // device address of `offset`
  std::byte* mapped = nullptr;         // host address of `offset`; null if not host-visible
  bool cached = false;                 // the host reads it as fast as its own memory

  [[nodiscard]] bool empty() const { return buffer == VK_NULL_HANDLE; }
  // REQUIRES at + bytes <= size.
  [[nodiscard]] BufferView part(std::uint64_t at, std::uint64_t bytes) const {
    return {buffer, offset + at, bytes, address + at, mapped == nullptr ? nullptr : mapped + at, cached};
  }
};

class Buffer {
 public:
  // Errors: outOfMemory, limit (larger than the device's maximum buffer size).
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
