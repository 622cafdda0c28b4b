// Whole random models on every backend against the reference: chunked prompts, several conversations, rewinds and copies.
#include "tests/support/backend_test.h"
#include "tests/support/random_model.h"

#include <gtest/gtest.h>

namespace minerva::tests {
namespace {

// A cached code may be rounded differently than in double precision; this happens more often the more activations are
// rounded.
Tolerance codesTolerance(backend::Precision precision) {
  const bool exact = precision == backend::Precision::exact;
  return toleranceOf(backend::Precision::standard, exact ? ElementType::F16 : ElementType::BF16);
}

class ModelConformance : public BackendTest {
 protected:
  void expectConforms(const ModelShape& shape, const Script& script, int slots, model::KvType kvType = model::KvType::f16) {
    const RandomModel made = randomModel(shape);
    const auto plan = model::buildPlan(made.config);
    ASSERT_TRUE(plan.has_value()) << plan.error().message();
    for (const auto precision : {backend::Precision::exact, backend::Precision::standard}) {
      backend::PlaceOptions options = optionsFor(script, shape.context, slots, precision);
      options.kvType = kvType;
      const auto difference = compareWithReference(*m_backend, *plan, options, script);
      ASSERT_TRUE(difference.has_value()) << describe(shape) << ": " << difference.error().message();
      EXPECT_EQ(judge(*difference, kvType == model::KvType::q8_0 ? codesTolerance(precision) : toleranceOf(precision, shape.type)), "")
          << describe(shape) << (precision == backend::Precision::exact ? ", exact" : ", standard");
    }
  }
};

ModelShape shapeOf(ElementType type, std::uint64_t seed) {
  ModelShape shape{.type = type};
  shape.seed = seed;
  const int block = static_cast<int>(traits(type).blockElements);
  if (block > 32) {
    shape.hidden = 256;
    shape.headDim = 64;
    shape.feedForward = 512;
  } else if (block > 1) {
    shape.hidden = 96;
    shape.heads = 6;
    shape.headDim = 16;
    shape.feedForward = 160;
  } else {  // no size is a multiple of another
    shape.hidden = 52;
    shape.heads = 3;
    shape.kvHeads = 1;
    shape.headDim = 18;
    shape.feedForward = 71;
  }
  return shape;
}

TEST_P(ModelConformance, EveryElementTypeInChunks) {
  // A GPU driver compiles kernels for every type, which takes a CPU-based driver minutes, and op_test.cpp covers all types.
  for (const ElementTypeTraits& t : GetParam().device == "cpu" ? matrixTypes() : typesOfEveryWay()) {
    Random random(3);
    const ModelShape shape = shapeOf(t.type, 17);
    expectConforms(shape, prefillScript(random, shape.vocabulary, 50, {1, 2, 5, 16, 26}), 1);
  }
}

TEST_P(ModelConformance, SeveralConversationsAtOnce) {
  for (const auto type : {ElementType::F32, ElementType::BF16, ElementType::Q8_0, ElementType::Q4_0, ElementType::Q4_K}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      Random random(seed);
      ModelShape shape = shapeOf(type, seed);
      shape.context = 33 + static_cast<int>(seed);
      const int slots = 1 + static_cast<int>(seed);
      expectConforms(shape, conversationScript(random, shape.vocabulary, shape.context, slots), slots);
    }
  }
}

TEST_P(ModelConformance, AQuantizedCache) {
  for (const int headDim : {18, 32, 40, 64, 80}) {  // blocks of 32, and remainders
    for (const int window : {0, 7}) {
      Random random(static_cast<std::uint64_t>(headDim));
      ModelShape shape{.type = ElementType::F16, .hidden = 64, .heads = 6, .kvHeads = 2, .headDim = headDim, .window = window};
      shape.context = 45;
      expectConforms(shape, conversationScript(random, shape.vocabulary, shape.context, 3), 3, model::KvType::q8_0);
    }
  }
  Random random(5);
  ModelShape shape{.type = ElementType::F32, .heads = 9, .kvHeads = 1, .headDim = 32, .context = 700};
  expectConforms(shape, prefillScript(random, shape.vocabulary, 680, {300, 17, 1, 350, 1}), 1, model::KvType::q8_0);
}

TEST_P(ModelConformance, VariantsOfTheArchitecture) {
  for (int variant = 0; variant < 8; ++variant) {
    Random random(static_cast<std::uint64_t>(variant));
    ModelShape shape = shapeOf(variant % 2 == 0 ? ElementType::F32 : ElementType::Q8_0, 40 + static_cast<std::uint64_t>(variant));
    shape.layers = 1 + variant % 3;
    shape.norm = variant % 3 == 1 ? model::NormKind::layer : model::NormKind::rms;
    shape.activation = static_cast<model::Activation>(variant % 3);
    shape.layout = variant % 2 == 0 ? model::RopeLayout::interleaved : model::RopeLayout::halves;
    shape.window = variant >= 4 ? 5 : 0;
    shape.biases = variant == 2 || variant == 5;
    shape.gated = variant != 3;
    shape.tied = variant % 4 == 1;
    shape.ropeMagnitude = variant == 6 ? 1.1F : 1.0F;
    expectConforms(shape, conversationScript(random, shape.vocabulary, shape.context, 2), 2);
  }
}

TEST_P(ModelConformance, RowsOutsideTheLimitsAreRefusedAndChangeNothing) {
  const RandomModel made = randomModel({});
  const auto plan = model::buildPlan(made.config);
  ASSERT_TRUE(plan.has_value());
  auto placed = m_backend->place(*plan, {.contextLength = 8, .slots = 2, .maxRows = 4, .maxOutputRows = 2, .precision = {}}, {}, {});
  ASSERT_TRUE(placed.has_value()) << placed.error().message();
  backend::Placement& placement = **placed;
  using Rows = std::vector<backend::StepRow>;
  ASSERT_TRUE(placement.step(Rows{{1, 0, 0, true}}).has_value());
  const Rows wrong[] = {{},
                        {{1, 2, 0, true}},                   // a gap after the previous position
                        {{1, 1, 0, true}, {1, 3, 0, true}},  // a gap within the step
                        {{1, 1, 2, true}},                   // no such slot
                        {{1, -1, 0, true}},
                        {{-1, 1, 0, true}},
                        {{67, 1, 0, true}},  // outside the vocabulary
                        {{1, 0, 1, false}, {1, 1, 1, false}, {1, 2, 1, false}, {1, 3, 1, false}, {1, 4, 1, false}},
                        {{1, 0, 1, true}, {1, 1, 1, true}, {1, 2, 1, true}}};
  for (const Rows& rows : wrong) {
    const Result<void> result = placement.step(rows);
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().kind, ErrorKind::invalidArgument) << result.error().message();
  }
  EXPECT_TRUE(placement.step(Rows{{1, 1, 0, true}}).has_value()) << "the refused steps changed something";
  EXPECT_FALSE(placement.copySlot(0, 1, 3).has_value());
  EXPECT_TRUE(placement.copySlot(0, 1, 2).has_value());
}

