// How far ahead weights are fetched: the choice from measured rounds, and that it is made of measured ones.
#include "core/backend/cpu/read_ahead.h"

#include "core/backend/cpu/memory.h"
#include "core/backend/cpu/panels.h"
#include "core/base/kept_file.h"
#include "core/base/system_memory.h"
#include "tests/core/format/temporary_folder.h"
#include "tests/support/random.h"
#include "tests/support/runnable_kernels.h"
#include "tests/support/simulated_clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace minerva::cpu {
namespace {

std::size_t best(const std::vector<double>& usual, const std::vector<double>& nearer, const std::vector<double>& further) {
  return bestReadAhead({nearer, usual, further}, 1);
}

TEST(ReadAhead, TheFastestIsTakenIfTheUsualIsClearlySlower) {
  EXPECT_EQ(best({10, 10, 10}, {9, 9, 9}, {9.5, 9.5, 9.5}), 0U);
  EXPECT_EQ(best({10, 10, 10}, {9.5, 9.5, 9.5}, {8, 8, 8}), 2U);
  EXPECT_EQ(best({10, 10, 10}, {9.8, 9.8, 9.8}, {11, 11, 11}), 1U) << "2 % is noise";
}

// The memory of a virtual machine changes its speed between rounds; within one, all choices have the same.
TEST(ReadAhead, RoundsAreComparedEachWithItself) {
  EXPECT_EQ(best({10, 20, 40, 10, 20}, {9, 18, 36, 9, 18}, {10, 20, 40, 10, 20}), 0U);
  EXPECT_EQ(best({10, 10, 50, 10, 10}, {10, 10, 10, 10, 10}, {10, 10, 10, 10, 10}), 1U) << "a single slow round of the usual";
  EXPECT_EQ(best({10, 20, 30}, {10, 19, 30}, {10, 20, 30}), 1U) << "faster in the middle round alone";
}

// The L3 of a large server holds more than what sufficed for others, which then was read from it.
TEST(ReadAhead, IsMeasuredWithMoreThanCachesHold) {
  constexpr std::uint64_t megabyte = std::uint64_t{1} << 20;
  EXPECT_EQ(beyondCaches(0), 256 * megabyte) << "unknown";
  EXPECT_EQ(beyondCaches(32 * megabyte), 256 * megabyte);
  EXPECT_EQ(beyondCaches(1152 * megabyte), 2304 * megabyte);
}

std::vector<std::pair<Fetched, ReadAhead>> asked;
void note(Fetched what, ReadAhead ahead) { asked.emplace_back(what, ahead); }

// Kernels of no work, during which time passes as a test says: milliseconds of a pass over weights with the distance that is in effect.
class ReadAheadMeasured : public testing::Test {
 protected:
  void SetUp() override {
    if (systemMemory().available < (std::uint64_t{2} << 30)) GTEST_SKIP() << "skipped: needs 2 GB of free memory";
    asked.clear();
    s_passTime = [](ReadAhead) { return 2.0; };
    const std::size_t passBytes = beyondCaches() / 4;
    s_calls = static_cast<double>(passBytes / panelBytes(ElementType::Q4_0, 4096));
    const DotFunction dot = [](const std::byte*, int, const std::byte*, std::size_t, int, float*) {
      tests::SimulatedClock::advance(s_passTime(asked.back().second) / s_calls);
    };
    for (auto& each : kernels.dot) each[panelsOf(ElementType::Q4_0)] = each[rowsOf(ElementType::F16)] = dot;
    for (auto& attend : kernels.attend) {
      attend = [](const KvHead&, const AttentionShape&, const AttentionQuery*, int, float*) { tests::SimulatedClock::advance(0.2); };
    }
  }
  bool choose(Fetched what, const SetReadAhead& set = note, const std::stop_token& stop = {}) {
    return chooseReadAhead(what, kernels, pool, folder.path(), set, stop);
  }
  static bool isUsual(ReadAhead ahead) { return ahead.bytes == usualReadAhead[0].bytes && ahead.second == usualReadAhead[0].second; }
  [[nodiscard]] bool keptSome() const {
    return std::filesystem::directory_iterator(folder.path()) != std::filesystem::directory_iterator();
  }

