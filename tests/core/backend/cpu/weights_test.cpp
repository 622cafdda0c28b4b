// Packing a plan's weights on all threads of a pool.
#include "core/backend/cpu/weights.h"

#include "core/base/mapped_file.h"
#include "tests/core/format/temporary_folder.h"
#include "tests/support/random_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fcntl.h>
#include <optional>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>
#include <variant>
#include <vector>

namespace minerva::cpu {
namespace {

TEST(Weights, TooLittleMemoryToRearrangeRowsIsAnErrorOfTheLoad) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "skipped: a sanitizer ends the program when an allocation fails";
#endif
  const tests::RandomModel random = tests::randomModel({.layers = 2});
  auto plan = model::buildPlan(random.config);
  ASSERT_TRUE(plan.has_value()) << plan.error().message();
  const auto proj = std::ranges::find_if(plan->ops, [](const model::Op& op) { return std::holds_alternative<model::ProjOp>(op); });
  ASSERT_NE(proj, plan->ops.end());
  TensorView& view = plan->weights[static_cast<std::size_t>(model::matricesOf(*proj).front())].view;
  const TensorView stored = view;
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    view = tests::tooLargeToArrange(stored.shape);
    const auto placed = Weights::place(*plan, pool, {}, {});
    ASSERT_FALSE(placed.has_value());
    EXPECT_EQ(placed.error().kind, ErrorKind::outOfMemory);
    view = stored;
    EXPECT_TRUE(Weights::place(*plan, pool, {}, {}).has_value()) << "the pool is still usable";
  }
}

// A matrix of 64 MB in a file of which nothing is in memory, and of which the system by itself reads no more than the page that is used.
class ColdMatrix : public testing::Test {
 protected:
  static constexpr std::int64_t columns = 4096, rows = 15424;
  void SetUp() override {
    m_view.type = ElementType::Q8_0;
    m_view.shape = {{columns, rows, 1, 1}, 2};
    const auto path = m_folder.write("weights", std::string(static_cast<std::size_t>(rows) * m_view.rowBytes(), '\x11'));
    const int file = ::open(path.c_str(), O_RDONLY);
    ::fsync(file);
    ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    ::close(file);
    auto mapped = MappedFile::open(path);
    ASSERT_TRUE(mapped);
    m_file.emplace(std::move(*mapped));
    m_view.bytes = m_file->bytes();
    ::madvise(const_cast<std::byte*>(m_view.bytes.data()), m_view.bytes.size(), MADV_RANDOM);
    if (resident() > m_view.bytes.size() / 10) GTEST_SKIP() << "skipped: this folder's files stay in memory";
  }
  // Bytes of the file in memory, whoever has them.
  [[nodiscard]] std::size_t resident() const {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    std::vector<unsigned char> there((m_view.bytes.size() + page - 1) / page);
    ::mincore(const_cast<std::byte*>(m_view.bytes.data()), m_view.bytes.size(), there.data());
    return page * static_cast<std::size_t>(std::ranges::count_if(there, [](unsigned char one) { return (one & 1) != 0; }));
  }
  TemporaryFolder m_folder;
  std::optional<MappedFile> m_file;
  TensorView m_view;
};

// Each page that a thread has to have read itself is a major fault: here up to 16384, with the usual 128 KB ahead 500.
TEST_F(ColdMatrix, IsReadInLargePieces) {
  const tests::RandomModel random = tests::randomModel({.layers = 1});
  auto plan = model::buildPlan(random.config);
  ASSERT_TRUE(plan.has_value()) << plan.error().message();
  const auto proj = std::ranges::find_if(plan->ops, [](const model::Op& op) { return std::holds_alternative<model::ProjOp>(op); });
  ASSERT_NE(proj, plan->ops.end());
  plan->weights[static_cast<std::size_t>(model::matricesOf(*proj).front())].view = m_view;
  ThreadPool pool(2);
  const auto faults = [] {
    rusage use{};
    ::getrusage(RUSAGE_SELF, &use);
    return use.ru_majflt;
  };
  const auto before = faults();
  EXPECT_TRUE(Weights::place(*plan, pool, {}, {}).has_value());
  EXPECT_LE(faults() - before, 64);
}

}  // namespace
}  // namespace minerva::cpu
