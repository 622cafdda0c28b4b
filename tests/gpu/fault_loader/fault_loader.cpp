#include "tests/gpu/fault_loader/fault_loader.h"

#include "tests/gpu/loader_plumbing.h"

#include <cstring>
#include <mutex>
#include <optional>
#include <vector>

// Functions that return a VkResult: name, whether they can report a lost device, whether they can run out of memory, and how many objects
// a success creates. As the specification lists their results; AllocateCommandBuffers and AllocateDescriptorSets belong to their pools.
// clang-format off
#define FAULT_RESULTS(X)                                                                                                    \
  X(CreateInstance, false, true, 1) X(EnumeratePhysicalDevices, false, true, 0) X(CreateDevice, true, true, 1)              \
  X(DeviceWaitIdle, true, true, 0) X(QueueSubmit2, true, true, 0) X(CreateBuffer, false, true, 1)                           \
  X(AllocateMemory, false, true, 1) X(BindBufferMemory, false, true, 0) X(MapMemory, false, true, 0)                        \
  X(CreateBufferView, false, true, 1) X(CreateShaderModule, false, true, 1) X(CreatePipelineLayout, false, true, 1)         \
  X(CreateComputePipelines, false, true, 1) X(CreatePipelineCache, false, true, 1) X(GetPipelineCacheData, false, true, 0)  \
  X(CreateDescriptorSetLayout, false, true, 1) X(CreateDescriptorPool, false, true, 1)                                      \
  X(AllocateDescriptorSets, false, true, 0) X(CreateCommandPool, false, true, 1) X(AllocateCommandBuffers, false, true, 0)  \
  X(BeginCommandBuffer, false, true, 0) X(EndCommandBuffer, false, true, 0) X(CreateSemaphore, false, true, 1)              \
  X(WaitSemaphores, true, true, 0) X(GetSemaphoreCounterValue, true, true, 0) X(CreateQueryPool, false, true, 1)            \
  X(GetQueryPoolResults, true, true, 0)

#define FAULT_DESTROYERS(X)                                                                                        \
  X(DestroyInstance) X(DestroyDevice) X(DestroyBuffer) X(FreeMemory) X(DestroyBufferView) X(DestroyShaderModule)    \
  X(DestroyPipelineLayout) X(DestroyPipeline) X(DestroyPipelineCache) X(DestroyDescriptorSetLayout)                 \
  X(DestroyDescriptorPool) X(DestroyCommandPool) X(DestroySemaphore) X(DestroyQueryPool)
// clang-format on

