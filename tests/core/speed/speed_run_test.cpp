// Measuring through the engine: room for every task, progress, and a stop within a step.
#include "core/convert/synth.h"
#include "core/speed/speed_report.h"
#include "core/speed/speed_run.h"
#include "gpu/available.h"
#include "tests/core/engine/altered_backend.h"
#include "tests/core/format/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace minerva::speed {
namespace {

const std::filesystem::path inTheBox = std::filesystem::path(MINERVA_SOURCE_DIR) / "resources" / "builtin-model";

class Speed : public testing::Test {
 protected:
  void load(const std::vector<SpeedTask>& tasks) {
    engine::LoadOptions options = roomFor(tasks);
    options.path = inTheBox;
    auto engine = engine::Engine::load(*m_cpu, options, {}, {});
    ASSERT_TRUE(engine) << engine.error().message();
    m_engine = std::move(*engine);
  }

  std::unique_ptr<backend::Backend> m_cpu = std::move(*createBackend("cpu", {.threads = 1}));
  std::unique_ptr<engine::Engine> m_engine;
};

TEST_F(Speed, RoomIsThatOfTheLargestTask) {
  const engine::LoadOptions each = roomFor(std::vector<SpeedTask>{{.depth = 1000, .batch = 8, .prompt = 20, .generate = 4}});
  EXPECT_EQ(each.sequences, 8);
  EXPECT_EQ(each.contextLength, 1027);
  EXPECT_EQ(each.contexts, 8) << "each of them in full";
  // Many short ones, and a single long one: no room for many long ones.
  const engine::LoadOptions either = roomFor(std::vector<SpeedTask>{{.depth = 0, .batch = 32, .prompt = 20, .generate = 4},
                                                                    {.depth = 8192, .batch = 1, .prompt = 20, .generate = 4}});
  EXPECT_EQ(either.sequences, 32);
  EXPECT_EQ(either.contextLength, 8219);
  EXPECT_EQ(either.contexts, 2) << "32 times 27 positions in whole pages";
}

TEST_F(Speed, SharedRoomHoldsEveryTask) {
  const std::vector<SpeedTask> tasks{{.depth = 0, .batch = 12, .prompt = 100, .generate = 60},
                                     {.depth = 700, .batch = 1, .prompt = 100, .generate = 60}};
  ASSERT_LT(roomFor(tasks).contexts, 12);
  load(tasks);
  SpeedRunner runner(*m_engine);
  SpeedRunner* runners[] = {&runner};
  for (const SpeedTask& task : tasks) {
    const auto runs = measureInTurn(runners, task, 2);
    ASSERT_TRUE(runs) << runs.error().message();
    ASSERT_EQ(runs->front().repetitions.size(), 2U);
    for (const Repetition& repetition : runs->front().repetitions) {
      EXPECT_EQ(repetition.intervals.size(), static_cast<std::size_t>(task.batch * task.generate)) << "none was computed again";
      EXPECT_GT(repetition.prefillPerSecond, 0);
      EXPECT_GT(repetition.decodePerSecond, 0);
    }
  }
}

// Two layers of eight experts of three matrices of 256 by 256 in MXFP4, four of them used.
TEST_F(Speed, AModelSaysWhatItsExpertsTake) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "moe.gguf";
  ASSERT_TRUE(convert::writeSynthetic(path, {.shape = "test-moe", .type = "mxfp4"}));
  const auto engine = engine::Engine::load(*m_cpu, {.path = path}, {}, {});
  ASSERT_TRUE(engine) << engine.error().message();
  const model::ExpertReads& experts = (*engine)->info().expertReads;
  ASSERT_EQ(experts.kinds.size(), 1U);
  EXPECT_EQ(experts.kinds[0].share, 0.5);
  EXPECT_EQ(experts.kinds[0].bytes, 2.0 * 8 * 3 * 256 * 256 / 32 * 17);
  EXPECT_EQ(experts.bytesOfStep(2), experts.kinds[0].bytes * 0.75);
}

// Where rows are slow, a step begins sixteen replies.
TEST_F(Speed, RepliesThatNeverWriteTogetherAreAnError) {
  const tests::SimulatedClock clock;
  engine::AlteredBackend slow(*m_cpu);
  slow.rowMs = 100;
  const auto measured = [&](const SpeedTask& task) {
    engine::LoadOptions options = roomFor(std::array{task});
    options.path = inTheBox;
    const auto engine = engine::Engine::load(slow, options, {}, {});
    EXPECT_TRUE(engine) << engine.error().message();
    return SpeedRunner(**engine).once(task);
  };
  const auto short40 = measured({.depth = 0, .batch = 40, .prompt = 2, .generate = 1});
  ASSERT_FALSE(short40);
  EXPECT_NE(short40.error().what.find("ended before the last began"), std::string::npos) << short40.error().message();
  for (const SpeedTask& task : {SpeedTask{.batch = 40, .prompt = 2, .generate = 8}, SpeedTask{.batch = 16, .prompt = 2, .generate = 1}}) {
    const auto together = measured(task);
    ASSERT_TRUE(together) << together.error().message();
    EXPECT_NEAR(together->decodePerSecond, 10, 1) << "a row takes 100 ms";
  }
}

