// No kernel is compiled after a model is placed: which kernels steps need, for any device's tuning, and what real steps make.
#include "core/engine/engine.h"
#include "gpu/runtime/compile_ahead.h"
#include "gpu/runtime/device_list.h"
#include "gpu/runtime/projection_form.h"
#include "gpu/runtime/vulkan_backend.h"
#include "tests/support/matrix_units.h"
#include "tests/support/random_families.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <string>

namespace minerva::gpu {
namespace {

using Rows = std::vector<backend::StepRow>;

// A hardware GPU as its driver describes it, as far as tuning looks at it.
vulkan::DeviceInfo describedGpu(std::uint32_t lanes, bool units, std::uint32_t cores = 128) {
  vulkan::DeviceInfo info;
  info.cores = cores;
  info.subgroupSize = info.minSubgroupSize = info.maxSubgroupSize = lanes;
  info.maxWorkgroupInvocations = 1024;
  info.maxSharedMemory = 48 << 10;
  if (units) info.matrixUnit = {.m = 16, .n = 16, .k = 16, .halfSums = true};
  return info;
}

std::string text(const ProjectionForm& form) {
  std::string all = form.kernel + ' ' + std::to_string(form.lanes) + ':';
  for (const std::uint32_t constant : form.constants) all += ' ' + std::to_string(constant);
  return all;
}

TEST(CompileAhead, FormsOfProjectionsChangeOnlyAtTheirStarts) {
  constexpr std::uint32_t most = 600;
  std::vector<std::pair<Tuning, vulkan::MatrixUnit>> devices;
  for (const std::uint32_t lanes : {16U, 32U, 64U}) {
    for (const bool units : {false, true}) {
      const vulkan::DeviceInfo info = describedGpu(lanes, units);
      Tuning tuning = defaultTuning(info);
      devices.emplace_back(tuning, info.matrixUnit);
      tuning.tiles.from = tuning.units.from = 64;  // as measured on some device
      tuning.tiles.threads = 64;
      tuning.units.busy = 37;
      devices.emplace_back(tuning, info.matrixUnit);
      devices.emplace_back(tuning, info.matrixUnit);
      devices.back().first.ranges = {.cores = 2000, .from = 0, .least = 32};
      ProjectionChoice own = choiceOf(tuning, {ElementType::Q4_K, false});  // of some kinds alone
      own.many.columns = 2;
      own.tilesFrom = 16;
      own.unitsFrom = units ? 128 : UnitsChoice::never;
      tuning.tiles.from = MatmulChoice::never;
      tuning.measured[{ElementType::Q4_K, false}] = tuning.measured[{ElementType::F16, true}] = own;
      devices.emplace_back(tuning, info.matrixUnit);
    }
  }
  for (const auto& [tuning, unit] : devices) {
    const std::vector<std::uint32_t> starts = formStarts(tuning, unit, most);
    ASSERT_FALSE(starts.empty());
    EXPECT_EQ(starts.front(), 1U);
    EXPECT_LE(starts.back(), most);
    for (const std::uint32_t groups : {1U, 8U, 40U, 256U, 1792U}) {
      for (const ElementType type : {ElementType::F16, ElementType::Q4_K}) {
        for (std::uint32_t tokens = 1; tokens <= most; ++tokens) {
          const auto form = [&](std::uint32_t n) {
            return text(projectionForm(tuning, unit,
                                       {.type = type, .groups = groups, .blocks = 64, .tokens = n, .rounds = true, .room = partialSums}));
          };
          const std::uint32_t start = *std::prev(std::ranges::upper_bound(starts, tokens));
          ASSERT_EQ(form(tokens), form(start)) << tokens << " tokens, " << groups << " groups, " << tuning.lanes << " lanes";
        }
      }
    }
  }
}

struct Family {
  const char* name;
  tests::RandomModel (*make)();
  std::size_t mostKernels;  // for a hardware GPU
};

tests::RandomModel windowed() { return tests::randomModel({.hidden = 96, .heads = 6, .window = 40, .context = 4096, .biases = true}); }

tests::RandomModel plain() {
  tests::RandomModel m = tests::randomModel({.type = ElementType::Q8_0, .layers = 1, .context = 4096});
  m.config.logitSoftCap = 30;  // the head's kernels are those of no other projection
  return m;
}

tests::RandomModel latent() {
  tests::RandomModel m =
      tests::randomModel({.hidden = 64, .layers = 2, .context = 4096, .layout = model::RopeLayout::interleaved, .ropeDimension = 8});
  tests::addLatentAttention(m);
  return m;
}

tests::RandomModel mixture() {
  tests::RandomModel m = tests::randomModel({.hidden = 64, .layers = 2, .context = 4096});
  tests::addExperts(m, tests::expertShapes().front());
  return m;
}

tests::RandomModel recurrent() {
  tests::RandomModel m = tests::randomModel({.hidden = 64, .layers = 4, .context = 4096});
  tests::addMixers(m, {tests::Mixer::deltaNet, tests::Mixer::mamba, tests::Mixer::attention, tests::Mixer::selectiveMamba});
  return m;
}

tests::RandomModel embedding() {
  tests::RandomModel m = tests::randomModel({.hidden = 64, .layers = 2, .context = 4096});
  m.config.embedding.pooling = model::Pooling::mean;
  m.config.embedding.normalised = true;
  return m;
}

// The bounds are what these plans have now with a little room; they fail when a constant multiplies the variants.
constexpr Family families[] = {{"attention", plain, 44}, {"window", windowed, 38},     {"latent", latent, 40},
                               {"mixture", mixture, 44}, {"recurrent", recurrent, 47}, {"embedding", embedding, 38}};

class VulkanAhead : public testing::Test {
 protected:
  void SetUp() override {
    auto found = findDevice("vulkan:0", {});
    if (!found) GTEST_SKIP() << "skipped: no Vulkan device";
    auto device = vulkan::Device::create(std::move(found->instance), found->device);
    ASSERT_TRUE(device.has_value()) << device.error().message();
    m_device = std::move(*device);
  }
  std::shared_ptr<vulkan::Device> m_device;
};

// With the tuning that each starts with.
std::vector<std::pair<vulkan::DeviceInfo, Tuning>> describedDevices() {
  std::vector<std::pair<vulkan::DeviceInfo, Tuning>> all;
  vulkan::DeviceInfo software = describedGpu(8, true);
  software.software = true;
  all.emplace_back(software, defaultTuning(software));
  all.push_back(all.back());
  EXPECT_TRUE(setMatrixUnits(all.back().second, software, backend::MatrixUnits::on));
  software.broadcastLoads = true;
  all.emplace_back(software, defaultTuning(software));
  for (const std::uint32_t lanes : {16U, 32U, 64U}) {
    for (const bool units : {false, true}) {
      for (const std::uint32_t cores : {10U, 128U}) {
        const vulkan::DeviceInfo info = describedGpu(lanes, units, cores);
        all.emplace_back(info, defaultTuning(info));
        all.push_back(all.back());
        all.back().second.ranges = {.cores = cores, .from = 0, .least = 32};  // the columns of small models are split, too
      }
    }
  }
  return all;
}

using Collect = std::function<void(const StepShape&)>;

// Every shape that the options allow.
void collectShapes(const backend::PlaceOptions& options, const Collect& collect) {
  const auto maxRows = static_cast<std::uint32_t>(options.maxRows), maxOutputs = static_cast<std::uint32_t>(options.maxOutputRows);
  for (std::uint32_t rows = 1; rows <= maxRows; ++rows) {
    for (std::uint32_t outputs = 0; outputs <= std::min(rows, maxOutputs); ++outputs) {
      for (std::uint32_t positions = 1; positions <= static_cast<std::uint32_t>(options.contextLength); positions *= 2) {
        for (const bool oneSlot : {true, false}) collect({rows, outputs, positions, oneSlot, 0});
        if (options.alike == backend::Alike::never) continue;
        const std::vector<AlikeRows> runs =
            rows == 1 ? std::vector<AlikeRows>{{1, positions}} : std::vector<AlikeRows>{{1, 1}, {rows - 1, positions}};
        collect({rows, outputs, positions, false, 0, runs, true});
        if (rows > 1) collect({rows, outputs, positions, false, 0, runs});
      }
    }
  }
}

// The kernels of all these shapes, against those that are compiled ahead. Nothing is compiled here, so that hardware can be asked that is
// not there.
void checkAhead(const Family& family, int maxRows) {
  const tests::RandomModel made = family.make();
  const auto plan = model::buildPlan(made.config);
  ASSERT_TRUE(plan.has_value()) << family.name << ": " << plan.error().message();
  const backend::PlaceOptions options{.contextLength = 2048,
                                      .slots = 2,
                                      .maxRows = maxRows,
                                      .maxOutputRows = std::min(maxRows, 18),
                                      .precision = backend::Precision::standard,
                                      .alike = plan->embedding == model::none ? backend::Alike::always : backend::Alike::never};
  const MatrixPlan matrices = planMatrices(*plan);
  const Resident resident = describeResident(*plan, matrices, options);
  for (const auto& [info, tuning] : describedDevices()) {
    const auto device = vulkan::Device::describe(info);
    Kernels kernels(device);
    vulkan::TexelSets sets(device);
    std::map<std::pair<int, VkDeviceAddress>, VkDescriptorSet> matrixSets;
    const std::map<model::BufferId, vulkan::Buffer> hostRows;
    const auto collect = [&](const StepShape& shape, std::set<KernelKey>& to) {
      Recorder recorder({device, *plan, matrices, resident, options, tuning, kernels, sets, matrixSets, hostRows});
      EXPECT_TRUE(recorder.collect(shape, to).has_value());
    };
    std::set<KernelKey> ahead, all;
    for (const StepShape& shape : shapesAhead(tuning, info.matrixUnit, *plan, options)) collect(shape, ahead);
    collectShapes(options, [&](const StepShape& shape) { collect(shape, all); });
    const std::string where = std::string(family.name) + ", " + std::to_string(maxRows) + " rows, " + std::to_string(tuning.lanes) +
                              " lanes, " + std::to_string(info.cores) + (info.matrixUnit.present() ? " cores, units" : " cores");
    for (const KernelKey& key : all) EXPECT_TRUE(ahead.contains(key)) << where << ": " << key.name;
    const std::size_t unitForms = info.matrixUnit.present() ? 12 : 0;
    const std::size_t joins = tuning.ranges.from == 0 ? 2 : 0;
    const std::size_t alikeForms = options.alike == backend::Alike::never ? 0 : 4;
    EXPECT_LE(ahead.size(), family.mostKernels + unitForms + joins + alikeForms) << where;
  }
}

TEST(CompileAhead, NoStepNeedsAnotherKernel) {
  for (const Family& family : families) {
    for (const int maxRows : {21, 4}) checkAhead(family, maxRows);
  }
}

// `count` rows of a slot from a position on; the last `outputs` want logits.
Rows rowsAt(int slot, int position, int count, int outputs) {
  Rows rows;
  for (int i = 0; i < count; ++i) rows.push_back({i % 5, position + i, slot, i >= count - outputs});
  return rows;
}

// Prompts in steps of up to 512 rows, each from position 0; replies behind the last of them, at more than 1024 positions, with rows to
// verify; then replies of several slots at once.
std::vector<Rows> writingSteps(int slots) {
  std::vector<Rows> steps;
  for (const int prompt : {1, 7, 64, 300, 1500}) {
    for (int from = 0; from < prompt; from += 512)
      steps.push_back(rowsAt(0, from, std::min(512, prompt - from), from + 512 < prompt ? 0 : 1));
  }
  int position = 1500;
  for (const int rows : {1, 1, 2, 3, 5, 8, 9, 16, 32, 1}) {
    steps.push_back(rowsAt(0, position, rows, rows));
    position += rows;
  }
  for (int count = 1; count <= slots; ++count) {
    Rows together = rowsAt(0, position++, 1, 1);
    for (int slot = 1; slot < count; ++slot) together.push_back({3, count - slot - 1, slot, true});
    steps.push_back(together);
  }
  return steps;
}

// Texts of these lengths, each step one or several of them as a whole.
std::vector<Rows> textSteps(int slots) {
  std::vector<Rows> steps;
  for (const int length : {1, 7, 64, 300, 1500}) steps.push_back(rowsAt(0, 0, length, 1));
  for (int count = 2; count <= slots; count += 5) {
    Rows together;
    for (int slot = 0; slot < count; ++slot) {
      const Rows one = rowsAt(slot, 0, 3 + slot, 1);
      together.insert(together.end(), one.begin(), one.end());
    }
    steps.push_back(together);
  }
  return steps;
}

class VulkanAheadFamily : public testing::TestWithParam<Family> {};

TEST_P(VulkanAheadFamily, StepsMakeNoPipelines) {
  auto made = createVulkanBackend("vulkan:0", {.validation = true, .matrixUnits = tests::unitsUnderTest()});
  if (!made) made = createVulkanBackend("vulkan:0", {.matrixUnits = tests::unitsUnderTest()});
  if (!made) GTEST_SKIP() << "skipped: " << made.error().message();
  VulkanBackend& backend = **made;
  const tests::RandomModel family = GetParam().make();
  const auto plan = model::buildPlan(family.config);
  ASSERT_TRUE(plan.has_value()) << plan.error().message();
  const bool ofTexts = plan->embedding != model::none;
  constexpr int slots = 32;
  const backend::PlaceOptions options{
      .contextLength = 2048, .slots = slots, .contexts = 4, .maxRows = ofTexts ? 2048 : 512, .maxOutputRows = slots, .compileAhead = true};
  std::uint64_t last = 0, total = 0;
  bool falls = false;
  const auto progress = [&](std::uint64_t done, std::uint64_t all) {
    falls = falls || done < last || done > all;
    last = done;
    total = all;
  };
  const auto placement = backend.place(*plan, options, progress, {});
  ASSERT_TRUE(placement.has_value()) << placement.error().message();
  EXPECT_FALSE(falls);
  EXPECT_EQ(last, total);
  const std::size_t ready = backend.pipelinesMade();
  EXPECT_GT(total, ready << 20) << "kernels are part of the progress";
  for (const Rows& step : ofTexts ? textSteps(slots) : writingSteps(slots)) {
    const auto stepped = (*placement)->step(step);
    ASSERT_TRUE(stepped.has_value()) << stepped.error().message();
    EXPECT_EQ(backend.pipelinesMade(), ready) << "a step of " << step.size() << " rows from position " << step.front().position;
  }
  for (const std::string& message : backend.validationMessages()) ADD_FAILURE() << message;
}
INSTANTIATE_TEST_SUITE_P(Families, VulkanAheadFamily, testing::ValuesIn(families),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_F(VulkanAhead, ALoadCanBeCancelledWhileKernelsAreCompiled) {
  Kernels kernels(m_device);
  std::vector<KernelKey> keys;
  for (std::uint32_t threads = 1; threads <= 64; ++threads) keys.push_back(Kernels::keyOf<push::Gather>("gather", {threads}, 0));
  std::stop_source stop;
  const auto result = kernels.compile(
      keys, [&](std::size_t) { stop.request_stop(); }, stop.get_token());
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, ErrorKind::cancelled);
  const auto again = kernels.compile(keys, {}, {});
  ASSERT_TRUE(again.has_value()) << again.error().message();
  EXPECT_EQ(kernels.count(), keys.size());
  keys.push_back({"no such kernel", 8, {1}, 0});
  const auto unknown = kernels.compile(keys, {}, {});
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().where, "no such kernel");
}

// From the file to the last token of a reply, with the placement that the engine asks for.
TEST_F(VulkanAhead, RepliesMakeNoPipelines) {
  auto backend = createVulkanBackend("vulkan:0", {.validation = true, .matrixUnits = tests::unitsUnderTest()});
  if (!backend) backend = createVulkanBackend("vulkan:0", {.matrixUnits = tests::unitsUnderTest()});
  ASSERT_TRUE(backend.has_value()) << backend.error().message();
  engine::LoadOptions options;
  options.path = MINERVA_SOURCE_DIR "/resources/builtin-model";
  options.sequences = 3;
  const auto loaded = engine::Engine::load(**backend, options, {}, {});
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message();
  const std::size_t ready = (*backend)->pipelinesMade();
  EXPECT_GT(ready, 0U);
  int finished = 0, tokens = 0;
  (*loaded)->setSink([&](const engine::Event& event) {
    finished += std::holds_alternative<engine::Finished>(event.body) ? 1 : 0;
    tokens += std::holds_alternative<engine::TokenEvent>(event.body) ? 1 : 0;
  });
  for (const int length : {1, 7, 64, 300}) {
    engine::Request request;
    for (int i = 0; i < length; ++i) request.tokens.push_back(3 + i % 200);
    request.maxTokens = 30;
    request.ignoreEndOfTurn = true;
    (*loaded)->submit(std::move(request));
  }
  while (finished < 4) (*loaded)->step();
  EXPECT_GE(tokens, 4 * 30);
  EXPECT_EQ((*backend)->pipelinesMade(), ready);
  for (const std::string& message : (*backend)->validationMessages()) ADD_FAILURE() << message;
}

}  // namespace
}  // namespace minerva::gpu
