// Weights on their way to memory that the host does not see: through a ring of staging buffers, several under way, on a queue of their own.
#include "gpu/runtime/device_list.h"
#include "gpu/runtime/upload.h"
#include "gpu/runtime/vulkan_backend.h"
#include "gpu/runtime/weight_chunks.h"
#include "gpu/vulkan/staging_ring.h"
#include "tests/core/format/temporary_folder.h"
#include "tests/gpu/describing_controls.h"
#include "tests/support/random_model.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <fstream>

namespace minerva::gpu {
namespace {

vulkan::DeviceInfo cardWith(std::uint64_t hostHeap, std::uint64_t maxAllocation) {
  vulkan::DeviceInfo device;
  device.maxBuffer = std::uint64_t{1} << 40;
  device.maxAllocation = maxAllocation;
  device.memory.memoryHeapCount = 2;
  device.memory.memoryHeaps[0] = {std::uint64_t{8} << 30, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
  device.memory.memoryHeaps[1] = {hostHeap, 0};
  device.memory.memoryTypeCount = 2;
  device.memory.memoryTypes[0] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0};
  device.memory.memoryTypes[1] = {VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, 1};
  return device;
}

TEST(StagingSize, IsLittleBesideWhatDeviceAndHostHave) {
  constexpr std::uint64_t mega = std::uint64_t{1} << 20, giga = mega << 10;
  EXPECT_EQ(stagingSize(cardWith(16 * giga, 4 * giga), 16 * giga).slotBytes, 16 * mega);
  EXPECT_EQ(stagingSize(cardWith(16 * giga, 4 * giga), 0).slotBytes, 16 * mega) << "the host's memory is unknown";
  EXPECT_EQ(stagingSize(cardWith(16 * giga, 4 * giga), giga).slotBytes, 8 * mega) << "the host has little left";
  EXPECT_EQ(stagingSize(cardWith(256 * mega, 4 * giga), 16 * giga).slotBytes, 4 * mega) << "a small heap";
  EXPECT_EQ(stagingSize(cardWith(16 * giga, 32 * mega), 16 * giga).slotBytes, 4 * mega) << "small allocations";
  EXPECT_EQ(stagingSize(cardWith(16 * giga, 4 * giga), mega).slotBytes, mega) << "never less than this";
  EXPECT_EQ(stagingSize(cardWith(16 * giga, 4 * giga), giga).slots, 8U);
}

// Memory that the host does not cache gets the same bytes by another way: groups packed beside it, then copied.
TEST(WeightChunks, AreTheSameInMemoryThatTheHostDoesNotCache) {
  for (const ElementTypeTraits& t : tests::everyMatrixType()) {
    if (moduleOf(t.type).name.empty()) continue;
    const tests::RandomModel random = tests::randomModel(
        {.type = t.type, .vocabulary = 67, .hidden = 256, .layers = 1, .heads = 4, .kvHeads = 2, .headDim = 64, .feedForward = 256});
    const auto plan = model::buildPlan(random.config);
    ASSERT_TRUE(plan.has_value());
    const MatrixPlan matrices = planMatrices(*plan);
    for (const WeightChunk& chunk : cutIntoChunks(matrices, 100'000)) {
      const Matrix& matrix = matrices.matrices[chunk.matrix];
      const WeightLayout alone = layoutOf(matrix.layout.type, chunk.count * groupRows, matrix.layout.columns);
      std::vector<std::byte> cached(alone.bytes, std::byte{0x5a}), uncached = cached;
      vulkan::BufferView to{.size = alone.bytes, .mapped = cached.data(), .cached = true};
      packChunk(*plan, matrix, chunk, alone, chunk.first, to, MappedRanges::read(), {});
      to.mapped = uncached.data();
      to.cached = false;
      packChunk(*plan, matrix, chunk, alone, chunk.first, to, MappedRanges::read(), {});
      EXPECT_EQ(cached, uncached) << t.name << ", matrix " << chunk.matrix << " from group " << chunk.first;
    }
  }
}

// Devices with memory of their own, described; with and without a queue that only copies.
class Upload : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (listVulkanDevices({}).devices.empty()) GTEST_SKIP() << "skipped: no Vulkan device";
    ASSERT_NE(m_controls.describe, nullptr) << dlerror();
    // So little memory of the host that the ring's slots have a megabyte each.
    std::ifstream in(deviceFile(GetParam()));
    nlohmann::json file = nlohmann::json::parse(in);
    for (nlohmann::json& heap : file["heaps"])
      if (heap["device"] == false) heap["mb"] = 64;
    const std::string small = m_folder.write("small.json", file.dump()).string();
    ASSERT_STREQ(m_controls.describe(small.c_str(), false), "");
    const bool validation = createVulkanBackend("vulkan:0", {.validation = true}).has_value();
    auto found = findDevice("vulkan:0", {.loader = MINERVA_DESCRIBING_LOADER, .validation = validation});
    ASSERT_TRUE(found.has_value()) << found.error().message();
    auto device = vulkan::Device::create(std::move(found->instance), found->device);
    ASSERT_TRUE(device.has_value()) << device.error().message();
    m_device = std::move(*device);
    ASSERT_EQ(m_device->hasTransferQueue(), std::string(GetParam()) == "gtx-1060");
  }
  void TearDown() override {
    if (!m_device) return;
    EXPECT_EQ(std::string(m_controls.violations()), "");
    for (const std::string& message : m_device->instance().messages()) ADD_FAILURE() << message;
    m_device.reset();
    EXPECT_EQ(m_controls.allocations(), 0);
  }

