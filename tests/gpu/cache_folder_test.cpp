// What is measured of the CPU is kept in the folder that whoever creates a backend names.
#include "core/backend/cpu/memory.h"
#include "core/backend/cpu/read_ahead.h"
#include "core/format/model_file.h"
#include "core/model/model_config.h"
#include "core/base/system_memory.h"
#include "gpu/available.h"
#include "tests/core/format/temporary_folder.h"
#include "tests/support/runnable_kernels.h"
#include "tests/support/sparse_model.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace minerva::tests {
namespace {

namespace fs = std::filesystem;

bool hasRows(const fs::path& folder) {
  return std::ranges::any_of(fs::directory_iterator(folder), [](const auto& entry) { return entry.path().extension() == ".rows"; });
}

TEST(CacheFolder, HasWhatWasMeasuredOfTheCpu) {
  const std::uint64_t beyond = cpu::beyondCaches();  // 600 MB on some processors; what is smaller is not measured
  if (systemMemory().available < (std::uint64_t{1} << 30) + 4 * beyond) GTEST_SKIP() << "skipped: too little free memory to measure in";
  const int layers = 1 + static_cast<int>(beyond / (100 << 20));  // of 103 MB
  const TemporaryFolder model, cache, apart;
  writeSparseFolder(model.path(), {.family = "llama", .layers = layers, .hidden = 2048, .heads = 32, .feedForward = 5632});
  const auto file = format::ModelFile::open(model.path());
  ASSERT_TRUE(file) << file.error().message();
  const auto config = model::readModelConfig(**file);
  ASSERT_TRUE(config) << config.error().message();
  const auto plan = model::buildPlan(*config);
  ASSERT_TRUE(plan) << plan.error().message();
  const auto backend = createBackend("cpu", {.threads = 2, .cacheFolder = cache.path().string()});
  ASSERT_TRUE(backend) << backend.error().message();
  const auto placed = (*backend)->place(*plan, {.contextLength = 64}, {}, {});
  ASSERT_TRUE(placed) << placed.error().message();
  if (hasRows(cache.path())) return;
  ThreadPool pool(2);
  cpu::chooseReadAhead(cpu::Fetched::rows, *runnableKernels().back(), pool, apart.path());
  EXPECT_FALSE(hasRows(apart.path())) << "measured, but not kept";
  GTEST_SKIP() << "skipped: this machine is too slow for three rounds";
}

}  // namespace
}  // namespace minerva::tests
