// Matrices that a file stores in a different layout give the same results on every device as row-major ones. They are large
// enough to be placed in several pieces.
#include "core/base/clock.h"
#include "core/tensor/arrangement.h"
#include "core/tensor/half.h"
#include "core/tensor/packed_integers.h"
#include "tests/support/backend_test.h"
#include "tests/support/random_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

namespace minerva::tests {
namespace {

constexpr int hidden = 512, heads = 16, headDim = 96, experts = 4, expertSize = 1040;

// Owns the data that the views of one model point to.
class Reordered {
 public:
  explicit Reordered(RandomModel& made) : m_made(made) {}

  // Returns a view of logical shape [count, rows, columns] whose data is stored as [count, columns, rows].
  TensorView transposed(const TensorView& view) {
    const Shape& shape = view.shape;
    const bool stack = shape.rank == 3;
    const std::int64_t count = stack ? shape.dims[0] : 1, columns = shape.columns(), rows = shape.rows() / count;
    const std::vector<float> values = valuesOf(view);
    std::vector<float> turned(values.size());
    for (std::int64_t r = 0; r < count * rows; ++r) {
      for (std::int64_t c = 0; c < columns; ++c) turned[index((r / rows * columns + c) * rows + r % rows)] = values[index(r * columns + c)];
    }
    return transposedGroups(m_made.store.values(turned, count * columns, rows), shape, columns);
  }
  // Stores the rows of q, k and v interleaved by head.
  void interleaved(TensorView& q, TensorView& k, TensorView& v) {
    const std::vector<float> values[] = {valuesOf(q), valuesOf(k), valuesOf(v)};
    std::vector<float> all;
    const std::int64_t run = std::int64_t{headDim} * hidden;
    for (std::int64_t h = 0; h < heads; ++h) {
      for (const auto& part : values) all.insert(all.end(), part.begin() + h * run, part.begin() + (h + 1) * run);
    }
    const TensorView stored = m_made.store.values(all, std::int64_t{3} * heads * headDim, hidden);
    std::int64_t offset = 0;
    for (TensorView* part : {&q, &k, &v}) {
      *part = rowGroups(stored, part->shape, headDim, 3 * headDim, offset);
      offset += headDim;
    }
  }

 private:
  static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }
  static std::vector<float> valuesOf(const TensorView& view) {
    std::vector<float> values(index(view.shape.elements()));
    dequantizeRows(view, 0, index(view.shape.rows()), values.data());
    return values;
  }
  RandomModel& m_made;
};

RandomModel inOrderModel() {
  RandomModel made = randomModel({.hidden = hidden, .layers = 1, .heads = heads, .kvHeads = heads, .headDim = headDim, .feedForward = 64});
  model::LayerConfig& layer = made.config.layers.front();
  const auto stack = [&](int rows, int columns) {
    TensorView view = made.store.matrix(ElementType::F32, std::int64_t{experts} * rows, columns, 1.5 / std::sqrt(columns));
    view.shape = Shape{{experts, rows, columns, 1}, 3};
    return view;
  };
  layer.gate = layer.up = layer.down = {};
  layer.experts.count = experts;
  layer.experts.used = 2;
  layer.experts.feedForwardSize = expertSize;
  layer.experts.router.weight = made.store.matrix(ElementType::F32, experts, hidden, 0.4);
  layer.experts.gatePlace = model::GatePlace::alternating;
  layer.experts.gate.weights = {stack(2 * expertSize, hidden)};
  layer.experts.down.weights = {stack(hidden, expertSize)};
  return made;
}

// Random matrices of words along columns, and the same with their rows in order.
class PackedMatrices {
 public:
  struct Both {
    TensorView packed, inOrder;
  };
  Both matrix(const TensorView& like, PackedIntegers how, bool ordered) {
    how.rows = like.shape.rows();
    how.columns = like.shape.columns();
    how.groups = how.columns / 64;
    how.words = bytes(how.rows * how.columns * how.bits / 8, 256);
    how.zeros = bytes(how.groups * how.rows * how.bits / 8, 256);
    std::vector<std::byte>& scales = m_bytes.emplace_back(static_cast<std::size_t>(how.groups * how.rows) * 2);
    for (std::size_t i = 0; i < scales.size(); i += 2) storeHalf(scales.data() + i, static_cast<float>(0.004 + 0.002 * m_random.normal()));
    how.scales = scales;
    if (ordered) how.order = order(how);
    const TensorView view = unpacked(how);
    TensorView rows = minerva::inOrder(view, 0, static_cast<std::size_t>(how.rows), m_bytes.emplace_back());
    return {view, rows};
  }
  // A stack of two of them.
  Both stack(const TensorView& like, const PackedIntegers& how) {
    const Shape& shape = like.shape;
    std::vector<TensorView> packed, ordered;
    for (std::int64_t i = 0; i < shape.dims[0]; ++i) {
      const Both one = matrix(sliceRows(like, 0, shape.dims[1]), how, false);
      packed.push_back(one.packed);
      ordered.push_back(one.inOrder);
    }
    return {joined(packed, shape), joined(ordered, shape)};
  }

 private:
  std::span<const std::byte> bytes(std::int64_t count, std::uint32_t values) {
    std::vector<std::byte>& out = m_bytes.emplace_back(static_cast<std::size_t>(count));
    for (std::byte& byte : out) byte = static_cast<std::byte>(m_random.below(values));
    return out;
  }
  std::span<const std::byte> order(const PackedIntegers& how) {
    std::vector<std::byte>& out = m_bytes.emplace_back(static_cast<std::size_t>(how.columns) * 4);
    for (std::size_t i = 0; i < out.size(); i += 4) out[i] = static_cast<std::byte>(m_random.below(static_cast<std::uint32_t>(how.groups)));
    return out;
  }
  Random m_random{17};
  std::deque<std::vector<std::byte>> m_bytes;
};

// Infinite if there are none, or some are no numbers.
double largestDifference(const std::vector<float>& found, const std::vector<float>& expected) {
  constexpr double none = std::numeric_limits<double>::infinity();
  if (expected.empty() || found.size() != expected.size()) return none;
  double largest = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double difference = std::abs(static_cast<double>(found[i]) - static_cast<double>(expected[i]));
    if (!std::isfinite(difference)) return none;
    largest = std::max(largest, difference);
  }
  return largest;
}