  using PassTime = double (*)(ReadAhead);
  static inline PassTime s_passTime;
  static inline double s_calls;
  const tests::SimulatedClock clock;
  const TemporaryFolder folder;
  ThreadPool pool{1};
  Kernels kernels = baselineTable;
};

TEST_F(ReadAheadMeasured, IsChosenAmongMeasuredDistances) {
  for (const Fetched what : {Fetched::panels, Fetched::rows, Fetched::cache}) {
    asked.clear();
    EXPECT_TRUE(choose(what));
    ASSERT_GT(asked.size(), 3U);
    std::map<std::pair<int, bool>, int> times;
    for (const auto& [of, ahead] : asked) {
      EXPECT_EQ(of, what);
      EXPECT_EQ(ahead.bytes % 64, 0) << "whole lines";
      EXPECT_TRUE(what != Fetched::cache || ahead.second);
      ++times[{ahead.bytes, ahead.second}];
    }
    const ReadAhead usual = usualReadAhead[static_cast<int>(what)], chosen = asked.back().second;
    --times[{chosen.bytes, chosen.second}];
    EXPECT_GE(times.size(), 3U);
    EXPECT_TRUE(times.contains({0, usual.second})) << "hardware alone";
    EXPECT_TRUE(times.contains({16384, true})) << "into the second cache";
    for (const auto& [ahead, number] : times) EXPECT_EQ(number, times.at({usual.bytes, usual.second})) << ahead.first;
    EXPECT_GT(times.at({chosen.bytes, chosen.second}), 0) << "chosen, but never measured";
  }
}

// A kernel that is slower than memory has no time for several rounds, which a first pass tells. It need not be found out for ever.
TEST_F(ReadAheadMeasured, StaysTheUsualWhereAPassIsSlow) {
  s_passTime = [](ReadAhead ahead) { return isUsual(ahead) ? 60.0 : 20.0; };
  for (int time = 0; time < 3; ++time) {
    asked.clear();
    EXPECT_TRUE(choose(Fetched::panels));
    EXPECT_EQ(asked.size(), 2U) << "one pass, and what is chosen";
    EXPECT_TRUE(isUsual(asked.back().second));
  }
  asked.clear();
  EXPECT_TRUE(choose(Fetched::panels));
  EXPECT_EQ(asked.size(), 1U) << "measured a fourth time";
}

TEST_F(ReadAheadMeasured, EndsAfterAQuarterOfASecond) {
  s_passTime = [](ReadAhead ahead) { return ahead.bytes == 0 ? 5.0 : 40.0; };
  const TimePoint began = Clock::now();
  EXPECT_TRUE(choose(Fetched::panels));
  EXPECT_LE(millisecondsBetween(began, Clock::now()), 250 + 40);
  EXPECT_TRUE(isUsual(asked.back().second)) << "chosen in fewer than three rounds";
}

TEST_F(ReadAheadMeasured, EndsWhenAskedTo) {
  std::stop_source stop;
  const SetReadAhead stopping = [&](Fetched what, ReadAhead ahead) {
    note(what, ahead);
    if (asked.size() == 4) stop.request_stop();
  };
  EXPECT_FALSE(choose(Fetched::panels, stopping, stop.get_token()));
  EXPECT_EQ(asked.size(), 5U) << "passes after it, and what is chosen";
  EXPECT_TRUE(isUsual(asked.back().second));
  EXPECT_FALSE(keptSome());
}

// A pass waits until the step of another model has ended; that is no property of the distance that was in effect.
TEST_F(ReadAheadMeasured, StepsOfOtherModelsCountForNothing) {
  s_passTime = [](ReadAhead ahead) { return isUsual(ahead) ? 1.0 : 2.0; };
  std::vector<std::jthread> others;
  const SetReadAhead beside = [&](Fetched what, ReadAhead ahead) {
    note(what, ahead);
    if (!isUsual(ahead)) return;
    std::atomic<bool> runs = false;
    others.emplace_back([&, this] {
      pool.run([&](int) {
        runs = true;
        runs.notify_one();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the pass waits by now, or it need not
        tests::SimulatedClock::advance(30);
      });
    });
    runs.wait(false);
  };
  EXPECT_TRUE(choose(Fetched::panels, beside));
  EXPECT_TRUE(isUsual(asked.back().second)) << asked.back().second.bytes;
}

// Nor is a time that they took a reason to believe that this processor is slow.
TEST_F(ReadAheadMeasured, NothingIsKeptWhereOthersTookTheTime) {
  const SetReadAhead beside = [&](Fetched what, ReadAhead ahead) {
    note(what, ahead);
    pool.run([](int) { tests::SimulatedClock::advance(30); });
  };
  EXPECT_FALSE(choose(Fetched::panels, beside));
  EXPECT_FALSE(keptSome());
  EXPECT_TRUE(choose(Fetched::panels)) << "at the next model";
  EXPECT_TRUE(keptSome());
}

// A choice that was measured three times is read from its file, as long as it is one that would be measured today.
TEST_F(ReadAheadMeasured, IsKeptForThisProcessorAndTheseKernels) {
  const auto measures = [&] {
    asked.clear();
    choose(Fetched::cache);
    return asked.size() > 1;
  };
  ASSERT_TRUE(measures());
  const std::filesystem::path file = *std::filesystem::directory_iterator(folder.path());
  const auto text = [&file] {
    const std::vector<std::byte> bytes = keptBytes(file);
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  const auto write = [&file](std::string_view kept) { keepBytes(file, std::as_bytes(std::span(kept))); };
  const auto last = [] { return std::to_string(asked.back().second.bytes) + (asked.back().second.second ? " 1\n" : " 0\n"); };
  const std::string version = text().substr(0, text().find('\n') + 1);
  EXPECT_EQ(text(), version + last());

  write(version + "8192 1\n32768 1\n8192 1\n0 1\n");
  EXPECT_TRUE(measures()) << "two are not three";
  EXPECT_EQ(text(), version + "8192 1\n32768 1\n8192 1\n0 1\n" + last());
  for (const std::string choice : {"8192 1\n", "32768 1\n"}) {
    write(version + choice + "16384 1\n" + choice + choice);
    EXPECT_FALSE(measures()) << choice;
    EXPECT_EQ(last(), choice);
  }

  const std::string three = "8192 1\n8192 1\n8192 1";
  for (const std::string& damaged :
       {"1" + version + three, version + "8000 1\n" + three, version + "8192 0\n" + three, version + three + "x", three, std::string()}) {
    write(damaged);
    EXPECT_TRUE(measures()) << "believed: " << damaged;
  }
  std::ofstream(file, std::ios::trunc) << version << three;
  EXPECT_TRUE(measures()) << "believed without its checksum";
  write(version + three);
  EXPECT_FALSE(measures());
  kernels.name = "another";
  EXPECT_TRUE(measures()) << "what other kernels measured was believed";
}

// From none at all to beyond the end of what is read, into either cache: no distance changes a result.
TEST(ReadAhead, ChangesNoBit) {
  constexpr int columns = 320, dim = 48, positions = 300;
  constexpr std::size_t blocks = attentionBlock / 16;
  tests::Random random(7);
  const auto halves = [&](std::size_t count) {
    std::vector<std::uint16_t> values(count);
    for (std::uint16_t& value : values) value = static_cast<std::uint16_t>(0x3000 + random.below(0x0c00));  // from 0.125 to 1
    return values;
  };
  const std::vector<std::uint16_t> rows = halves(static_cast<std::size_t>(panelRows) * columns);
  const std::size_t part = blocks * keyBlockBytes(CacheType::half, dim);
  std::vector<std::uint16_t> cache = halves(3 * part);  // 2 bytes each: three pages of keys and values
  std::vector<float> x(columns), q(dim);
  for (float& value : x) value = static_cast<float>(random.normal());
  for (float& value : q) value = static_cast<float>(random.normal());
  const std::array pages{2, 0, 1};
  auto* bytes = reinterpret_cast<std::byte*>(cache.data());
  const KvHead head{bytes, bytes + part, pages.data(), 2 * part, positions};
  for (const Kernels* kernels : tests::runnableKernels()) {
    std::set<std::vector<float>> results;
    for (const ReadAhead ahead :
         {ReadAhead{0, false}, {64, false}, {12288, false}, {1 << 20, false}, {0, true}, {1024, true}, {1 << 20, true}}) {
      for (const Fetched what : {Fetched::panels, Fetched::rows, Fetched::cache}) setReadAhead(what, ahead);
      std::vector<float> y(2 * panelRows + dim), scratch(attentionScratch(dim, dim));
      float* to = y.data();
      for (const WeightLayout layout : {rowsOf(ElementType::F16), panelsOf(ElementType::F16)}) {
        kernels->dot[static_cast<int>(Rounding::words)][layout](reinterpret_cast<const std::byte*>(rows.data()), columns,
                                                                reinterpret_cast<const std::byte*>(x.data()), sizeof(float) * columns, 1,
                                                                to);
        to += panelRows;
      }
      const AttentionQuery query{q.data(), to, 0, positions};
      kernels->attend[static_cast<int>(CacheType::half)](head, {dim, dim, 0.1F, 0}, &query, 1, scratch.data());
      results.insert(y);
    }
    for (const Fetched what : {Fetched::panels, Fetched::rows, Fetched::cache}) setReadAhead(what, usualReadAhead[static_cast<int>(what)]);
    EXPECT_EQ(results.size(), 1U) << kernels->name;
    EXPECT_NE((*results.begin())[0], (*results.begin())[panelRows]) << "rows and panels of the same bytes are different matrices";
    EXPECT_GT(results.begin()->back(), 0.1F) << kernels->name;
  }
}

// How many rows of a matrix are read at the same time depends on the first cache; what they add up to does not.
TEST(FirstCache, ChangesNoBitOfARow) {
  constexpr int columns = 320;
  tests::Random random(3);
  std::vector<std::uint16_t> rows(static_cast<std::size_t>(panelRows) * columns);
  for (std::uint16_t& value : rows) value = static_cast<std::uint16_t>(0x3000 + random.below(0x0c00));  // halves from 0.125 to 1
  std::vector<float> x(columns);
  for (float& value : x) value = static_cast<float>(random.normal());
  for (const Kernels* kernels : tests::runnableKernels()) {
    std::array<std::array<float, panelRows>, 2> y{};
    for (int i = 0; i < 2; ++i) {
      setFirstCache(i == 0 ? 1 : 1 << 30);
      kernels->dot[static_cast<int>(Rounding::words)][rowsOf(ElementType::F16)](
          reinterpret_cast<const std::byte*>(rows.data()), columns, reinterpret_cast<const std::byte*>(x.data()), sizeof(float) * columns,
          1, y[static_cast<std::size_t>(i)].data());
    }
    setFirstCache(usualFirstCache);
    EXPECT_EQ(y[0], y[1]) << kernels->name;
    EXPECT_NE(y[0][0], y[0][15]) << kernels->name;
  }
}

}  // namespace
}  // namespace minerva::cpu
