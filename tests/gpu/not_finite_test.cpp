// What is not a number stays so through the kernels, as through those of the CPU (tests/core/backend/cpu/not_finite_test.cpp): damaged
// weights must be seen in the logits, where an error is made of them, and not be replies of nonsense.
#include "gpu/runtime/placement.h"
#include "tests/conformance/mixer_plans.h"
#include "tests/conformance/stream_plans.h"
#include "tests/gpu/validated_device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

namespace minerva::gpu {
namespace {

using tests::OpPlan;

constexpr int damagedToken = 3, damagedRows = 40;

model::WeightId weightNamed(const OpPlan& p, const std::string& name, int skipped = 0) {
  for (std::size_t i = 0; i < p.plan.weights.size(); ++i) {
    if (p.plan.weights[i].name == name && skipped-- == 0) return static_cast<model::WeightId>(i);
  }
  ADD_FAILURE() << "no weight " << name;
  return 0;
}

// One element of a weight of F32 is not a number, or another value.
void damage(OpPlan& p, model::WeightId weight, std::int64_t row, std::int64_t column,
            float value = std::numeric_limits<float>::quiet_NaN()) {
  TensorView& view = p.plan.weights[static_cast<std::size_t>(weight)].view;
  ASSERT_EQ(view.type, ElementType::F32);
  std::vector<float> values(view.bytes.size() / sizeof(float));
  std::memcpy(values.data(), view.bytes.data(), view.bytes.size());
  values[static_cast<std::size_t>(row * view.shape.columns() + column)] = value;
  const Shape shape = view.shape;
  view = p.store.values(values, shape.rows(), shape.columns());
  view.shape = shape;
}

bool hasStrange(std::span<const float> logits) {
  return std::ranges::any_of(logits, [](float logit) { return !std::isfinite(logit); });
}

class VulkanNotFinite : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (m_device == nullptr) return;
    m_kernels = std::make_shared<Kernels>(m_device);
    m_tuning = defaultTuning(m_device->info());
    m_tuning.units.from = UnitsChoice::never;
  }
  [[nodiscard]] bool takesUnits() {
    if (!m_device->info().matrixUnit.present() || !setMatrixUnits(m_tuning, m_device->info(), backend::MatrixUnits::on)) return false;
    m_tuning.units.from = 9;
    m_tuning.units.attention = true;
    m_tuning.units.attentionFrom = 1;
    return true;
  }

  // The tokens at position 0, 1, ... one by one, or in one step. Expects no number in some logit of the rows from `first` to `last`, and
  // in none behind. Rows before may have some: those of a tile multiply by the same values, of which some have no weight.
  void expectSeen(const OpPlan& p, const std::string& what, int first, int last, bool oneByOne, model::KvType kv = model::KvType::f32) {
    ASSERT_TRUE(model::checkPlan(p.plan).has_value()) << what;
    const backend::PlaceOptions options{.contextLength = 64,
                                        .slots = 1,
                                        .maxRows = damagedRows,
                                        .maxOutputRows = damagedRows,
                                        .precision = backend::Precision::standard,
                                        .kvType = kv};
    const auto placement = VulkanPlacement::create(m_device, m_kernels, m_tuning, p.plan, options, {}, {});
    ASSERT_TRUE(placement.has_value()) << what << ": " << placement.error().message();
    const int count = oneByOne ? damagedToken + 1 : damagedRows;
    std::string expected, found;  // a letter for each row
    Rows rows;
    for (int i = 0; i < count; ++i) {
      expected += i >= first && i <= last ? 'n' : '.';
      rows.push_back({i % tests::opVocabulary, i, 0, true});
      if (!oneByOne && i + 1 < count) continue;
      ASSERT_TRUE((*placement)->step(rows).has_value()) << what;
      for (int row = 0; row < static_cast<int>(rows.size()); ++row) found += hasStrange(*(*placement)->logits(row)) ? 'n' : '.';
      rows.clear();
    }
    EXPECT_EQ(found.substr(static_cast<std::size_t>(first)), expected.substr(static_cast<std::size_t>(first))) << what;
  }
  void expectRowSeen(const OpPlan& p, const std::string& what, bool oneByOne) { expectSeen(p, what, damagedToken, damagedToken, oneByOne); }
  void expectAllSeen(const OpPlan& p, const std::string& what) {
    for (const bool oneByOne : {true, false}) expectSeen(p, what, 0, damagedRows, oneByOne);
  }

  std::shared_ptr<Kernels> m_kernels;
  Tuning m_tuning;
};

TEST_F(VulkanNotFinite, InEveryActivation) {
  using enum model::Activation;
  for (const auto activation : {silu, geluTanh, geluErf, sigmoid, relu, reluSquared, identity, tanh}) {
    const std::string what = "activation " + std::to_string(static_cast<int>(activation));
    OpPlan activated = tests::projPlan({.outputs = {51}, .biases = true, .epilogue = model::Epilogue::activated, .activation = activation});
    damage(activated, weightNamed(activated, "b"), 0, 7);
    expectAllSeen(activated, what);
  }
  for (const auto activation : {silu, geluTanh, geluErf, clampedSwiglu, sigmoid, relu, reluSquared, identity, tanh}) {
    for (const int part : {0, 1}) {
      OpPlan gated = tests::projPlan({.outputs = {51, 51}, .biases = true, .epilogue = model::Epilogue::gated, .activation = activation});
      damage(gated, weightNamed(gated, "b", part), 0, 7);
      expectAllSeen(gated, "activation " + std::to_string(static_cast<int>(activation)) + (part == 0 ? ", gate" : ", up"));
    }
  }
}

