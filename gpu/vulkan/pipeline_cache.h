// The driver's cache of compiled shaders, which can be saved between runs. The driver validates saved data itself and
// ignores data that is not its own.
#pragma once

#include "gpu/vulkan/device.h"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace minerva::vulkan {

class PipelineCache {
 public:
  // kept: an earlier result of bytes(), or empty. Errors: outOfMemory.
  [[nodiscard]] static Result<PipelineCache> create(std::shared_ptr<Device> device, std::span<const std::byte> kept);
  PipelineCache(PipelineCache&& other) noexcept;
  PipelineCache& operator=(PipelineCache&&) = delete;
  ~PipelineCache();

  [[nodiscard]] VkPipelineCache handle() const { return m_cache; }
  // Empty if the driver returns nothing.
  [[nodiscard]] std::vector<std::byte> bytes() const;

 private:
  explicit PipelineCache(std::shared_ptr<Device> device) : m_device(std::move(device)) {}

  std::shared_ptr<Device> m_device;
  VkPipelineCache m_cache = VK_NULL_HANDLE;
};

}  // namespace minerva::vulkan