class ArrangementConformance : public BackendTest {
 protected:
  std::vector<float> logits(const model::ModelConfig& config) {
    const auto plan = model::buildPlan(config);
    EXPECT_TRUE(plan.has_value()) << plan.error().message();
    if (!plan) return {};
    const backend::PlaceOptions options{.contextLength = 16, .maxRows = 4, .maxOutputRows = 4, .precision = backend::Precision::exact};
    const auto placed = m_backend->place(*plan, options, {}, {});
    EXPECT_TRUE(placed.has_value()) << placed.error().message();
    if (!placed) return {};
    std::vector<float> all;
    const std::vector<backend::StepRow> rows{{3, 0, 0, true}, {5, 1, 0, true}, {7, 2, 0, true}, {11, 3, 0, true}};
    EXPECT_TRUE((*placed)->step(rows).has_value());
    for (int i = 0; i < 4; ++i) {
      const auto row = (*placed)->logits(i);
      EXPECT_TRUE(row.has_value());
      if (row) all.insert(all.end(), row->begin(), row->end());
    }
    return all;
  }
};

TEST_P(ArrangementConformance, IsTheSameModel) {
  RandomModel made = inOrderModel();
  const std::vector<float> expected = logits(made.config);
  model::LayerConfig& layer = made.config.layers.front();
  Reordered reordered(made);
  reordered.interleaved(layer.q.weight, layer.k.weight, layer.v.weight);
  layer.o.weight = reordered.transposed(layer.o.weight);
  layer.experts.gate.weights.front() = reordered.transposed(layer.experts.gate.weights.front());
  layer.experts.down.weights.front() = reordered.transposed(layer.experts.down.weights.front());
  EXPECT_LT(largestDifference(logits(made.config), expected), 1e-3);
}

// What GPTQ and AWQ store.
TEST_P(ArrangementConformance, WordsAlongColumnsAreTheSameModel) {
  RandomModel made = inOrderModel(), packed = inOrderModel();
  model::LayerConfig &layer = made.config.layers.front(), &other = packed.config.layers.front();
  PackedMatrices matrices;
  const PackedIntegers gptq{.zerosAreLess = true}, three{.bits = 3, .zerosAreLess = true}, awq{.along = PackedWords::acrossRows};
  const auto replace = [](TensorView& ordered, TensorView& view, const PackedMatrices::Both& both) {
    ordered = both.inOrder;
    view = both.packed;
  };
  replace(layer.q.weight, other.q.weight, matrices.matrix(layer.q.weight, gptq, false));
  replace(layer.k.weight, other.k.weight, matrices.matrix(layer.k.weight, awq, false));
  replace(layer.v.weight, other.v.weight, matrices.matrix(layer.v.weight, three, false));
  replace(layer.o.weight, other.o.weight, matrices.matrix(layer.o.weight, gptq, true));
  TensorView &gates = layer.experts.gate.weights.front(), &downs = layer.experts.down.weights.front();
  replace(gates, other.experts.gate.weights.front(), matrices.stack(gates, gptq));
  replace(downs, other.experts.down.weights.front(), matrices.stack(downs, awq));
  EXPECT_LT(largestDifference(logits(packed.config), logits(made.config)), 1e-4);
}

// Placing is cancelled while a stack is being transposed.
TEST_P(ArrangementConformance, PlacingStopsSoon) {
  RandomModel made = inOrderModel();
  Reordered reordered(made);
  model::LayerConfig layer = made.config.layers.front();
  layer.experts.gate.weights.front() = reordered.transposed(layer.experts.gate.weights.front());
  const auto another = [&] {
    // Views of the same stored data count as one weight, so give each layer its own view.
    model::LayerConfig own = layer;
    own.experts.gate.weights.front() = sliceRows(layer.experts.gate.weights.front(), 0, layer.experts.gate.weights.front().shape.rows());
    own.experts.gate.weights.front().shape = layer.experts.gate.weights.front().shape;
    return own;
  };
  made.config.layers.clear();
  for (int i = 0; i < 40; ++i) made.config.layers.push_back(another());
  const auto plan = model::buildPlan(made.config);
  ASSERT_TRUE(plan.has_value()) << plan.error().message();
  std::stop_source stop;
  TimePoint asked{};
  const auto progress = [&](std::uint64_t done, std::uint64_t) {
    if (done == 0 || stop.stop_requested()) return;
    asked = Clock::now();
    stop.request_stop();
  };
  const auto placed = m_backend->place(*plan, {.contextLength = 16, .maxRows = 1, .maxOutputRows = 1}, progress, stop.get_token());
  const double waited = millisecondsBetween(asked, Clock::now());
  ASSERT_FALSE(placed.has_value());
  EXPECT_EQ(placed.error().kind, ErrorKind::cancelled);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which make each step many times slower
  EXPECT_LT(waited, 100);
#else
  EXPECT_LT(waited, 1000);
#endif
}

INSTANTIATE_TEST_SUITE_P(Devices, ArrangementConformance, testing::ValuesIn(backendsUnderTest()),
                         [](const auto& info) { return info.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ArrangementConformance);

}  // namespace
}  // namespace minerva::tests
