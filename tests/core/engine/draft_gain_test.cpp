// Whether a draft model pays, as what was tried shows.
#include "core/engine/draft_gain.h"

#include <gtest/gtest.h>

namespace minerva::engine {
namespace {

// A reply of so many steps, of which a try with a draft gains so much.
int triesOf(double gain, double cost, int steps, DraftGain& state) {
  int tries = 0;
  for (int step = 0; step < steps; ++step) {
    if (state.mayTry(cost, 0, 100)) {
      state.learn(gain);
      ++tries;
    }
    state.step();
  }
  return tries;
}

TEST(DraftGain, GoesOnWhileItGains) {
  DraftGain gain;
  EXPECT_EQ(triesOf(0.5, 0.4, 200, gain), 200);
  EXPECT_TRUE(gain.pays());
}

TEST(DraftGain, OneLateStepDoesNotEndIt) {
  DraftGain gain;
  triesOf(0.8, 0.4, 20, gain);
  gain.learn(-1000);
  EXPECT_TRUE(gain.pays());
  EXPECT_TRUE(gain.mayTry(0.4, 0, 100));
}

TEST(DraftGain, LosesNoMoreThanAShareOfTheReply) {
  DraftGain gain;
  const int tries = triesOf(-0.4, 0.4, 400, gain);
  EXPECT_GE(tries, 3);
  EXPECT_LE(tries * 0.4, 2 + 0.01 * 400) << "two steps at first, and a hundredth of the time";
  DraftGain next = DraftGain::after(gain);
  EXPECT_LE(triesOf(-0.4, 0.4, 400, next) * 0.4, 0.01 * 400 + 0.4) << "the next reply begins with what is known";
  EXPECT_GE(triesOf(-0.4, 0.4, 4000, next), 1) << "but it is tried again";
}

TEST(DraftGain, ATextThatChangesIsNoticed) {
  DraftGain gain;
  triesOf(-0.4, 0.4, 300, gain);
  EXPECT_FALSE(gain.pays());
  EXPECT_GT(triesOf(1.5, 0.4, 400, gain), 200);
  EXPECT_TRUE(gain.pays());
  EXPECT_LT(triesOf(-0.4, 0.4, 400, gain), 30) << "and changes back";
}

TEST(DraftGain, ALongReadingNeedsALongReply) {
  DraftGain known;
  triesOf(0.5, 0.4, 20, known);
  const DraftGain gain = DraftGain::after(known);
  EXPECT_TRUE(gain.mayTry(0.4, 10, 64));
  EXPECT_FALSE(gain.mayTry(0.4, 100, 64)) << "it costs more than it would save";
  EXPECT_TRUE(gain.mayTry(0.4, 100, 1000));
  EXPECT_FALSE(DraftGain().mayTry(0.4, 10, 1000)) << "nothing is known yet";
}

}  // namespace
}  // namespace minerva::engine
