// A model shared by three devices: two of the device under test, as separate Backends, and the CPU. Every pair of places to cut, the
// kinds of states that must stay with their layers, memory limits that force a sharing, devices that fail.
#include "core/backend/cpu/cpu_backend.h"
#include "core/backend/fit.h"
#include "core/backend/split/split_backend.h"
#include "tests/support/backend_test.h"
#include "tests/support/lent_backend.h"
#include "tests/support/random_families.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace minerva::tests {
namespace {

std::unique_ptr<backend::Backend> someCpu() { return std::move(*backend::createCpuBackend({.threads = 2, .instructionSet = {}})); }

class ManyDevices : public BackendTest {
 protected:
  void SetUp() override {
    BackendTest::SetUp();
    auto second = createBackend(GetParam().device, GetParam().options);
    ASSERT_TRUE(second.has_value()) << second.error().message();
    m_second = std::move(*second);
  }
  void TearDown() override {
    BackendTest::TearDown();
    if (!m_second) return;
    for (const std::string& message : validationMessages(*m_second)) ADD_FAILURE() << "second device: " << message;
  }

  std::unique_ptr<backend::Backend> combine(const backend::SplitChoice& choice, const LentAnswers& first = {},
                                            const LentAnswers& second = {}) {
    std::vector<std::unique_ptr<backend::Backend>> accelerators;
    accelerators.push_back(std::make_unique<LentBackend>(*m_backend, first));
    accelerators.push_back(std::make_unique<LentBackend>(*m_second, second));
    return backend::createSplitBackend(std::move(accelerators), someCpu(), choice);
  }
  // Bit for bit as on one device, where no layer is on the CPU; else as the reference.
  void expectConforms(const RandomModel& made, const backend::SplitChoice& choice, const std::string& what, const Script& script,
                      int slots) {
    const auto plan = model::buildPlan(made.config);
    ASSERT_TRUE(plan.has_value()) << what << ": " << plan.error().message();
    expectConforms(*plan, *combine(choice), what + ", " + testing::PrintToString(choice.layers), script,
                   optionsFor(script, made.config.contextLength, slots, backend::Precision::exact));
  }
  void expectConforms(const model::Plan& plan, backend::Backend& combined, const std::string& what, const Script& script,
                      const backend::PlaceOptions& options) {
    const auto difference = compareWithReference(combined, plan, options, script);
    ASSERT_TRUE(difference.has_value()) << what << ": " << difference.error().message();
    EXPECT_EQ(judge(*difference, toleranceOf(backend::Precision::exact, ElementType::F32)), "") << what;
    const std::vector<backend::DevicePart> parts = combined.info().parts;
    const bool layersOnHost = combined.info().id == "cpu" || (!parts.empty() && (parts.back().layers > 0 || parts.back().experts > 0));
    if (layersOnHost || m_hostComputes) return;
    const auto fromOne = compareDevices(combined, *m_backend, plan, options, script);
    ASSERT_TRUE(fromOne.has_value()) << what << ": " << fromOne.error().message();
    EXPECT_EQ(fromOne->largest, 0) << what << ": " << fromOne->where;
  }

