// How the work of a step is divided among threads: all of them take part, however few rows, heads or weights there are, and results are the
// same, bit for bit, for any number of threads.
#include "core/backend/cpu/attention_runs.h"
#include "core/backend/cpu/panels.h"
#include "core/backend/cpu/placement.h"
#include "core/backend/cpu/projection_layout.h"
#include "core/model/plan.h"
#include "tests/support/random_families.h"
#include "tests/support/runnable_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace minerva::cpu {
namespace {

using backend::RowUse;

std::vector<backend::StepRow> rowsFrom(int slot, int first, int count, RowUse use) {
  std::vector<backend::StepRow> rows;
  for (int position = first; position < first + count; ++position)
    rows.push_back({(position * 7 + slot * 13 + position / 5) % 67, position, slot, use == RowUse::reply, false, 0, use});
  return rows;
}

// A model with one attention op and nothing else.
model::Plan attentionOf(int heads, int kvHeads, int dim) {
  model::Plan plan;
  model::AttentionOp op{};
  op.headCount = heads;
  op.kvHeadCount = kvHeads;
  op.headDim = op.valueDim = dim;
  plan.ops.push_back(op);
  return plan;
}

struct AttentionCase {
  const char* what;
  int heads, kvHeads, dim;
  int context, depth, rows, threads;
  int passes, parts, headsOfAJob;  // expected
};

TEST(AttentionShares, OfFewRowsAreEnoughForAllThreads) {
  const std::vector<AttentionCase> cases{
      // With two threads, whole groups of heads and some parts are enough.
      {"Llama 8B", 32, 8, 128, 8192, 200, 1, 2, 1, 1, 4},
      {"Llama 8B", 32, 8, 128, 131072, 4000, 1, 2, 1, 1, 4},
      {"Qwen3 30B", 32, 4, 128, 8192, 4000, 1, 2, 1, 2, 8},
      {"Qwen3 30B", 32, 4, 128, 32768, 20000, 16, 2, 1, 1, 8},
      {"DeepSeek V3", 128, 1, 512, 32768, 20000, 16, 2, 1, 1, 32},
      // Heads are divided where a row sees few positions, or where there is no memory for the parts of many rows.
      {"Llama 8B", 32, 8, 128, 8192, 200, 1, 16, 1, 1, 4},
      {"Qwen2.5 3B", 16, 2, 128, 8192, 200, 1, 16, 1, 1, 4},
      {"DeepSeek V3", 128, 1, 512, 8192, 200, 1, 16, 1, 1, 4},
      {"DeepSeek V3", 128, 1, 512, 32768, 20000, 16, 16, 1, 1, 4},
      {"DeepSeek V3", 128, 1, 512, 131072, 40000, 4, 16, 1, 1, 4},
      // Parts do not become longer with the context, nor is there one part only for several rows.
      {"Llama 8B", 32, 8, 128, 131072, 4000, 1, 16, 1, 8, 4},
      {"Qwen3 30B", 32, 4, 128, 131072, 4000, 1, 16, 1, 16, 8},
      {"DeepSeek V3", 128, 1, 512, 131072, 4000, 1, 16, 1, 16, 64},
      {"Qwen3 30B", 32, 4, 128, 32768, 20000, 16, 16, 1, 16, 8},
      {"Llama 8B", 32, 8, 128, 131072, 40000, 4, 16, 1, 8, 4},
      // Several passes, of so many rows that their partial results fit.
      {"Gemma 3 1B", 4, 1, 256, 131072, 40000, 16, 2, 3, 8, 4},
      {"Qwen3 30B", 32, 4, 128, 131072, 100000, 16, 16, 4, 16, 8},
  };
  for (const AttentionCase& c : cases) {
    SCOPED_TRACE(testing::Message() << c.what << ", " << c.rows << " rows at " << c.depth << " of " << c.context << ", " << c.threads);
    auto created = AttentionRuns::create(attentionOf(c.heads, c.kvHeads, c.dim), {.contextLength = c.context}, c.threads);
    ASSERT_TRUE(created) << created.error().message();
    AttentionRuns& attention = *created;
    attention.setRows(rowsFrom(0, c.depth, c.rows, RowUse::reply));
    const int seen = AttentionRange{0, c.depth + c.rows}.runs();
    AttentionWork work{c.rows, attention.blocksOf({0, c.rows}), c.heads, c.kvHeads, c.dim, seen};
    const int step = attention.rowsOfPass(work, c.threads);
    EXPECT_EQ((c.rows + step - 1) / step, c.passes);
    work.rows = step;
    work.blocks = attention.blocksOf({0, step});
    const AttentionShares shares = attention.divide(work, c.threads);
    EXPECT_EQ(shares.parts, c.parts);
    EXPECT_EQ(shares.heads, c.headsOfAJob);
  }
}

TEST(AttentionShares, BlocksAreCutWhereAPassEnds) {
  auto runs = AttentionRuns::create(attentionOf(1, 1, 16), {}, 1);
  ASSERT_TRUE(runs) << runs.error().message();
  std::vector<backend::StepRow> rows = rowsFrom(0, 0, 20, RowUse::prompt);
  for (const backend::StepRow& row : rowsFrom(1, 0, 3, RowUse::prompt)) rows.push_back(row);
  runs->setRows(rows);  // blocks: 0 to 15, 16 to 19, 20 to 22
  EXPECT_EQ(runs->blocksOf({0, 23}), 3);
  EXPECT_EQ(runs->blocksOf({3, 5}), 1);
  EXPECT_EQ(runs->blocksOf({12, 9}), 3);
  const auto expectBlock = [&](RowBlock of, int index, int first, int count) {
    const RowBlock block = runs->block(of, index);
    EXPECT_TRUE(block.first == first && block.count == count) << block.first << ", " << block.count << " instead of " << first;
  };
  expectBlock({3, 5}, 0, 3, 5);
  expectBlock({12, 9}, 0, 12, 4);
  expectBlock({12, 9}, 1, 16, 4);
  expectBlock({12, 9}, 2, 20, 1);
}

TEST(Stretches, AreMadeOnlyWhereThreadsWouldHaveNothingToDo) {
  struct Case {
    int jobs, rows, threads, stretches;
  };
  // The first: matrices of 1024, 2048 and 4096 rows in panels of 16, two a job, on servers.
  for (const auto& [jobs, rows, threads, stretches] : {Case{32, 512, 64, 2},
                                                       {64, 512, 96, 4},
                                                       {128, 512, 60, 4},
                                                       {64, 512, 64, 1},
                                                       {3, 512, 2, 2},
                                                       {8, 512, 2, 1},
                                                       {256, 512, 64, 1},
                                                       {1, 512, 16, 8},
                                                       {1, 63, 16, 1},
                                                       {1, 64, 16, 2},
                                                       {1, 100, 16, 2},
                                                       {32, 1, 64, 1}}) {
    EXPECT_EQ(stretchesOf(jobs, rows, threads), stretches) << jobs << " jobs of " << rows << " rows on " << threads << " threads";
  }
}

// Waits in a kernel until so many threads are in it. Only if they do not come does time matter: then the test fails.
class Meeting {
 public:
  explicit Meeting(std::size_t threads) : m_expected(threads) {}
  void attend() {
    std::unique_lock lock(m_mutex);
    m_here.insert(std::this_thread::get_id());
    if (m_here.size() >= m_expected) m_changed.notify_all();
    else if (!m_missed) m_missed = !m_changed.wait_for(lock, std::chrono::seconds(20), [&] { return m_here.size() >= m_expected; });
  }
  [[nodiscard]] std::size_t came() const { return m_here.size(); }

