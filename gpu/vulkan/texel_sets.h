// Descriptor sets of uniform texel buffers, for kernels that read weights through them. Owns pools, sets and buffer views.
#pragma once

#include "gpu/vulkan/buffer.h"
#include "gpu/vulkan/pipeline.h"

#include <memory>
#include <span>
#include <vector>

namespace minerva::vulkan {

struct Texels {
  BufferView view;  // offset must be a multiple of the device's texelAlignment
  VkFormat format = VK_FORMAT_R32G32B32A32_UINT;
};

class TexelSets {
 public:
  explicit TexelSets(std::shared_ptr<Device> device) : m_device(std::move(device)) {}
  TexelSets(const TexelSets&) = delete;
  TexelSets& operator=(const TexelSets&) = delete;
  ~TexelSets();

  // A set for this pipeline with binding i = texels[i]; valid as long as this object. Errors: outOfMemory, limit.
  [[nodiscard]] Result<VkDescriptorSet> make(const Pipeline& pipeline, std::span<const Texels> texels);

 private:
  Result<VkBufferView> makeView(const Texels& texels);

  std::shared_ptr<Device> m_device;
  std::vector<VkDescriptorPool> m_pools;
  std::uint32_t m_left = 0;  // free sets in the last pool
  std::vector<VkBufferView> m_views;
};

}  // namespace minerva::vulkan
