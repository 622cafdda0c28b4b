// The Vulkan backend on this machine's first device; skipped if there is none.
#include "core/backend/cpu/cpu_backend.h"
#include "core/backend/reference/reference_backend.h"
#include "core/backend/split/split_backend.h"
#include "gpu/available.h"
#include "gpu/runtime/device_list.h"
#include "gpu/runtime/placement.h"
#include "gpu/runtime/support.h"
#include "gpu/runtime/unit_check.h"
#include "gpu/runtime/vulkan_backend.h"
#include "tests/gpu/reference_difference.h"
#include "tests/support/random_families.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <tuple>

namespace minerva::gpu {
namespace {

// Overrides an environment variable for the lifetime of the object.
class EnvironmentVariable {
 public:
  EnvironmentVariable(const char* name, const char* value) : m_name(name) {
    if (const char* before = std::getenv(name)) m_before = before;
    setenv(name, value, 1);
  }
  ~EnvironmentVariable() { m_before ? setenv(m_name, m_before->c_str(), 1) : unsetenv(m_name); }
  EnvironmentVariable(const EnvironmentVariable&) = delete;
  EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;

 private:
  const char* m_name;
  std::optional<std::string> m_before;
};

TEST(VulkanLoader, ItsAbsenceIsANoteAndTheCpuRemains) {
  BackendOptions options;
  options.vulkanLoader = "libvulkan_is_not_here.so.1";
  const AvailableDevices available = availableDevices(options);
  EXPECT_TRUE(std::ranges::none_of(available.devices, [](const auto& d) { return d.kind == "Vulkan"; }));
  EXPECT_TRUE(std::ranges::any_of(available.devices, [](const auto& d) { return d.id == "cpu"; }));
  ASSERT_FALSE(available.notes.empty());
  EXPECT_NE(available.notes.back().find("libvulkan_is_not_here.so.1"), std::string::npos) << available.notes.back();
  const auto created = createBackend("vulkan:0", options);
  ASSERT_FALSE(created.has_value());
  EXPECT_EQ(created.error().kind, ErrorKind::notFound);
}

// A Vulkan loader without a driver, as on a machine without a GPU.
TEST_F(Vulkan, AMissingDriverIsSaid) {
  const EnvironmentVariable none("VK_DRIVER_FILES", "/nowhere.json"), noneAsOfOld("VK_ICD_FILENAMES", "/nowhere.json");
  const AvailableDevices available = availableDevices({});
  EXPECT_TRUE(std::ranges::none_of(available.devices, [](const auto& d) { return d.kind == "Vulkan"; }));
  ASSERT_FALSE(available.notes.empty());
  EXPECT_NE(available.notes.back().find("No Vulkan driver was found"), std::string::npos) << available.notes.back();
}

TEST_F(Vulkan, DevicesSayWhatTheyAre) {
  for (const backend::DeviceInfo& device : listVulkanDevices({}).devices) {
    EXPECT_EQ(device.kind, "Vulkan");
    EXPECT_EQ(device.uuid.size(), 32U);
    EXPECT_FALSE(device.name.empty());
    EXPECT_FALSE(device.detail.empty());
    EXPECT_GT(device.memoryTotal, 0U);
    EXPECT_LE(device.memoryFree, device.memoryTotal);
  }
}

TEST_F(Vulkan, SoftwareDevicesComeAfterTheCpu) {
  const AvailableDevices available = availableDevices();
  const auto cpu = std::ranges::find(available.devices, "cpu", &backend::DeviceInfo::id);
  for (auto device = available.devices.begin(); device != available.devices.end(); ++device) {
    if (device->kind != "Vulkan") continue;
    EXPECT_EQ(device->software, device > cpu) << device->name;
    const auto byUuid = createBackend(device->uuid);
    EXPECT_TRUE(byUuid.has_value());
  }
}

// A software device may take part more than once, to try this out.
TEST_F(Vulkan, SeveralDevicesAreNamedTogether) {
  const AvailableDevices available = availableDevices();
  const auto gpu = std::ranges::find_if(available.devices, [](const auto& d) { return d.kind == "Vulkan" && d.software; });
  if (gpu == available.devices.end()) GTEST_SKIP() << "skipped: no software device";
  const auto two = createBackend(gpu->id + "+" + gpu->uuid);
  ASSERT_TRUE(two.has_value()) << two.error().message();
  EXPECT_EQ((*two)->info().id, gpu->id + "+" + gpu->id);
  EXPECT_EQ((*two)->info().name, "2 × " + gpu->name);
  const auto withCpu = createBackend(gpu->id + "+" + gpu->id + "+cpu");
  ASSERT_TRUE(withCpu.has_value()) << withCpu.error().message();
  EXPECT_EQ((*withCpu)->info().id, gpu->id + "+" + gpu->id + "+cpu");
  EXPECT_EQ((*withCpu)->info().kind, "Vulkan and CPU");
  for (const std::string& wrong : {"cpu+" + gpu->id, gpu->id + "+cpu+cpu", std::string("cpu+cpu")}) {
    const auto refused = createBackend(wrong);
    ASSERT_FALSE(refused.has_value()) << wrong;
    EXPECT_EQ(refused.error().kind, ErrorKind::invalidArgument) << wrong;
  }
  for (const std::string& gone : {gpu->id + "+vulkan:99", gpu->id + "+", std::string("+")}) {
    const auto refused = createBackend(gone);
    ASSERT_FALSE(refused.has_value()) << gone;
    EXPECT_EQ(refused.error().kind, ErrorKind::notFound) << gone;
  }
  const auto all = createBackend("gpus");
  EXPECT_EQ(all.has_value(), !hardwareGpus(available).empty()) << "software devices are not among all GPUs";
}

// Two drivers may list the same GPU.
TEST(HardwareGpus, AreListedOnceEach) {
  AvailableDevices all;
  for (const auto& [id, uuid, software] :
       {std::tuple{"vulkan:0", "a", false}, {"vulkan:1", "b", false}, {"vulkan:2", "a", false}, {"vulkan:3", "c", true}}) {
    backend::DeviceInfo device;
    device.id = id;
    device.kind = "Vulkan";
    device.uuid = uuid;
    device.software = software;
    all.devices.push_back(device);
  }
  backend::DeviceInfo cpu;
  cpu.kind = "CPU";
  all.devices.push_back(cpu);
  const std::vector<backend::DeviceInfo> gpus = hardwareGpus(all);
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_EQ(gpus[0].id, "vulkan:0");
  EXPECT_EQ(gpus[1].id, "vulkan:1");
}

TEST_F(Vulkan, AnUnknownDeviceIsNamed) {
  const auto created = createVulkanBackend("vulkan:99", {});
  ASSERT_FALSE(created.has_value());
  EXPECT_EQ(created.error().kind, ErrorKind::notFound);
}

TEST_F(Vulkan, TooLittleMemoryIsSaidBeforeAnythingIsTaken) {
  const auto backend = createVulkanBackend("vulkan:0", {});
  ASSERT_TRUE(backend.has_value()) << backend.error().message();
  const tests::RandomModel random = tests::randomModel({.layers = 2});
  const auto plan = model::buildPlan(random.config);
  ASSERT_TRUE(plan.has_value());
  backend::PlaceOptions huge = small;
  huge.contextLength = 1 << 30;
  huge.slots = 1 << 10;
  const auto placement = (*backend)->place(*plan, huge, {}, {});
  ASSERT_FALSE(placement.has_value());
  EXPECT_EQ(placement.error().kind, ErrorKind::outOfMemory);
  EXPECT_NE(placement.error().actual.find("bytes needed"), std::string::npos);
  EXPECT_NE(placement.error().expected.find("bytes free"), std::string::npos);
  EXPECT_TRUE((*backend)->place(*plan, small, {}, {}).has_value()) << "the backend is still usable";
}

TEST_F(Vulkan, LoadingReportsProgressAndStops) {
  const auto backend = createVulkanBackend("vulkan:0", {});
  ASSERT_TRUE(backend.has_value());
  const tests::RandomModel random = tests::randomModel({.layers = 2});
  const auto plan = model::buildPlan(random.config);
  std::uint64_t last = 0, total = 0;
  const auto placement = (*backend)->place(*plan, small, [&](std::uint64_t done, std::uint64_t all) { last = done, total = all; }, {});
  ASSERT_TRUE(placement.has_value());
  EXPECT_GT(total, 0U);
  EXPECT_EQ(last, total);
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = (*backend)->place(*plan, small, {}, stop.get_token());
  ASSERT_FALSE(stopped.has_value());
  EXPECT_EQ(stopped.error().kind, ErrorKind::cancelled);
}

// On the threads that upload, running out of memory must end the load and not the program.
TEST_F(Vulkan, TooLittleMemoryToRearrangeRowsIsAnErrorOfTheLoad) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "skipped: a sanitizer ends the program when an allocation fails";
#endif
  const auto backend = createVulkanBackend("vulkan:0", {});
  ASSERT_TRUE(backend.has_value()) << backend.error().message();
  const tests::RandomModel random = tests::randomModel({.layers = 2});
  auto plan = model::buildPlan(random.config);
  ASSERT_TRUE(plan.has_value()) << plan.error().message();
  const auto proj = std::ranges::find_if(plan->ops, [](const model::Op& op) { return std::holds_alternative<model::ProjOp>(op); });
  ASSERT_NE(proj, plan->ops.end());
  TensorView& view = plan->weights[static_cast<std::size_t>(model::matricesOf(*proj).front())].view;
  view = tests::tooLargeToArrange(view.shape);
  const auto placement = (*backend)->place(*plan, small, {}, {});
  ASSERT_FALSE(placement.has_value());
  EXPECT_EQ(placement.error().kind, ErrorKind::outOfMemory);
}

// No element type of a file is refused: all are computed as stored.
TEST(VulkanTypes, NoneIsRefused) {
  for (const ElementTypeTraits& t : tests::everyMatrixType()) EXPECT_TRUE(supportsType(t.type)) << t.name;
}

// Deliberate errors, hazards of copies included, must be reported; otherwise the absence of messages in other tests proves
// nothing.
TEST_F(Vulkan, TheValidationLayerIsReallyOn) {
  auto found = findDevice("vulkan:0", {.validation = true});
  if (!found && found.error().kind == ErrorKind::notFound) GTEST_SKIP() << "skipped: " << found.error().message();
  ASSERT_TRUE(found.has_value()) << found.error().message();
  const auto device = vulkan::Device::create(std::move(found->instance), found->device);
  ASSERT_TRUE(device.has_value()) << device.error().message();
  EXPECT_TRUE((*device)->instance().validating());
  EXPECT_TRUE((*device)->instance().messages().empty());
  const auto from = vulkan::Buffer::create(*device, 256, vulkan::MemoryKind::device);
  const auto to = vulkan::Buffer::create(*device, 256, vulkan::MemoryKind::device);
  ASSERT_TRUE(from.has_value() && to.has_value());
  for (const bool withBarrier : {true, false}) {
    auto commands = vulkan::Commands::create(*device, false);
    ASSERT_TRUE(commands.has_value());
    commands->copy(from->view(), to->view(), 256);
    if (withBarrier) commands->barrier();
    commands->copy(to->view(), from->view(), 256);
    ASSERT_TRUE(commands->end().has_value());
    const std::vector<std::string> messages = (*device)->instance().messages();
    const bool reported = std::ranges::any_of(messages, [](const auto& m) { return m.find("SYNC-HAZARD") != std::string::npos; });
    EXPECT_EQ(reported, !withBarrier);
  }
  VkBufferCreateInfo empty{};
  empty.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  empty.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  VkBuffer buffer = VK_NULL_HANDLE;
  if ((*device)->api().CreateBuffer((*device)->handle(), &empty, nullptr, &buffer) == VK_SUCCESS) {
    (*device)->api().DestroyBuffer((*device)->handle(), buffer, nullptr);
  }
  const std::vector<std::string> messages = (*device)->instance().messages();
  EXPECT_TRUE(std::ranges::any_of(messages, [](const auto& m) { return m.find("VUID-VkBufferCreateInfo-size") != std::string::npos; }));
}

// As on a GPU whose memory is not host-visible: weights, step values and logits go through staging buffers.
TEST_F(Vulkan, NothingIsMappedWhereDeviceMemoryIsApart) {
  auto backend = createVulkanBackend("vulkan:0", {.validation = true, .staged = true});
  if (!backend) backend = createVulkanBackend("vulkan:0", {.staged = true});
  ASSERT_TRUE(backend.has_value()) << backend.error().message();
  for (const ElementType type : {ElementType::F32, ElementType::Q6_K}) {
    const int hidden = static_cast<int>(std::max(64U, traits(type).blockElements));
    const tests::RandomModel random = tests::randomModel({.type = type,
                                                          .vocabulary = 4099,
                                                          .hidden = hidden,
                                                          .layers = 2,
                                                          .headDim = hidden / 4,
                                                          .feedForward = 2 * hidden,
                                                          .biases = true});
    const auto plan = model::buildPlan(random.config);
    ASSERT_TRUE(plan.has_value());
    const auto placement = (*backend)->place(*plan, small, {}, {});
    ASSERT_TRUE(placement.has_value()) << placement.error().message();
    EXPECT_LT(differenceFromReference(**placement, *plan, small), 1e-3) << traits(type).name;
  }
  for (const std::string& message : (*backend)->validationMessages()) ADD_FAILURE() << message;
}

// The rows of a split model are copied to and from such a device: once per step at the cut between layers, twice per layer
// with experts on the host.
TEST_F(Vulkan, ASharedModelsRowsAreCopiedWhereDeviceMemoryIsApart) {
  tests::RandomModel random = tests::randomModel({.hidden = 64, .layers = 3});
  tests::addExperts(random, tests::expertShapes().front());
  const auto plan = model::buildPlan(random.config);
  ASSERT_TRUE(plan.has_value());
  for (const backend::SplitChoice& choice :
       {backend::SplitChoice{.layers = {2}}, backend::SplitChoice{.layers = {3}, .experts = backend::HostExperts::all}}) {
    auto made = createVulkanBackend("vulkan:0", {.validation = true, .staged = true});
    if (!made) made = createVulkanBackend("vulkan:0", {.staged = true});
    ASSERT_TRUE(made.has_value()) << made.error().message();
    const VulkanBackend& device = **made;
    auto cpu = backend::createCpuBackend({.threads = 2, .instructionSet = {}});
    ASSERT_TRUE(cpu.has_value());
    std::vector<std::unique_ptr<backend::Backend>> accelerators;
    accelerators.push_back(std::move(*made));
    const auto both = backend::createSplitBackend(std::move(accelerators), std::move(*cpu), choice);
    const auto placement = both->place(*plan, small, {}, {});
    ASSERT_TRUE(placement.has_value()) << placement.error().message();
    EXPECT_LT(differenceFromReference(**placement, *plan, small), 1e-3) << choice.layers.front();
    for (const std::string& message : device.validationMessages()) ADD_FAILURE() << message;
  }
}

TEST_F(Vulkan, TheValidationLayerHasNothingToSay) {
  const auto backend = createVulkanBackend("vulkan:0", {.validation = true});
  if (!backend && backend.error().kind == ErrorKind::notFound) GTEST_SKIP() << "skipped: " << backend.error().message();
  ASSERT_TRUE(backend.has_value()) << backend.error().message();
  for (const ElementType type : {ElementType::F16, ElementType::Q5_0, ElementType::Q4_K}) {
    const ElementTypeTraits& t = traits(type);
    const int hidden = static_cast<int>(std::max(64U, t.blockElements));
    const tests::RandomModel random =
        tests::randomModel({.type = type, .hidden = hidden, .layers = 1, .headDim = hidden / 4, .feedForward = hidden});
    const auto plan = model::buildPlan(random.config);
    ASSERT_TRUE(plan.has_value());
    const auto placement = (*backend)->place(*plan, small, {}, {});
    ASSERT_TRUE(placement.has_value()) << placement.error().message();
    EXPECT_LT(differenceFromReference(**placement, *plan, small), 1e-3) << t.name;
    EXPECT_TRUE((*placement)->copySlot(0, 0, 4).has_value());
  }
  const auto bandwidth = (*backend)->measureReadBandwidth();
  ASSERT_TRUE(bandwidth.has_value()) << bandwidth.error().message();
  EXPECT_GT(bandwidth->fromMemory(), 1e8);
  EXPECT_GE(bandwidth->points().size(), 4U);
  const auto stopped = (*backend)->measureReadBandwidth([] { return true; });
  ASSERT_FALSE(stopped.has_value());
  EXPECT_EQ(stopped.error().kind, ErrorKind::cancelled);
  const std::vector<std::string> messages = (*backend)->validationMessages();
  for (const std::string& message : messages) ADD_FAILURE() << message;
}

TEST_F(Vulkan, ABackendCanBeMadeAgainAfterOneIsGone) {
  for (int i = 0; i < 3; ++i) {
    const auto backend = createVulkanBackend("vulkan:0", {});
    ASSERT_TRUE(backend.has_value()) << backend.error().message();
    const tests::RandomModel random = tests::randomModel({.layers = 1});
    const auto plan = model::buildPlan(random.config);
    const auto placement = (*backend)->place(*plan, small, {}, {});
    ASSERT_TRUE(placement.has_value());
    EXPECT_LT(differenceFromReference(**placement, *plan, small), 1e-3);
  }
}

}  // namespace
}  // namespace minerva::gpu
