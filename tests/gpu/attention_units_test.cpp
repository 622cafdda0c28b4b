// Attention with matrix units against the reference, on devices that have them: Mesa's driver on the CPU, in newer versions, too.
#include "core/backend/reference/reference_backend.h"
#include "gpu/runtime/attention_form.h"
#include "gpu/runtime/placement.h"
#include "gpu/runtime/unit_check.h"
#include "tests/conformance/op_plans.h"
#include "tests/gpu/validated_device.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace minerva::gpu {
namespace {

using tests::AttentionShape;
using tests::OpPlan;
using Rows = std::vector<backend::StepRow>;

struct Case {
  std::string what;
  AttentionShape shape;
  float softCap = 0;
  bool sinks = false;
  model::KvType kv = model::KvType::f16;
  std::uint32_t sums = 128;  // of an invocation at most: enough for 256 columns by units of 8 rows and two subgroups of 8 lanes
};

OpPlan attentionCasePlan(const Case& c) {
  OpPlan p = tests::attentionPlan(c.shape);
  for (model::Op& op : p.plan.ops) {
    auto* attention = std::get_if<model::AttentionOp>(&op);
    if (attention == nullptr) continue;
    attention->softCap = c.softCap;
    if (c.sinks) attention->sinks = tests::addWeight(p.plan, "sinks", p.store.vector(ElementType::F32, c.shape.heads, 2.0, 0.5));
  }
  return p;
}

// A prompt that ends within a tile, replies, and prompts that go on at depth, across pages. Where a row sees later ones, one step.
std::vector<Rows> stepsOf(const AttentionShape& shape) {
  std::vector<Rows> steps;
  int position = 0;
  for (const int count : shape.bidirectional ? std::vector{75} : std::vector{75, 1, 37, 150, 33}) {
    Rows rows;
    for (int i = 0; i < count; ++i, ++position) rows.push_back({position * 7 % tests::opVocabulary, position, 0, true});
    steps.push_back(std::move(rows));
  }
  return steps;
}

constexpr int context = 300;

// The logits of all rows of all steps.
Result<std::vector<float>> attendedLogits(backend::Placement& placement, const AttentionShape& shape) {
  std::vector<float> all;
  for (const Rows& rows : stepsOf(shape)) {
    MINERVA_TRY(placement.step(rows));
    for (int i = 0; i < static_cast<int>(rows.size()); ++i) {
      MINERVA_ASSIGN(const std::span<const float> logits, placement.logits(i));
      all.insert(all.end(), logits.begin(), logits.end());
    }
  }
  return all;
}

struct Distance {
  double largest = 0, rms = 0;
};

// Relative to the standard deviation of the truth.
Distance distance(const std::vector<float>& found, const std::vector<float>& truth) {
  Distance d;
  double squares = 0, deviation = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double difference = std::fabs(static_cast<double>(found[i]) - static_cast<double>(truth[i]));
    d.largest = std::isnan(difference) ? HUGE_VAL : std::max(d.largest, difference);
    squares += difference * difference;
    deviation += static_cast<double>(truth[i]) * static_cast<double>(truth[i]);
  }
  d.largest /= std::sqrt(deviation / static_cast<double>(truth.size()));
  d.rms = std::sqrt(squares / deviation);
  return d;
}

class AttentionUnits : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (m_device == nullptr) return;
    if (!m_device->info().matrixUnit.present()) GTEST_SKIP() << "skipped: the device has no matrix units";
    m_kernels = std::make_shared<Kernels>(m_device);
  }

  [[nodiscard]] Tuning tuning(bool units, std::uint32_t sums = 128) const {
    Tuning form = defaultTuning(m_device->info());
    form.units.from = units ? 9 : UnitsChoice::never;  // the plans have no projections, except one of F32, which take none
    form.units.attention = units;
    form.units.sums = sums;
    return form;
  }

  void expectAgrees(const Case& c) {
    const OpPlan p = attentionCasePlan(c);
    ASSERT_TRUE(model::checkPlan(p.plan).has_value()) << c.what;
    const backend::PlaceOptions options{.contextLength = context,
                                        .slots = 1,
                                        .maxRows = 150,
                                        .maxOutputRows = 150,
                                        .precision = backend::Precision::standard,
                                        .kvType = c.kv};
    const auto truth = backend::reference::createReferenceBackend()->place(p.plan, options, {}, {});
    ASSERT_TRUE(truth.has_value()) << c.what << ": " << truth.error().message();
    const auto expected = attendedLogits(**truth, c.shape);
    ASSERT_TRUE(expected.has_value()) << c.what << ": " << expected.error().message();
    std::vector<std::vector<float>> found;
    for (const bool units : {true, false}) {
      const auto placement = VulkanPlacement::create(m_device, m_kernels, tuning(units, c.sums), p.plan, options, {}, {});
      ASSERT_TRUE(placement.has_value()) << c.what << ": " << placement.error().message();
      auto logits = attendedLogits(**placement, c.shape);
      ASSERT_TRUE(logits.has_value()) << c.what << ": " << logits.error().message();
      found.push_back(std::move(*logits));
    }
    const Distance units = distance(found[0], *expected), plain = distance(found[1], *expected);
    const Distance between = distance(found[0], found[1]);
    std::printf("%-40s units: largest %.1e, rms %.1e; without: largest %.1e, rms %.1e\n", c.what.c_str(), units.largest, units.rms,
                plain.largest, plain.rms);
    // Queries and weights are rounded as keys and values are, so that the error is little more than that of a cache of float16.
    EXPECT_LT(units.largest, 1e-2) << c.what;
    EXPECT_LT(units.rms, 7e-4) << c.what;
    EXPECT_GT(between.rms, 1e-5) << c.what << ": nothing was rounded: the units did not run";
  }

  std::shared_ptr<Kernels> m_kernels;
};

