// What a driver remembers of compiled shaders, as bytes that may be kept between runs. It checks itself whether kept
// bytes are its own; others are ignored.
#pragma once

#include "gpu/vulkan/device.h"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace minerva::vulkan {

class PipelineCache {
 public:
  // kept: what bytes() gave once, or nothing. Errors: outOfMemory.
  [[nodiscard]] static Result<PipelineCache> create(std::shared_ptr<Device> device, std::span<const std::byte> kept);
  PipelineCache(PipelineCache&& other) noexcept;
  PipelineCache& operator=(PipelineCache&&) = delete;
  ~PipelineCache();

  [[nodiscard]] VkPipelineCache handle() const { return m_cache; }
  // Empty when the driver gives none.
  [[nodiscard]] std::vector<std::byte> bytes() const;

 private:
  explicit PipelineCache(std::shared_ptr<Device> device) : m_device(std::move(device)) {}

  std::shared_ptr<Device> m_device;
  VkPipelineCache m_cache = VK_NULL_HANDLE;
};

}  // namespace minerva::vulkan
