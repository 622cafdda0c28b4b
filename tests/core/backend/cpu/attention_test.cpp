// Attention of every instruction set that this processor supports, in every format of the cache, compared in double precision. Keys,
// values and queries are numbers that the format and its products hold exactly; weights are not.
#include "core/backend/cpu/kernels.h"
#include "tests/support/runnable_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace minerva::cpu {
namespace {

struct Dims {
  int head, value;
};

// Runs of 32 whole numbers over `divisor`, twice or four times it. One of a run is `largest`, the others are less.
std::vector<float> runs(int count, int largest, int divisor, std::mt19937& random) {
  std::vector<float> x(static_cast<std::size_t>(count));
  std::uniform_int_distribution<int> code(1 - largest, largest - 1), shift(0, 2);
  float step = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i % 32 == 0) step = 1.0F / static_cast<float>(divisor << shift(random));
    x[i] = static_cast<float>(i % 32 == 0 ? largest : code(random)) * step;
  }
  return x;
}

// One head with so many positions stored, in pages that do not follow each other. What no position was stored in is not a number.
struct StoredHead {
  using Numbers = std::vector<float> (*)(int count, std::mt19937& random);
  StoredHead(const Kernels& k, CacheType type, Dims dims, int positions, std::mt19937& random, Numbers numbers = exactNumbers)
      : dims(dims) {
    const std::size_t blocks = attentionBlock / 16;
    const std::size_t keyBytes = keyBlockBytes(type, dims.head) * blocks, pageBytes = keyBytes + valueBlockBytes(type, dims.value) * blocks;
    pages.resize(static_cast<std::size_t>((positions + attentionBlock - 1) / attentionBlock));
    std::iota(pages.rbegin(), pages.rend(), 0);
    memory.resize(pages.size() * pageBytes, std::byte{0xff});
    head = {memory.data(), memory.data() + keyBytes, pages.data(), pageBytes, positions};
    for (int p = 0; p < positions; ++p) {
      keys.push_back(numbers(dims.head, random));
      values.push_back(numbers(dims.value, random));
      k.storeKeyValue[static_cast<int>(type)](keys.back().data(), values.back().data(), dims.head, dims.value, p, head);
    }
  }

  // Whole multiples of 1/64, 1/128 or 1/256, up to 127 of them: a run of 32 has one of the largest, so that its codes are these multiples.
  static std::vector<float> exactNumbers(int count, std::mt19937& random) { return runs(count, 127, 64, random); }

  Dims dims;
  std::vector<int> pages;
  std::vector<std::byte> memory;
  KvHead head;
  std::vector<std::vector<float>> keys, values;
};

struct Expected {
  std::vector<double> out;  // divided by the sum
  double largest, sum;
};

Expected inDouble(const StoredHead& stored, const AttentionShape& shape, const AttentionQuery& query) {
  const bool hasSink = query.sink > noSink;
  std::vector<double> scores;
  double largest = query.sink;
  for (int p = query.begin; p < query.end; ++p) {
    double score = 0;
    for (int d = 0; d < shape.headDim; ++d)
      score += static_cast<double>(query.q[d]) * stored.keys[static_cast<std::size_t>(p)][static_cast<std::size_t>(d)];
    score *= shape.scale;
    if (shape.softCap > 0) score = shape.softCap * std::tanh(score / shape.softCap);
    score -= static_cast<double>(query.slope) * std::abs(query.position - p);
    scores.push_back(score);
    largest = std::max(largest, score);
  }
  Expected expected{std::vector<double>(static_cast<std::size_t>(shape.valueDim)), largest, hasSink ? std::exp(query.sink - largest) : 0};
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double weight = std::exp(scores[i] - largest);
    expected.sum += weight;
    for (std::size_t d = 0; d < expected.out.size(); ++d)
      expected.out[d] += weight * stored.values[static_cast<std::size_t>(query.begin) + i][d];
  }
  for (double& x : expected.out) x /= expected.sum;
  return expected;
}

class AttentionTest : public testing::TestWithParam<CacheType> {
 protected:
  // Up to 1, and each run's codes of 16 bits are whole.
  static std::vector<float> queryNumbers(int count, std::mt19937& random) { return runs(count, 32767, 32767, random); }
  // Of a result. Values are below 2, and beside a cache of codes each weight is rounded to half of a 32767th of the largest, e^0.
  static double tolerance(int positions, double sumOfWeights) {
    return GetParam() == CacheType::blocks ? 2e-6 + positions * 2 * 0.5 / 32767 / sumOfWeights : 2e-6;
  }
  // `queries` with different ranges within [begin, end), every other one unnormalised, every third with a sink, every fifth
  // with less for distance.
  void expectInDouble(const Kernels& k, const StoredHead& stored, int queries, int begin, int end, float softCap);

