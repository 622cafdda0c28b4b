// Sampling from the best logits of a row gives what sampling from the whole row gives, or says that they are not enough.
#include "core/backend/backend.h"
#include "core/engine/sampling/sampling.h"

#include "tests/support/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace minerva::engine {
namespace {

using Entry = backend::TopLogits::Entry;

struct Listed {
  std::vector<Entry> entries;
  backend::TopLogits top;
};

// What a device brings of a row: all that is as good as some token, `most` at most. error: of the sum, in parts of what is allowed.
Listed listed(const std::vector<float>& row, std::size_t most, float temperature, double error = 0) {
  Listed made;
  for (std::size_t i = 0; i < row.size(); ++i) made.entries.push_back({static_cast<std::int32_t>(i), row[i]});
  std::ranges::sort(made.entries,
                    [](const Entry& a, const Entry& b) { return a.logit != b.logit ? a.logit > b.logit : a.token < b.token; });
  made.top.largest = made.entries.front().logit;
  for (const Entry& entry : made.entries)
    made.top.sum += std::exp((static_cast<double>(entry.logit) - static_cast<double>(made.top.largest)) / static_cast<double>(temperature));
  made.top.sum *= 1 + error * backend::TopLogits::sumError;
  if (most < made.entries.size()) {
    const float next = made.entries[most].logit;
    made.entries.resize(most);
    std::erase_if(made.entries, [next](const Entry& entry) { return entry.logit == next; });
  }
  made.top.whole = made.entries.size() == row.size();
  made.top.best = made.entries;
  return made;
}

float sumTemperature(const SamplingOptions& options) { return options.temperature > 0 ? options.temperature : 1; }

template <class T>
T oneOf(tests::Random& random, std::initializer_list<T> all) {
  return all.begin()[random.below(static_cast<int>(all.size()))];
}

std::vector<float> randomRow(tests::Random& random, std::size_t n) {
  const double spread = oneOf(random, {0.2, 1.0, 3.0, 6.0});
  const int coarse = random.below(4);
  std::vector<float> row(n);
  for (float& logit : row) {
    logit = static_cast<float>(random.normal() * spread);
    if (coarse == 0) logit = std::round(logit * 4) / 4;
    if (random.below(300) == 0) logit = -std::numeric_limits<float>::infinity();
  }
  row[0] = std::max(row[0], -10.0F);
  return row;
}

// Half of them at least can be among the best.
std::vector<std::int32_t> randomTokens(tests::Random& random, const Listed& list, int count, int vocabulary) {
  std::vector<std::int32_t> tokens;
  for (int i = 0; i < count; ++i) {
    const bool good = random.below(3) > 0 && !list.entries.empty();
    tokens.push_back(
        good ? list.entries[static_cast<std::size_t>(random.below(static_cast<int>(list.entries.size())) / (1 + random.below(6)))].token
             : random.below(vocabulary));
  }
  return tokens;
}

SamplingOptions randomOptions(tests::Random& random, const Listed& list, int vocabulary) {
  SamplingOptions options{.temperature = oneOf(random, {0.0F, 0.05F, 0.3F, 0.8F, 1.0F, 1.0F, 1.7F}),
                          .topK = oneOf(random, {0, 0, 1, 3, 40, 200, 256, 300, 5000}),
                          .topP = oneOf(random, {1.0F, 1.0F, 0.95F, 0.5F, 0.0F, 0.999F}),
                          .minP = oneOf(random, {0.0F, 0.0F, 0.05F, 0.3F, 1.0F}),
                          .repeatPenalty = oneOf(random, {1.0F, 1.0F, 1.0F, 1.1F, 3.0F, 0.8F}),
                          .repeatLastN = oneOf(random, {0, 5, 64, -1}),
                          .presencePenalty = oneOf(random, {0.0F, 0.0F, 0.0F, 0.7F, -0.5F}),
                          .frequencyPenalty = oneOf(random, {0.0F, 0.0F, 0.0F, 0.4F, -0.3F}),
                          .presenceLastN = oneOf(random, {0, 5, -1, -1}),
                          .dryMultiplier = oneOf(random, {0.0F, 0.0F, 0.0F, 0.8F}),
                          .topNSigma = oneOf(random, {0.0F, 0.0F, 0.0F, 0.0F, 0.0F, 0.0F, 0.0F, 1.5F}),
                          .xtcProbability = oneOf(random, {0.0F, 0.0F, 0.0F, 0.5F, 1.0F}),
                          .xtcThreshold = oneOf(random, {0.02F, 0.1F}),
                          .seed = random.bits() | 1,
                          .logitBias = {},
                          .promptTokens = oneOf<std::size_t>(random, {0, 0, 3, 100})};
  if (random.below(5) > 0) return options;
  for (const std::int32_t token : randomTokens(random, list, 1 + random.below(4), vocabulary))
    options.logitBias.emplace_back(token, oneOf(random, {-std::numeric_limits<float>::infinity(), -100.0F, -3.0F, -0.5F, 0.5F, 4.0F}));
  return options;
}

std::vector<std::uint64_t> randomMask(tests::Random& random, std::size_t n) {
  if (random.below(4) > 0) return {};
  std::vector<std::uint64_t> mask((n + 63) / 64);
  for (std::uint64_t& word : mask) word = random.below(2) == 0 ? random.bits() : random.bits() & random.bits() & random.bits();
  return mask;
}

// The same options and seed on both ways, for several tokens: a list that decides must leave the same numbers for what is drawn later.
TEST(SamplingFromTheBest, IsTheSameAsFromTheWholeRowOrNotEnough) {
  tests::Random random(11);
  constexpr int cases = 6000, tokens = 4;
  int decided = 0, drawn = 0;
  for (int k = 0; k < cases; ++k) {
    const std::size_t n = oneOf<std::size_t>(random, {1, 7, 60, 257, 900, 3000});
    const std::size_t most = oneOf<std::size_t>(random, {backend::TopLogits::most, backend::TopLogits::most, 60, 8});
    const Listed first = listed(randomRow(random, n), most, 1);
    const SamplingOptions options = randomOptions(random, first, static_cast<int>(n));
    Sampler whole(options), short_(options);
    for (int t = 0; t < tokens; ++t) {
      const std::vector<float> row = randomRow(random, n);
      const Listed list = listed(row, most, sumTemperature(options), random.uniform(-1, 1));
      const std::vector<std::int32_t> recent = randomTokens(random, list, random.below(30), static_cast<int>(n));
      const std::vector<std::uint64_t> allowed = randomMask(random, n);
      const std::int32_t expected = whole.sample(row, recent, allowed);
      const std::optional<std::int32_t> found = short_.sampleTop(list.top, recent, allowed);
      if (found) ++decided;
      if (found && options.temperature > 0 && options.topK == 0) ++drawn;
      ASSERT_EQ(found ? *found : short_.sample(row, recent, allowed), expected)
          << "case " << k << ", token " << t << (found ? ", from the best" : ", from the row") << ": vocabulary " << n << ", "
          << list.entries.size() << " listed, temperature " << options.temperature << ", top-k " << options.topK << ", top-p "
          << options.topP << ", min-p " << options.minP << ", penalties " << options.repeatPenalty << ' ' << options.presencePenalty << ' '
          << options.frequencyPenalty << ", biases " << options.logitBias.size() << (allowed.empty() ? "" : ", masked");
    }
  }
  EXPECT_GT(decided, cases * tokens / 3) << "lists that never decide prove nothing";
  EXPECT_GT(drawn, cases * tokens / 25);
  EXPECT_LT(decided, cases * tokens * 9 / 10) << "rows that are never needed prove nothing";
}

// How often the best logits decide, of rows like a model's: a few likely tokens above a broad background.
double decidedShare(SamplingOptions options, double lift) {
  tests::Random random(5);
  constexpr int rows = 40;
  constexpr std::size_t vocabulary = 32000;
  int decided = 0;
  options.seed = 3;
  Sampler sampler(options);
  for (int r = 0; r < rows; ++r) {
    std::vector<float> row(vocabulary);
    for (float& logit : row) logit = static_cast<float>(random.normal() * 2.5);
    for (int i = 0; i < 20; ++i)
      row[static_cast<std::size_t>(random.below(static_cast<int>(vocabulary)))] += static_cast<float>(random.uniform() * lift);
    const Listed list = listed(row, backend::TopLogits::most, sumTemperature(options));
    const std::vector<std::int32_t> recent = randomTokens(random, list, 64, static_cast<int>(vocabulary));
    decided += sampler.sampleTop(list.top, recent).has_value() ? 1 : 0;
  }
  return static_cast<double>(decided) / rows;
}

TEST(SamplingFromTheBest, IsAlmostAlwaysEnough) {
  EXPECT_EQ(decidedShare({}, 16), 1.0) << "the default options";
  EXPECT_EQ(decidedShare({.temperature = 0}, 16), 1.0);
  EXPECT_EQ(decidedShare({.temperature = 0, .repeatPenalty = 1.1F}, 16), 1.0);
  EXPECT_EQ(decidedShare({.repeatPenalty = 1.1F, .presencePenalty = 0.5F, .frequencyPenalty = 0.2F}, 16), 1.0);
  EXPECT_EQ(decidedShare({.topK = 0, .topP = 1, .minP = 0.05F}, 16), 1.0);
  EXPECT_GE(decidedShare({.temperature = 0.7F, .topK = 0, .topP = 0.9F, .minP = 0}, 20), 0.9);
  EXPECT_GE(decidedShare({.temperature = 1, .topK = 0, .topP = 1, .minP = 0}, 20), 0.7) << "gpt-oss: drawn from the whole vocabulary";
}

TEST(SamplingFromTheBest, WhatMayBringOthersAmongThemIsNotEnough) {
  std::vector<float> row(1000);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = -static_cast<float>(i) / 100;
  const auto isEnough = [&](const SamplingOptions& options, std::vector<std::int32_t> recent) {
    return Sampler(options).sampleTop(listed(row, backend::TopLogits::most, sumTemperature(options)).top, recent).has_value();
  };
  EXPECT_TRUE(isEnough({.temperature = 0, .repeatPenalty = 1.5F}, {900}));
  EXPECT_FALSE(isEnough({.temperature = 0, .repeatPenalty = 0.5F}, {900}));
  EXPECT_TRUE(isEnough({.temperature = 0, .repeatPenalty = 0.5F}, {9}));
  EXPECT_FALSE(isEnough({.temperature = 0, .presencePenalty = -1}, {900}));
  EXPECT_FALSE(isEnough({.temperature = 0, .presencePenalty = 1, .frequencyPenalty = -0.1F}, {900, 900}));
  EXPECT_TRUE(isEnough({.temperature = 0, .presencePenalty = 1}, {900}));
  EXPECT_FALSE(isEnough({.temperature = 0, .logitBias = {{900, 1.0F}}}, {}));
  EXPECT_TRUE(isEnough({.temperature = 0, .logitBias = {{900, -1.0F}}}, {}));
  EXPECT_TRUE(isEnough({.topK = 255, .topP = 1, .minP = 0}, {}));
  EXPECT_FALSE(isEnough({.topK = 400, .topP = 0.99F, .minP = 0}, {})) << "the border is not among them";
  EXPECT_TRUE(isEnough({.temperature = 0.1F, .topK = 400, .topP = 0.5F, .minP = 0}, {}));
  EXPECT_TRUE(isEnough({.topK = 400, .topP = 1, .minP = 0.3F}, {}));
  std::vector<std::int32_t> listedTokens(256);
  for (std::size_t i = 0; i < listedTokens.size(); ++i) listedTokens[i] = static_cast<std::int32_t>(i);
  EXPECT_FALSE(isEnough({.temperature = 0, .repeatLastN = -1, .presencePenalty = 2, .frequencyPenalty = 2}, listedTokens))
      << "all may be below others now";
}

TEST(SamplingFromTheBest, RowsThatAreNotNumbersAreRefused) {
  backend::TopLogits top;
  for (const float largest :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()}) {
    top.largest = largest;
    EXPECT_EQ(Sampler({.temperature = 0}).sampleTop(top, {}), Sampler::unusableLogits);
    EXPECT_EQ(Sampler({.temperature = 1}).sampleTop(top, {}), Sampler::unusableLogits);
  }
  top.largest = 3;
  EXPECT_EQ(Sampler({.temperature = 0}).sampleTop(top, {}), std::nullopt) << "nothing is listed where too many are equal";
}

}  // namespace
}  // namespace minerva::engine
