// Which instruction set the CPU backend chooses.
#include "core/backend/cpu/cpu_backend.h"

#include "core/base/cpu_features.h"
#include "core/base/processors.h"
#include "tests/support/random_model.h"

#include <gtest/gtest.h>

#include <sched.h>

namespace minerva::backend {
namespace {

// Products of bf16 pairs take four times as long as those of bytes on some processors that have them: there, one asks for them by name.
TEST(CpuBackend, ChoosesTheSetThatIsFastHere) {
  if (!cpuFeatures().avx512Bf16 || requestTiles()) GTEST_SKIP() << "skipped: needs bf16 pairs and no matrix unit";
  const auto chosen = createCpuBackend({.threads = 1, .instructionSet = {}});
  const auto pairs = createCpuBackend({.threads = 1, .instructionSet = "avx512bf16"});
  ASSERT_TRUE(chosen && pairs);
  EXPECT_EQ((*pairs)->info().detail, "AVX-512 BF16, VNNI");
  const bool amd = cpuFeatures().brand.starts_with("AMD");
  EXPECT_EQ((*chosen)->info().detail, amd ? "AVX-512 BF16, VNNI" : "AVX-512 VNNI");
}

// This thread, and those that it starts, on a single processor.
class OneProcessor {
 public:
  OneProcessor() {
    ::sched_getaffinity(0, sizeof m_before, &m_before);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(allowedCpus().front()), &one);
    ::sched_setaffinity(0, sizeof one, &one);
  }
  ~OneProcessor() { ::sched_setaffinity(0, sizeof m_before, &m_before); }
  OneProcessor(const OneProcessor&) = delete;
  OneProcessor& operator=(const OneProcessor&) = delete;

 private:
  cpu_set_t m_before{};
};

TEST(CpuBackend, LooksAnewHowManyProcessorsThereAreForEachModel) {
  const int cores = physicalCores();
  if (cores == 1) GTEST_SKIP() << "skipped: needs two cores";
  const tests::RandomModel random = tests::randomModel({});
  const auto plan = model::buildPlan(random.config);
  ASSERT_TRUE(plan.has_value()) << plan.error().message();
  const auto automatic = createCpuBackend({}), fixed = createCpuBackend({.threads = 2, .instructionSet = {}});
  ASSERT_TRUE(automatic && fixed);
  const auto threadsAfterPlacing = [&](Backend& on) {
    const auto needs = on.memoryNeeds(*plan, {});
    auto placed = on.place(*plan, {}, {}, {});
    EXPECT_TRUE(needs && placed && (*placed)->memory().total() == needs->front().use.total());
    return on.info().threads;
  };
  EXPECT_EQ(threadsAfterPlacing(**automatic), cores);
  {
    const OneProcessor only;
    EXPECT_EQ(threadsAfterPlacing(**automatic), 1);
    EXPECT_EQ(threadsAfterPlacing(**fixed), 2) << "as asked for";
  }
  EXPECT_EQ(threadsAfterPlacing(**automatic), cores);
}

}  // namespace
}  // namespace minerva::backend