TEST_F(VulkanNotFinite, InACappedHead) {
  for (const bool oneByOne : {true, false}) {
    OpPlan p = tests::embedPlan(ElementType::F32, 64);
    std::get<model::HeadOp>(p.plan.ops.back()).softCap = 5;
    damage(p, weightNamed(p, "table"), damagedToken, 9);
    expectRowSeen(p, "capped head", oneByOne);
  }
}

TEST_F(VulkanNotFinite, InRowsThatChangeByThemselves) {
  for (const bool oneByOne : {true, false}) {
    OpPlan threshold = tests::streams::thresholdPlan(64, 0.5F);
    damage(threshold, weightNamed(threshold, "table"), damagedToken, 9);
    expectRowSeen(threshold, "threshold", oneByOne);
    OpPlan xielu = tests::streams::xieluPlan(64, {.positive = 0.8F, .negative = 0.7F, .beta = 0.5F, .epsilon = -1e-6F}, 1.0);
    damage(xielu, weightNamed(xielu, "table"), damagedToken, 9);
    expectRowSeen(xielu, "xIELU", oneByOne);
  }
}

TEST_F(VulkanNotFinite, InTheStepSizeOfAScan) {
  for (const bool byChannel : {false, true}) {
    OpPlan p = tests::mixers::scanPlan({.channelDecay = byChannel, .dtMin = 0.001F, .dtMax = 0.1F});
    damage(p, weightNamed(p, "step bias"), 0, 1);
    expectAllSeen(p, byChannel ? "scan, decay by channel" : "scan");
  }
}

class VulkanNotFiniteAttention : public VulkanNotFinite {
 protected:
  // The query of one row; its key or value, which all later rows read.
  void expectAttentionSees(model::KvType kv, float softCap, bool oneByOne) {
    constexpr int heads = 4, kvHeads = 2, headDim = 40;  // two runs of Q8_0
    const std::vector<std::pair<std::string, int>> columns{
        {"query", 5}, {"key", heads * headDim + 35}, {"value", (heads + kvHeads) * headDim + 35}};
    for (const auto& [part, column] : columns) {
      OpPlan p = tests::attentionPlan({.heads = heads, .kvHeads = kvHeads, .headDim = headDim});
      for (model::Op& op : p.plan.ops) {
        if (auto* attention = std::get_if<model::AttentionOp>(&op)) attention->softCap = softCap;
      }
      damage(p, weightNamed(p, "table"), damagedToken, column);
      const std::string what = part + ", cache " + std::to_string(static_cast<int>(kv)) + ", cap " + std::to_string(softCap);
      expectSeen(p, what, damagedToken, part == "query" ? damagedToken : damagedRows, oneByOne, kv);
    }
  }
};

TEST_F(VulkanNotFiniteAttention, InEveryCache) {
  for (const auto kv : {model::KvType::f16, model::KvType::f32, model::KvType::q8_0}) {
    for (const float softCap : {0.0F, 2.0F}) {
      for (const bool oneByOne : {true, false}) expectAttentionSees(kv, softCap, oneByOne);
    }
  }
}

// A number that is too large for the cache is stored as its largest one: no row becomes one of what is not a number.
TEST_F(VulkanNotFiniteAttention, LargeNumbersStayNumbers) {
  constexpr int heads = 4, kvHeads = 2, headDim = 40;
  for (const auto kv : {model::KvType::f16, model::KvType::f32, model::KvType::q8_0}) {
    for (const int column : {heads * headDim + 35, (heads + kvHeads) * headDim + 35}) {
      for (const float large : {1e9F, -1e9F}) {
        OpPlan p = tests::attentionPlan({.heads = heads, .kvHeads = kvHeads, .headDim = headDim});
        damage(p, weightNamed(p, "table"), damagedToken, column, large);
        for (const bool oneByOne : {true, false}) expectSeen(p, "column " + std::to_string(column), 0, -1, oneByOne, kv);
      }
    }
  }
}

TEST_F(VulkanNotFiniteAttention, ByMatrixUnits) {
  if (!takesUnits()) GTEST_SKIP() << "skipped: the device has no matrix units";
  for (const auto kv : {model::KvType::f16, model::KvType::q8_0}) {
    for (const float softCap : {0.0F, 2.0F}) expectAttentionSees(kv, softCap, false);
  }
}

TEST_F(VulkanNotFinite, ByMatrixUnits) {
  if (!takesUnits()) GTEST_SKIP() << "skipped: the device has no matrix units";
  for (const ElementType type : {ElementType::F16, ElementType::BF16, ElementType::Q8_0}) {
    for (const bool halfSums : {false, true}) {
      if (halfSums && !(m_device->info().matrixUnit.halfSums && takesHalfSums(type))) continue;
      ProjectionChoice choice = choiceOf(m_tuning, {type, true});
      choice.halfSums = halfSums;
      m_tuning.units.halfSums = halfSums;
      m_tuning.measured.insert_or_assign({type, true}, choice);
      const std::string what = std::string(traits(type).name) + (halfSums ? ", sums in halves" : "");
      OpPlan p = tests::projPlan({.type = type, .outputs = {64}});
      const model::WeightId table = weightNamed(p, "table");
      damage(p, table, damagedToken, 9);
      expectRowSeen(p, what, false);
      // What is larger than a float16 is as large as one can be.
      for (const float large : {1e6F, -std::numeric_limits<float>::infinity()}) {
        damage(p, table, damagedToken, 9, large);
        expectSeen(p, what + ", " + std::to_string(large), 0, -1, false);
      }
    }
  }
}

}  // namespace
}  // namespace minerva::gpu
