// Penalties of the reply's own tokens, DRY, top-n-sigma and XTC. The expected values are llama.cpp's definitions, worked out by hand.
#include "core/engine/sampling/chain.h"
#include "core/engine/sampling/limits.h"
#include "core/engine/sampling/sampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace minerva::engine {
namespace {

using sampling::Candidates;
using sampling::CandidateState;
using Tokens = std::vector<std::int32_t>;

constexpr SamplingOptions plain{.temperature = 1, .topK = 0, .topP = 1, .minP = 0, .seed = 1};

Candidates all(const std::vector<float>& scores) { return {CandidateState::everything, scores, {}, *std::ranges::max_element(scores)}; }

TEST(ReplyPenalties, ReachTheWholeReplyAndNotThePrompt) {
  SamplingOptions options = plain;
  options.presencePenalty = 1.5F;
  options.frequencyPenalty = 0.25F;
  options.promptTokens = 3;
  Tokens recent{7, 7, 5};  // the prompt
  recent.push_back(2);
  recent.insert(recent.end(), 100, 3);
  Candidates c = all(std::vector<float>(8, 1.0F));
  sampling::presencePenalty.apply(options, recent, c);
  EXPECT_EQ(c.scores[7], 1.0F) << "in the prompt alone";
  EXPECT_EQ(c.scores[5], 1.0F);
  EXPECT_NEAR(c.scores[2], 1.0 - 1.5 - 0.25, 1e-6) << "101 tokens ago";
  EXPECT_NEAR(c.scores[3], 1.0 - 1.5 - 100 * 0.25, 1e-4);
  options.presenceLastN = 100;
  c = all(std::vector<float>(8, 1.0F));
  sampling::presencePenalty.apply(options, recent, c);
  EXPECT_EQ(c.scores[2], 1.0F) << "out of the window that was asked for";
}

struct DryCase {
  const char* what;
  Tokens recent, breakers;
  int allowed, window;
  std::vector<std::pair<std::int32_t, int>> lengths;  // by token: of the repetition that it would go on with
};

TEST(Dry, LowersWhatWouldGoOnWithARepetition) {
  for (const DryCase& one : {
           DryCase{"1 2 3 came before 4", {1, 2, 3, 4, 9, 1, 2, 3}, {}, 2, -1, {{4, 3}}},
           DryCase{"the longest of several", {2, 3, 5, 1, 2, 3, 4, 9, 1, 2, 3}, {}, 2, -1, {{4, 3}, {5, 2}}},
           DryCase{"the longer one for the same token", {2, 3, 4, 8, 1, 2, 3, 4, 9, 1, 2, 3}, {}, 2, -1, {{4, 3}}},
           DryCase{"too short", {3, 4, 9, 3}, {}, 2, -1, {}},
           DryCase{"one is enough", {3, 4, 9, 3}, {}, 1, -1, {{4, 1}}},
           DryCase{"it overlaps itself", {6, 6, 6, 6}, {}, 2, -1, {{6, 3}}},
           DryCase{"a period of two", {1, 2, 1, 2, 1, 2}, {}, 2, -1, {{1, 4}}},
           DryCase{"not beyond a breaker", {1, 2, 3, 4, 9, 1, 2, 3}, {1}, 2, -1, {{4, 2}}},
           DryCase{"a breaker that is too near", {1, 2, 3, 4, 9, 1, 2, 3}, {2}, 2, -1, {}},
           DryCase{"out of the window", {1, 2, 3, 4, 9, 1, 2, 3}, {}, 2, 7, {{4, 2}}},
           DryCase{"nothing of it in the window", {1, 2, 3, 4, 9, 1, 2, 3}, {}, 2, 4, {}},
           DryCase{"nothing was written", {}, {}, 2, -1, {}},
       }) {
    SamplingOptions options = plain;
    options.dryMultiplier = 0.8F;
    options.dryBase = 1.75F;
    options.dryAllowedLength = one.allowed;
    options.dryPenaltyLastN = one.window;
    options.dryBreakers = one.breakers;
    Candidates c = all(std::vector<float>(10, 2.0F));
    sampling::dry.apply(options, one.recent, c);
    std::vector<double> expected(10, 2.0);
    for (const auto& [id, length] : one.lengths) expected[static_cast<std::size_t>(id)] -= 0.8 * std::pow(1.75, length - one.allowed);
    for (std::size_t id = 0; id < 10; ++id) EXPECT_NEAR(c.scores[id], expected[id], 1e-5) << one.what << ": token " << id;
    EXPECT_EQ(c.largest, *std::ranges::max_element(c.scores)) << one.what;
  }
}

TEST(Dry, APenaltyStaysFinite) {
  SamplingOptions options = plain;
  options.dryMultiplier = 1;
  options.dryBase = 10;
  Candidates c = all(std::vector<float>(10, 0.0F));
  sampling::dry.apply(options, Tokens(500, 6), c);
  EXPECT_TRUE(std::isfinite(c.scores[6]));
  EXPECT_NEAR(c.scores[6] / -1e38F, 1, 1e-4) << "10^38 is the last power of 10 that a float holds";
}

TEST(Dry, BreaksALoopAtTemperatureZero) {
  SamplingOptions options = plain;
  options.temperature = 0;
  const std::vector<float> logits{5.0F, 4.5F};
  const Tokens recent{0, 0, 0, 0, 0};
  EXPECT_EQ(Sampler(options).sample(logits, recent), 0);
  options.dryMultiplier = 0.8F;
  EXPECT_EQ(Sampler(options).sample(logits, recent), 1);
}

TEST(TopNSigma, KeepsWhatIsWithinSoManyDeviationsOfTheBest) {
  // Mean 3, deviations -3, -1, 0, 1, 3: the standard deviation is sqrt(20 / 5) = 2. What is ruled out counts for nothing.
  const float never = -std::numeric_limits<float>::infinity();
  const std::vector<float> scores{0, 2, 3, 4, 6, never};
  for (const auto& [n, kept] : {std::pair(0.9F, std::vector<bool>{false, false, false, false, true, false}),
                                std::pair(1.0F, std::vector<bool>{false, false, false, true, true, false}),
                                std::pair(1.5F, std::vector<bool>{false, false, true, true, true, false}),
                                std::pair(3.0F, std::vector<bool>{true, true, true, true, true, false})}) {
    SamplingOptions options = plain;
    options.topNSigma = n;
    Candidates c = all(scores);
    sampling::topNSigma.apply(options, {}, c);
    for (std::size_t id = 0; id < scores.size(); ++id) EXPECT_EQ(std::isfinite(c.scores[id]), kept[id]) << n << " " << id;
    EXPECT_EQ(c.largest, 6.0F);
  }
}

// Probabilities 0.5, 0.3, 0.15 and 0.05.
TEST(Xtc, LeavesOfTheLikelyOnesTheLeastLikely) {
  const std::vector<float> scores{std::log(0.3F), std::log(0.5F), std::log(0.05F), std::log(0.15F)};
  for (const auto& [threshold, kept] : {std::pair(0.1F, Tokens{2, 3}), std::pair(0.2F, Tokens{0, 2, 3}),
                                        std::pair(0.4F, Tokens{0, 1, 2, 3}), std::pair(0.01F, Tokens{2})}) {
    SamplingOptions options = plain;
    options.xtcProbability = 1;
    options.xtcThreshold = threshold;
    Candidates c = all(scores);
    c.chance = 0.999;
    sampling::xtc.apply(options, {}, c);
    Tokens ids;
    for (const auto& candidate : c.chosen) ids.push_back(candidate.id);
    std::ranges::sort(ids);
    EXPECT_EQ(ids, kept) << threshold;
  }
  SamplingOptions options = plain;
  options.xtcProbability = 1;
  Sampler always(options);
  options.xtcProbability = 0.5F;
  Sampler sometimes(options);
  std::vector<int> counts(4, 0);
  for (int i = 0; i < 4000; ++i) {
    const std::int32_t token = always.sample(scores, {});
    EXPECT_TRUE(token == 2 || token == 3) << token;
    ++counts[static_cast<std::size_t>(sometimes.sample(scores, {}))];
  }
  // Half of the time 0.5 and 0.3, never otherwise; of 0.15 and 0.05 half of the time 3 to 1.
  EXPECT_NEAR(counts[1], 4000 * 0.25, 150);
  EXPECT_NEAR(counts[0], 4000 * 0.15, 130);
  EXPECT_NEAR(counts[3], 4000 * (0.075 + 0.375), 160);
}

TEST(ReplyPenalties, OptionsOutOfRangeAreRefused) {
  for (const auto& [where, options] :
       {std::pair("DRY multiplier", SamplingOptions{.dryMultiplier = -1}), std::pair("DRY base", SamplingOptions{.dryBase = 0.5F}),
        std::pair("XTC probability", SamplingOptions{.xtcProbability = 2}), std::pair("top-n-sigma", SamplingOptions{.topNSigma = -1}),
        std::pair("window of the presence penalty", SamplingOptions{.presenceLastN = -2})}) {
    const Result<void> checked = check(options);
    ASSERT_FALSE(checked) << where;
    EXPECT_EQ(checked.error().where, where);
  }
}

}  // namespace
}  // namespace minerva::engine
