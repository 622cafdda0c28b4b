#include "core/engine/sampling/chain.h"
#include "core/engine/sampling/sampling.h"

#include "tests/support/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

namespace minerva::engine {
namespace {

using sampling::Candidate;
using sampling::Candidates;
using sampling::CandidateState;

constexpr SamplingOptions off{.temperature = 1, .topK = 0, .topP = 1, .minP = 0, .repeatPenalty = 1, .repeatLastN = 64, .seed = 1};

std::vector<float> randomLogits(std::size_t n, std::uint64_t seed, double spread) {
  tests::Random random(seed);
  std::vector<float> logits(n);
  for (float& logit : logits) logit = static_cast<float>(random.normal() * spread);
  return logits;
}

Candidates everything(const std::vector<float>& scores) {
  return {CandidateState::everything, scores, {}, *std::ranges::max_element(scores)};
}

std::set<std::int32_t> ids(const Candidates& c) {
  std::set<std::int32_t> all;
  for (const Candidate& candidate : c.chosen) all.insert(candidate.id);
  return all;
}

// All candidates, best first, by a full sort: the slow truth.
std::vector<Candidate> sorted(const std::vector<float>& scores) {
  std::vector<Candidate> all;
  for (std::size_t i = 0; i < scores.size(); ++i) all.push_back({static_cast<std::int32_t>(i), scores[i]});
  std::ranges::sort(all, sampling::better);
  return all;
}

std::set<std::int32_t> nucleus(const std::vector<float>& scores, double p) {
  const std::vector<Candidate> best = sorted(scores);
  double total = 0;
  for (const Candidate& c : best) total += std::exp(static_cast<double>(c.score) - static_cast<double>(best[0].score));
  std::set<std::int32_t> kept;
  double mass = 0;
  for (const Candidate& c : best) {
    if (!kept.empty() && mass >= p * total) break;
    kept.insert(c.id);
    mass += std::exp(static_cast<double>(c.score) - static_cast<double>(best[0].score));
  }
  return kept;
}

TEST(Sampler, GreedyTakesTheLargestAndTheLowestIdAmongEquals) {
  Sampler sampler({.temperature = 0});
  EXPECT_EQ(sampler.sample(std::vector<float>{1, 5, 2, 5, -1}, {}), 1);
  EXPECT_EQ(sampler.sample(std::vector<float>{-3, -2, -2}, {}), 1);
}

TEST(Sampler, GreedyHeedsTheRepetitionPenalty) {
  Sampler sampler({.temperature = 0, .repeatPenalty = 2.0F, .repeatLastN = 2});
  const std::vector<std::int32_t> recent{2, 1, 1};
  EXPECT_EQ(sampler.sample(std::vector<float>{3, 5, 4}, recent), 2) << "2 is out of the window, 1 counts once: 2.5";
  EXPECT_EQ(sampler.sample(std::vector<float>{-4, -3, -9}, recent), 0) << "a negative logit is multiplied: -6";
}

TEST(Sampler, RefusesLogitsThatAreNotNumbers) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float temperature : {0.0F, 0.8F}) {
    Sampler sampler({.temperature = temperature, .seed = 3});
    EXPECT_EQ(sampler.sample(std::vector<float>{1, nan, 2}, {}), -1);
    EXPECT_EQ(sampler.sample(std::vector<float>{1, infinity, 2}, {}), -1);
    EXPECT_EQ(sampler.sample(std::vector<float>{-infinity, -infinity}, {}), -1);
    EXPECT_EQ(sampler.sample(std::vector<float>{-infinity, 1, -infinity}, {}), 1) << "a masked token is never drawn";
  }
}

TEST(SamplingStages, TopKIsTheHeadOfAFullSort) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::vector<float> scores = randomLogits(500, seed, 2);
    for (float& s : scores) s = std::round(s * 4) / 4;  // many ties
    for (const int k : {1, 2, 40, 499, 500, 5000}) {
      SamplingOptions options = off;
      options.topK = k;
      Candidates c = everything(scores);
      sampling::topK.apply(options, {}, c);
      const std::vector<Candidate> best = sorted(scores);
      ASSERT_EQ(c.chosen.size(), std::min<std::size_t>(500, static_cast<std::size_t>(k)));
      for (std::size_t i = 0; i < c.chosen.size(); ++i) ASSERT_EQ(c.chosen[i].id, best[i].id) << "k " << k << ", place " << i;
    }
  }
}

TEST(SamplingStages, TopPIsTheSmallestBestSetOfAFullSort) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const double spread : {0.01, 1.0, 5.0, 30.0}) {
      const std::vector<float> scores = randomLogits(700, seed, spread);
      for (const float p : {0.0F, 0.1F, 0.5F, 0.9F, 0.99F}) {
        SamplingOptions options = off;
        options.topP = p;
        Candidates all = everything(scores);
        sampling::topP.apply(options, {}, all);
        EXPECT_EQ(ids(all), nucleus(scores, static_cast<double>(p))) << "p " << p << ", spread " << spread;
        Candidates list = everything(scores);
        list.state = CandidateState::chosen;
        list.chosen = sorted(scores);
        std::ranges::reverse(list.chosen);
        sampling::topP.apply(options, {}, list);
        EXPECT_EQ(ids(list), ids(all));
      }
    }
  }
}