  // What a buffer of the device holds, read on the compute queue without another wait.
  std::vector<std::byte> bytesOf(const vulkan::BufferView& view) {
    auto copy = vulkan::Buffer::create(m_device, view.size, vulkan::MemoryKind::readback);
    auto timeline = vulkan::Timeline::create(m_device);
    auto commands = vulkan::Commands::create(m_device, false);
    EXPECT_TRUE(copy && timeline && commands);
    commands->copy(view, copy->view(), view.size);
    commands->barrierToHost();
    EXPECT_TRUE(commands->end());
    EXPECT_TRUE(timeline->run(commands->handle()));
    return {copy->view().mapped, copy->view().mapped + view.size};
  }

  // To the queue that only copies; none without such a one.
  [[nodiscard]] std::uint64_t copierSubmissions() const {
    const auto family = m_device->info().transferFamily;
    return family ? m_controls.submissions(*family) : 0;
  }

  const tests::DescribingControls m_controls = describingControls();
  TemporaryFolder m_folder;
  std::shared_ptr<vulkan::Device> m_device;
};

// A queue that does nothing until it is told to shows what is done without waiting for it.
TEST_P(Upload, AllSlotsAreUnderWayBeforeAnybodyWaits) {
  constexpr std::size_t slots = 4;
  constexpr std::uint64_t bytes = 1024;
  auto held = vulkan::Buffer::create(m_device, bytes * 2 * slots, vulkan::MemoryKind::device);
  ASSERT_TRUE(held.has_value()) << held.error().message();
  auto gate = vulkan::Timeline::create(m_device), behind = vulkan::Timeline::create(m_device, vulkan::QueueKind::transfer);
  auto ring = vulkan::StagingRing::create(m_device, bytes, slots);
  ASSERT_TRUE(gate && behind && ring);
  const auto signal = reinterpret_cast<PFN_vkSignalSemaphore>(m_device->api().GetDeviceProcAddr(m_device->handle(), "vkSignalSemaphore"));
  ASSERT_TRUE(m_device->submit(vulkan::QueueKind::transfer, VK_NULL_HANDLE, {behind->handle(), 1}, {gate->handle(), 1}).has_value());
  const auto send = [&](std::size_t i) {
    const auto slot = (*ring)->take();
    ASSERT_TRUE(slot.has_value()) << slot.error().message();
    EXPECT_EQ(*slot, i % slots) << "in the order of their copies";
    std::memset((*ring)->memory(*slot).mapped, static_cast<int>(i + 1), bytes);
    const vulkan::StagingRing::Copy copy{.from = 0, .to = held->view().part(i * bytes, bytes), .bytes = bytes};
    ASSERT_TRUE((*ring)->send(*slot, {&copy, 1}).has_value());
  };
  for (std::size_t i = 0; i < slots; ++i) send(i);  // would wait for ever if a slot waited for its copy
  const VkSemaphoreSignalInfo open{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, gate->handle(), 1};
  ASSERT_EQ(signal(m_device->handle(), &open), VK_SUCCESS);
  for (std::size_t i = slots; i < 2 * slots; ++i) send(i);
  ASSERT_TRUE((*ring)->finish().has_value());
  const std::vector<std::byte> all = bytesOf(held->view());
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(std::to_integer<std::size_t>(all[i]), i / bytes + 1) << "byte " << i;
  EXPECT_EQ(copierSubmissions() > 2 * slots, m_device->hasTransferQueue());
}

TEST_P(Upload, EveryByteArrivesThroughSlotsThatAreUsedAgain) {
  for (const ElementType type : {ElementType::Q4_K, ElementType::IQ2_S, ElementType::F8_E4M3}) {
    const tests::RandomModel random = tests::randomModel({.type = type,
                                                          .vocabulary = 2048,
                                                          .hidden = 2048,
                                                          .layers = 1,
                                                          .heads = 8,
                                                          .kvHeads = 2,
                                                          .headDim = 256,
                                                          .feedForward = 4096,
                                                          .biases = true});
    const auto plan = model::buildPlan(random.config);
    ASSERT_TRUE(plan.has_value()) << plan.error().message();
    const MatrixPlan matrices = planMatrices(*plan);
    const backend::PlaceOptions options{.contextLength = 16, .slots = 1, .maxRows = 2, .maxOutputRows = 1};
    const auto resident = allocateResident(m_device, *plan, matrices, options);
    ASSERT_TRUE(resident.has_value()) << resident.error().message();
    std::uint64_t last = 0, total = 0;
    const auto progress = [&](std::uint64_t done, std::uint64_t all) { last = done, total = all; };
    const auto uploaded = upload(m_device, *plan, matrices, *resident, progress, {});
    ASSERT_TRUE(uploaded.has_value()) << uploaded.error().message();
    EXPECT_EQ(last, total);
    EXPECT_GT(total, std::uint64_t{9} << 20) << "more than all slots together";
    for (std::size_t i = 0; i < matrices.matrices.size(); ++i) {
      const Matrix& matrix = matrices.matrices[i];
      std::vector<std::byte> arrived = bytesOf(resident->matrices[i]), expected(arrived.size());
      packChunk(*plan, matrix, {i, 0, matrix.layout.groups, 0}, matrix.layout, 0,
                {.size = expected.size(), .mapped = expected.data(), .cached = true}, MappedRanges::read(), {});
      const std::size_t grid = tableBytes(type);
      const auto rows = static_cast<std::ptrdiff_t>(expected.size() - grid);
      EXPECT_TRUE(std::equal(expected.begin(), expected.begin() + rows, arrived.begin())) << traits(type).name << ", matrix " << i;
      EXPECT_TRUE(
          std::equal(expected.end() - static_cast<std::ptrdiff_t>(grid), expected.end(), arrived.end() - static_cast<std::ptrdiff_t>(grid)))
          << traits(type).name << ", grid of matrix " << i;
    }
  }
  EXPECT_EQ(copierSubmissions() > 20, m_device->hasTransferQueue()) << copierSubmissions();
}

// Stopped in the middle, with copies under way, whose memory goes only when they have ended: TearDown() looks.
TEST_P(Upload, StopsInTheMiddleAndLeavesNothing) {
  const tests::RandomModel random =
      tests::randomModel({.type = ElementType::F16, .hidden = 1024, .layers = 2, .headDim = 256, .feedForward = 2048});
  const auto plan = model::buildPlan(random.config);
  ASSERT_TRUE(plan.has_value()) << plan.error().message();
  const MatrixPlan matrices = planMatrices(*plan);
  const backend::PlaceOptions options{.contextLength = 16, .slots = 1, .maxRows = 2, .maxOutputRows = 1};
  const auto resident = allocateResident(m_device, *plan, matrices, options);
  ASSERT_TRUE(resident.has_value()) << resident.error().message();
  std::stop_source stop;
  const auto uploaded = upload(
      m_device, *plan, matrices, *resident, [&](auto, auto) { stop.request_stop(); }, stop.get_token());
  ASSERT_FALSE(uploaded.has_value());
  EXPECT_EQ(uploaded.error().kind, ErrorKind::cancelled) << uploaded.error().message();
}

INSTANTIATE_TEST_SUITE_P(Devices, Upload, testing::Values("gtx-1060", "rx-580"), [](const auto& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace minerva::gpu
