// Distances, figures and choices calculated by hand; distances of real models from themselves and from their copies.
#include "core/format/model_file.h"
#include "core/compare/divergence.h"
#include "core/compare/figures.h"
#include "core/compare/quality.h"
#include "core/compare/subject.h"
#include "core/convert/mlx_folder.h"
#include "gpu/available.h"
#include "tests/core/format/temporary_folder.h"

#include <gtest/gtest.h>

#include <cmath>

namespace minerva::compare {
namespace {

namespace fs = std::filesystem;
const fs::path golden = fs::path(MINERVA_TEST_DATA) / "golden" / "models" / "llama-gqa-bf16";

TEST(Agreement, IsWhatOneWorksOutByHand) {
  const float three = std::log(3.0F);
  // Two positions with a vocabulary of two: probabilities of one half, then any two logits.
  const std::vector<float> reference{0, 0, 5, 1}, first{three, 0}, second{5, 1};
  AgreementMeter meter(reference, 2);
  meter.add(first);
  meter.add(second);
  const Agreement a = meter.result();
  const double kl = 0.5 * std::log(0.5 / 0.75) + 0.5 * std::log(0.5 / 0.25);
  EXPECT_NEAR(a.kl, kl / 2, 1e-7);
  EXPECT_NEAR(a.kl99, kl, 1e-7);
  EXPECT_EQ(a.top1, 1.0);
  EXPECT_EQ(a.largest, static_cast<double>(three));
  const double mean = 1.5, variance = (2 * 1.5 * 1.5 + 3.5 * 3.5 + 0.5 * 0.5) / 4;
  EXPECT_EQ(mean, (0 + 0 + 5 + 1) / 4.0);
  EXPECT_NEAR(a.largestRelative, static_cast<double>(three) / std::sqrt(variance), 1e-6);
  EXPECT_NEAR(probability(first, 0), 0.75, 1e-7);
  EXPECT_NEAR(surprise(first, 1), std::log(4.0), 1e-7);
}

TEST(Divergence, IsTheFirstTokenThatDiffers) {
  const std::vector<TokenId> a{1, 2, 3}, b{1, 5, 3}, shorter{1, 2};
  EXPECT_EQ(firstDifference(a, a), -1);
  EXPECT_EQ(firstDifference(a, b), 1);
  EXPECT_EQ(firstDifference(a, shorter), 2);
  EXPECT_EQ(firstDifference(shorter, a), 2);
}

TEST(Figures, OfSeveralRepliesAreAllTokensOverAllTime) {
  std::vector<engine::Reply> replies(2);
  replies[0].timings = {.prefillMs = 100, .ttftMs = 110, .promptTokens = 30, .reusedTokens = 10, .generatedTokens = 3};
  replies[0].intervals = {10, 30};
  replies[0].ownIntervals = {5, 15};
  replies[0].ownTtftMs = 50;
  replies[1].timings = {.prefillMs = 100, .ttftMs = 130, .promptTokens = 20, .reusedTokens = 0, .generatedTokens = 2};
  replies[1].intervals = {20};
  replies[1].ownIntervals = {10};
  replies[1].ownTtftMs = 50;
  const Figures whole = figuresOf(replies, false), own = figuresOf(replies, true);
  EXPECT_EQ(whole.ttftMs, 120);
  EXPECT_EQ(whole.prefillTokensPerSecond, 200);
  EXPECT_EQ(whole.decodeTokensPerSecond, 50);
  EXPECT_EQ(whole.tpotP50, 20);
  EXPECT_EQ(whole.tpotP95, 30);
  EXPECT_EQ(whole.generatedTokens, 5);
  EXPECT_EQ(own.ttftMs, 50);
  EXPECT_EQ(own.prefillTokensPerSecond, 400);
  EXPECT_EQ(own.decodeTokensPerSecond, 100);
}

TEST(Subject, TheMostPreciseHasMostBitsAndIsTheFirstAmongEquals) {
  const auto subject = [](double bits, std::uint64_t needed) {
    Subject s;
    s.bits = bits;
    s.needed = needed;
    s.free = 1000U << 20;
    return s;
  };
  const std::vector<Subject> subjects{subject(4.5, 100U << 20), subject(16, 400U << 20), subject(16, 600U << 20)};
  EXPECT_EQ(mostPrecise(subjects), 1);
  EXPECT_EQ(mostPrecise({}), -1);
  EXPECT_TRUE(fitTogether(std::span(subjects).first(2)));
  const auto tooMuch = fitTogether(subjects);
  ASSERT_FALSE(tooMuch);
  EXPECT_EQ(tooMuch.error().kind, ErrorKind::outOfMemory);
  EXPECT_EQ(tooMuch.error().actual, "1.07 GiB needed (100.00 MiB + 400.00 MiB + 600.00 MiB)");
  EXPECT_TRUE(fitTogether(subjects, 2000U << 20));
}

class Models : public testing::Test {
 protected:
  // The same model in four bits, with its tokenizer.
  void SetUp() override {
    const auto model = format::ModelFile::open(golden / "hf");
    ASSERT_TRUE(model && convert::convertToMlx(**model, small, {.group = 32}));
  }
  TemporaryFolder folder;
  const fs::path small = folder.path() / "small";
  std::unique_ptr<backend::Backend> backend = *createBackend("cpu");
  std::unique_ptr<engine::Engine> load(const fs::path& path) {
    auto engine = engine::Engine::load(*backend, {.path = path}, {}, {});
    EXPECT_TRUE(engine) << engine.error().message();
    return std::move(*engine);
  }
};

TEST_F(Models, ASubjectSaysWhatALoadTakes) {
  const auto subject = readSubject(small, *backend, 0);
  ASSERT_TRUE(subject) << subject.error().message();
  EXPECT_EQ(subject->typeName, "MLX4_G32_BF16");
  EXPECT_EQ(subject->bits, 5.0);
  EXPECT_EQ(subject->needed, load(small)->info().memory.total());
  EXPECT_EQ(readSubject(golden / "not-there", *backend, 0).error().kind, ErrorKind::notFound);
}

TEST_F(Models, NoModelIsAwayFromItself) {
  const auto one = load(golden / "hf"), two = load(golden / "hf");
  const TextTask task{.text = "the water and the stone, the stone and the water and all that lies between them"};
  const auto yardstick = layYardstick(*one, task);
  ASSERT_TRUE(yardstick) << yardstick.error().message();
  ASSERT_GT(yardstick->tokens.size(), 16U);  // several steps
  const auto quality = measureQuality(*two, task, *yardstick);
  ASSERT_TRUE(quality && quality->agreement);
  EXPECT_EQ(quality->agreement->kl, 0.0);
  EXPECT_EQ(quality->agreement->kl99, 0.0);
  EXPECT_EQ(quality->agreement->top1, 1.0);
  EXPECT_EQ(quality->agreement->largest, 0.0);
  EXPECT_EQ(quality->perplexity, yardstick->perplexity);
  const auto copy = measureQuality(*load(small), task, *yardstick);
  ASSERT_TRUE(copy && copy->agreement);
  EXPECT_GT(copy->agreement->kl, 0.0);
}

// What both have seen is compared, whichever of the two has seen more.
TEST_F(Models, AYardstickThatIsShorterIsEnough) {
  const auto one = load(golden / "hf"), two = load(golden / "hf");
  const TextTask task{.text = "the water and the stone, the stone and the water and all that lies between them"};
  TextTask shorter = task;
  shorter.positions = 9;
  const auto yardstick = layYardstick(*one, shorter);
  ASSERT_TRUE(yardstick) << yardstick.error().message();
  ASSERT_EQ(yardstick->tokens.size(), 9U);
  const auto quality = measureQuality(*two, task, *yardstick);
  ASSERT_TRUE(quality && quality->agreement);
  EXPECT_EQ(quality->positions, 9U);
  EXPECT_EQ(quality->agreement->top1, 1.0);
  EXPECT_EQ(quality->perplexity, yardstick->perplexity) << "of the same positions";
}

// Logits of every position are passed on in order, for any number of rows per step.
TEST_F(Models, PositionsComeInOrderAndAStopIsSeen) {
  const auto model = load(golden / "hf");
  const std::vector<TokenId> tokens{5, 9, 300, 17, 41, 41, 2};
  const auto all = model->evaluate(tokens, true);
  ASSERT_TRUE(all);
  const std::size_t vocabulary = all->size() / tokens.size();
  std::size_t next = 0;
  ASSERT_TRUE(model->evaluate(tokens, 3, [&](std::size_t position, std::span<const float> logits) {
    EXPECT_EQ(position, next++);
    EXPECT_NEAR(logits[7], (*all)[position * vocabulary + 7], 0.1);
    return true;
  }));
  EXPECT_EQ(next, tokens.size());
  const auto stopped = model->evaluate(tokens, 1, [&](std::size_t position, std::span<const float>) { return position < 2; });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind, ErrorKind::cancelled);
  EXPECT_TRUE(model->evaluate(tokens, true));  // the model is still usable
}

TEST_F(Models, TheTrailKnowsWhatBothTokensWereWorth) {
  const auto reference = load(golden / "hf"), other = load(small);
  const std::vector<TokenId> prompt{5, 9, 300}, reply{17, 41, 8}, own{17, 40, 8};
  const auto trail = layTrail(*reference, prompt, reply, {});
  ASSERT_TRUE(trail);
  EXPECT_EQ(trail->logits.size(), 3 * trail->vocabulary);
  const auto found = findDivergence(*trail, *other, own, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->step, 1);
  EXPECT_EQ(found->reference, 41);
  EXPECT_EQ(found->other, 40);
  const std::vector<TokenId> before{5, 9, 300, 17};
  const auto logits = reference->evaluate(before, false), others = other->evaluate(before, false);
  ASSERT_TRUE(logits && others && found->inReference && found->inOther);
  EXPECT_NEAR(found->inReference->ofReference, probability(*logits, 41), 1e-2 * probability(*logits, 41));
  EXPECT_NEAR(found->inReference->ofOther, probability(*logits, 40), 1e-2 * probability(*logits, 40));
  EXPECT_NEAR(found->inOther->ofReference, probability(*others, 41), 1e-2 * probability(*others, 41));
  EXPECT_NEAR(found->inOther->ofOther, probability(*others, 40), 1e-2 * probability(*others, 40));
  EXPECT_EQ(findDivergence(*trail, *other, reply, {})->step, -1);
  const auto ended = findDivergence(*trail, *other, std::span(own).first(1), {});
  EXPECT_EQ(ended->step, 1);
  EXPECT_FALSE(ended->other || ended->inOther);
}

}  // namespace
}  // namespace minerva::compare
