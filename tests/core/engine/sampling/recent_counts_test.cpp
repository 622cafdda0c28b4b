// Occurrences in a window of recent tokens, against counting them one by one.
#include "core/engine/sampling/recent_counts.h"

#include "core/engine/sampling/chain.h"
#include "tests/support/random.h"

#include <gtest/gtest.h>

#include <map>

namespace minerva::engine::sampling {
namespace {

TEST(RecentCounts, AreThoseOfTheWindow) {
  tests::Random random(3);
  std::vector<std::int32_t> recent;
  for (int i = 0; i < 400; ++i) recent.push_back(random.below(50) - 1);
  recent.push_back(100000);
  for (const int last : {-1, 0, 1, 64, 401, 5000}) {
    const std::size_t window = last < 0 ? recent.size() : std::min(recent.size(), static_cast<std::size_t>(last));
    std::map<std::int32_t, int> expected;
    for (std::size_t i = recent.size() - window; i < recent.size(); ++i)
      if (recent[i] >= 0) ++expected[recent[i]];
    for (int times = 0; times < 2; ++times) {  // what one leaves behind would be found by the next
      const RecentCounts counts(lastOf(recent, last));
      std::map<std::int32_t, int> found;
      for (const std::int32_t id : counts.ids()) found[id] += counts.of(id);
      EXPECT_EQ(found, expected) << last;
      EXPECT_EQ(counts.ids().size(), expected.size()) << "each once";
      for (std::int32_t id = -2; id < 60; ++id) EXPECT_EQ(counts.of(id), expected.contains(id) ? expected.at(id) : 0) << id;
      EXPECT_EQ(counts.of(200000), 0);
    }
  }
}

}  // namespace
}  // namespace minerva::engine::sampling
