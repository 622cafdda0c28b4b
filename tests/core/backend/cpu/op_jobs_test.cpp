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
    EXPECT_FALSE(work.hasResults(2));
    EXPECT_TRUE(work.claimResults(2));
    EXPECT_TRUE(work.hasResults(2));
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
  for (int step = 0; step < 50; ++step) {
    std::copy(m_before.begin(), m_before.end(), out.begin());
    work.reset();
    const int taken = work.ranges.take(0, jobs) + work.ranges.take(0, jobs);  // two jobs of a preempted thread that does not run them
    ASSERT_EQ(taken, 1);
    pool.run([&](int thread) { projector->run(p, thread, work); });
    for (int r = 0; r < rows; ++r) {
      double expected = m_before[static_cast<std::size_t>(r)];
      for (int c = 0; c < columns; ++c)
        expected += static_cast<double>(m_weights[static_cast<std::size_t>(r * columns + c)]) *
                    static_cast<double>(m_x[static_cast<std::size_t>(c)]);
      ASSERT_EQ(static_cast<double>(out[static_cast<std::size_t>(r)]), expected) << "row " << r << " of step " << step;
    }
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