  std::unique_ptr<backend::Backend> m_second;
  bool m_hostComputes = false;  // the host does more in front of the first layer than to look up rows, and rounds differently
};

TEST_P(ManyDevices, EveryPairOfPlacesToCut) {
  constexpr int layers = 4;
  Random random(7);
  const ModelShape shape{.type = ElementType::F16, .layers = layers, .window = 6, .context = 40};
  const RandomModel made = randomModel(shape);
  const Script script = conversationScript(random, shape.vocabulary, shape.context, 3);
  for (int first = 0; first <= layers; ++first) {
    for (int second = 0; first + second <= layers; ++second) expectConforms(made, {.layers = {first, second}}, "layers", script, 3);
  }
}

TEST_P(ManyDevices, RecurrentMixersOnAll) {
  using enum Mixer;
  for (const std::vector<Mixer>& mixers :
       {std::vector{deltaNet, selectiveMamba, attention, channelDeltaNet}, {attention, mamba}, {shortConvolution, attentionAndMamba}}) {
    Random random(13);
    RandomModel made = randomModel({.hidden = 64, .layers = 4});
    addMixers(made, mixers);
    const Script script = sequencesScript(random, made.config.vocabularySize);
    made.config.contextLength = sequencesContext;
    for (const std::vector<int>& cuts : {std::vector{1, 3}, {2, 1}, {3, 1}}) {
      expectConforms(made, {.layers = cuts}, "recurrent", script, sequencesSlots);
    }
  }
}

TEST_P(ManyDevices, WindowsWithCheckpoints) {
  Random random(14);
  RandomModel made = randomModel({.hidden = 64, .layers = 4, .window = 8, .context = sequencesContext});
  const Script script = sequencesScript(random, made.config.vocabularySize);
  for (const std::vector<int>& cuts : {std::vector{1, 3}, {2, 2}, {1, 1}}) {
    expectConforms(made, {.layers = cuts}, "windows", script, sequencesSlots);
  }
}

TEST_P(ManyDevices, MixturesWithTheirExpertsAndWithout) {
  for (const ExpertsShape& experts : expertShapes()) {
    Random random(9);
    RandomModel made = randomModel({.hidden = 64, .layers = 3});
    addExperts(made, experts);
    made.config.contextLength = 48;
    const Script script = conversationScript(random, made.config.vocabularySize, 48, 2);
    expectConforms(made, {.layers = {1, 2}}, experts.what, script, 2);
    expectConforms(made, {.layers = {2, 1}, .experts = backend::HostExperts::all}, experts.what, script, 2);
  }
}

// Layers 2 and 3 use the keys and values of layer 1, so cuts asked for between them are made before layer 1.
TEST_P(ManyDevices, LayersStayWithTheKeysAndValuesTheyUse) {
  Random random(15);
  RandomModel made = randomModel({.hidden = 64, .layers = 5, .context = 40});
  for (const std::size_t layer : {2U, 3U}) {
    made.config.layers[layer].kvFrom = 1;
    made.config.layers[layer].k = made.config.layers[layer].v = {};
  }
  const Script script = conversationScript(random, made.config.vocabularySize, 40, 2);
  for (const std::vector<int>& cuts : {std::vector{2, 3}, {1, 2}, {3, 1}, {4, 1}})
    expectConforms(made, {.layers = cuts}, "shared", script, 2);
}

TEST_P(ManyDevices, PerLayerInputsReachEveryDevice) {
  Random random(16);
  RandomModel made = randomModel({.hidden = 64, .layers = 4, .context = 40});
  addStreams(made);
  m_hostComputes = true;
  const Script script = conversationScript(random, made.config.vocabularySize, 40, 2);
  for (const std::vector<int>& cuts : {std::vector{1, 3}, {2, 1}, {1, 1}}) expectConforms(made, {.layers = cuts}, "streams", script, 2);
}

// Memory limits force a sharing; it is the one that the needs foretell, in memory and in words.
TEST_P(ManyDevices, MemoryLimitsForceASharing) {
  constexpr int layers = 6;
  Random random(17);
  const RandomModel made = randomModel({.type = ElementType::Q8_0, .hidden = 256, .layers = layers, .feedForward = 512, .context = 48});
  const auto plan = model::buildPlan(made.config);
  ASSERT_TRUE(plan.has_value());
  const Script script = conversationScript(random, made.config.vocabularySize, 48, 2);
  const backend::PlaceOptions options = optionsFor(script, 48, 2, backend::Precision::exact);
  const auto needOf = [&](std::vector<int> counts, std::size_t device) {
    const auto split = model::splitPlan(*plan, {.layers = std::move(counts)});
    return m_backend->memoryNeeds(split->plans[device], options)->front().use.allocated();
  };
  const std::uint64_t whole = m_backend->memoryNeeds(*plan, options)->front().use.allocated();
  struct Limits {
    std::uint64_t first, second;
    double firstSpeed, secondSpeed;  // so low that a hand-over costs nothing beside the reading of this small model
    std::vector<int> layers;         // of the parts in their order; empty: one device runs all
    std::string words;
  };
  const Limits cases[] = {
      {whole, whole, 1e7, 1e7, {}, ""},
      {whole - 1, whole, 1e7, 1e7, {}, ""},  // the second alone
      {needOf({4, 2}, 0), whole - 1, 2e7, 1e7, {4, 2, 0}, "4 of 6 layers on a, 2 on b, because it does not fit on a alone"},
      {whole - 1, needOf({2, 4}, 0), 1e7, 2e7, {2, 4, 0}, "2 of 6 layers on b, 4 on a, because it does not fit on a alone"},
      {needOf({2, 1}, 0), needOf({2, 1}, 1), 2e7, 1e7, {2, 1, 3}, "2 of 6 layers on a, 1 on b, the other 3 on cpu, because"},
  };
  for (const Limits& c : cases) {
    const auto combined = combine({}, {.id = "a", .free = c.first, .bytesPerSecond = c.firstSpeed},
                                  {.id = "b", .free = c.second, .bytesPerSecond = c.secondSpeed});
    const auto needs = combined->memoryNeeds(*plan, options);
    ASSERT_TRUE(needs.has_value()) << needs.error().message();
    EXPECT_TRUE(backend::allFit(*needs)) << c.words;
    expectConforms(*plan, *combined, c.words, script, options);
    const backend::DeviceInfo info = combined->info();
    ASSERT_EQ(info.parts.size(), c.layers.size()) << info.detail;
    for (std::size_t i = 0; i < c.layers.size(); ++i) EXPECT_EQ(info.parts[i].layers, c.layers[i]) << c.words << ", part " << i;
    EXPECT_NE(info.detail.find(c.words), std::string::npos) << info.detail;
    EXPECT_EQ(needs->size(), std::max<std::size_t>(1, c.layers.size()));
    const auto placed = combined->place(*plan, options, {}, {});
    ASSERT_TRUE(placed.has_value());
    std::uint64_t foretold = 0;
    for (const backend::DeviceNeed& need : *needs) foretold += need.use.total();
    EXPECT_EQ((*placed)->memory().total(), foretold);
  }
}

// Without the CPU, a model too large for both does not fit, and the need of the last device says so.
TEST_P(ManyDevices, WithoutTheCpuWhatIsTooLargeIsRefused) {
  const RandomModel made = randomModel({.type = ElementType::Q8_0, .hidden = 256, .layers = 6, .feedForward = 512});
  const auto plan = model::buildPlan(made.config);
  ASSERT_TRUE(plan.has_value());
  const backend::PlaceOptions options{.contextLength = 64, .maxRows = 16, .maxOutputRows = 4};
  const auto split = model::splitPlan(*plan, {.layers = {2, 2}});
  const std::uint64_t first = m_backend->memoryNeeds(split->plans[0], options)->front().use.allocated();
  const std::uint64_t second = m_backend->memoryNeeds(split->plans[1], options)->front().use.allocated();
  const LentAnswers a{.id = "a", .free = first, .bytesPerSecond = 2e7}, b{.id = "b", .free = second, .bytesPerSecond = 1e7};
  const auto without = combine({.hostLayers = false}, a, b);
  EXPECT_EQ(without->info().id, "a+b");
  const auto fit =
      backend::workOutFit([&](const model::Plan& part, const backend::PlaceOptions& wanted) { return without->memoryNeeds(part, wanted); },
                          *plan, options, false);
  ASSERT_TRUE(fit.has_value()) << fit.error().message();
  EXPECT_FALSE(fit->fits);
  EXPECT_EQ(backend::doesNotFit(*fit).where, "b");
  EXPECT_TRUE(backend::allFit(*combine({}, a, b)->memoryNeeds(*plan, options)));
}

// Memory that runs out in the middle of a load: the device gets less, the others more.
TEST_P(ManyDevices, ADeviceThatRunsOutOfMemoryGetsLess) {
  const RandomModel made = randomModel({.type = ElementType::Q8_0, .hidden = 256, .layers = 6, .feedForward = 512, .context = 48});
  const auto plan = model::buildPlan(made.config);
  ASSERT_TRUE(plan.has_value());
  const backend::PlaceOptions options{.contextLength = 48, .maxRows = 16, .maxOutputRows = 4};
  const auto combined = combine({}, {.id = "a", .bytesPerSecond = 2e7, .placementsThatRunOut = 1}, {.id = "b", .bytesPerSecond = 1e7});
  const auto placed = combined->place(*plan, options, {}, {});
  ASSERT_TRUE(placed.has_value()) << placed.error().message();
  const backend::DeviceInfo info = combined->info();
  ASSERT_EQ(info.id, "a+b+cpu") << info.detail;
  EXPECT_EQ(info.parts[0].layers + info.parts[1].layers, 6) << info.detail;
  EXPECT_GT(info.parts[0].layers, 3) << "it is the faster one; " << info.detail;
  EXPECT_GT(info.parts[1].layers, 0) << info.detail;
  const auto again = combined->place(*plan, options, {}, {});
  ASSERT_TRUE(again.has_value()) << again.error().message();
  EXPECT_EQ(combined->info().id, "a") << "the next load has all memory again";
  const auto never =
      combine({}, {.id = "a", .bytesPerSecond = 2e7, .placementsThatRunOut = 1000}, {.id = "b", .free = 1, .bytesPerSecond = 1e7});
  const auto refused = never->place(*plan, options, {}, {});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().kind, ErrorKind::outOfMemory);
  EXPECT_EQ(refused.error().message(), "The device is full (a)");
}