  std::mt19937 random{11};
};

void AttentionTest::expectInDouble(const Kernels& k, const StoredHead& stored, int queries, int begin, int end, float softCap) {
  const AttentionShape shape{stored.dims.head, stored.dims.value, 0.125F, softCap};
  const auto count = static_cast<std::size_t>(queries), dim = static_cast<std::size_t>(shape.valueDim);
  std::vector<std::vector<float>> q(count), out(count, std::vector<float>(dim)), states(count, std::vector<float>(2));
  std::vector<AttentionQuery> all;
  for (std::size_t i = 0; i < count; ++i) {
    q[i] = queryNumbers(shape.headDim, random);
    const int shorter = std::min(static_cast<int>(i), end - begin - 1);
    all.push_back({.q = q[i].data(),
                   .out = out[i].data(),
                   .begin = i % 4 == 3 ? begin + shorter : begin,
                   .end = i % 4 == 1 ? end - shorter : end,
                   .sink = i % 3 == 2 ? 0.5F : noSink,
                   .slope = i % 5 == 0 ? 0.07F : 0.0F,
                   .position = (begin + end) / 2,
                   .state = i % 2 == 1 ? states[i].data() : nullptr});
  }
  std::vector<float> scratch(attentionScratch(shape.headDim, shape.valueDim));
  k.attend[static_cast<int>(GetParam())](stored.head, shape, all.data(), queries, scratch.data());
  for (std::size_t i = 0; i < count; ++i) {
    const Expected expected = inDouble(stored, shape, all[i]);
    const double divisor = all[i].state == nullptr ? 1 : states[i][1];
    for (std::size_t d = 0; d < dim; ++d)
      ASSERT_NEAR(out[i][d] / divisor, expected.out[d], tolerance(all[i].end - all[i].begin, expected.sum))
          << "query " << i << " of " << queries << ", " << d << ", from " << begin;
    if (all[i].state == nullptr) continue;
    EXPECT_NEAR(states[i][0], expected.largest, 1e-5);
    EXPECT_NEAR(states[i][1], expected.sum, 1e-5 * expected.sum);
  }
}

TEST_P(AttentionTest, AgreesWithDoublePrecision) {
  struct Range {
    int begin, end;
  };
  // Within a block of 16; up to, from and over the ends of pages; with an odd and an even number of blocks.
  const std::vector<Range> ranges{{0, 1}, {0, 16}, {0, 17}, {0, 33}, {5, 48}, {20, 128}, {127, 129}, {100, 300}, {256, 257}};
  for (const Kernels* k : tests::runnableKernels()) {
    for (const Dims dims : {Dims{64, 64}, Dims{128, 128}, Dims{40, 40}, Dims{80, 16}, Dims{192, 128}, Dims{24, 48}, Dims{33, 17}}) {
      for (const Range& range : ranges) {
        const StoredHead stored(*k, GetParam(), dims, range.end, random);
        for (const int queries : {1, 2, 3, 4, 5, 8, 9, attentionQueries}) {
          SCOPED_TRACE(testing::Message() << k->name << ", dimensions " << dims.head << " and " << dims.value << ", to " << range.end);
          expectInDouble(*k, stored, queries, range.begin, range.end, 0);
          if (HasFatalFailure()) return;
        }
        expectInDouble(*k, stored, 4, range.begin, range.end, 1.5F);
      }
    }
  }
}

// A row's attention does not depend on the other rows of a step, bit for bit.
TEST_P(AttentionTest, OfAQueryIsTheSameBesideOthers) {
  for (const Kernels* k : tests::runnableKernels()) {
    const StoredHead stored(*k, GetParam(), {64, 64}, 300, random);
    const std::vector<float> q = queryNumbers(64, random);
    std::vector<float> alone(64), beside(64), other(64), scratch(attentionScratch(64, 64));
    const auto attend = [&](const std::vector<AttentionQuery>& queries) {
      k->attend[static_cast<int>(GetParam())](stored.head, {64, 64, 0.125F, 0}, queries.data(), static_cast<int>(queries.size()),
                                              scratch.data());
    };
    attend({{q.data(), alone.data(), 3, 300}});
    for (const std::size_t before : {0U, 1U, 3U, 7U, 8U, 15U}) {
      std::vector<AttentionQuery> queries(attentionQueries, {q.data(), other.data(), 0, 280});
      queries[before] = {q.data(), beside.data(), 3, 300};
      attend(queries);
      EXPECT_EQ(std::memcmp(alone.data(), beside.data(), 64 * sizeof(float)), 0) << k->name << ", after " << before << " others";
    }
  }
}