namespace {

using minerva::tests::Fault;

struct State {
  std::mutex mutex;
  Fault fault = Fault::none;
  long call = 0, calls = 0, live = 0;
  bool lost = false;
  const char* hit = "";
  VkDevice device = VK_NULL_HANDLE;
  std::mutex queue;  // held during submissions and while the device is waited for
};
State& state() {
  static State all;
  return all;
}

PFN_vkDeviceWaitIdle realWaitIdle = nullptr;

// What the call returns instead of what the driver would, if anything.
std::optional<VkResult> failsWith(const char* name, bool canBeLost, bool canRunOut) {
  State& s = state();
  std::unique_lock lock(s.mutex);
  const bool memory = s.fault == Fault::memory || s.fault == Fault::memoryForGood;
  if (memory && !canRunOut) return std::nullopt;
  // A driver that cannot even wait any more would leave no way to end in order.
  const bool waits = std::strcmp(name, "WaitSemaphores") == 0 || std::strcmp(name, "GetSemaphoreCounterValue") == 0 ||
                     std::strcmp(name, "DeviceWaitIdle") == 0;
  if (s.fault == Fault::memoryForGood && waits) return std::nullopt;
  // How often a program looks whether work has ended is a matter of the machine's speed.
  const bool looks = std::strcmp(name, "GetSemaphoreCounterValue") == 0;
  if (looks && !s.lost) return std::nullopt;
  if (!looks) ++s.calls;
  if (memory && (s.calls == s.call || (s.fault == Fault::memoryForGood && s.calls > s.call))) {
    if (s.hit[0] == '\0') s.hit = name;
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  }
  if ((s.fault == Fault::lost || s.fault == Fault::lostEach) && s.calls == s.call) s.lost = true;
  if (!s.lost || !canBeLost) return std::nullopt;
  if (s.hit[0] == '\0') s.hit = name;
  if (s.device == VK_NULL_HANDLE) s.lost = false;  // the next attempt to make one may succeed
  // A lost device has stopped working. This one has not, so that what it still does is waited for.
  const VkDevice device = s.device;
  lock.unlock();
  const std::scoped_lock queue(s.queue);
  if (device != VK_NULL_HANDLE && realWaitIdle != nullptr) realWaitIdle(device);
  return VK_ERROR_DEVICE_LOST;
}

// Whether that fault's call has come.
bool hasBegun(Fault fault) {
  State& s = state();
  const std::scoped_lock lock(s.mutex);
  return s.fault == fault && s.calls >= s.call;
}

// The work without its commands, so that it ends at once.
VkResult submitNothing(PFN_vkQueueSubmit2 submit, VkQueue queue, std::uint32_t count, const VkSubmitInfo2* infos, VkFence fence) {
  std::vector<VkSubmitInfo2> empty(infos, infos + count);
  for (VkSubmitInfo2& info : empty) info.commandBufferInfoCount = 0;
  return submit(queue, count, empty.data(), fence);
}

template <auto Name, class Function>
struct Failing;
template <auto Name, class... Arguments>
struct Failing<Name, VkResult(VKAPI_PTR*)(Arguments...)> {
  static inline VkResult(VKAPI_PTR* real)(Arguments...) = nullptr;
  static VKAPI_ATTR VkResult VKAPI_CALL call(Arguments... arguments) {
    if (const auto failure = failsWith(Name().name, Name().canBeLost, Name().canRunOut)) return *failure;
    std::unique_lock queue(state().queue, std::defer_lock);
    if constexpr (std::strcmp(Name().name, "QueueSubmit2") == 0) {
      queue.lock();
      if (hasBegun(Fault::dropped)) return submitNothing(real, arguments...);
      if (hasBegun(Fault::hung)) return VK_SUCCESS;
    }
    const VkResult result = real(arguments...);
    if (result != VK_SUCCESS) return result;
    const std::scoped_lock lock(state().mutex);
    state().live += Name().creates;
    if constexpr (std::strcmp(Name().name, "CreateDevice") == 0) {
      [](VkPhysicalDevice, const VkDeviceCreateInfo*, const VkAllocationCallbacks*, const VkDevice* made) {
        state().device = *made;
        state().lost = false;
        if (state().fault == Fault::lostEach) state().calls = 0;
      }(arguments...);
    }
    return result;
  }
};

template <auto Name, class Function>
struct Destroying;
template <auto Name, class Handle>
struct Destroying<Name, void(VKAPI_PTR*)(Handle, const VkAllocationCallbacks*)> {
  static inline void(VKAPI_PTR* real)(Handle, const VkAllocationCallbacks*) = nullptr;
  static VKAPI_ATTR void VKAPI_CALL call(Handle handle, const VkAllocationCallbacks* allocation) {
    const std::scoped_lock queue(state().queue);
    {
      const std::scoped_lock lock(state().mutex);
      if (handle != VK_NULL_HANDLE) --state().live;
      if (static_cast<const void*>(handle) == static_cast<const void*>(state().device)) {
        state().device = VK_NULL_HANDLE;
        state().lost = false;
      }
    }
    real(handle, allocation);
  }
};
template <auto Name, class Handle>
struct Destroying<Name, void(VKAPI_PTR*)(VkDevice, Handle, const VkAllocationCallbacks*)> {
  static inline void(VKAPI_PTR* real)(VkDevice, Handle, const VkAllocationCallbacks*) = nullptr;
  static VKAPI_ATTR void VKAPI_CALL call(VkDevice device, Handle handle, const VkAllocationCallbacks* allocation) {
    {
      const std::scoped_lock lock(state().mutex);
      if (handle != VK_NULL_HANDLE) --state().live;
    }
    real(device, handle, allocation);
  }
};

struct Described {
  const char* name;
  bool canBeLost, canRunOut;
  int creates;
};

}  // namespace

// `real` if the function is not one of the above.
PFN_vkVoidFunction minerva::tests::replaced(const char* name, PFN_vkVoidFunction real) {
  if (real == nullptr) return nullptr;
  if (std::strcmp(name, "vkDeviceWaitIdle") == 0) realWaitIdle = reinterpret_cast<PFN_vkDeviceWaitIdle>(real);
#define FAULT_REPLACE(function, lost, memory, objects)                                                     \
  if (std::strcmp(name, "vk" #function) == 0) {                                                            \
    using Wrapper = Failing<[] { return Described{#function, lost, memory, objects}; }, PFN_vk##function>; \
    Wrapper::real = reinterpret_cast<PFN_vk##function>(real);                                              \
    return reinterpret_cast<PFN_vkVoidFunction>(&Wrapper::call);                                           \
  }
  FAULT_RESULTS(FAULT_REPLACE)
#undef FAULT_REPLACE
#define FAULT_REPLACE(function)                                                                         \
  if (std::strcmp(name, "vk" #function) == 0) {                                                         \
    using Wrapper = Destroying<[] { return Described{#function, false, false, 0}; }, PFN_vk##function>; \
    Wrapper::real = reinterpret_cast<PFN_vk##function>(real);                                           \
    return reinterpret_cast<PFN_vkVoidFunction>(&Wrapper::call);                                        \
  }
  FAULT_DESTROYERS(FAULT_REPLACE)
#undef FAULT_REPLACE
  return real;
}

MINERVA_EXPORT_LOADER

extern "C" {

void faultArm(int fault, long call) {
  State& s = state();
  const std::scoped_lock lock(s.mutex);
  if (s.fault == Fault::hung) s.live = 0;  // what such a device had is left as it is
  s.fault = static_cast<Fault>(fault);
  s.call = call;
  s.calls = 0;
  s.hit = "";
}

void faultStandBefore(const char* loader) { minerva::tests::loaderBehind = loader; }

long faultCalls() {
  const std::scoped_lock lock(state().mutex);
  return state().calls;
}

long faultLive() {
  const std::scoped_lock lock(state().mutex);
  return state().live;
}

const char* faultHit() {
  const std::scoped_lock lock(state().mutex);
  return state().hit;
}

}  // extern "C"
