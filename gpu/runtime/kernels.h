// Compiled kernels by name and specialization constants, made on first need. Thread-safe; pipelines live as long as this.
// With a cache folder what the driver compiled is kept there, so that the next start does not compile it again.
#pragma once

#include "gpu/shaders/shared/push.h"
#include "gpu/vulkan/pipeline.h"
#include "gpu/vulkan/pipeline_cache.h"

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace minerva::gpu {

class Kernels {
 public:
  explicit Kernels(std::shared_ptr<vulkan::Device> device, std::filesystem::path cacheFolder = {});
  ~Kernels() { keep(); }
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;

  // Writes what was compiled since the last time.
  void keep();

  // How many kernels were compiled or taken from the cache so far.
  [[nodiscard]] std::size_t count();

  // A kernel whose teams are whole subgroups of `lanes` (0: it uses no subgroup operation). constants[0] is the workgroup's
  // size. Errors: internal (no such module, or it disagrees with the push constants), what the driver says.
  [[nodiscard]] Result<const vulkan::Pipeline*> get(const std::string& name, std::uint32_t pushBytes,
                                                    const std::vector<std::uint32_t>& constants, std::uint32_t lanes);
  template <class Push>
  [[nodiscard]] Result<const vulkan::Pipeline*> get(const std::string& name, const std::vector<std::uint32_t>& constants,
                                                    std::uint32_t lanes) {
    static_assert(sizeof(Push) % 8 == 0 && sizeof(Push) <= 128, "push constants: whole 8 bytes, at most what every GPU has");
    return get(name, sizeof(Push), constants, lanes);
  }

 private:
  std::shared_ptr<vulkan::Device> m_device;
  std::filesystem::path m_file;  // empty: nothing is kept
  std::mutex m_mutex;
  std::optional<vulkan::PipelineCache> m_cache;  // absent where the driver has none
  bool m_fresh = false;                          // compiled and not yet written; guarded
  std::map<std::pair<std::string, std::vector<std::uint32_t>>, std::unique_ptr<vulkan::Pipeline>> m_pipelines;  // guarded
};

}  // namespace minerva::gpu