 private:
  std::size_t m_expected;
  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::set<std::thread::id> m_here;
  bool m_missed = false;
};
Meeting* meeting = nullptr;

class SharedWork : public testing::Test {
 protected:
  void TearDown() override { meeting = nullptr; }

  void place(const tests::ModelShape& shape, int threads) { place(tests::randomModel(shape), threads, baselineTable); }
  void place(tests::RandomModel made, int threads, const Kernels& kernels) {
    m_placement.reset();
    m_made.emplace(std::move(made));
    auto plan = model::buildPlan(m_made->config);
    ASSERT_TRUE(plan) << plan.error().message();
    m_plan = std::move(*plan);
    m_kernels = kernels;
    const backend::PlaceOptions options{.contextLength = context, .slots = 8, .maxRows = 400, .maxOutputRows = 16};
    auto placed = CpuPlacement::create(std::make_shared<ThreadPool>(threads), m_kernels, m_plan, options, {}, {});
    ASSERT_TRUE(placed) << placed.error().message();
    m_placement = std::move(*placed);
  }
  void step(const std::vector<backend::StepRow>& rows) {
    const auto done = m_placement->step(rows);
    ASSERT_TRUE(done) << done.error().message();
  }
  // Appends the logits of the rows that want them.
  void step(const std::vector<backend::StepRow>& rows, std::vector<float>& all) {
    step(rows);
    for (int i = 0; i < std::ranges::count(rows, true, &backend::StepRow::wantsLogits); ++i) {
      const auto logits = m_placement->logits(i);
      ASSERT_TRUE(logits) << logits.error().message();
      all.insert(all.end(), logits->begin(), logits->end());
    }
  }
  // Long prompts, drafts, single replies, and replies of all slots.
  std::vector<float> conversation() {
    std::vector<float> all;
    step(rowsFrom(0, 0, 400, RowUse::prompt), all);
    step(rowsFrom(0, 400, 390, RowUse::prompt), all);
    step(rowsFrom(0, 790, 16, RowUse::reply), all);
    step(rowsFrom(0, 806, 1, RowUse::reply), all);
    std::vector<backend::StepRow> rows = rowsFrom(0, 807, 2, RowUse::reply);
    for (int slot = 1; slot < 8; ++slot) std::ranges::copy(rowsFrom(slot, 0, 2, RowUse::reply), std::back_inserter(rows));
    step(rows, all);
    return all;
  }

