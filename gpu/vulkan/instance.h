// The Vulkan loader, opened at run time, and an instance. Collects the messages of the validation layer.
//
// Devices made from it keep it alive by a shared_ptr. Thread-safe after create().
#pragma once

#include "core/base/error.h"
#include "gpu/vulkan/api.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace minerva::vulkan {

struct InstanceOptions {
  std::string loader = "libvulkan.so.1";  // name or path of the Vulkan loader
  bool validation = false;                // VK_LAYER_KHRONOS_validation with synchronization validation
  bool gpuAssisted = false;               // also checks inside shaders (slow)
  std::uint64_t memoryLimit = 0;          // upper bound of MemoryBudget::free in bytes; 0: no limit
  bool asIfUnused = false;                // MemoryBudget::free is all of the memory, whoever uses some of it
};

class Instance {
 public:
  // Errors: notFound (no loader or driver; validation requested but its layer missing), unsupported (older than Vulkan 1.3).
  [[nodiscard]] static Result<std::shared_ptr<Instance>> create(const InstanceOptions& options);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  [[nodiscard]] const Api& api() const { return m_api; }
  [[nodiscard]] VkInstance handle() const { return m_instance; }
  [[nodiscard]] std::uint64_t memoryLimit() const { return m_memoryLimit; }
  [[nodiscard]] bool asIfUnused() const { return m_asIfUnused; }
  [[nodiscard]] bool validating() const { return m_messenger != VK_NULL_HANDLE; }

  // Warnings and errors of the validation layer so far; at most the first 200.
  [[nodiscard]] std::vector<std::string> messages() const;

 private:
  Instance() = default;
  Result<void> open(const InstanceOptions& options);
  Result<void> createInstance(const InstanceOptions& options);
  void keep(std::string message);
  static VkBool32 onMessage(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
                            const VkDebugUtilsMessengerCallbackDataEXT* data, void* self);

  void* m_library = nullptr;
  std::uint64_t m_memoryLimit = 0;
  bool m_asIfUnused = false;
  Api m_api;
  VkInstance m_instance = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT m_messenger = VK_NULL_HANDLE;
  mutable std::mutex m_mutex;
  std::vector<std::string> m_messages;  // guarded by m_mutex
};

}  // namespace minerva::vulkan
