// An op ends when its number of jobs has finished, not when particular threads have; a projection ends even if a thread that
// took jobs never resumes.
#include "core/backend/cpu/op_jobs.h"

#include "core/backend/cpu/panels.h"
#include "core/backend/cpu/projection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <random>
#include <thread>
#include <vector>

namespace minerva::cpu {
namespace {

TEST(JobCounter, DealsOutEveryJobOnceAndWaitsForAll) {
  constexpr int total = 20000;
  JobCounter jobs;
  std::vector<int> done(total, 0);
  const auto work = [&] {
    for (int job = jobs.take(); job < total; job = jobs.take()) {
      ++done[static_cast<std::size_t>(job)];
      jobs.finish(total);
    }
    jobs.wait(total);
    for (const int times : done) ASSERT_EQ(times, 1);
  };
  std::jthread other(work);
  work();
}

// As many as attention has for a very long chunk of a prompt and many heads.
TEST(JobCounter, CountsMillions) {
  constexpr int total = (1 << 20) + 3;
  JobCounter jobs;
  for (int job = 0; job < total; ++job) {
    ASSERT_FALSE(jobs.finished(total)) << job;
    jobs.finish(total);
  }
  ASSERT_TRUE(jobs.finished(total));
}

TEST(JobRanges, AThreadTakesItsOwnInOrderAndThenTheOthersFromTheBack) {
  JobRanges jobs(3);
  const auto take = [&](int thread, int times) {
    std::vector<int> taken;
    for (int i = 0; i < times; ++i) taken.push_back(jobs.take(thread, 10));
    return taken;
  };
  for (int step = 0; step < 2; ++step) {  // ranges: 0 to 2, 3 to 5, 6 to 9
    jobs.reset();
    EXPECT_EQ(take(1, 2), (std::vector{3, 4}));
    EXPECT_EQ(take(2, 5), (std::vector{6, 7, 8, 9, 2}));
    EXPECT_EQ(take(1, 3), (std::vector{5, 1, 0}));
    EXPECT_EQ(take(0, 2), (std::vector{10, 10}));
  }
}

TEST(JobRanges, FewerJobsThanThreadsAreTakenByWhoeverComes) {
  JobRanges jobs(4);
  std::vector<int> taken{jobs.take(0, 2), jobs.take(0, 2), jobs.take(1, 2)};
  std::ranges::sort(taken);
  EXPECT_EQ(taken, (std::vector{0, 1, 2}));
  jobs.reset();
  EXPECT_EQ(jobs.take(3, 0), 0);
}

TEST(JobRanges, DealsOutEveryJobOnceAmongThreads) {
  constexpr int total = 30000, threads = 4;
  JobRanges jobs(threads);
  std::vector<std::atomic<int>> done(total);
  {
    std::vector<std::jthread> all;
    for (int thread = 0; thread < threads; ++thread) {
      all.emplace_back([&, thread] {
        for (int job = jobs.take(thread, total); job < total; job = jobs.take(thread, total)) ++done[static_cast<std::size_t>(job)];
      });
    }
  }
  for (int job = 0; job < total; ++job) ASSERT_EQ(done[static_cast<std::size_t>(job)], 1) << job;
}

// What was taken in a step that no reset has erased must not count in one that has the same number by 16 bits, here of a longer op: the
// range of the second thread was empty since.
TEST(JobRanges, AStepOfLongAgoIsForgotten) {
  JobRanges jobs(2);
  jobs.reset();
  EXPECT_EQ(jobs.take(1, 4), 2);
  EXPECT_EQ(jobs.take(1, 4), 3);
  for (int step = 0; step < 70000; ++step) {
    jobs.reset();
    ASSERT_EQ(jobs.take(1, 2), 1) << step;
    jobs.reset();
    ASSERT_EQ(jobs.take(0, 0), 0);
  }
  for (int step = 0; step < (1 << 16) + 5; ++step) {
    jobs.reset();
  }
  EXPECT_EQ(jobs.take(1, 4), 2);
}

TEST(JobRanges, EveryStepOfAllThatHaveTheSameNumberIsApart) {
  constexpr int apart = 1 << 16;
  for (const int steps : {apart - 2, apart - 1, apart, apart + 1, 2 * apart - 1}) {
    JobRanges jobs(1);
    jobs.reset();
    EXPECT_EQ(jobs.take(0, 1), 0);
    for (int step = 0; step < steps; ++step) jobs.reset();
    EXPECT_EQ(jobs.take(0, 1), 0) << steps << " steps later";
  }
}

TEST(OpJobs, WhatAllThreadsWriteLiesApartFromWhatTheyReadForEachJob) {
  static_assert(alignof(OpJobs) == 64);
  const OpJobs work(3);
  const auto line = [](const auto& member) { return reinterpret_cast<std::uintptr_t>(&member) / 64; };
  EXPECT_NE(line(work.jobs), line(work.preparation));
  EXPECT_NE(line(work.jobs), line(work.ranges));
  EXPECT_NE(line(work.preparation), line(work.ranges));
}

// A thread's jobs are counted in one go, when it takes what is not its own.
TEST(OpJobs, AThreadTellsOfItsJobsWhenItsRangeIsDone) {
  OpJobs work(2);
  work.reset();
  const int total = 6;
  for (int job = 0; job < 3; ++job) {
    EXPECT_EQ(work.next(0, total), job);
    EXPECT_EQ(work.ranges.threads(), 2);
    work.ranges.count(0);
  }
  EXPECT_EQ(work.ranges.collect(0), 3) << "nothing was told yet";
  for (int job = 0; job < 3; ++job) work.ranges.count(0);
  EXPECT_EQ(work.next(0, total), 5) << "the other's last";
  EXPECT_EQ(work.ranges.collect(0), 0) << "all was told";
  work.ranges.count(0);
  EXPECT_EQ(work.next(1, total), 3);
  work.ranges.count(1);
  EXPECT_EQ(work.next(1, total), 4);
  work.ranges.count(1);
  EXPECT_EQ(work.next(0, total), total);
  EXPECT_FALSE(work.jobs.finished(total)) << "the other was descheduled before it told";
  work.tell(1, total);
  EXPECT_TRUE(work.jobs.finished(total));
  EXPECT_EQ(work.next(1, total), total);
  EXPECT_TRUE(work.jobs.finished(total)) << "nothing is counted twice";
}

// As of a thread that was descheduled after its jobs; the thread sanitizer sees whether their results are there too.
TEST(OpJobs, AnotherThreadTellsOfJobsWithTheirResults) {
  OpJobs work(2);
  work.reset();
  int result = 0;
  std::jthread late([&] {
    result = 42;
    work.ranges.count(0);
  });
  while (!work.jobs.finished(1)) work.tell(0, 1);
  EXPECT_EQ(result, 42);
}

// With one order for all, all idle threads would repeat the first late job, and none the second.
TEST(OpJobs, EachLateJobIsRepeatedByOneThread) {
  constexpr int threads = 6, total = 24;
  OpJobs work(threads);
  work.allowRepeats(total);
  for (int step = 0; step < 2; ++step) {
    work.reset();
    for (int job = 0; job < total; ++job) {
      if (job == 3 || job == 9) continue;
      ASSERT_TRUE(work.claimResults(job));
    }
    std::vector<std::vector<int>> repeated(threads);
    const auto repeat = [&](int thread, bool again) {
      work.repeatLate(thread, total, again, [&](int job) { repeated[static_cast<std::size_t>(thread)].push_back(job); });
    };
    repeat(2, false);  // its own jobs are 8 to 11
    repeat(1, false);
    EXPECT_EQ(repeated[2], (std::vector{9, 3})) << "its own first";
    EXPECT_EQ(repeated[1], std::vector<int>()) << "both are repeated already";
    repeat(1, true);
    EXPECT_EQ(repeated[1], (std::vector{9, 3})) << "the thread that repeats them may be late too";
  }
}

// An op waits for threads that are copying its input, so that the input is not overwritten; a thread that starts too late is
// refused.
TEST(JobCounter, AnOpIsNotFinishedWhileItsInputIsRead) {
  JobCounter jobs;
  ASSERT_TRUE(jobs.beginReading(2));
  jobs.finish(2);
  jobs.finish(2);
  EXPECT_FALSE(jobs.finished(2));
  std::atomic<bool> over = false;
  std::jthread other([&] {
    jobs.wait(2);
    over = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // long enough for the other thread to go to sleep
  EXPECT_FALSE(over);
  EXPECT_FALSE(jobs.beginReading(2)) << "all jobs are done";
  jobs.endReading(2);
  other.join();
  EXPECT_TRUE(over);
  EXPECT_TRUE(jobs.finished(2));
}

TEST(OpJobs, ResultsAreTakenFromTheFirstInEveryStep) {
  OpJobs work(1);
  work.allowRepeats(4);
  EXPECT_FALSE(work.repeats(5));
  for (int step = 0; step < 3; ++step) {
    work.reset();
    EXPECT_TRUE(work.claimResults(2));
    EXPECT_FALSE(work.claimResults(2));
    EXPECT_TRUE(work.claimResults(3));
  }
}

// Weights are small integers, so that sums are exact in any order.
class LateThread : public testing::Test {
 protected:
  static constexpr int rows = 700, columns = 256;

  LateThread() {
    std::mt19937 random(5);
    std::uniform_int_distribution<int> whole(-3, 3);
    for (float& value : m_weights) value = static_cast<float>(whole(random));
    for (float& value : m_x) value = static_cast<float>(whole(random));
    for (float& value : m_before) value = static_cast<float>(whole(random));
    TensorView view;
    view.type = ElementType::F32;
    view.shape = {{rows, columns, 1, 1}, 2};
    view.bytes = std::as_bytes(std::span(m_weights));
    m_matrix = {nullptr, panelBytes(view.type, columns), view.type, panelsOf(view.type), rows, columns};
    m_panels.resize(panelCount(rows) * m_matrix.panelBytes);
    for (std::size_t p = 0; p < panelCount(rows); ++p) packPanel(view, p, m_panels.data() + p * m_matrix.panelBytes);
    m_matrix.panels = m_panels.data();
  }

  [[nodiscard]] Projection projection(std::vector<float>& out) {
    Projection p{};
    p.in = {m_x.data(), columns, 1};
    p.columns = columns;
    p.parts = {&m_part, 1};
    p.activation = ActivationCode::none;
    p.add = true;
    p.scale = 1.0F;
    p.out = {out.data(), out.size(), 1};
    return p;
  }

  std::vector<float> m_weights = std::vector<float>(static_cast<std::size_t>(rows) * columns), m_x = std::vector<float>(columns),
                     m_before = std::vector<float>(rows);
  std::vector<std::byte> m_panels;
  Matrix m_matrix;
  ProjectionPart m_part{&m_matrix, nullptr, 0};
};

TEST_F(LateThread, ItsJobsAreDoneByAnotherAndItsResultsAreNotTaken) {
  ThreadPool pool(2);
  auto projector = Projector::create(baselineTable, {.maxRows = 1, .maxColumns = columns}, pool);
  ASSERT_TRUE(projector);
  std::vector<float> out(paddedColumns(rows));
  const Projection p = projection(out);
  const int jobs = projector->mostRepeated(p);
  ASSERT_GT(jobs, 4);
  OpJobs work(pool.size());
  work.allowRepeats(jobs);
  std::vector<float> expected(m_before);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) expected[r] += m_weights[r * columns + c] * m_x[c];
  }
  for (int step = 0; step < 50; ++step) {
    std::copy(m_before.begin(), m_before.end(), out.begin());
    work.reset();
    const int taken = work.ranges.take(0, jobs) + work.ranges.take(0, jobs);  // two jobs of a preempted thread that does not run them
    ASSERT_EQ(taken, 1);
    std::atomic<int> wrong = 0;  // when a thread goes on to the next op, which reads all results
    pool.run([&](int thread) {
      projector->run(p, thread, work);
      if (!std::equal(expected.begin(), expected.end(), out.begin())) ++wrong;
    });
    ASSERT_EQ(wrong, 0) << "step " << step;
    EXPECT_FALSE(work.claimResults(0));  // the thread resumes
    EXPECT_FALSE(work.claimResults(1));
  }
}

// Two ops overwrite each other's input repeatedly, with more threads than cores. A late read of an input is found by the
// thread sanitizer or by wrong results.
TEST_F(LateThread, AnInputIsNeverOverwrittenWhileALateThreadReadsIt) {
  constexpr int threads = 4, steps = 400;
  ThreadPool pool(threads);
  auto projector = Projector::create(baselineTable, {.maxRows = 1, .maxColumns = static_cast<int>(paddedColumns(rows))}, pool);
  ASSERT_TRUE(projector);
  std::vector<float> there(paddedColumns(rows)), expected(rows);
  Projection p = projection(there);
  p.add = false;
  const int jobs = projector->mostRepeated(p);
  OpJobs forth(threads), back(threads);
  forth.allowRepeats(jobs);
  back.allowRepeats(1);
  const std::vector<float> first(m_x.begin(), m_x.end());
  for (int step = 0; step < steps; ++step) {
    forth.reset();
    back.reset();
    pool.run([&](int thread) {
      projector->run(p, thread, forth);
      if (back.jobs.take() == 0) {  // the second op: one job, which overwrites the first op's input
        for (std::size_t i = 0; i < m_x.size(); ++i) m_x[i] = first[(i + static_cast<std::size_t>(step) + 1) % first.size()];
        back.jobs.finish(1);
      }
      back.jobs.wait(1);
    });
    for (int r = 0; r < rows; ++r) {
      float sum = 0;
      for (int c = 0; c < columns; ++c)
        sum += m_weights[static_cast<std::size_t>(r * columns + c)] *
               first[(static_cast<std::size_t>(c) + static_cast<std::size_t>(step)) % first.size()];
      ASSERT_EQ(there[static_cast<std::size_t>(r)], sum) << "row " << r << " of step " << step;
    }
  }
}

}  // namespace
}  // namespace minerva::cpu
