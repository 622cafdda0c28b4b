// Devices that are not here, as their drivers describe them (devices/*.json): what the list says of them, whether the kernels chosen for
// them are within their limits, and whether a model loads and writes there (described_device.h).
#include "core/backend/cpu/cpu_backend.h"
#include "gpu/available.h"
#include "gpu/runtime/compile_ahead.h"
#include "gpu/runtime/device_list.h"
#include "gpu/runtime/vulkan_backend.h"
#include "gpu/shaders/modules.h"
#include "tests/gpu/described_device.h"
#include "tests/gpu/describing_loader/description.h"
#include "tests/gpu/describing_loader/spirv_needs.h"

#include <cstdio>
#include <map>
#include <string>

namespace minerva::gpu {
namespace {

using tests::Description;

struct Form {
  const char* name;
  tests::RandomModel made;
};

// Small models whose kernels are of many forms.
std::vector<Form> forms() {
  std::vector<Form> all;
  all.push_back({"dense F32", tests::randomModel({.layers = 2, .context = 4096})});
  all.push_back({"dense Q4_0, wide heads", tests::randomModel({.type = ElementType::Q4_0,
                                                               .hidden = 256,
                                                               .layers = 1,
                                                               .heads = 4,
                                                               .kvHeads = 1,
                                                               .headDim = 128,
                                                               .feedForward = 512,
                                                               .context = 4096})});
  all.push_back(
      {"window, Q8_0, biases", tests::randomModel({.type = ElementType::Q8_0, .layers = 2, .window = 8, .context = 4096, .biases = true})});
  all.push_back({"experts", tests::randomModel({.hidden = 64, .layers = 2, .context = 4096})});
  tests::addExperts(all.back().made, tests::expertShapes().front());
  all.push_back({"delta net and Mamba", tests::randomModel({.hidden = 64, .layers = 3, .context = 4096})});
  tests::addMixers(all.back().made, {tests::Mixer::deltaNet, tests::Mixer::mamba, tests::Mixer::attention});
  return all;
}

class Described : public DescribedDevice, public testing::WithParamInterface<std::string> {
 protected:
  // Whether all forms write the CPU's tokens; fails the test where they do not, or where something is asked beyond the limits.
  void expectTokensOfTheCpu() {
    const auto cpu = backend::createCpuBackend({});
    ASSERT_TRUE(cpu.has_value());
    for (const Form& form : forms()) {
      const auto backend = createVulkanBackend("vulkan:0", options());
      ASSERT_TRUE(backend.has_value()) << backend.error().message();
      const model::Plan plan = formPlan(form.made);
      const auto expected = tenTokens(**cpu, plan);
      ASSERT_TRUE(expected.has_value()) << expected.error().message();
      const auto written = tenTokens(**backend, plan);
      ASSERT_TRUE(written.has_value()) << form.name << ": " << written.error().message();
      EXPECT_EQ(*written, *expected) << form.name;
      for (const std::string& message : (*backend)->validationMessages()) ADD_FAILURE() << form.name << ": " << message;
      EXPECT_EQ(std::string(m_controls.violations()), "") << form.name;
    }
    EXPECT_EQ(m_controls.allocations(), 0);
  }