TEST(SamplingStages, MinPKeepsWhatIsAtLeastThatShareOfTheBest) {
  const std::vector<float> scores{0.0F, std::log(0.5F), std::log(0.11F), std::log(0.09F), -50.0F};
  SamplingOptions options = off;
  options.minP = 0.1F;
  Candidates c = everything(scores);
  sampling::minP.apply(options, {}, c);
  EXPECT_EQ(ids(c), (std::set<std::int32_t>{0, 1, 2}));
  options.minP = 1.0F;
  c = everything(scores);
  sampling::minP.apply(options, {}, c);
  EXPECT_EQ(ids(c), std::set<std::int32_t>{0});
}

TEST(SamplingStages, EveryOrderOfEnabledStagesIsAccepted) {
  const std::vector<float> logits = randomLogits(100, 5, 3);
  for (int bits = 0; bits < 32; ++bits) {
    SamplingOptions options = off;
    if ((bits & 1) != 0) options.repeatPenalty = 1.3F;
    if ((bits & 2) != 0) options.temperature = 0.7F;
    if ((bits & 4) != 0) options.topK = 10;
    if ((bits & 8) != 0) options.topP = 0.9F;
    if ((bits & 16) != 0) options.minP = 0.02F;
    Sampler sampler(options);
    const std::vector<std::int32_t> recent{3, 4};
    for (int i = 0; i < 10; ++i) EXPECT_GE(sampler.sample(logits, recent), 0) << bits;
  }
}

TEST(Sampler, DrawsInProportionToTheProbabilities) {
  const std::vector<float> logits{std::log(0.5F), std::log(0.25F), std::log(0.15F), std::log(0.1F)};
  const double expected[] = {0.5, 0.25, 0.15, 0.1};
  Sampler sampler(off);
  std::map<std::int32_t, int> counts;
  constexpr int draws = 40000;
  for (int i = 0; i < draws; ++i) ++counts[sampler.sample(logits, {})];
  double chiSquare = 0;
  for (int i = 0; i < 4; ++i) {
    const double wanted = expected[i] * draws;
    chiSquare += (counts[i] - wanted) * (counts[i] - wanted) / wanted;
  }
  EXPECT_LT(chiSquare, 16.3) << "three degrees of freedom, one in a thousand";
}

TEST(Sampler, TheSameSeedDrawsTheSameTokens) {
  const std::vector<float> logits = randomLogits(1000, 8, 2);
  const auto draw = [&](std::uint64_t seed) {
    SamplingOptions options;
    options.seed = seed;
    Sampler sampler(options);
    std::vector<std::int32_t> tokens;
    for (int i = 0; i < 50; ++i) tokens.push_back(sampler.sample(logits, tokens));
    return tokens;
  };
  EXPECT_EQ(draw(42), draw(42));
  EXPECT_NE(draw(42), draw(43));
}

// xoshiro256** seeded with 1 by SplitMix64: what this seed must always give, so that an old conversation can be repeated.
TEST(Sampler, ASeedMeansTheSameForever) {
  std::vector<float> logits(16, 0.0F);
  Sampler sampler(off);
  std::vector<std::int32_t> tokens;
  for (int i = 0; i < 6; ++i) tokens.push_back(sampler.sample(logits, {}));
  tests::Random seeds(1);
  std::uint64_t s[4] = {seeds.bits(), seeds.bits(), seeds.bits(), seeds.bits()};
  std::vector<std::int32_t> expected;
  for (int i = 0; i < 6; ++i) {
    const std::uint64_t result = std::rotl(s[1] * 5, 7) * 9;
    const std::uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = std::rotl(s[3], 45);
    expected.push_back(static_cast<std::int32_t>(result >> 60));
  }
  EXPECT_EQ(tokens, expected);
}

double msOf(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// The yardstick runs between the measurements, so that a slow or busy machine slows both.
TEST(Sampler, A128kVocabularyCostsLessThanThreePlainSoftmaxes) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(NDEBUG)
  GTEST_SKIP() << "skipped: not an optimized build";
#endif
  const std::vector<float> logits = randomLogits(128256, 9, 3);
  const std::vector<std::int32_t> recent(64, 7);
  std::vector<float> probabilities(logits.size());
  const auto softmax = [&] {
    const float maximum = *std::ranges::max_element(logits);
    double total = 0;
    for (std::size_t i = 0; i < logits.size(); ++i) total += static_cast<double>(probabilities[i] = std::exp(logits[i] - maximum));
    for (float& p : probabilities) p /= static_cast<float>(total);
  };
  SamplingOptions wide = off;
  wide.topP = 0.95F;
  for (const SamplingOptions& options : {SamplingOptions{.repeatPenalty = 1.1F, .seed = 1}, wide, off, SamplingOptions{.temperature = 0}}) {
    Sampler sampler(options);
    double best = 1e9, plain = 1e9;  // the least of many: what it costs when nothing else runs
    for (int i = 0; i < 60; ++i) {
      best = std::min(best, msOf([&] { ASSERT_GE(sampler.sample(logits, recent), 0); }));
      plain = std::min(plain, msOf(softmax));
    }
    std::printf("sampling 128256 logits: %.3f ms, a softmax of them %.3f ms (temperature %.1f, top-k %d, top-p %.2f)\n", best, plain,
                static_cast<double>(options.temperature), options.topK, static_cast<double>(options.topP));
    EXPECT_LT(best, 3 * plain);
  }
}

}  // namespace
}  // namespace minerva::engine
