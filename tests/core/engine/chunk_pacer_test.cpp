// The number of prompt tokens per step on simulated devices: a step takes `fixed` ms plus `perRow` ms for each row.
#include "core/engine/chunk_pacer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace minerva::engine {
namespace {

constexpr int most = 512;
constexpr double budget = 200;

struct Device {
  double fixed, perRow;  // ms
  [[nodiscard]] double step(int rows) const { return fixed + perRow * rows; }
};

ChunkPacer loaded(const Device& device) {
  ChunkPacer pacer(most, budget);
  pacer.learn(1, device.step(1));  // the engine does this on every load
  return pacer;
}

// The steps into which a prompt is split. `late` is extra time that the first step takes.
struct Cut {
  std::vector<int> rows;
  double ms = 0;
};
Cut run(ChunkPacer& pacer, const Device& device, int tokens, double late = 0) {
  Cut cut;
  for (int left = tokens; left > 0; left -= cut.rows.back()) {
    cut.rows.push_back(std::min(left, pacer.rows()));
    const double ms = device.step(cut.rows.back()) + std::exchange(late, 0.0);
    pacer.learn(cut.rows.back(), ms);
    cut.ms += ms;
  }
  return cut;
}

double whole(const Device& device, int tokens) {
  double ms = 0;
  for (int left = tokens; left > 0; left -= std::min(left, most)) ms += device.step(std::min(left, most));
  return ms;
}

TEST(ChunkPacer, AFirstStepThatCompiledIsForgotten) {
  const Device device{10, 1.5};
  ChunkPacer pacer = loaded(device);
  run(pacer, device, 155, 1000);
  EXPECT_GE(pacer.rows(), 96) << "a step of 112 rows takes 178 ms";
  EXPECT_LE(device.step(pacer.rows()), budget);
}

TEST(ChunkPacer, ASlowStepInTheMiddleChangesNothing) {
  const Device device{10, 1.5};
  ChunkPacer pacer = loaded(device);
  run(pacer, device, 1000);
  const int before = pacer.rows();
  run(pacer, device, before, 3000);
  EXPECT_EQ(pacer.rows(), before);
}

// Throughput is compared with chunks of 512 rows. Devices: a large model on one core, on a laptop, a GPU driver that runs on
// the CPU, a 30B model on a desktop CPU.
TEST(ChunkPacer, ASlowDeviceKeepsItsBatches) {
  for (const Device& device : {Device{200, 185}, Device{80, 16}, Device{100, 50}, Device{300, 20}}) {
    ChunkPacer pacer = loaded(device);
    const Cut cut = run(pacer, device, 559);
    EXPECT_LT(cut.ms, 1.1 * whole(device, 559)) << device.fixed << " ms and " << device.perRow << " a row, " << cut.rows.size() << " steps";
  }
}

TEST(ChunkPacer, WhereRowsCostNothingStepsBecomeWhole) {
  ChunkPacer pacer = loaded({20, 0.01});
  run(pacer, {20, 0.01}, 1000);
  EXPECT_EQ(pacer.rows(), most);
}

TEST(ChunkPacer, AFastDeviceKeepsToTheBudget) {
  const Device device{5, 1};
  ChunkPacer pacer = loaded(device);
  const Cut cut = run(pacer, device, 2000);
  for (const int rows : cut.rows) EXPECT_LE(device.step(rows), budget) << rows;
  EXPECT_EQ(pacer.rows(), 192);
}

// The cost per row rises with a long context, and falls again with a shorter one.
TEST(ChunkPacer, FollowsACostThatChangesWithinThreeSteps) {
  ChunkPacer pacer = loaded({5, 1});
  run(pacer, {5, 1}, 1000);
  for (int step = 0; step < 3; ++step) pacer.learn(pacer.rows(), Device{5, 4}.step(pacer.rows()));
  EXPECT_LE(Device({5, 4}).step(pacer.rows()), budget);
  for (int step = 0; step < 3; ++step) pacer.learn(pacer.rows(), Device{5, 1}.step(pacer.rows()));
  EXPECT_EQ(pacer.rows(), 192 - 192 % 16);
}

// Short steps, such as the rest of a prompt, must be learned from as well, because there may be no other steps for a long
// time.
TEST(ChunkPacer, LearnsFromSmallSteps) {
  ChunkPacer pacer(most, budget);
  pacer.learn(1, 900);
  for (int i = 0; i < 3; ++i) pacer.learn(5, 5);
  EXPECT_EQ(pacer.rows(), 64) << "four tiles: the largest step so far was small";
}

TEST(ChunkPacer, AReplyThatWaitsForTheStepIsNotHeldUpForThroughput) {
  const Device device{80, 4};
  ChunkPacer pacer = loaded(device);
  run(pacer, device, 1000);
  EXPECT_LE(device.step(pacer.rows(1)), budget);
  EXPECT_GT(device.step(pacer.rows()), 3 * budget) << "its fixed part is a sixteenth";
}

// Replies whose rows cost more than a prompt's, and run apart from them: as TinyLlama's on two cores, where they cost even more, and with a
// matrix unit that unpacks the weights for each step and multiplies 32 rows at a time.
struct Apart {
  double perReply, fixed = 12, perRow = 2.2;
  int rowsAtOnce = 1;
  double oneReply = 0;  // beyond perReply: reading the weights
  [[nodiscard]] double step(int rows, int replies) const {
    const int padded = (rows + rowsAtOnce - 1) / rowsAtOnce * rowsAtOnce;
    return (rows > 0 ? fixed + perRow * padded : 0) + (replies > 0 ? oneReply + perReply * replies : 0);
  }
  [[nodiscard]] double single() const { return oneReply > 0 ? step(0, 1) : step(1, 0); }
};
constexpr Apart matrixUnit{.perReply = 3.2, .fixed = 39, .perRow = 1.8, .rowsAtOnce = 32, .oneReply = 24};

struct Waited {
  double ms = 0, longest = 0;
};
Waited waitFor(int tokens, ChunkPacer& pacer, const Apart& device, int replies) {
  Waited waited;
  for (int left = tokens, rows = 0; left > 0; left -= rows) {
    const int chunk = pacer.rows(replies);
    rows = left <= chunk + ChunkPacer::restWithin(chunk) ? left : chunk;
    const double step = device.step(rows, replies);
    pacer.learn(rows + replies, step, replies);
    waited.ms += step;
    waited.longest = std::max(waited.longest, step);
  }
  return waited;
}

TEST(ChunkPacer, APromptAmongManyRepliesTakesHalfAsLongAgain) {
  const std::pair<Apart, int> cases[] = {{{3.2}, 1}, {{3.2}, 4}, {{3.2}, 19}, {{8.0}, 4}, {{8.0}, 8}, {matrixUnit, 8}, {matrixUnit, 19}};
  for (const auto& [device, replies] : cases) {
    ChunkPacer pacer(most, budget);
    pacer.learn(1, device.single());
    for (int i = 0; i < 10; ++i) pacer.learn(512, device.step(512, 0));
    for (int i = 0; i < 3; ++i) pacer.learnReplies(replies, device.step(0, replies));
    for (const int tokens : {128, 286, 325, 784, 1000}) {
      const Waited beside = waitFor(tokens, pacer, device, replies);
      const double alone = device.step(tokens, 0);
      if (tokens < 1000 || device.rowsAtOnce == 1) {  // a longer one would need longer steps
        EXPECT_LE(beside.ms, 1.5 * alone + beside.longest) << replies << " replies, " << tokens << " tokens";
      }
      const int over = device.rowsAtOnce == 1 ? 16 : 16 + device.rowsAtOnce;  // a tile, and what a unit pads the rest of a prompt to
      EXPECT_LE(beside.longest, budget + device.step(0, replies) + over * device.perRow) << "they wait no longer for a token";
    }
  }
}

// Where all prompts come beside replies, what a step of them takes is learned from such steps alone.
TEST(ChunkPacer, StepsOfBothGrowToTheBudgetToo) {
  ChunkPacer pacer(most, budget);
  pacer.learn(1, matrixUnit.single());
  pacer.learn(14, matrixUnit.step(14, 0));
  for (int i = 0; i < 3; ++i) pacer.learnReplies(19, matrixUnit.step(0, 19));
  for (int prompt = 0; prompt < 3; ++prompt) static_cast<void>(waitFor(286, pacer, matrixUnit, 19));
  EXPECT_EQ(pacer.rows(19), 96);
}

// Every prompt ends with some rows that fill no chunk. They are no step of their own if they are few, because that costs the replies
// another wait and a matrix unit as much as 32 rows; and what they take does not change what a row is expected to take.
TEST(ChunkPacer, WhatRestsOfPromptsTakeIsNotWhatRowsTake) {
  for (const double perRow : {1.8, 2.4}) {
    Apart device = matrixUnit;
    device.perRow = perRow;
    ChunkPacer pacer(most, budget);
    pacer.learn(1, device.single());
    for (int i = 0; i < 3; ++i) pacer.learn(512, device.step(512, 0));
    for (int i = 0; i < 3; ++i) pacer.learnReplies(19, device.step(0, 19));
    for (int prompt = 0; prompt < 8; ++prompt) {
      static_cast<void>(waitFor(286, pacer, device, 19));
      EXPECT_EQ(pacer.rows(19) % 32, 0) << "what a matrix unit takes at once";
      EXPECT_LE(device.step(pacer.rows(19), 0), budget + 16 * perRow);
      EXPECT_GE(device.step(pacer.rows(19) + 32, 0), budget);
    }
  }
  EXPECT_EQ(ChunkPacer::restWithin(96), 16);
  EXPECT_EQ(ChunkPacer::restWithin(16), 4) << "where a chunk of 16 rows takes all there is, 16 more would take twice as long";
}

// A mixture of 64 experts, 6 of them for each row: every expert that has any rows costs as much as several rows of it.
double mixture(int rows) { return 10 + 3.0 * rows + 2.0 * 64 * (1 - std::pow(1 - 6.0 / 64, rows)); }

TEST(ChunkPacer, AMixtureGetsTheLongStepsThatItsExpertsShare) {
  ChunkPacer pacer(most, budget);
  pacer.learn(1, mixture(1));
  double ms = 0;
  for (int prompt = 0; prompt < 6; ++prompt) {
    ms = 0;
    for (int left = 512, rows = 0; left > 0; left -= rows) {
      rows = std::min(left, pacer.rows());
      pacer.learn(rows, mixture(rows));
      ms += mixture(rows);
    }
  }
  EXPECT_LT(ms, 1.1 * mixture(512)) << "the last prompt";
  EXPECT_LE(mixture(pacer.rows(1)), 1.15 * budget) << "while replies wait, of which nothing was measured yet";
  for (int i = 0; i < 3; ++i) pacer.learn(pacer.rows(1), mixture(pacer.rows(1)));
  EXPECT_LE(mixture(pacer.rows(1)), budget);
}

// A size that one slow step made look bad is tried again.
TEST(ChunkPacer, ASlowStepAtANewSizeIsForgottenToo) {
  ChunkPacer pacer(most, budget);
  for (const int rows : {1, 16}) pacer.learn(rows, mixture(rows));
  for (const int rows : {64, 256}) pacer.learn(rows, 20000);
  for (int step = 0; step < 100; ++step) {
    const int rows = pacer.rows();
    pacer.learn(rows, mixture(rows));
  }
  EXPECT_GE(pacer.rows(), 256);
}

TEST(ChunkPacer, NeverFewerThanATileAndNeverMoreThanThereIsRoomFor) {
  ChunkPacer slow = loaded({5000, 900});
  run(slow, {5000, 900}, 100);
  EXPECT_EQ(slow.rows(1), 16);
  EXPECT_EQ(slow.rows(), 16) << "no step of more than four seconds for throughput's sake";
  ChunkPacer narrow(7, budget);
  EXPECT_EQ(narrow.rows(), 7);
  ChunkPacer fresh(most, budget);
  EXPECT_EQ(fresh.rows(), 16) << "nothing is known yet";
  ChunkPacer whole(most, 0);
  EXPECT_EQ(whole.rows(), most);
}

}  // namespace
}  // namespace minerva::engine
