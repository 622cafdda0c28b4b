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
#include "tests/support/random_families.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>

namespace minerva::gpu {
namespace {

class Vulkan : public testing::Test {
 protected:
  void SetUp() override {
    if (listVulkanDevices({}).devices.empty()) GTEST_SKIP() << "skipped: no Vulkan device";
  }
};

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

using Rows = std::vector<backend::StepRow>;

Rows prompt(int from, int count) {
  Rows rows;
  for (int i = 0; i < count; ++i) rows.push_back({(from + i) * 7 % 67, from + i, 0, true});
  return rows;
}

// Returns the largest difference of any logit over these steps. If `size` is not null, it receives the largest logit.
double differenceFromReference(backend::Placement& placement, const model::Plan& plan, const backend::PlaceOptions& options,
                               double* size = nullptr) {
  const auto reference = backend::reference::createReferenceBackend();
  const auto truth = reference->place(plan, options, {}, {});
  double largest = 0;
  for (const Rows& rows : {prompt(0, 11), prompt(11, 1), prompt(12, 3), prompt(15, 8), prompt(23, 1)}) {
    EXPECT_TRUE((*truth)->step(rows).has_value());
    const auto stepped = placement.step(rows);
    EXPECT_TRUE(stepped.has_value()) << stepped.error().message();
    if (!stepped) return HUGE_VAL;
    for (int i = 0; i < static_cast<int>(rows.size()); ++i) {
      const auto expected = (*truth)->logits(i);
      const auto found = placement.logits(i);
      EXPECT_TRUE(found.has_value());
      for (std::size_t k = 0; k < expected->size(); ++k) {
        const double difference = std::fabs(static_cast<double>((*found)[k]) - static_cast<double>((*expected)[k]));
        if (size != nullptr) *size = std::max(*size, std::fabs(static_cast<double>((*expected)[k])));
        largest = std::isnan(difference) ? HUGE_VAL : std::max(largest, difference);
      }
    }
  }
  return largest;
}

const backend::PlaceOptions small{
    .contextLength = 64, .slots = 1, .maxRows = 16, .maxOutputRows = 16, .precision = backend::Precision::exact};

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

// All kernel variants that tuning may choose give the same results.
TEST_F(Vulkan, EveryFormOfTheKernelsAgreesWithTheReference) {
  auto found = findDevice("vulkan:0", {});
  ASSERT_TRUE(found.has_value());
  auto device = vulkan::Device::create(std::move(found->instance), found->device);
  ASSERT_TRUE(device.has_value()) << device.error().message();
  const auto kernels = std::make_shared<Kernels>(*device);
  const tests::RandomModel random = tests::randomModel(
      {.type = ElementType::Q5_1, .hidden = 96, .layers = 2, .heads = 6, .kvHeads = 2, .headDim = 16, .feedForward = 160});
  const auto plan = model::buildPlan(random.config);
  ASSERT_TRUE(plan.has_value());
  std::vector<Tuning> forms;
  for (const bool texel : {false, true}) {
    for (const std::uint32_t rows : texel ? std::vector{1U, 4U} : std::vector{2U, 8U}) {
      Tuning form = defaultTuning(found->device);
      const std::uint32_t share = (rows == 1 || rows == 8) != texel ? 4 : 1;
      form.one = {.texel = texel, .rows = rows, .teams = rows == 8 ? 1U : 2U, .columns = 1, .share = share};
      form.many = {.texel = texel, .rows = rows, .teams = 1, .columns = 8 / rows, .share = share};
      form.privateQueries = texel;
      form.attentionHeads = form.attentionHeadsShort = rows;
      form.fusedNorm = rows < 4;
      form.normTeams = rows < 4 ? 1 : 3;
      form.attentionTeams = rows < 4 ? 2 : 1;
      form.splitLength = texel ? 8 : 1u << 30;
      forms.push_back(form);
    }
  }
  for (const Tuning& form : forms) {
    auto placement = VulkanPlacement::create(*device, kernels, form, *plan, small, {}, {});
    ASSERT_TRUE(placement.has_value()) << placement.error().message();
    EXPECT_LT(differenceFromReference(**placement, *plan, small), 1e-3)
        << (form.one.texel ? "texel" : "address") << ", " << form.one.rows << " rows";
  }
}

// Lanes that share a block read single words of its codes, as GPUs do; drivers on the CPU read whole blocks.
TEST_F(Vulkan, SharedBlocksOfEveryTypeAgreeWithTheReference) {
  auto found = findDevice("vulkan:0", {});
  ASSERT_TRUE(found.has_value()) << found.error().message();
  auto device = vulkan::Device::create(std::move(found->instance), found->device);
  ASSERT_TRUE(device.has_value()) << device.error().message();
  const auto kernels = std::make_shared<Kernels>(*device);
  using enum ElementType;
  for (const ElementType type : {F32, F16, Q8_0, Q4_0, Q5_0, Q4_K, Q5_K, Q6_K, MXFP4, MLX4_G64_BF16, MLX4_G128_F32, MLX8_G32_F16, IQ4_XS}) {
    const tests::RandomModel random =
        tests::randomModel({.type = type, .hidden = 256, .layers = 1, .heads = 4, .kvHeads = 2, .headDim = 64, .feedForward = 512});
    const auto plan = model::buildPlan(random.config);
    ASSERT_TRUE(plan.has_value()) << plan.error().message();
    Tuning form = defaultTuning(found->device);
    form.one = {.texel = false, .rows = 2, .teams = 2, .columns = 1, .share = 4};
    form.many = {.texel = false, .rows = 4, .teams = 1, .columns = 4, .share = 4};
    auto placement = VulkanPlacement::create(*device, kernels, form, *plan, small, {}, {});
    ASSERT_TRUE(placement.has_value()) << placement.error().message();
    EXPECT_LT(differenceFromReference(**placement, *plan, small), 1e-3) << traits(type).name;
  }
}

// The tiled kernel, which is off by default on software devices: long steps, with and without partly filled tiles.
TEST_F(Vulkan, TilesOfLongStepsAgreeWithTheReference) {
  auto found = findDevice("vulkan:0", {.validation = true});
  if (!found) found = findDevice("vulkan:0", {});
  ASSERT_TRUE(found.has_value()) << found.error().message();
  auto device = vulkan::Device::create(std::move(found->instance), found->device);
  ASSERT_TRUE(device.has_value()) << device.error().message();
  const auto kernels = std::make_shared<Kernels>(*device);
  for (const auto type : {ElementType::F16, ElementType::Q8_0, ElementType::Q4_K, ElementType::MLX4_G64_BF16}) {
    const tests::RandomModel random =
        tests::randomModel({.type = type, .hidden = 256, .layers = 1, .heads = 4, .kvHeads = 2, .headDim = 64, .feedForward = 512});
    const auto plan = model::buildPlan(random.config);
    ASSERT_TRUE(plan.has_value());
    for (const MatmulChoice tiles : {MatmulChoice{.from = 2, .threads = 128, .groups = 8, .columns = 4},
                                     MatmulChoice{.from = 2, .threads = 64, .groups = 4, .columns = 2}}) {
      Tuning form = defaultTuning(found->device);
      form.tiles = tiles;
      auto placement = VulkanPlacement::create(*device, kernels, form, *plan, small, {}, {});
      ASSERT_TRUE(placement.has_value()) << placement.error().message();
      EXPECT_LT(differenceFromReference(**placement, *plan, small), 1e-3) << traits(type).name << ", " << tiles.threads << " threads";
    }
  }
  for (const std::string& message : (*device)->instance().messages()) ADD_FAILURE() << message;
}

// Matrix units round activations and weights to half precision, so logits are close to the reference but never equal. Uses
// tiles that the steps fill and tiles that no step fills; they are small, so that a CPU-based driver compiles them in
// seconds.
TEST_F(Vulkan, MatrixUnitsAgreeWithTheReferenceToHalves) {
  auto found = findDevice("vulkan:0", {.validation = true});
  ASSERT_TRUE(found.has_value());
  if (!found->device.matrixUnit.present()) GTEST_SKIP() << "skipped: " << found->device.name << " has no matrix units";
  auto device = vulkan::Device::create(std::move(found->instance), found->device);
  ASSERT_TRUE(device.has_value()) << device.error().message();
  const auto kernels = std::make_shared<Kernels>(*device);
  backend::PlaceOptions rounding = small;
  rounding.precision = backend::Precision::standard;
  for (const auto type : {ElementType::BF16, ElementType::Q8_0, ElementType::Q4_K, ElementType::MLX4_G64_BF16}) {
    const tests::RandomModel random = tests::randomModel(
        {.type = type, .hidden = 256, .layers = 1, .heads = 4, .kvHeads = 2, .headDim = 64, .feedForward = 512, .biases = true});
    const auto plan = model::buildPlan(random.config);
    ASSERT_TRUE(plan.has_value());
    Tuning form = defaultTuning(found->device);
    const vulkan::MatrixUnit& unit = found->device.matrixUnit;
    std::vector<UnitTiles> forms{{.threads = 4 * form.lanes, .m = 2, .n = 16 / unit.n, .along = 2}};
    if (type == ElementType::Q8_0) forms.push_back({.threads = 2 * form.lanes, .m = 1, .n = 32 / unit.n, .along = 1});
    for (const UnitTiles& tiles : forms) {
      form.units.from = 2;
      form.units.tiles.fill(tiles);
      auto placement = VulkanPlacement::create(*device, kernels, form, *plan, rounding, {}, {});
      ASSERT_TRUE(placement.has_value()) << placement.error().message();
      double size = 0;
      const double difference = differenceFromReference(**placement, *plan, rounding, &size);
      EXPECT_LT(difference, 5e-3 * size) << traits(type).name << ", " << tiles.threads << " threads";
      EXPECT_GT(difference, 2e-5 * size) << "nothing was rounded: the units did not run";
    }
  }
  for (const std::string& message : (*device)->instance().messages()) ADD_FAILURE() << message;
}

TEST_F(Vulkan, MatrixUnitsPassTheirOwnCheck) {
  auto found = findDevice("vulkan:0", {});
  ASSERT_TRUE(found.has_value());
  if (!found->device.matrixUnit.present()) GTEST_SKIP() << "skipped: " << found->device.name << " has no matrix units";
  const vulkan::MatrixUnit unit = found->device.matrixUnit;
  auto device = vulkan::Device::create(std::move(found->instance), found->device);
  ASSERT_TRUE(device.has_value()) << device.error().message();
  Kernels kernels(*device);
  Tuning form = defaultTuning(found->device);
  form.units.tiles = {{{.threads = 4 * form.lanes, .m = 2, .n = 16 / unit.n, .along = 2},
                       {.threads = 4 * form.lanes, .m = 1, .n = 16 / unit.n, .along = 4},
                       {.threads = 2 * form.lanes, .m = 1, .n = 32 / unit.n, .along = 1}}};
  const auto right = unitsAreRight(*device, kernels, form);
  ASSERT_TRUE(right.has_value()) << right.error().message();
  EXPECT_TRUE(*right);
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
  for (const backend::SplitChoice choice :
       {backend::SplitChoice{.layers = 2}, backend::SplitChoice{.layers = 3, .experts = backend::HostExperts::all}}) {
    auto made = createVulkanBackend("vulkan:0", {.validation = true, .staged = true});
    if (!made) made = createVulkanBackend("vulkan:0", {.staged = true});
    ASSERT_TRUE(made.has_value()) << made.error().message();
    const VulkanBackend& device = **made;
    auto cpu = backend::createCpuBackend({.threads = 2, .instructionSet = {}});
    ASSERT_TRUE(cpu.has_value());
    const auto both = backend::createSplitBackend(std::move(*made), std::move(*cpu), choice);
    const auto placement = both->place(*plan, small, {}, {});
    ASSERT_TRUE(placement.has_value()) << placement.error().message();
    EXPECT_LT(differenceFromReference(**placement, *plan, small), 1e-3) << choice.layers;
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
