// What the describing loader knows while it runs: the devices it presents, and what the program does with the one it opened.
#pragma once

#include "tests/gpu/describing_loader/description.h"
#include "tests/gpu/describing_loader/watched_queues.h"
#include "tests/gpu/loader_plumbing.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace minerva::tests::describing {

// What a VkPhysicalDevice of the program points to.
struct Device {
  Description described;
  VkPhysicalDevice real = VK_NULL_HANDLE;
};

struct Allocation {
  std::uint32_t heap = 0;
  std::uint64_t bytes = 0;
  VkMemoryPropertyFlags flags = 0;
  const std::byte* mapped = nullptr;
};

struct State {
  std::mutex mutex;
  bool whole = false;
  bool emptyUnits = false, endsAtUnits = false;  // as the controls say
  unsigned long long unitPipelines = 0;
  bool broadcasts = false;  // from a lane that a kernel computes: the last vkCreateDevice asked for that
  std::vector<std::unique_ptr<Device>> devices;
  Device* opened = nullptr;  // of the last vkCreateDevice
  std::uint64_t heapLimit = 0, stagedBytes = 0, mappedBytes = 0, dispatches = 0, priorBytes = 0;
  std::map<VkDeviceMemory, Allocation> allocations;
  std::map<VkBuffer, VkMemoryPropertyFlags> buffers;  // of the memory that they are in
  std::map<VkShaderModule, std::vector<std::uint32_t>> modules;
  WatchedQueues queues;
  std::optional<std::array<std::uint64_t, 2>> timestamps;  // what queries answer
  std::mutex queueMutex;                                   // held during submissions: the program locks each of its queues by itself
  std::vector<std::string> violations;
  std::string said, problem;  // what violations() and describe() return
};
inline State& state() {
  static State all;
  return all;
}

inline Device& deviceOf(VkPhysicalDevice device) { return *reinterpret_cast<Device*>(device); }

// With the mutex held.
inline void violate(const std::string& text) {
  std::vector<std::string>& all = state().violations;
  if (std::find(all.begin(), all.end(), text) == all.end()) all.push_back(text);
}
inline void violateIf(const WatchedQueues::Violation& text) {
  if (text) violate(std::string(*text));
}

inline const Description& opened() {
  static const Description none;
  return state().opened == nullptr ? none : state().opened->described;
}

inline std::uint64_t heapBytes(const Description& d, std::uint32_t heap) {
  const std::uint64_t limit = state().heapLimit;
  const bool isLimited = limit > 0 && (d.heaps[heap].device || d.type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU);
  return isLimited ? std::min(limit, d.heaps[heap].bytes) : d.heaps[heap].bytes;
}

inline std::uint64_t heapUsed(std::uint32_t heap) {
  std::uint64_t used = 0;
  for (const auto& [memory, allocation] : state().allocations)
    if (allocation.heap == heap) used += allocation.bytes;
  return used;
}

template <class Structure, class Chain>
Structure* inChain(Chain* first, VkStructureType type) {
  for (auto* each = reinterpret_cast<VkBaseOutStructure*>(first); each != nullptr; each = each->pNext)
    if (each->sType == type) return reinterpret_cast<Structure*>(each);
  return nullptr;
}

inline bool showsUnits(const Description& d) { return d.matrix && (state().whole || state().emptyUnits); }

inline std::vector<std::string> extensionsOf(const Description& d) {
  std::vector<std::string> all(d.extensions.begin(), d.extensions.end());
  if (showsUnits(d)) all.emplace_back("VK_KHR_cooperative_matrix");
  return all;
}

// What stands in the place of a question about devices; null: nothing does.
PFN_vkVoidFunction replacedQuestion(const char* name, PFN_vkVoidFunction real);

}  // namespace minerva::tests::describing
