#include "gpu/vulkan/pipeline_cache.h"

#include "gpu/vulkan/result.h"

#include <utility>

namespace minerva::vulkan {

Result<PipelineCache> PipelineCache::create(std::shared_ptr<Device> device, std::span<const std::byte> kept) {
  PipelineCache cache(std::move(device));
  VkPipelineCacheCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  info.initialDataSize = kept.size();
  info.pInitialData = kept.data();
  const Device& d = *cache.m_device;
  if (const VkResult r = d.api().CreatePipelineCache(d.handle(), &info, nullptr, &cache.m_cache); r != VK_SUCCESS) {
    return failure(r, "The GPU could not create a pipeline cache", d.info().name);
  }
  return cache;
}

PipelineCache::PipelineCache(PipelineCache&& other) noexcept
    : m_device(std::move(other.m_device)), m_cache(std::exchange(other.m_cache, VK_NULL_HANDLE)) {}

PipelineCache::~PipelineCache() {
  if (m_device && m_cache != VK_NULL_HANDLE) m_device->api().DestroyPipelineCache(m_device->handle(), m_cache, nullptr);
}

std::vector<std::byte> PipelineCache::bytes() const {
  std::size_t size = 0;
  const Api& api = m_device->api();
  if (api.GetPipelineCacheData(m_device->handle(), m_cache, &size, nullptr) != VK_SUCCESS) return {};
  std::vector<std::byte> data(size);
  if (api.GetPipelineCacheData(m_device->handle(), m_cache, &size, data.data()) != VK_SUCCESS) return {};
  data.resize(size);
  return data;
}

}  // namespace minerva::vulkan