TEST_P(ModelConformance, ACancelledPlacementSaysSo) {
  const RandomModel made = randomModel({});
  const auto plan = model::buildPlan(made.config);
  ASSERT_TRUE(plan.has_value());
  std::stop_source stop;
  stop.request_stop();
  const auto placed = m_backend->place(*plan, {}, {}, stop.get_token());
  ASSERT_FALSE(placed.has_value());
  EXPECT_EQ(placed.error().kind, ErrorKind::cancelled);
}

TEST_P(ModelConformance, SameStepsGiveTheSameBits) {
  const ModelShape shape = shapeOf(ElementType::Q8_0, 5);
  const RandomModel made = randomModel(shape);
  const auto plan = model::buildPlan(made.config);
  ASSERT_TRUE(plan.has_value());
  std::vector<float> first;
  for (int run = 0; run < 3; ++run) {
    auto placed = m_backend->place(*plan, {.contextLength = 32, .slots = 1, .maxRows = 16, .maxOutputRows = 1, .precision = {}}, {}, {});
    ASSERT_TRUE(placed.has_value());
    std::vector<backend::StepRow> rows;
    for (int i = 0; i < 16; ++i) rows.push_back({i, i, 0, i == 15});
    ASSERT_TRUE((*placed)->step(rows).has_value());
    const auto logits = (*placed)->logits(0);
    ASSERT_TRUE(logits.has_value());
    if (run == 0) first.assign(logits->begin(), logits->end());
    EXPECT_TRUE(std::ranges::equal(first, *logits));
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, ModelConformance, testing::ValuesIn(backendsUnderTest()),
                         [](const auto& info) { return info.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ModelConformance);

}  // namespace
}  // namespace minerva::tests
