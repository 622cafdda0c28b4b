// Which of several GPUs are used and in what order, and how their heaps, queues and priorities are, on devices that are not here
// (described_device.h).
#include "core/backend/cpu/cpu_backend.h"
#include "gpu/available.h"
#include "tests/gpu/described_device.h"
#include "tests/gpu/describing_loader/description.h"

#include <set>

namespace minerva::gpu {
namespace {

using DescribedTogether = DescribedDevice;

TEST_F(DescribedTogether, DiscreteCardsComeFirstAndTheUnusableOneIsNoted) {
  std::string all;
  for (const std::string& file : deviceFiles()) all += file + "\n";
  describeAs(all, true);
  const VulkanDevices listed = listVulkanDevices({.loader = MINERVA_DESCRIBING_LOADER});
  ASSERT_EQ(listed.devices.size() + listed.notes.size(), deviceFiles().size());
  std::vector<std::string> names;
  for (const backend::DeviceInfo& info : listed.devices) names.push_back(info.name);
  const std::vector<std::string> expected{"NVIDIA GeForce RTX 4090",
                                          "AMD Radeon RX 7900 XTX (RADV NAVI31)",
                                          "Intel(R) Arc(tm) A770 Graphics (DG2)",
                                          "AMD Radeon RX 580 Series (RADV POLARIS10)",
                                          "NVIDIA GeForce GTX 1060 6GB",
                                          "AMD Radeon 780M (RADV PHOENIX)",
                                          "Intel(R) UHD Graphics 620 (KBL GT2)",
                                          "Apple M1 (G13G B1)"};
  EXPECT_EQ(names, expected);
  BackendOptions chosen;
  chosen.vulkanLoader = MINERVA_DESCRIBING_LOADER;
  const AvailableDevices available = availableDevices(chosen);
  ASSERT_EQ(available.devices.size(), expected.size() + 1);
  EXPECT_EQ(available.devices.back().id, "cpu");        // graphics hardware comes before it
  EXPECT_EQ(available.devices.front().id, "vulkan:5");  // the driver's number
}

// A card whose driver lists its memory as two heaps, as AMD's do where the host sees but a part of it: a model has both.
TEST_F(DescribedTogether, ACardWithTwoHeapsHasBoth) {
  const nlohmann::json heaps = nlohmann::json::parse(R"([{"mb": 16384, "device": true}, {"mb": 15950, "device": false},
                                                         {"mb": 16384, "device": true}])");
  const std::string path = variant(deviceFile("rx-580"), "/heaps", heaps);
  describeAs(path, true);
  const VulkanDevices listed = listVulkanDevices({.loader = MINERVA_DESCRIBING_LOADER});
  ASSERT_EQ(listed.devices.size(), 1U);
  EXPECT_EQ(listed.devices.front().memoryTotal, std::uint64_t{32} << 30);
  EXPECT_EQ(listed.devices.front().memoryFree, std::uint64_t{32} << 30);
  const tests::RandomModel made =
      tests::randomModel({.type = ElementType::Q4_K, .vocabulary = 4096, .hidden = 1024, .layers = 4, .headDim = 256, .feedForward = 2048});
  const model::Plan plan = formPlan(made);
  describeAs(variant(path, "/limits/maxMemoryAllocationSize", 9 << 20), false);  // of which several lie in each heap
  const auto backend = createVulkanBackend("vulkan:0", options());
  ASSERT_TRUE(backend.has_value()) << backend.error().message();
  const auto needed = (*backend)->memoryNeeds(plan, oneAfterTheOther);
  ASSERT_TRUE(needed.has_value());
  const std::uint64_t all = needed->front().use.total();
  m_controls.limitHeaps(all * 3 / 4);
  {
    const auto placed = (*backend)->place(plan, oneAfterTheOther, {}, {});
    ASSERT_TRUE(placed.has_value()) << placed.error().message();
    EXPECT_GT(m_controls.heapBytes(0), all / 2);
    EXPECT_GT(m_controls.heapBytes(2), all / 5);
  }
  const auto cpu = backend::createCpuBackend({});
  const auto expected = tenTokens(**cpu, plan), written = tenTokens(**backend, plan);
  ASSERT_TRUE(expected.has_value() && written.has_value()) << written.error().message();
  EXPECT_EQ(*written, *expected);
  EXPECT_EQ(std::string(m_controls.violations()), "");
  for (const std::string& message : (*backend)->validationMessages()) ADD_FAILURE() << message;
}

// What is read with every token stays where it is when memory is short.
TEST_F(DescribedTogether, WeightsHavePriorityWhereThereIsSuch) {
  const std::vector<std::string> extensions{"VK_EXT_memory_budget", "VK_EXT_memory_priority"};
  for (const bool has : {true, false}) {
    describeAs(has ? variant(deviceFile("rtx-4090"), "/extensions", extensions) : deviceFile("rtx-4090"), false);
    const auto backend = createVulkanBackend("vulkan:0", options());
    ASSERT_TRUE(backend.has_value()) << backend.error().message();
    const model::Plan plan = formPlan(tests::randomModel({.layers = 1}));
    const auto placed = (*backend)->place(plan, oneAfterTheOther, {}, {});
    ASSERT_TRUE(placed.has_value()) << placed.error().message();
    EXPECT_EQ(m_controls.priorBytes() > 0, has);
    EXPECT_EQ(m_controls.priorBytes() >= (*placed)->memory().weights, has);
    for (const std::string& message : (*backend)->validationMessages()) ADD_FAILURE() << message;
    EXPECT_EQ(std::string(m_controls.violations()), "");
  }
}

// Where the host does not see the step's values, those of a token are copied, not the room for a long prompt.
TEST_F(DescribedTogether, AStepCopiesTheValuesItHas) {
  describeAs(deviceFile("rtx-4090"), false);
  VulkanOptions staged = options();
  staged.staged = true;
  const auto backend = createVulkanBackend("vulkan:0", staged);
  ASSERT_TRUE(backend.has_value()) << backend.error().message();
  const model::Plan plan = formPlan(tests::randomModel({.hidden = 64, .layers = 1, .headDim = 64, .context = 4096}));
  const backend::PlaceOptions wide{.contextLength = 1024, .slots = 2, .maxRows = 512, .maxOutputRows = 1};
  const auto placed = (*backend)->place(plan, wide, {}, {});
  ASSERT_TRUE(placed.has_value()) << placed.error().message();
  const unsigned long long before = m_controls.stagedBytes();
  ASSERT_TRUE((*placed)->step(std::vector<backend::StepRow>{{1, 0, 0, true}}).has_value());
  EXPECT_GT(m_controls.stagedBytes(), before);
  EXPECT_LT(m_controls.stagedBytes() - before, 4096U) << "angles of 512 rows are 128 KB";
  for (const std::string& message : (*backend)->validationMessages()) ADD_FAILURE() << message;
}

// The processor's own GPU can be named, but takes no part by itself.
TEST_F(DescribedTogether, AnIntegratedGpuIsLeftOutBesideACard) {
  for (const std::string& files :
       {deviceFile("rtx-4090") + "\n" + deviceFile("uhd-620"), deviceFile("uhd-620") + "\n" + deviceFile("rtx-4090")}) {
    describeAs(files, false);
    const std::string card = files.starts_with(deviceFile("rtx-4090")) ? "vulkan:0" : "vulkan:1";
    const std::string own = card == "vulkan:0" ? "vulkan:1" : "vulkan:0";
    BackendOptions chosen;
    chosen.vulkanLoader = MINERVA_DESCRIBING_LOADER;
    const std::vector<backend::DeviceInfo> gpus = hardwareGpus(availableDevices(chosen));
    ASSERT_EQ(gpus.size(), 1U);
    EXPECT_EQ(gpus.front().id, card);
    for (const std::string device : {"", "gpus"}) {
      const auto made = createBackend(device, chosen);
      ASSERT_TRUE(made.has_value()) << made.error().message();
      EXPECT_EQ((*made)->info().id, card);
    }
    const auto named = createBackend(own, chosen);
    ASSERT_TRUE(named.has_value()) << named.error().message();
    EXPECT_EQ((*named)->info().name, "Intel(R) UHD Graphics 620 (KBL GT2)");
  }
}

// For drivers whose other queues hang.
TEST_F(DescribedTogether, EverythingRunsOnTheQueueForGraphicsIfAsked) {
  for (const bool asked : {true, false}) {
    describeAs(deviceFile("rtx-4090"), false);
    VulkanOptions queue = options();
    queue.graphicsQueue = asked;
    const auto backend = createVulkanBackend("vulkan:0", queue);
    ASSERT_TRUE(backend.has_value()) << backend.error().message();
    const auto written = tenTokens(**backend, formPlan(tests::randomModel({.layers = 1})));
    ASSERT_TRUE(written.has_value()) << written.error().message();
    EXPECT_EQ(m_controls.submissions(0) > 10, asked) << "graphics";
    EXPECT_EQ(m_controls.submissions(1) > 0, !asked) << "copies alone";
    EXPECT_EQ(m_controls.submissions(2) > 10, !asked) << "computing alone";
    for (const std::string& message : (*backend)->validationMessages()) ADD_FAILURE() << message;
    EXPECT_EQ(std::string(m_controls.violations()), "");
  }
}

// Of a card with two drivers the better one is used, in either order.
TEST_F(DescribedTogether, ACardWithTwoDriversIsOneGpu) {
  std::set<std::string> extensions = tests::readDescription(deviceFile("rx-7900-xtx")).extensions;
  extensions.insert("VK_EXT_pci_bus_info");
  const auto driven = [&](VkDriverId driver, const std::string& device) {
    const std::string path =
        variant(variant(variant(deviceFile("rx-7900-xtx"), "/extensions", extensions), "/pci", {0, 3, 0, 0}), "/driver_id", driver);
    return variant(path, "/device", device);  // of which the described UUID is made: drivers make different ones
  };
  const std::string radv = driven(VK_DRIVER_ID_MESA_RADV, "0x744c"), other = driven(VK_DRIVER_ID_AMD_OPEN_SOURCE, "0x744d");
  for (const std::string& files : {radv + "\n" + other, other + "\n" + radv}) {
    describeAs(files, true);
    BackendOptions chosen;
    chosen.vulkanLoader = MINERVA_DESCRIBING_LOADER;
    const std::vector<backend::DeviceInfo> gpus = hardwareGpus(availableDevices(chosen));
    ASSERT_EQ(gpus.size(), 1U);
    EXPECT_EQ(gpus.front().id, files.starts_with(radv) ? "vulkan:0" : "vulkan:1");
    EXPECT_EQ(gpus.front().location, "0000:03:00.0");
  }
}

}  // namespace
}  // namespace minerva::gpu
