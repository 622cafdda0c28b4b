#include "core/base/spin.h"

#include <gtest/gtest.h>

namespace minerva {
namespace {

using namespace std::chrono_literals;

// Processors whose pause takes next to nothing wait as long as others.
TEST(SpinUntil, LastsAsLongHoweverShortAPauseIs) {
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_FALSE(spinUntil([] { return false; }, 2ms, [] {}));
  EXPECT_GE(std::chrono::steady_clock::now() - begun, 2ms);
}

TEST(SpinUntil, EndsWithWhatItWaitsFor) {
  int looks = 0;
  EXPECT_TRUE(spinUntil([&] { return ++looks == 100; }, 1h));
  EXPECT_EQ(looks, 100);
  EXPECT_TRUE(spinUntil([] { return true; }, 0ms));
  EXPECT_FALSE(spinUntil([] { return false; }, 0ms));
}

}  // namespace
}  // namespace minerva
