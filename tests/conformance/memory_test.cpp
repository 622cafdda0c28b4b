// The memory a device predicts for a model is what placing it takes, to the byte: many random models, every option.
#include "tests/support/backend_test.h"
#include "tests/support/random_families.h"

#include <gtest/gtest.h>

namespace minerva::tests {
namespace {

template <class T>
T oneOf(Random& random, std::initializer_list<T> choices) {
  return choices.begin()[random.below(static_cast<int>(choices.size()))];
}

RandomModel anyModel(Random& random) {
  const auto type = oneOf(random, {ElementType::F32, ElementType::F16, ElementType::BF16, ElementType::Q4_0, ElementType::Q8_0});
  const bool blocks = type == ElementType::Q4_0 || type == ElementType::Q8_0;
  const bool experts = random.below(3) == 0, latent = random.below(4) == 0;
  RandomModel made = randomModel({.type = type,
                                  .hidden = experts || latent ? 64 : oneOf(random, {32, 96, 256}),
                                  .layers = oneOf(random, {1, 2, 5}),
                                  .heads = 6,
                                  .kvHeads = oneOf(random, {1, 2, 3, 6}),
                                  .headDim = blocks ? oneOf(random, {32, 64}) : oneOf(random, {16, 18, 40, 64}),
                                  .window = oneOf(random, {0, 7}),
                                  .context = 300,
                                  .layout = latent ? model::RopeLayout::interleaved : model::RopeLayout::halves,
                                  .ropeDimension = latent ? 8 : -1,
                                  .tied = random.below(2) == 0});
  const std::vector<ExpertsShape> shapes = expertShapes();
  if (experts) addExperts(made, shapes[static_cast<std::size_t>(random.below(static_cast<int>(shapes.size())))]);
  if (latent) addLatentAttention(made);
  return made;
}

class MemoryConformance : public BackendTest {
 protected:
  void expectWhatWasSaid(std::uint64_t firstSeed, std::uint64_t seeds);
};

// More models: a GPU's kernels are compiled for each.
class MemorySweep : public MemoryConformance {};

void MemoryConformance::expectWhatWasSaid(std::uint64_t firstSeed, std::uint64_t seeds) {
  for (std::uint64_t seed = firstSeed; seed < firstSeed + seeds; ++seed) {
    Random random(seed);
    const RandomModel made = anyModel(random);
    const auto plan = model::buildPlan(made.config);
    ASSERT_TRUE(plan.has_value()) << plan.error().message();
    const int rows = oneOf(random, {1, 3, 16, 100, 256});
    const backend::PlaceOptions options{.contextLength = oneOf(random, {256, 257, 300}),
                                        .slots = oneOf(random, {1, 2, 5}),
                                        .maxRows = rows,
                                        .maxOutputRows = std::min(rows, oneOf(random, {1, 32})),
                                        .precision = oneOf(random, {backend::Precision::exact, backend::Precision::standard}),
                                        .kvType = oneOf(random, {model::KvType::f16, model::KvType::q8_0})};
    const auto needs = m_backend->memoryNeeds(*plan, options);
    const auto placement = m_backend->place(*plan, options, {}, {});
    ASSERT_TRUE(needs.has_value()) << "seed " << seed << ": " << needs.error().message();
    ASSERT_TRUE(placement.has_value()) << "seed " << seed << ": " << placement.error().message();
    ASSERT_EQ(needs->size(), 1U);
    const backend::MemoryUse said = needs->front().use, taken = (*placement)->memory();
    EXPECT_EQ(said.weights, taken.weights) << "seed " << seed;
    EXPECT_EQ(said.mapped, taken.mapped) << "seed " << seed;
    EXPECT_EQ(said.kv, taken.kv) << "seed " << seed;
    EXPECT_EQ(said.scratch, taken.scratch) << "seed " << seed;
    EXPECT_GT(taken.weights, 0U);
    EXPECT_GT(taken.kv, 0U);
  }
}

TEST_P(MemoryConformance, IsWhatWasSaidBefore) { expectWhatWasSaid(0, 8); }
TEST_P(MemorySweep, IsWhatWasSaidBefore) { expectWhatWasSaid(8, 52); }

// The type of the KV cache depends on the weights that keys and values are computed from; it is the same on every device,
// and the plan states it. A single small float32 matrix, such as a router, does not change it.
TEST_P(MemoryConformance, TheCacheIsKeptAsThePlanSays) {
  const auto cacheOf = [&](const model::Plan& plan, backend::Precision precision, model::KvType wanted) -> std::uint64_t {
    const backend::PlaceOptions options{
        .contextLength = 256, .slots = 3, .maxRows = 1, .maxOutputRows = 1, .precision = precision, .kvType = wanted};
    const auto needs = m_backend->memoryNeeds(plan, options);
    EXPECT_TRUE(needs.has_value()) << needs.error().message();
    if (!needs) return 0;
    const std::uint64_t said = plan.kvBytesPerPosition(backend::keptKv(plan, options)) * 256 * 3;
    // A GPU rounds the scales of quantized codes up to whole words.
    if (wanted != model::KvType::q8_0) EXPECT_EQ(needs->front().use.kv, said);
    else EXPECT_GE(needs->front().use.kv, said);
    return needs->front().use.kv;
  };
  using model::KvType;
  const ModelShape half{.type = ElementType::F16, .hidden = 64, .headDim = 64, .context = 300};
  const RandomModel plain = randomModel(half);
  RandomModel routed = randomModel(half), single = randomModel(half);
  addExperts(routed, {"half", model::GatePlace::separate, ElementType::F16, ElementType::F16, false, false, true, false, 1,
                      model::Activation::silu});
  for (model::LayerConfig& layer : single.config.layers) {
    for (model::Linear* linear : {&layer.q, &layer.k, &layer.v}) {
      linear->weight = single.store.matrix(ElementType::F32, linear->weight.shape.rows(), linear->weight.shape.columns(), 0.1);
    }
  }
  const auto standard = backend::Precision::standard, exact = backend::Precision::exact;
  const auto planOf = [](const RandomModel& made) { return model::buildPlan(made.config).value(); };
  const std::uint64_t usual = cacheOf(planOf(plain), standard, KvType::f16);
  EXPECT_EQ(cacheOf(planOf(routed), standard, KvType::f16), usual);
  EXPECT_EQ(cacheOf(planOf(single), standard, KvType::f16), 2 * usual);
  EXPECT_EQ(cacheOf(planOf(plain), exact, KvType::f16), 2 * usual);
  EXPECT_LT(cacheOf(planOf(single), exact, KvType::q8_0), usual);
}

INSTANTIATE_TEST_SUITE_P(Devices, MemoryConformance, testing::ValuesIn(backendsUnderTest()),
                         [](const auto& info) { return info.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(MemoryConformance);
INSTANTIATE_TEST_SUITE_P(Devices, MemorySweep, testing::ValuesIn(backendsUnderTest()), [](const auto& info) { return info.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(MemorySweep);

}  // namespace
}  // namespace minerva::tests