std::vector<float> anyNumbers(int count, std::mt19937& random) {
  std::normal_distribution<float> number;
  std::vector<float> x(static_cast<std::size_t>(count));
  for (float& value : x) value = number(random);
  return x;
}

// Nor does it if the others see positions that this one does not: later ones, as the next tokens of its prompt or its draft do, or earlier
// ones than its window.
TEST_P(AttentionTest, OfAnyNumbersIsTheSameBesideOthersThatSeeMore) {
  for (const Kernels* k : tests::runnableKernels()) {
    for (int head = 0; head < 40; ++head) {
      const StoredHead stored(*k, GetParam(), {64, 64}, 300, random, anyNumbers);
      const std::vector<float> q = anyNumbers(64, random), other = anyNumbers(64, random);
      std::vector<float> alone(64), beside(64), ignored(64), scratch(attentionScratch(64, 64));
      const auto attend = [&](const std::vector<AttentionQuery>& queries) {
        k->attend[static_cast<int>(GetParam())](stored.head, {64, 64, 0.125F, 0}, queries.data(), static_cast<int>(queries.size()),
                                                scratch.data());
      };
      attend({{q.data(), alone.data(), 40, 290}});
      for (const auto& [begin, end] : {std::pair{40, 293}, {5, 290}, {0, 300}}) {
        attend({{q.data(), beside.data(), 40, 290}, {other.data(), ignored.data(), begin, end}});
        ASSERT_EQ(std::memcmp(alone.data(), beside.data(), 64 * sizeof(float)), 0)
            << k->name << ", head " << head << ", beside " << begin << " to " << end;
      }
    }
  }
}

// A number that is none reaches the result, so that it is noticed: in a query, a key or a value that is seen.
TEST_P(AttentionTest, NotANumberIsNotHidden) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  for (const Kernels* k : tests::runnableKernels()) {
    for (const int element : {0, 17, 63}) {
      for (const int place : {0, 1, 2}) {
        StoredHead stored(*k, GetParam(), {64, 64}, 40, random);
        std::vector<float> q = queryNumbers(64, random), out(64), scratch(attentionScratch(64, 64));
        std::vector<float>& broken = place == 0 ? q : place == 1 ? stored.keys[20] : stored.values[20];
        broken[static_cast<std::size_t>(element)] = nan;
        k->storeKeyValue[static_cast<int>(GetParam())](stored.keys[20].data(), stored.values[20].data(), 64, 64, 20, stored.head);
        const AttentionQuery query{q.data(), out.data(), 0, 40};
        k->attend[static_cast<int>(GetParam())](stored.head, {64, 64, 0.125F, 0}, &query, 1, scratch.data());
        EXPECT_TRUE(std::isnan(out[static_cast<std::size_t>(element)])) << k->name << ", place " << place << ", element " << element;
      }
    }
  }
}

// A number that is too large for the cache is stored as its largest one, and nothing of it reaches queries that do not see it.
TEST_P(AttentionTest, LargeNumbersStayNumbers) {
  const float large = GetParam() == CacheType::single ? 1e30F : 1e9F;
  for (const Kernels* k : tests::runnableKernels()) {
    for (const float sign : {1.0F, -1.0F}) {
      StoredHead stored(*k, GetParam(), {64, 64}, 40, random);
      std::vector<float> q(64), unseen(64), seen(64), alone(64), scratch(attentionScratch(64, 64));
      q[0] = 1.0F;
      stored.values[39][3] = sign * large;
      k->storeKeyValue[static_cast<int>(GetParam())](stored.keys[39].data(), stored.values[39].data(), 64, 64, 39, stored.head);
      const auto attend = [&](const std::vector<AttentionQuery>& queries) {
        k->attend[static_cast<int>(GetParam())](stored.head, {64, 64, 0.125F, 0}, queries.data(), static_cast<int>(queries.size()),
                                                scratch.data());
      };
      attend({{q.data(), alone.data(), 0, 39}});
      attend({{q.data(), unseen.data(), 0, 39}, {q.data(), seen.data(), 0, 40}});
      EXPECT_EQ(std::memcmp(alone.data(), unseen.data(), 64 * sizeof(float)), 0) << k->name;
      EXPECT_TRUE(std::isfinite(seen[3]) && seen[3] * sign > 100) << k->name << ": " << seen[3];
    }
  }
}

std::string cacheName(const testing::TestParamInfo<CacheType>& info) {
  constexpr std::array names{"Half", "Single", "Blocks"};
  return names[static_cast<std::size_t>(info.param)];
}
INSTANTIATE_TEST_SUITE_P(Caches, AttentionTest, testing::Values(CacheType::half, CacheType::single, CacheType::blocks), cacheName);

}  // namespace
}  // namespace minerva::cpu
