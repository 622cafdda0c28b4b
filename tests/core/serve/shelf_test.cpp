// The shelf of models: loads that many wait for, that fail, or whose device is lost.
#include "core/serve/until_signal.h"
#include "tests/core/serve/test_shelf.h"

#include <stdexcept>
#include <unistd.h>

namespace minerva::serve {
namespace {

TEST(ModelShelf, ALoadIsToldWhatIsBesideIt) {
  TestShelf test({});
  ASSERT_TRUE(test.shelf->take("one", {}));
  ASSERT_TRUE(test.shelf->take("vectors", {}));
  ASSERT_FALSE(test.shelf->take("lost", {}));
  EXPECT_EQ(test.besides[0].models, 0);
  EXPECT_EQ(test.besides[1].models, 1);
  EXPECT_EQ(test.besides[2].models, 2);
  EXPECT_GT(test.besides[1].bytes, 0U);
  EXPECT_GT(test.besides[2].bytes, test.besides[1].bytes);
  EXPECT_EQ(test.besides[2].gpuBytes, 0U);
}

// It is tried again each time, for others may have given memory back, but no model is let go for it any more.
TEST(ModelShelf, WhatDoesNotFitAloneTakesNoMemoryFromOthersAgain) {
  TestShelf test({});
  test.tooLarge = "two";
  for (const State after : {State::away, State::here, State::here}) {
    ASSERT_TRUE(test.shelf->take("one", {}));
    const auto refused = test.shelf->take("two", {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::outOfMemory);
    EXPECT_EQ(test.stateOf("one"), after);
  }
  test.tooLarge.clear();
  EXPECT_TRUE(test.shelf->take("two", {}));
}

// What other programs held then may be free now.
TEST(ModelShelf, AShortageThatPassedIsForgotten) {
  TestShelf test({.alone = milliseconds(0)}, 1);
  test.tooLarge = "two";
  ASSERT_FALSE(test.shelf->take("two", {}));
  test.tooLarge.clear();
  ASSERT_TRUE(test.shelf->take("one", {}));
  const auto made = test.shelf->take("two", {});
  EXPECT_TRUE(made) << made.error().message();
  EXPECT_EQ(test.stateOf("one"), State::away);
}

TEST(ModelShelf, AClientThatLeavesTakesItsLoadFromNobody) {
  TestShelf test({}, 1);
  auto one = test.shelf->take("one", {});
  ASSERT_TRUE(one);
  std::atomic<bool> leaves = false, left = false, refused = false;
  {
    std::jthread first([&] {
      const auto made = test.shelf->take("two", [&] { return leaves.load(); });
      refused = !made && made.error().kind == ErrorKind::cancelled;
      left = true;
    });
    ASSERT_TRUE(becomes([&] { return test.loads == 2; }));
    std::atomic<bool> asks = false, answered = false;
    std::jthread second([&] {
      asks = true;
      const auto made = test.shelf->take("two", {});
      answered = true;
      EXPECT_TRUE(made) << made.error().message();
    });
    ASSERT_TRUE(becomes([&] { return asks.load(); }));
    std::this_thread::sleep_for(milliseconds(20));  // so that it waits already; if it does not, it must be answered as well
    leaves = true;
    ASSERT_TRUE(becomes([&] { return left.load(); }));
    ASSERT_TRUE(becomes([&] { return test.loads == 3; })) << "the second client loads";
    EXPECT_FALSE(answered);
    one->reset();
  }
  EXPECT_TRUE(refused);
}

TEST(ModelShelf, AModelThatFitsDoesNotWaitForOneThatHasNoRoom) {
  TestShelf test({}, 2);
  auto one = test.shelf->take("one", {});
  ASSERT_TRUE(one);
  test.tooLarge = "two";
  std::stop_source leaves;
  std::jthread first([&] { (void)test.shelf->take("two", [&] { return leaves.stop_requested(); }); });
  ASSERT_TRUE(becomes([&] { return test.loads == 2; }));
  const auto made = test.shelf->take("vectors", {});
  EXPECT_TRUE(made) << made.error().message();
  EXPECT_EQ(test.stateOf("two"), State::loading) << "it still waits";
  leaves.request_stop();
}

TEST(ModelShelf, AModelWithoutAThreadIsLoadedAgain) {
  TestShelf test({});
  test.noThread = true;
  const auto refused = test.shelf->take("one", {});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("thread"), std::string::npos) << refused.error().message();
  EXPECT_EQ(test.stateOf("one"), State::away);
  EXPECT_TRUE(test.shelf->take("one", {}));
}

TEST(ServeOne, ASignalEndsTheFirstLoad) {
  const EndSignals signals;
  std::jthread killer([] {
    std::this_thread::sleep_for(milliseconds(100));
    kill(getpid(), SIGTERM);
  });
  const auto load = [](const ShelfItem&, const ModelShelf::LoadHow& how) -> Result<std::unique_ptr<LoadedModel>> {
    while (!how.stop.stop_requested()) std::this_thread::sleep_for(milliseconds(5));
    return fail({.kind = ErrorKind::cancelled, .what = "The load was stopped"});
  };
  EXPECT_TRUE(serveOne(signals, {"one", "/nowhere/one.gguf"}, load, {}));
}

TEST(ModelShelf, OneLoadIsForAllThatWaitAndItsErrorToo) {
  TestShelf test({});
  test.held = true;
  std::atomic<int> loaded = 0, failed = 0;
  {
    std::vector<std::jthread> waiting;
    for (int i = 0; i < 8; ++i) {
      waiting.emplace_back([&] { loaded += test.shelf->take("one", {}) ? 1 : 0; });
      waiting.emplace_back([&] { failed += test.shelf->take("lost", {}) ? 0 : 1; });
    }
    std::this_thread::sleep_for(milliseconds(200));
    test.held = false;
  }
  EXPECT_EQ(loaded, 8);
  EXPECT_EQ(failed, 8);
  EXPECT_EQ(test.loads, 2);
}

TEST(ModelShelf, AnExceptionInALoadIsItsErrorAndTheShelfGoesOn) {
  int loads = 0;
  const auto load = [&](const ShelfItem&, const ModelShelf::LoadHow&) -> Result<std::unique_ptr<LoadedModel>> {
    ++loads;
    if (loads == 1) throw std::runtime_error("a slip");
    if (loads == 2) throw std::bad_alloc();
    return fail({.kind = ErrorKind::corrupt, .what = "The file is damaged"});
  };
  ModelShelf shelf({{"one", "/nowhere/one.gguf"}}, load, {});
  for (const ErrorKind kind : {ErrorKind::internal, ErrorKind::outOfMemory, ErrorKind::corrupt}) {
    const auto lent = shelf.take("one", {});
    ASSERT_FALSE(lent);
    EXPECT_EQ(lent.error().kind, kind) << lent.error().message();
    EXPECT_EQ(shelf.list().front().state, State::away);
  }
  EXPECT_EQ(loads, 3);
}

void loseDevice(const LoadedModel& model) {
  model.driver->hear({.request = 0,
                      .time = Clock::now(),
                      .body = engine::Failed{{.kind = ErrorKind::deviceLost, .what = "The device is gone", .where = "the GPU"}, {}},
                      .kvHeld = 0});
}

TEST(ModelShelf, ASecondLossLeadsToTheCpuAndIsForgottenThen) {
  TestShelf test({});
  for (int losses = 0; losses < 3; ++losses) {
    auto lent = test.shelf->take("one", {});
    ASSERT_TRUE(lent);
    loseDevice(**lent);
  }
  ASSERT_TRUE(test.shelf->take("one", {}));
  ASSERT_TRUE(test.shelf->take("two", {}));
  ASSERT_EQ(test.whyCpus.size(), 5U);
  EXPECT_EQ(test.whyCpus[0], "");
  EXPECT_EQ(test.whyCpus[1], "") << "loaded again where it was";
  EXPECT_NE(test.whyCpus[2].find("lost twice"), std::string::npos);
  EXPECT_NE(test.whyCpus[2].find("The device is gone"), std::string::npos) << test.whyCpus[2];
  EXPECT_EQ(test.whyCpus[3], "") << "after that it is tried once more";
  EXPECT_EQ(test.whyCpus[4], "") << "another model";
}

// A GPU that fails while a model is loaded, or that is not there any more after it was lost.
TEST(ModelShelf, AGpuThatFailsLoadsTwiceIsLeftToo) {
  using enum ErrorKind;
  for (const std::vector<ErrorKind>& failing : {std::vector{deviceLost, deviceLost}, std::vector{deviceLost, notFound}}) {
    TestShelf test({});
    test.failing = failing;
    EXPECT_TRUE(test.shelf->take("one", {}));
    EXPECT_EQ(test.loads, 3);
    EXPECT_NE(test.whyCpus.back(), "");
  }
  TestShelf test({});
  test.failing = {notFound};
  EXPECT_FALSE(test.shelf->take("one", {})) << "it was never there";
  EXPECT_EQ(test.loads, 1);
}

TEST(ModelShelf, AModelWhoseDeviceIsLostIsLoadedAgain) {
  TestShelf test({});
  auto lent = test.shelf->take("one", {});
  ASSERT_TRUE(lent);
  loseDevice(**lent);
  std::atomic<bool> taken = false;
  std::jthread second([&] { taken = test.shelf->take("one", {}).has_value(); });
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_FALSE(taken) << "the first one still uses it";
  lent->reset();
  second.join();
  EXPECT_TRUE(taken);
  EXPECT_EQ(test.loads, 2);
  EXPECT_TRUE(test.shelf->take("one", {}));
  EXPECT_EQ(test.loads, 2) << "the new one is used";
}

TEST(ModelShelf, AWaitEndsWithTheClientAndWithTheServer) {
  TestShelf test({});
  test.held = true;
  std::jthread first([&] { (void)test.shelf->take("one", {}); });
  ASSERT_TRUE(becomes([&] { return test.loads == 1; }));
  const auto left = test.shelf->take("one", [] { return true; });
  ASSERT_FALSE(left);
  EXPECT_EQ(left.error().where, "connection");
  std::atomic<bool> ended = false;
  std::jthread second([&] { ended = !test.shelf->take("one", {}); });
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_FALSE(ended);
  test.shelf->stop();
  second.join();
  EXPECT_TRUE(ended);
  first.join();
  EXPECT_EQ(test.shelf->take("two", {}).error().kind, ErrorKind::cancelled);
}

}  // namespace
}  // namespace minerva::serve
