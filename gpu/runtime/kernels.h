// Compiled kernels by name and specialization constants, created on first use. Thread-safe; pipelines live as long as this
// object. With a cache folder, the driver's compiled code is saved there and reused by the next start.
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

  // Saves the pipeline cache if kernels were compiled since the last call.
  void keep();

  // Number of kernels created so far, compiled or loaded from the cache.
  [[nodiscard]] std::size_t count();

  // A kernel with full subgroups of `lanes` lanes (0: it uses no subgroup operations). constants[0] is the workgroup size.
  // Errors: internal (unknown module, mismatched push constants), errors of the driver.
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
  std::filesystem::path m_file;  // empty: nothing is saved
  std::mutex m_mutex;
  std::optional<vulkan::PipelineCache> m_cache;  // absent without a cache folder, or if the driver cannot create one
  bool m_fresh = false;                          // kernels were compiled since the last keep(); guarded by m_mutex
  std::map<std::pair<std::string, std::vector<std::uint32_t>>, std::unique_ptr<vulkan::Pipeline>> m_pipelines;  // guarded
};

}  // namespace minerva::gpu
