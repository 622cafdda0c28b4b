#include "gpu/runtime/kernels.h"

#include "gpu/runtime/cache_files.h"
#include "gpu/shaders/modules.h"

namespace minerva::gpu {

Kernels::Kernels(std::shared_ptr<vulkan::Device> device, std::filesystem::path cacheFolder) : m_device(std::move(device)) {
  if (cacheFolder.empty()) return;
  m_file = cacheFile(cacheFolder, m_device->info(), "pipelines");
  auto made = vulkan::PipelineCache::create(m_device, keptBytes(m_file));
  if (made) m_cache.emplace(std::move(*made));
}

void Kernels::keep() {
  const std::scoped_lock lock(m_mutex);
  if (!m_fresh || !m_cache) return;
  if (const std::vector<std::byte> bytes = m_cache->bytes(); !bytes.empty()) keepBytes(m_file, bytes);
  m_fresh = false;
}

std::size_t Kernels::count() {
  const std::scoped_lock lock(m_mutex);
  return m_pipelines.size();
}

Result<const vulkan::Pipeline*> Kernels::get(const std::string& name, std::uint32_t pushBytes, const std::vector<std::uint32_t>& constants,
                                             std::uint32_t lanes) {
  const std::scoped_lock lock(m_mutex);
  auto key = std::make_pair(name, constants);
  if (const auto found = m_pipelines.find(key); found != m_pipelines.end()) return found->second.get();
  const std::span<const std::uint32_t> words = findModule(name);
  if (words.empty()) return fail({.kind = ErrorKind::internal, .what = "There is no such kernel", .where = name});
  MINERVA_ASSIGN(const vulkan::Shader shader, vulkan::reflect(words));
  const vulkan::DeviceInfo& info = m_device->info();
  vulkan::PipelineOptions options{.constants = constants,
                                  .pushConstantBytes = pushBytes,
                                  .subgroupSize = 0,
                                  .fullSubgroups = false,
                                  .cache = m_cache ? m_cache->handle() : VK_NULL_HANDLE};
  if (lanes != 0) {
    options.subgroupSize = info.subgroupSizeChoice ? lanes : 0;
    options.fullSubgroups = true;
  }
  MINERVA_ASSIGN(vulkan::Pipeline made, vulkan::Pipeline::create(m_device, name.c_str(), shader, options));
  auto pipeline = std::make_unique<vulkan::Pipeline>(std::move(made));
  const vulkan::Pipeline* result = pipeline.get();
  m_pipelines.emplace(std::move(key), std::move(pipeline));
  m_fresh = true;
  return result;
}

}  // namespace minerva::gpu