TEST_F(AttentionUnits, PassTheirOwnCheck) {
  const auto right = attentionUnitsAreRight(m_device, *m_kernels, tuning(true));
  ASSERT_TRUE(right.has_value()) << right.error().message();
  EXPECT_TRUE(*right);
}

TEST_F(AttentionUnits, OfEveryGroupAndHeadSizeAgreeWithTheReference) {
  struct Heads {
    int heads, kvHeads, headDim;
  };
  for (const Heads& h : {Heads{2, 2, 64}, {4, 1, 64}, {8, 1, 64}, {8, 2, 80}, {2, 1, 96}, {4, 1, 128}, {6, 2, 24}, {2, 1, 256}}) {
    expectAgrees({.what = std::to_string(h.heads) + "/" + std::to_string(h.kvHeads) + " x " + std::to_string(h.headDim),
                  .shape = {.heads = h.heads, .kvHeads = h.kvHeads, .headDim = h.headDim}});
  }
}

// Two and four subgroups beside each other, which the units along the values do not fill.
TEST_F(AttentionUnits, SubgroupsShareQueries) {
  expectAgrees({.what = "shared, 6/2 x 24", .shape = {.heads = 6, .kvHeads = 2, .headDim = 24}, .sums = 32});
  expectAgrees({.what = "shared, 2/1 x 40", .shape = {.heads = 2, .kvHeads = 1, .headDim = 40, .window = 60}, .sinks = true, .sums = 32});
}

TEST_F(AttentionUnits, SeeWhatTheirRowsSee) {
  for (const int window : {5, 20, 64, 200})
    expectAgrees({.what = "window " + std::to_string(window), .shape = {.headDim = 32, .window = window}});
  expectAgrees({.what = "chunk 48", .shape = {.headDim = 32, .chunk = 48}});
  expectAgrees({.what = "both directions", .shape = {.headDim = 32, .bidirectional = true}});
  expectAgrees({.what = "window 20, both directions", .shape = {.headDim = 32, .window = 20, .bidirectional = true}});
}

TEST_F(AttentionUnits, HaveSinksAndSoftCaps) {
  expectAgrees({.what = "sinks", .shape = {.heads = 8, .kvHeads = 2, .headDim = 32}, .sinks = true});
  expectAgrees({.what = "soft cap", .shape = {.heads = 4, .kvHeads = 2, .headDim = 32}, .softCap = 1.5F});
  expectAgrees(
      {.what = "sinks, window, cap", .shape = {.heads = 4, .kvHeads = 2, .headDim = 32, .window = 30}, .softCap = 2, .sinks = true});
}

TEST_F(AttentionUnits, GiveLessForDistance) {
  expectAgrees({.what = "slopes", .shape = {.heads = 6, .kvHeads = 2, .headDim = 32, .alibi = 8}});
  expectAgrees({.what = "slopes, both directions", .shape = {.heads = 4, .kvHeads = 4, .headDim = 32, .bidirectional = true, .alibi = 8}});
}

TEST_F(AttentionUnits, ReadCodes) {
  expectAgrees({.what = "Q8_0", .shape = {.heads = 4, .kvHeads = 2, .headDim = 40, .window = 90}, .kv = model::KvType::q8_0});
}

}  // namespace
}  // namespace minerva::gpu