// Though the engine tells them one after the other.
TEST_F(Speed, TokensOfAStepAreWrittenTogether) {
  const tests::SimulatedClock clock;
  engine::AlteredBackend slow(*m_cpu);
  slow.rowMs = 100;
  for (const SpeedTask& task : {SpeedTask{.batch = 4, .prompt = 2, .generate = 1}, SpeedTask{.batch = 4, .prompt = 2, .generate = 8}}) {
    engine::LoadOptions options = roomFor(std::array{task});
    options.path = inTheBox;
    const auto engine = engine::Engine::load(slow, options, {}, {});
    ASSERT_TRUE(engine) << engine.error().message();
    const auto measured = SpeedRunner(**engine, {}, [](double) { tests::SimulatedClock::advance(0.001); }).once(task);
    ASSERT_TRUE(measured) << measured.error().message();
    EXPECT_NEAR(measured->decodePerSecond, 10, 0.01) << "four tokens in 400 ms";
    ASSERT_EQ(measured->intervals.size(), static_cast<std::size_t>(4 * task.generate));
    for (const double interval : measured->intervals) EXPECT_NEAR(interval, 400, 0.1);
  }
}

// Several are written in a step, which reads the weights once.
TEST_F(Speed, TokensOfADraftShareTheTimeOfTheirStep) {
  const tests::SimulatedClock clock;
  engine::AlteredBackend slow(*m_cpu);
  slow.rowMs = 100;
  engine::LoadOptions options = roomFor(std::array{SpeedTask{.prompt = 8, .generate = 48}});
  options.path = options.draft = inTheBox;
  const auto engine = engine::Engine::load(slow, options, {}, {});
  ASSERT_TRUE(engine) << engine.error().message();
  const auto measured = SpeedRunner(**engine, {}, {}).once({.prompt = 8, .generate = 48});
  ASSERT_TRUE(measured) << measured.error().message();
  EXPECT_EQ(measured->intervals.size(), 48U);
  EXPECT_GT(*std::ranges::min_element(measured->intervals), 50) << "no token takes no time";
  const SpeedRun run{.task = {.prompt = 8, .generate = 48}, .repetitions = {*measured}};
  backend::BandwidthCurve curve;
  curve.add({1 << 20, 1e12});
  const Json row = speedJson((*engine)->info(), run, curve);
  EXPECT_TRUE(row["bandwidth_share"].is_null()) << row["bandwidth_share"];
  EXPECT_NE(speedMarkdown(Json::array({row}), {}).find("not known with drafts"), std::string::npos);
}

TEST_F(Speed, ProgressOnlyRises) {
  const SpeedTask task{.depth = 300, .batch = 2, .prompt = 200, .generate = 20};
  load({task});
  std::vector<double> shares;
  SpeedRunner runner(*m_engine, {}, [&shares](double share) { shares.push_back(share); });
  ASSERT_TRUE(runner.once(task));
  EXPECT_TRUE(std::ranges::is_sorted(shares));
  EXPECT_GE(shares.front(), 0);
  EXPECT_TRUE(std::ranges::any_of(shares, [](double share) { return share > 0.1 && share < 0.9; })) << "prompts count, too";
  EXPECT_GT(shares.back(), 0.95);
  EXPECT_LE(shares.back(), 1);
}

TEST_F(Speed, AStopEndsItAndTheEngineGoesOn) {
  const SpeedTask task{.depth = 0, .batch = 2, .prompt = 100, .generate = 400};
  load({task});
  std::stop_source stop;
  int calls = 0;
  SpeedRunner runner(*m_engine, stop.get_token(), [&](double) {
    if (++calls == 20) stop.request_stop();
  });
  const auto stopped = runner.once(task);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind, ErrorKind::cancelled);
  EXPECT_LT(calls, 100);
  SpeedRunner next(*m_engine);
  const auto whole = next.once(task);
  ASSERT_TRUE(whole) << whole.error().message();
  EXPECT_EQ(whole->intervals.size(), 800U);
}

TEST_F(Speed, RepetitionsAreTakenInTurn) {
  const SpeedTask task{.depth = 0, .batch = 1, .prompt = 10, .generate = 2};
  load({task});
  std::vector<int> order, begun;
  SpeedRunner first(*m_engine, {}, [&order](double) { order.push_back(1); }),
      second(*m_engine, {}, [&order](double) { order.push_back(2); });
  SpeedRunner* runners[] = {&first, &second};
  const auto runs = measureInTurn(runners, task, 3, [&begun](int repetition) { begun.push_back(repetition); });
  ASSERT_TRUE(runs);
  EXPECT_EQ(runs->size(), 2U);
  EXPECT_EQ(begun, (std::vector<int>{-1, 0, 1, 2}));
  order.erase(std::unique(order.begin(), order.end()), order.end());
  EXPECT_EQ(order, (std::vector<int>{1, 2, 1, 2, 1, 2})) << "warm-up 1 2; then 1 2, 2 1, 1 2";
}

}  // namespace
}  // namespace minerva::speed