TEST_P(ManyDevices, AnErrorNamesItsDevice) {
  const RandomModel made = randomModel({.layers = 4});
  const auto plan = model::buildPlan(made.config);
  ASSERT_TRUE(plan.has_value());
  for (const ErrorKind kind : {ErrorKind::outOfMemory, ErrorKind::deviceLost}) {
    const auto combined = combine({.layers = {2, 2}}, {.id = "same"}, {.id = "same", .placementsThatRunOut = 1, .failing = kind});
    const auto placed = combined->place(*plan, {}, {}, {});
    ASSERT_FALSE(placed.has_value());
    EXPECT_EQ(placed.error().kind, kind);
    EXPECT_EQ(placed.error().where, "same#2");
  }
}

TEST_P(ManyDevices, SaysWhatEachDeviceReadsAndWhatIsHandedOver) {
  const RandomModel made = randomModel({.type = ElementType::F16, .hidden = 64, .layers = 5});
  const auto plan = model::buildPlan(made.config);
  ASSERT_TRUE(plan.has_value());
  const auto combined = combine({.layers = {2, 1}}, {.id = "a"}, {.id = "b"});
  ASSERT_TRUE(combined->place(*plan, {}, {}, {}).has_value());
  const backend::DeviceInfo info = combined->info();
  EXPECT_EQ(info.id, "a+b+cpu");
  ASSERT_EQ(info.parts.size(), 3U);
  std::uint64_t bytes = 0;
  for (const backend::DevicePart& part : info.parts) bytes += part.bytesPerToken;
  EXPECT_EQ(bytes, plan->weightBytesPerToken());
  EXPECT_EQ(info.parts[0].bytesPerToken, 2 * info.parts[1].bytesPerToken);
  EXPECT_EQ(info.split, std::to_string(info.parts[0].bytesPerToken) + "+" + std::to_string(info.parts[1].bytesPerToken) + "+" +
                            std::to_string(info.parts[2].bytesPerToken));
  EXPECT_EQ(info.handedOver, 3U * 64 * 4) << "to a, to b, to the CPU: a row of 64 each";
  EXPECT_NE(info.detail.find("768 B per token from device to device"), std::string::npos) << info.detail;
}

