#include "core/base/thread_pool.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <fstream>
#include <numeric>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace minerva {
namespace {

TEST(ThreadPool, RunsTheFunctionOnceOnEveryThread) {
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    std::vector<int> calls(static_cast<std::size_t>(threads));
    for (int round = 0; round < 200; ++round) {
      pool.run([&](int thread) { ++calls[static_cast<std::size_t>(thread)]; });
    }
    for (const int count : calls) EXPECT_EQ(count, 200);
  }
}

// In each round every thread adds up the values of all threads; the sum is wrong if any of them is one round off.
TEST(ThreadPool, BarrierLinesTheThreadsUp) {
  constexpr int threads = 4, rounds = 2000;
  ThreadPool pool(threads);
  std::vector<std::vector<int>> seen(2, std::vector<int>(threads, 0));
  std::atomic<int> mistakes{0};
  pool.run([&](int thread) {
    for (int round = 1; round <= rounds; ++round) {
      auto& now = seen[static_cast<std::size_t>(round % 2)];
      now[static_cast<std::size_t>(thread)] = round;
      pool.barrier();
      if (std::accumulate(now.begin(), now.end(), 0) != threads * round) ++mistakes;
    }
  });
  EXPECT_EQ(mistakes.load(), 0);
}

// As with two placements of a device on two threads: run() calls are serialized.
TEST(ThreadPool, CallersTakeTurns) {
  ThreadPool pool(2);
  std::atomic<int> inside = 0;
  std::atomic<bool> together = false;
  std::array<int, 2> calls{};
  const auto call = [&](std::size_t caller) {
    for (int round = 0; round < 100; ++round) {
      pool.run([&](int thread) {
        if (thread != 0) return;
        if (++inside > 1) together = true;
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        ++calls[caller];
        --inside;
      });
    }
  };
  std::jthread other([&] { call(1); });
  call(0);
  other.join();
  EXPECT_FALSE(together);
  EXPECT_EQ(calls, (std::array{100, 100}));
}

// Long pauses put the workers to sleep; they must wake for the next run, and at a barrier for a late thread.
TEST(ThreadPool, WakesSleepingThreads) {
  using namespace std::chrono_literals;
  ThreadPool pool(3);
  std::atomic<int> calls{0};
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(5ms);
    pool.run([&](int thread) {
      if (thread == round % 3) std::this_thread::sleep_for(5ms);
      pool.barrier();
      ++calls;
    });
  }
  EXPECT_EQ(calls.load(), 15);
}

TEST(ThreadPool, TakesAtLeastOneThread) {
  ThreadPool pool(0);
  EXPECT_EQ(pool.size(), 1);
}

TEST(ThreadPool, AnExceptionOfAnyThreadReachesTheCaller) {
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    std::atomic<int> calls{0};
    for (int thrower = 0; thrower < threads; ++thrower) {
      try {
        pool.run([&](int thread) {
          ++calls;
          if (thread == thrower) throw thread;
        });
        ADD_FAILURE() << "nothing was thrown";
      } catch (int thread) {
        EXPECT_EQ(thread, thrower);
      }
    }
    EXPECT_EQ(calls.load(), threads * threads) << "the other threads finish";
    EXPECT_THROW(pool.run([](int thread) { throw thread; }), int) << "all at once";
    pool.run([&](int) { ++calls; });
    EXPECT_EQ(calls.load(), threads * (threads + 1)) << "the pool is still usable";
  }
}

TEST(ThreadPool, WorksWithTheThreadsThatTheSystemStarts) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "skipped: a sanitizer needs more address space";
#endif
  constexpr int wanted = 1000;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  rlim_t pages = 0;
  ASSERT_TRUE(std::ifstream("/proc/self/statm") >> pages);
  const auto page = static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
  const rlimit little{.rlim_cur = pages * page + (rlim_t{32} << 20), .rlim_max = before.rlim_max};  // room for a few stacks
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &little), 0);
  ThreadPool pool(wanted);
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_LT(pool.size(), wanted);
  std::atomic<int> calls{0};
  pool.run([&](int) { ++calls; });
  EXPECT_EQ(calls.load(), pool.size());
}

}  // namespace
}  // namespace minerva
