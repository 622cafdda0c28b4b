#include "tests/gpu/describing_loader/description.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <fstream>
#include <map>
#include <stdexcept>

namespace minerva::tests {

namespace {

using nlohmann::json;

template <class Value>
Value named(const std::map<std::string, Value>& names, const std::string& name) {
  const auto found = names.find(name);
  if (found == names.end()) throw std::runtime_error("unknown word " + name);
  return found->second;
}

VkPhysicalDeviceType typeOf(const std::string& name) {
  return named<VkPhysicalDeviceType>({{"discrete", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU},
                                      {"integrated", VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU},
                                      {"software", VK_PHYSICAL_DEVICE_TYPE_CPU}},
                                     name);
}

VkSubgroupFeatureFlags operationsOf(const json& names) {
  const std::map<std::string, VkSubgroupFeatureFlags> bits{
      {"basic", VK_SUBGROUP_FEATURE_BASIC_BIT},           {"vote", VK_SUBGROUP_FEATURE_VOTE_BIT},
      {"arithmetic", VK_SUBGROUP_FEATURE_ARITHMETIC_BIT}, {"ballot", VK_SUBGROUP_FEATURE_BALLOT_BIT},
      {"shuffle", VK_SUBGROUP_FEATURE_SHUFFLE_BIT},       {"shuffle_relative", VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT},
      {"clustered", VK_SUBGROUP_FEATURE_CLUSTERED_BIT},   {"quad", VK_SUBGROUP_FEATURE_QUAD_BIT}};
  VkSubgroupFeatureFlags all = 0;
  for (const json& name : names) all |= named(bits, name.get<std::string>());
  return all;
}

VkMemoryPropertyFlags flagsOf(const json& names) {
  const std::map<std::string, VkMemoryPropertyFlags> bits{{"device", VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT},
                                                          {"visible", VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT},
                                                          {"coherent", VK_MEMORY_PROPERTY_HOST_COHERENT_BIT},
                                                          {"cached", VK_MEMORY_PROPERTY_HOST_CACHED_BIT},
                                                          {"lazy", VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT},
                                                          {"protected", VK_MEMORY_PROPERTY_PROTECTED_BIT},
                                                          {"device_coherent", VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD},
                                                          {"device_uncached", VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD}};
  VkMemoryPropertyFlags all = 0;
  for (const json& name : names) all |= named(bits, name.get<std::string>());
  return all;
}

std::uint32_t versionOf(const std::string& text) {
  unsigned major = 0, minor = 0, patch = 0;
  if (std::sscanf(text.c_str(), "%u.%u.%u", &major, &minor, &patch) != 3) throw std::runtime_error("not a version: " + text);
  return VK_MAKE_API_VERSION(0, major, minor, patch);
}

void readMemory(const json& file, Description& d) {
  for (const json& heap : file.at("heaps")) d.heaps.push_back({heap.at("mb").get<std::uint64_t>() << 20, heap.at("device").get<bool>()});
  for (const json& type : file.at("types")) {
    d.types.push_back({type.at("heap").get<std::uint32_t>(), flagsOf(type.at("flags"))});
    if (d.types.back().heap >= d.heaps.size()) throw std::runtime_error("a memory type has no heap");
  }
}

void readQueues(const json& file, Description& d) {
  const std::map<std::string, VkQueueFlags> bits{{"graphics", VK_QUEUE_GRAPHICS_BIT},
                                                 {"compute", VK_QUEUE_COMPUTE_BIT},
                                                 {"transfer", VK_QUEUE_TRANSFER_BIT},
                                                 {"sparse", VK_QUEUE_SPARSE_BINDING_BIT},
                                                 {"video_decode", 0x20},
                                                 {"video_encode", 0x40}};
  d.timestampPeriod = file.at("timestamp_period");
  for (const json& family : file.at("queues")) {
    d.families.push_back({0, family.at("timestamp_bits").get<std::uint32_t>()});
    for (const json& name : family.at("flags")) d.families.back().flags |= named(bits, name.get<std::string>());
  }
}

void readLimits(const json& limits, Description& d) {
  d.sharedMemory = limits.at("maxComputeSharedMemorySize");
  d.invocations = limits.at("maxComputeWorkGroupInvocations");
  d.workgroups = limits.at("maxComputeWorkGroupCount");
  d.pushConstants = limits.at("maxPushConstantsSize");
  d.allocationCount = limits.at("maxMemoryAllocationCount");
  d.texelElements = limits.at("maxTexelBufferElements");
  d.allocation = limits.at("maxMemoryAllocationSize");
  d.buffer = limits.at("maxBufferSize");
  d.storageRange = limits.at("maxStorageBufferRange");
  d.storageAlignment = limits.at("minStorageBufferOffsetAlignment");
  d.texelAlignment = limits.at("minTexelBufferOffsetAlignment");
  d.coherentAtom = limits.at("nonCoherentAtomSize");
}

Description descriptionOf(const json& file) {
  Description d;
  d.name = file.at("name");
  d.driver = file.at("driver");
  d.driverInfo = file.at("driver_info");
  d.source = file.at("source");
  d.type = typeOf(file.at("type"));
  d.vendor = static_cast<std::uint32_t>(std::stoul(file.at("vendor").get<std::string>(), nullptr, 16));
  d.device = static_cast<std::uint32_t>(std::stoul(file.at("device").get<std::string>(), nullptr, 16));
  d.api = versionOf(file.at("api"));
  const json& subgroup = file.at("subgroup");
  d.subgroup = subgroup.at("size");
  d.minSubgroup = subgroup.at("min");
  d.maxSubgroup = subgroup.at("max");
  d.maxWorkgroupSubgroups = subgroup.at("of_workgroup");
  d.subgroupChoice = subgroup.at("choice");
  d.operations = operationsOf(subgroup.at("operations"));
  readLimits(file.at("limits"), d);
  d.features = file.at("features").get<std::set<std::string>>();
  d.extensions = file.at("extensions").get<std::set<std::string>>();
  if (file.contains("byte_dots")) d.byteDots = file.at("byte_dots").get<bool>();
  if (file.contains("matrix")) d.matrix = file.at("matrix").get<std::array<std::uint32_t, 3>>();
  if (file.contains("driver_id")) d.driverId = static_cast<VkDriverId>(file.at("driver_id").get<int>());
  if (file.contains("pci")) d.pci = file.at("pci").get<std::array<std::uint32_t, 4>>();
  if (file.contains("cores")) d.cores = file.at("cores").get<std::vector<std::uint32_t>>();
  readQueues(file, d);
  readMemory(file, d);
  const json& expected = file.at("expected");
  d.refused = expected.value("refused", "");
  d.expectedCores = expected.at("cores");
  d.staged = expected.at("staged");
  return d;
}

}  // namespace

Description readDescription(const std::string& path) {
  std::ifstream in(path);
  const json file = json::parse(in, nullptr, false);
  if (file.is_discarded()) throw std::runtime_error(path + " is not a JSON file");
  try {
    return descriptionOf(file);
  } catch (const std::exception& problem) {
    throw std::runtime_error(path + ": " + problem.what());
  }
}

}  // namespace minerva::tests