  // One table of all devices, when all tests run in one process (README.md).
  static void TearDownTestSuite() {
    std::printf(
        "| device | list | models | matrix units | subgroup sizes; of our kernels | staging buffers |\n|---|---|---|---|---|---|\n");
    for (const auto& [name, row] : table)
      std::printf("| %s | %s | %s | %s | %s | %s |\n", name.c_str(), row.list.c_str(), row.models.c_str(), row.units.c_str(),
                  row.sizes.c_str(), row.staging.c_str());
    table.clear();
  }
  struct Row {
    std::string list = "-", models = "-", units = "-", sizes = "-", staging = "-";
  };
  static inline std::map<std::string, Row> table;
};

std::string memoryText(std::uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

TEST_P(Described, IsListedWithItsMemoryOrRefusedInWords) {
  const Description d = tests::readDescription(GetParam());
  describeAs(GetParam(), true);
  const VulkanDevices listed = listVulkanDevices({.loader = MINERVA_DESCRIBING_LOADER});
  if (!d.refused.empty()) {
    EXPECT_TRUE(listed.devices.empty());
    ASSERT_EQ(listed.notes.size(), 1U);
    EXPECT_EQ(listed.notes.front(), "Vulkan: " + d.name + " cannot be used: " + d.refused);
    // The window and the console go on with the CPU.
    BackendOptions chosen;
    chosen.vulkanLoader = MINERVA_DESCRIBING_LOADER;
    const auto best = createBackend("", chosen);
    ASSERT_TRUE(best.has_value()) << best.error().message();
    EXPECT_EQ((*best)->info().id, "cpu");
    const auto named = createVulkanBackend("vulkan:0", {.loader = MINERVA_DESCRIBING_LOADER});
    ASSERT_FALSE(named.has_value());
    EXPECT_EQ(named.error().what, "The GPU cannot be used: " + d.refused);
    EXPECT_FALSE(named.error().hint.empty());
    table[d.name].list = "refused: " + d.refused + "; the CPU is used";
    return;
  }
  ASSERT_EQ(listed.devices.size(), 1U) << (listed.notes.empty() ? "" : listed.notes.front());
  const backend::DeviceInfo& info = listed.devices.front();
  EXPECT_EQ(info.name, d.name);
  EXPECT_EQ(info.detail, d.driver + " " + d.driverInfo);
  EXPECT_FALSE(info.software);
  std::uint64_t largest = 0, all = 0;
  for (const Description::Heap& heap : d.heaps) {
    largest = heap.device ? std::max(largest, heap.bytes) : largest;
    all += heap.bytes;
  }
  if (d.type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU) {  // but not more than this machine has
    vulkan::DeviceInfo ids;
    ids.vendorId = d.vendor;
    ids.deviceId = d.device;
    EXPECT_EQ(info.memoryTotal, std::min(all, systemMemory().total + vulkan::ownMemory(ids)));
    EXPECT_LE(info.memoryFree, info.memoryTotal);
  } else {
    EXPECT_EQ(info.memoryTotal, largest);
    EXPECT_EQ(info.memoryFree, largest);
  }
  auto found = findDevice("vulkan:0", {.loader = MINERVA_DESCRIBING_LOADER});
  ASSERT_TRUE(found.has_value());
  const vulkan::MatrixUnit& unit = found->device.matrixUnit;
  EXPECT_EQ(unit.present(), d.matrix.has_value());
  const Tuning tuning = defaultTuning(found->device);
  const std::string units = !unit.present() ? "none"
                            : tuning.units.from == UnitsChoice::never
                                ? "present, not used"
                                : std::to_string(unit.m) + " x " + std::to_string(unit.n) + " x " + std::to_string(unit.k);
  Row& row = table[d.name];
  row.list = memoryText(info.memoryTotal);
  row.units = units;
  row.sizes = std::to_string(d.minSubgroup) + " to " + std::to_string(d.maxSubgroup) + "; " + std::to_string(tuning.lanes);
}

TEST_P(Described, WithoutBroadcastsFromAnyLaneItIsRefusedInWords) {
  std::set<std::string> features = tests::readDescription(GetParam()).features;
  if (!tests::readDescription(GetParam()).refused.empty()) GTEST_SKIP() << "cannot be used at all";
  features.erase("subgroupBroadcastDynamicId");
  describeAs(variant(GetParam(), "/features", features), true);
  const VulkanDevices listed = listVulkanDevices({.loader = MINERVA_DESCRIBING_LOADER});
  EXPECT_TRUE(listed.devices.empty());
  ASSERT_EQ(listed.notes.size(), 1U);
  EXPECT_NE(listed.notes.front().find("it lacks subgroup broadcasts from any lane"), std::string::npos) << listed.notes.front();
}

TEST_P(Described, ItsCoresAreThoseThatTheDriverTellsOrSupposed) {
  const Description d = tests::readDescription(GetParam());
  const auto cores = [&](const std::vector<std::string>& without) {
    std::set<std::string> extensions = d.extensions;
    for (const std::string& name : without) extensions.erase(name);
    describeAs(variant(GetParam(), "/extensions", extensions), true);
    const auto instance = vulkan::Instance::create({.loader = MINERVA_DESCRIBING_LOADER});
    if (!instance) return 0U;
    const auto devices = vulkan::listDevices(**instance);
    return devices && devices->size() == 1 ? devices->front().cores : 0U;
  };
  const std::vector<std::string> second{"VK_AMD_shader_core_properties2"};
  const std::vector<std::string> all{"VK_NV_shader_sm_builtins", "VK_AMD_shader_core_properties", "VK_AMD_shader_core_properties2"};
  EXPECT_EQ(cores({}), d.expectedCores);
  EXPECT_EQ(cores(second), d.expectedCores);
  const std::uint32_t published = d.vendor == 0x8086 ? vulkan::intelCores(d.device) : 0;
  EXPECT_EQ(cores(all), published > 0 ? published : vulkan::unknownCores(d.type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU));
}

TEST_P(Described, MultipliesBytesWhereItHasAnInstructionForThat) {
  Description d = tests::readDescription(GetParam());
  const auto tilesOfBytes = [&](std::set<std::string> features) {
    describeAs(variant(GetParam(), "/features", features), true);
    const auto instance = vulkan::Instance::create({.loader = MINERVA_DESCRIBING_LOADER});
    if (!instance) return false;
    const auto devices = vulkan::listDevices(**instance);
    return devices && devices->size() == 1 && defaultTuning(devices->front()).tiles.bytes;
  };
  EXPECT_EQ(tilesOfBytes(d.features), d.byteDots);
  d.features.erase("shaderIntegerDotProduct");
  EXPECT_FALSE(tilesOfBytes(d.features)) << "shaders may not use it";
}

// Nothing runs, so that all of the description counts: of every kernel of every step, with every subgroup size that may be tried.
TEST_P(Described, KernelsStayWithinItsLimits) {
  std::string path = GetParam();
  if (!tests::readDescription(path).refused.empty()) path = variant(path, "/subgroup/operations", {"basic", "arithmetic", "ballot"});
  const Description d = tests::readDescription(path);
  describeAs(path, true);
  auto found = findDevice("vulkan:0", {.loader = MINERVA_DESCRIBING_LOADER});
  ASSERT_TRUE(found.has_value()) << found.error().message();
  ASSERT_EQ(found->device.unusable, "");
  const auto device = vulkan::Device::describe(found->device);
  backend::PlaceOptions options = oneAfterTheOther;
  options.contextLength = 4096;
  options.maxRows = 512;
  options.precision = backend::Precision::standard;
  for (const Form& form : forms()) {
    const model::Plan plan = formPlan(form.made);
    const MatrixPlan matrices = planMatrices(plan);
    const Resident resident = describeResident(plan, matrices, options);
    Kernels kernels(device);
    vulkan::TexelSets sets(device);
    std::map<std::pair<int, VkDeviceAddress>, VkDescriptorSet> matrixSets;
    const std::map<model::BufferId, vulkan::Buffer> hostRows;
    for (const std::uint32_t lanes : laneChoices(found->device)) {
      const Tuning tuning = defaultTuning(found->device, lanes);
      Recorder recorder({device, plan, matrices, resident, options, tuning, kernels, sets, matrixSets, hostRows});
      std::set<KernelKey> keys;
      for (const StepShape& shape : shapesAhead(tuning, found->device.matrixUnit, plan, options))
        ASSERT_TRUE(recorder.collect(shape, keys).has_value());
      EXPECT_GT(keys.size(), 10U);
      for (const KernelKey& key : keys) {
        std::map<std::uint32_t, std::uint32_t> constants;
        for (std::uint32_t i = 0; i < key.constants.size(); ++i) constants[i] = key.constants[i];
        const tests::SpirvNeeds needs = tests::needsOf(findModule(key.name), constants);
        const std::string where = std::string(form.name) + ", " + key.name + ", " + std::to_string(lanes) + " lanes";
        EXPECT_EQ(needs.problem, "") << where;
        const std::uint32_t invocations = needs.workgroup[0] * needs.workgroup[1] * needs.workgroup[2];
        EXPECT_EQ(invocations, key.constants.front()) << where;
        EXPECT_LE(invocations, d.invocations) << where;
        EXPECT_LE(needs.sharedBytes, d.sharedMemory) << where;
        EXPECT_LE(key.pushBytes, d.pushConstants) << where;
        EXPECT_LE(key.lanes == 0 ? 1 : invocations / key.lanes, d.maxWorkgroupSubgroups) << where;
        constexpr std::uint32_t float16 = 9, int64 = 11, int16 = 22, int8 = 39, storage16 = 4433, dotProduct = 6019;
        EXPECT_TRUE(!needs.broadcasts || d.has("subgroupBroadcastDynamicId")) << where;
        for (const auto& [capability, feature] : std::map<std::uint32_t, const char*>{{float16, "shaderFloat16"},
                                                                                      {int64, "shaderInt64"},
                                                                                      {int16, "shaderInt16"},
                                                                                      {int8, "shaderInt8"},
                                                                                      {storage16, "storageBuffer16BitAccess"},
                                                                                      {dotProduct, "shaderIntegerDotProduct"}}) {
          EXPECT_TRUE(!needs.capabilities.contains(capability) || d.has(feature)) << where << " needs " << feature;
        }
      }
    }
  }
}

TEST_P(Described, ModelsOfSeveralFormsWriteTheCpusTokens) {
  const Description d = tests::readDescription(GetParam());
  const bool refused = !d.refused.empty();
  describeAs(refused ? variant(GetParam(), "/subgroup/operations", {"basic", "arithmetic", "ballot"}) : GetParam(), false);
  expectTokensOfTheCpu();
  EXPECT_EQ(m_controls.stagedBytes() > 0, d.staged);
  const auto copier = std::ranges::find_if(
      d.families, [](const auto& family) { return (family.flags & ~VkQueueFlags{VK_QUEUE_SPARSE_BINDING_BIT}) == VK_QUEUE_TRANSFER_BIT; });
  const bool copies = copier != d.families.end();
  const auto apart = std::ranges::find_if(d.families, [](const auto& family) {
    return (family.flags & (VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT)) == VK_QUEUE_COMPUTE_BIT;
  });
  const auto computing = apart == d.families.end() ? 0 : apart - d.families.begin();
  for (unsigned family = 0; family < d.families.size(); ++family) {
    const bool isCopier = copies && family == copier - d.families.begin();
    EXPECT_EQ(m_controls.submissions(family) >= forms().size(), family == computing || (d.staged && isCopier)) << "family " << family;
  }
  // Of a discrete card's memory the host maps what it writes with every step, even where it sees all of it: reading there is slow.
  constexpr unsigned long long stepValues = 32 << 10;
  EXPECT_EQ(m_controls.mappedBytes() < forms().size() * stepValues, d.staged) << m_controls.mappedBytes();
  Row& row = table[d.name];
  row.models = std::string(HasFailure() ? "not all" : std::to_string(forms().size()) + " forms") + " write the CPU's tokens";
  if (refused) row.models += ", if it had subgroup arithmetic";
  row.staging = m_controls.stagedBytes() == 0 ? "no" : copies ? "yes, copied on a queue of its own" : "yes";
}

// Types that need a feature which is not asked for may come first, and the host's before the device's.
TEST_P(Described, TheOrderOfItsMemoryTypesDoesNotMatter) {
  std::string path = GetParam();
  const Description d = tests::readDescription(path);
  std::ifstream in(path);
  nlohmann::json types = nlohmann::json::parse(in)["types"];
  std::ranges::reverse(types);
  if (!d.refused.empty()) path = variant(path, "/subgroup/operations", {"basic", "arithmetic", "ballot"});
  for (const bool turned : {true, false}) {
    describeAs(turned ? variant(path, "/types", types) : path, false);
    const auto backend = createVulkanBackend("vulkan:0", options());
    ASSERT_TRUE(backend.has_value()) << backend.error().message();
    const tests::RandomModel made = tests::randomModel({.layers = 2, .context = 4096});
    const auto tokens = tenTokens(**backend, formPlan(made));
    EXPECT_TRUE(tokens.has_value()) << tokens.error().message();
    EXPECT_EQ(std::string(m_controls.violations()), "");
    EXPECT_EQ(m_controls.stagedBytes() > 0, d.staged);
  }
}

TEST_P(Described, AMatrixLargerThanItsBuffersIsRefusedInWords) {
  std::string path = variant(GetParam(), "/limits/maxBufferSize", 1 << 19);
  if (!tests::readDescription(path).refused.empty()) path = variant(path, "/subgroup/operations", {"basic", "arithmetic", "ballot"});
  describeAs(path, false);
  const auto backend = createVulkanBackend("vulkan:0", options());
  ASSERT_TRUE(backend.has_value()) << backend.error().message();
  const tests::RandomModel made = tests::randomModel({.hidden = 256, .layers = 1, .feedForward = 1024});
  const model::Plan plan = formPlan(made);
  const auto placed = (*backend)->place(plan, oneAfterTheOther, {}, {});
  ASSERT_FALSE(placed.has_value());
  EXPECT_EQ(placed.error().kind, ErrorKind::limit) << placed.error().message();
  EXPECT_EQ(placed.error().expected, "at most 524288 bytes");
  EXPECT_FALSE(placed.error().hint.empty());
  EXPECT_EQ(std::string(m_controls.violations()), "");
  EXPECT_EQ(m_controls.allocations(), 0);
}

// With a budget of the driver, the figures are known beforehand; without one, it is the allocation that fails.
TEST_P(Described, AModelLargerThanItsMemoryIsRefusedInWordsAndRunsOnBoth) {
  const Description d = tests::readDescription(GetParam());
  if (!d.refused.empty()) GTEST_SKIP() << "cannot be used at all";
  const tests::RandomModel made =
      tests::randomModel({.type = ElementType::F16, .hidden = 256, .layers = 12, .headDim = 64, .feedForward = 1024});
  const model::Plan plan = formPlan(made);
  const auto needed = createVulkanBackend("vulkan:0", {})->get()->memoryNeeds(plan, oneAfterTheOther);
  ASSERT_TRUE(needed.has_value());
  // Of the system's memory all heaps count, each of which allocations fill as far as they are small.
  const bool shared = d.type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
  const std::uint64_t heaps = shared ? d.heaps.size() : 1;
  std::string path = heaps > 1 ? variant(GetParam(), "/limits/maxMemoryAllocationSize", 4 << 20) : GetParam();
  // Limited as well, the window into a card's memory would be as large as the memory.
  for (std::size_t i = 0; i < d.heaps.size() && !shared; ++i)
    if (d.heaps[i].device && d.heaps[i].bytes < std::uint64_t{1} << 30)
      path = variant(path, "/heaps/" + std::to_string(i) + "/device", false);
  describeAs(path, false);
  m_controls.limitHeaps(needed->front().use.total() * 2 / 3 / heaps);
  {
    const auto backend = createVulkanBackend("vulkan:0", options());
    ASSERT_TRUE(backend.has_value()) << backend.error().message();
    const auto placed = (*backend)->place(plan, oneAfterTheOther, {}, {});
    ASSERT_FALSE(placed.has_value());
    EXPECT_EQ(placed.error().kind, ErrorKind::outOfMemory) << placed.error().message();
    EXPECT_EQ(placed.error().what, "The model does not fit into the GPU's memory");
    EXPECT_EQ(placed.error().where, d.name);
    EXPECT_FALSE(placed.error().hint.empty());
  }
  EXPECT_EQ(m_controls.allocations(), 0);
  BackendOptions both;
  both.vulkanLoader = MINERVA_DESCRIBING_LOADER;
  both.gpuLayers = {4};
  const auto split = createBackend("vulkan:0+cpu", both);
  ASSERT_TRUE(split.has_value()) << split.error().message();
  const auto cpu = backend::createCpuBackend({});
  const auto expected = tenTokens(**cpu, plan), written = tenTokens(**split, plan);
  ASSERT_TRUE(expected.has_value() && written.has_value()) << written.error().message();
  EXPECT_EQ(*written, *expected);
  EXPECT_EQ(std::string(m_controls.violations()), "");
}

// A GPU that shares the system's memory has what is in both heaps, where its driver divides it: each would be too small alone. The host
// writes into both, without a copy; neither is cached, so that nothing may be read back.
TEST_P(Described, AModelLargerThanOneHeapUsesBothWhereTheyAreTheSystems) {
  const Description d = tests::readDescription(GetParam());
  if (d.type != VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU || d.heaps.size() < 2) GTEST_SKIP() << "skipped: one heap, or memory of its own";
  const tests::RandomModel made =
      tests::randomModel({.type = ElementType::Q4_K, .vocabulary = 4096, .hidden = 1024, .layers = 4, .headDim = 256, .feedForward = 2048});
  const model::Plan plan = formPlan(made);
  describeAs(variant(GetParam(), "/limits/maxMemoryAllocationSize", 4 << 20), false);  // of which several lie in each heap
  const auto backend = createVulkanBackend("vulkan:0", options());
  ASSERT_TRUE(backend.has_value()) << backend.error().message();
  const auto needed = (*backend)->memoryNeeds(plan, oneAfterTheOther);
  ASSERT_TRUE(needed.has_value());
  const std::uint64_t all = needed->front().use.total();
  m_controls.limitHeaps(all * 3 / 4);
  const auto cpu = backend::createCpuBackend({});
  const auto expected = tenTokens(**cpu, plan);
  {
    const auto placed = (*backend)->place(plan, oneAfterTheOther, {}, {});
    ASSERT_TRUE(placed.has_value()) << placed.error().message();
    EXPECT_GT(m_controls.heapBytes(0), all / 5);
    EXPECT_GT(m_controls.heapBytes(1), all / 2);
  }
  const auto written = tenTokens(**backend, plan);
  ASSERT_TRUE(expected.has_value() && written.has_value()) << written.error().message();
  EXPECT_EQ(*written, *expected);
  EXPECT_EQ(m_controls.stagedBytes(), 0U);
  EXPECT_EQ(std::string(m_controls.violations()), "");
  for (const std::string& message : (*backend)->validationMessages()) ADD_FAILURE() << message;
}

INSTANTIATE_TEST_SUITE_P(Devices, Described, testing::ValuesIn(deviceFiles()), [](const auto& info) {
  std::string name = std::filesystem::path(info.param).stem().string();
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace minerva::gpu