  static constexpr int context = 1024;
  std::optional<tests::RandomModel> m_made;
  model::Plan m_plan;
  Kernels m_kernels;
  std::unique_ptr<backend::Placement> m_placement;
};

// One row that sees few positions, and whose heads share a KV head.
TEST_F(SharedWork, HeadsOfOneRowAreAttendedToByAllThreads) {
  place({.heads = 16, .kvHeads = 1, .context = context}, 4);
  if (HasFatalFailure()) return;
  step(rowsFrom(0, 0, 199, RowUse::prompt));
  Meeting all(4);
  meeting = &all;
  const auto attend = [](const KvHead& kv, const AttentionShape& shape, const AttentionQuery* queries, int count, float* scratch) {
    meeting->attend();
    baselineTable.attend[static_cast<int>(CacheType::single)](kv, shape, queries, count, scratch);
  };
  m_kernels.attend[static_cast<int>(CacheType::single)] = attend;
  step(rowsFrom(0, 199, 1, RowUse::reply));
  EXPECT_EQ(all.came(), 4U);
}

TEST_F(SharedWork, RowsOfSeveralRepliesAreRotatedByAllThreads) {
  place({.context = context}, 8);
  if (HasFatalFailure()) return;
  Meeting all(8);
  meeting = &all;
  m_kernels.rotate = [](float* heads, int headCount, int headDim, int dimension, bool interleaved, const float* cosSin) {
    meeting->attend();
    baselineTable.rotate(heads, headCount, headDim, dimension, interleaved, cosSin);
  };
  std::vector<backend::StepRow> rows;
  for (int slot = 0; slot < 8; ++slot) std::ranges::copy(rowsFrom(slot, 0, 2, RowUse::reply), std::back_inserter(rows));
  step(rows);
  EXPECT_EQ(all.came(), 8U);
}

// Many rows and few weights.
TEST_F(SharedWork, RowsOfAPromptAreMultipliedByAllThreads) {
  constexpr int count = 256, columns = 64;
  std::vector<float> weights(panelRows * columns, 1.0F), x(count * columns, 1.0F), out(count * 32);
  TensorView view;
  view.type = ElementType::F32;
  view.shape = {{panelRows, columns, 1, 1}, 2};
  view.bytes = std::as_bytes(std::span(weights));
  std::vector<std::byte> panel(panelBytes(view.type, columns));
  packPanel(view, 0, panel.data());
  const Matrix matrix{panel.data(), panel.size(), view.type, panelsOf(view.type), panelRows, columns};
  const ProjectionPart part{&matrix, nullptr, 0};
  Projection p{};
  p.in = {x.data(), columns, count};
  p.columns = columns;
  p.parts = {&part, 1};
  p.activation = ActivationCode::none;
  p.scale = 1.0F;
  p.out = {out.data(), 32, count};
  m_kernels = baselineTable;
  Meeting all(4);
  meeting = &all;
  m_kernels.multiply = [](const float* strip, int n, const float* from, std::size_t stride, int rows, bool accumulate, float* y) {
    meeting->attend();
    baselineTable.multiply(strip, n, from, stride, rows, accumulate, y);
  };
  ThreadPool pool(4);
  const auto projector = Projector::create(m_kernels, {.maxRows = count, .maxColumns = columns, .exact = true}, pool);
  ASSERT_TRUE(projector) << projector.error().message();
  OpJobs work(pool.size());
  pool.run([&](int thread) { projector->run(p, thread, work); });
  EXPECT_EQ(all.came(), 4U);
  for (int row = 0; row < count; ++row) ASSERT_EQ(out[static_cast<std::size_t>(row) * 32 + 15], columns) << row;
}

// Copies of neighbouring threads, whose ends each of them writes, share no cache line.
TEST(GroupedRows, OfEachThreadHaveCacheLinesOfTheirOwn) { EXPECT_EQ(alignof(GroupedRows), 64U); }

TEST_F(SharedWork, ResultsAreTheSameWithAnyNumberOfThreads) {
  const auto mixture = [] {
    tests::RandomModel made = tests::randomModel({.hidden = 64, .context = context});
    tests::addExperts(made, tests::expertShapes().front());
    return made;
  };
  const auto latent = [] {
    tests::RandomModel made = tests::randomModel({.hidden = 64, .context = context, .ropeDimension = 8});
    tests::addLatentAttention(made);
    return made;
  };
  const std::vector<std::pair<const char*, std::function<tests::RandomModel()>>> models{
      {"four heads share one", [] { return tests::randomModel({.heads = 4, .kvHeads = 1, .context = context}); }},
      {"fourteen heads share one", [] { return tests::randomModel({.heads = 14, .kvHeads = 1, .context = context}); }},
      {"a window", [] { return tests::randomModel({.type = ElementType::Q8_0, .window = 300, .context = context}); }},
      {"packed weights", [] { return tests::randomModel({.type = ElementType::Q4_0, .hidden = 256, .context = context}); }},
      {"a mixture", mixture},
      {"latent attention", latent}};
  for (const Kernels* kernels : tests::runnableKernels()) {
    for (const auto& [what, made] : models) {
      std::vector<float> expected;
      for (const int threads : {1, 2, 8, 16, 24}) {  // from 16 on, the first model's prompts attend in several passes
        SCOPED_TRACE(testing::Message() << what << ", " << kernels->name << ", " << threads << " threads");
        place(made(), threads, *kernels);
        if (HasFatalFailure()) return;
        const std::vector<float> found = conversation();
        if (HasFatalFailure()) return;
        if (threads == 1) expected = found;
        ASSERT_EQ(found.size(), expected.size());
        EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(float)), 0);
      }
    }
  }
}

}  // namespace
}  // namespace minerva::cpu
