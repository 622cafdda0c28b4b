// Compiled kernels by name and specialization constants, created ahead or on first use. Thread-safe; pipelines live as long as this
// object. With a cache folder, the driver's compiled code is saved there and reused by the next start.
#pragma once

#include "gpu/shaders/shared/push.h"
#include "gpu/vulkan/pipeline.h"
#include "gpu/vulkan/pipeline_cache.h"

#include <compare>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace minerva::gpu {

// A kernel with full subgroups of `lanes` lanes (0: it uses no subgroup operations). constants[0] is the workgroup size.
struct KernelKey {
  std::string name;
  std::uint32_t pushBytes = 0;
  std::vector<std::uint32_t> constants;
  std::uint32_t lanes = 0;
  auto operator<=>(const KernelKey&) const = default;
};

class Kernels {
 public:
  explicit Kernels(std::shared_ptr<vulkan::Device> device, std::filesystem::path cacheFolder = {});
  ~Kernels() { keep(); }
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;

  // What it was made with.
  [[nodiscard]] const std::filesystem::path& cacheFolder() const { return m_folder; }

  // Saves the pipeline cache if kernels were compiled since the last call.
  void keep();

  // Number of kernels created so far, compiled or loaded from the cache.
  [[nodiscard]] std::size_t count();

  template <class Push>
  [[nodiscard]] static KernelKey keyOf(const std::string& name, const std::vector<std::uint32_t>& constants, std::uint32_t lanes) {
    static_assert(sizeof(Push) % 8 == 0 && sizeof(Push) <= 128, "push constants: whole 8 bytes, at most what every GPU has");
    return {name, sizeof(Push), constants, lanes};
  }
  // Errors: internal (unknown module, mismatched push constants), errors of the driver.
  [[nodiscard]] Result<const vulkan::Pipeline*> get(const KernelKey& key);
  template <class Push>
  [[nodiscard]] Result<const vulkan::Pipeline*> get(const std::string& name, const std::vector<std::uint32_t>& constants,
                                                    std::uint32_t lanes) {
    return get(keyOf<Push>(name, constants, lanes));
  }

  // Creates those that do not exist yet, on as many threads as the machine has. onProgress is called on the calling thread with
  // the number that exist. Errors: as get(), cancelled.
  [[nodiscard]] Result<void> compile(std::span<const KernelKey> keys, const std::function<void(std::size_t done)>& onProgress,
                                     const std::stop_token& stop);

 private:
  [[nodiscard]] const vulkan::Pipeline* find(const KernelKey& key);
  [[nodiscard]] Result<std::unique_ptr<vulkan::Pipeline>> make(const KernelKey& key);
  [[nodiscard]] Result<const vulkan::Pipeline*> getOrRunOut(const KernelKey& key) noexcept;

  std::shared_ptr<vulkan::Device> m_device;
  std::filesystem::path m_folder, m_file;  // empty: nothing is saved
  std::mutex m_mutex;
  std::optional<vulkan::PipelineCache> m_cache;                        // absent without a cache folder, or if the driver cannot create one
  bool m_fresh = false;                                                // kernels were compiled since the last keep(); guarded by m_mutex
  std::map<KernelKey, std::unique_ptr<vulkan::Pipeline>> m_pipelines;  // guarded by m_mutex
};

}  // namespace minerva::gpu