TEST_P(ManyDevices, TheBestLogitsAreThoseOfTheDeviceWithTheHead) {
  const RandomModel made = randomModel({.type = ElementType::F16, .vocabulary = 600, .hidden = 64, .layers = 4});
  const auto plan = model::buildPlan(made.config);
  ASSERT_TRUE(plan.has_value());
  const auto combined = combine({.layers = {2, 2}});
  const auto shared = combined->place(*plan, {}, {}, {}), alone = m_backend->place(*plan, {}, {}, {});
  ASSERT_TRUE(shared.has_value() && alone.has_value());
  const std::vector<backend::StepRow> row{{5, 0, 0, true}};
  ASSERT_TRUE((*shared)->step(row).has_value() && (*alone)->step(row).has_value());
  const auto best = (*shared)->topLogits(0), expected = (*alone)->topLogits(0);
  ASSERT_EQ(best.has_value(), expected.has_value());
  if (!best) GTEST_SKIP() << "skipped: the logits of this device are in the memory of the host";
  ASSERT_EQ(best->best.size(), expected->best.size());
  for (std::size_t i = 0; i < best->best.size(); ++i) EXPECT_EQ(best->best[i].token, expected->best[i].token) << i;
}

std::vector<BackendUnderTest> devicesToCombine() {
  std::vector<BackendUnderTest> all;
  for (const BackendUnderTest& device : backendsUnderTest()) {
    if (device.device != "cpu" || device.name == "cpu_baseline") all.push_back(device);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Devices, ManyDevices, testing::ValuesIn(devicesToCombine()), [](const auto& info) { return info.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ManyDevices);

}  // namespace
}  // namespace minerva::tests
