#include "gpu/runtime/kernels.h"

#include "core/base/cgroup_limits.h"
#include "core/base/kept_file.h"
#include "gpu/runtime/cache_file.h"
#include "gpu/shaders/modules.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

namespace minerva::gpu {

Kernels::Kernels(std::shared_ptr<vulkan::Device> device, std::filesystem::path cacheFolder)
    : m_device(std::move(device)), m_folder(std::move(cacheFolder)) {
  if (m_folder.empty()) return;
  m_file = cacheFile(m_folder, m_device->info(), "pipelines");
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

const vulkan::Pipeline* Kernels::find(const KernelKey& key) {
  const std::scoped_lock lock(m_mutex);
  const auto found = m_pipelines.find(key);
  return found == m_pipelines.end() ? nullptr : found->second.get();
}

// The driver synchronizes the pipeline cache itself, so that several threads may compile at the same time.
Result<std::unique_ptr<vulkan::Pipeline>> Kernels::make(const KernelKey& key) {
  const std::span<const std::uint32_t> words = findModule(key.name);
  if (words.empty()) return fail({.kind = ErrorKind::internal, .what = "There is no such kernel", .where = key.name});
  MINERVA_ASSIGN(const vulkan::Shader shader, vulkan::reflect(words));
  vulkan::PipelineOptions options{.constants = key.constants,
                                  .pushConstantBytes = key.pushBytes,
                                  .subgroupSize = 0,
                                  .fullSubgroups = false,
                                  .cache = m_cache ? m_cache->handle() : VK_NULL_HANDLE};
  if (key.lanes != 0) {
    options.subgroupSize = m_device->info().subgroupSizeChoice ? key.lanes : 0;
    options.fullSubgroups = true;
  }
  MINERVA_ASSIGN(vulkan::Pipeline made, vulkan::Pipeline::create(m_device, key.name.c_str(), shader, options));
  return std::make_unique<vulkan::Pipeline>(std::move(made));
}

Result<const vulkan::Pipeline*> Kernels::get(const KernelKey& key) {
  if (const vulkan::Pipeline* found = find(key)) return found;
  MINERVA_ASSIGN(std::unique_ptr<vulkan::Pipeline> made, make(key));
  const std::scoped_lock lock(m_mutex);
  m_fresh = true;
  return m_pipelines.try_emplace(key, std::move(made)).first->second.get();  // another thread may have been faster
}

// On a thread, where an exception would end the program.
Result<const vulkan::Pipeline*> Kernels::getOrRunOut(const KernelKey& key) noexcept try { return get(key); } catch (const std::bad_alloc&) {
  return fail({.kind = ErrorKind::outOfMemory,
               .what = "There is not enough memory to compile the GPU's kernels",
               .where = key.name,
               .hint = "Close other programs, or choose a smaller model or context."});
}

Result<void> Kernels::compile(std::span<const KernelKey> keys, const std::function<void(std::size_t done)>& onProgress,
                              const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<Error> error;
  std::size_t next = 0, done = 0;  // these four guarded by the mutex
  const auto work = [&] {
    std::unique_lock lock(mutex);
    while (next < keys.size() && !error && !stop.stop_requested()) {
      const KernelKey& key = keys[next++];
      lock.unlock();
      auto made = getOrRunOut(key);
      lock.lock();
      if (!made && !error) error = std::move(made.error());
      ++done;
      changed.notify_one();
    }
  };
  std::vector<std::jthread> threads;
  const int processors = cgroupLimits().cpusOf(static_cast<int>(std::max(1U, std::thread::hardware_concurrency())));
  const std::size_t wanted = std::min(static_cast<std::size_t>(processors), keys.size());
  try {
    for (std::size_t i = 0; i < wanted; ++i) threads.emplace_back(work);
  } catch (const std::system_error&) {  // no more threads: those that began do all the work
    if (threads.empty()) work();
  }
  for (std::unique_lock lock(mutex); done < next || (next < keys.size() && !error && !stop.stop_requested());) {
    changed.wait_for(lock, std::chrono::milliseconds(50));
    const std::size_t now = done;
    lock.unlock();
    if (onProgress) onProgress(now);
    lock.lock();
  }
  threads.clear();
  if (error) return fail(std::move(*error));
  if (stop.stop_requested()) return fail({.kind = ErrorKind::cancelled, .what = "Loading was cancelled"});
  return {};
}

}  // namespace minerva::gpu
