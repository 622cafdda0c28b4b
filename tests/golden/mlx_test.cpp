// MLX folders on the reference: what their codes, scales and biases are worth, in whole models.
#include "core/backend/reference/reference_backend.h"
#include "tests/golden/walk.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>

namespace minerva::tests {
namespace {

void walkMlx(const std::filesystem::path& root, std::size_t atLeast) {
  const auto backend = backend::reference::createReferenceBackend();
  WalkOptions options;
  options.chunks = {1 << 20, 7};
  std::size_t cases = 0, passed = 0;
  for (const OracleCase& c : oracleCases(root)) {
    if (c.format != "mlx") continue;
    ++cases;
    const Result<WalkResult> result = walk(*backend, c, options);
    const std::string wrong = result ? verdict(c, *result, backend::Precision::exact) : result.error().message();
    EXPECT_EQ(wrong, "") << c.id;
    passed += wrong.empty() ? 1 : 0;
  }
  EXPECT_GE(cases, atLeast);
  std::printf("golden: MLX on the reference: %zu of %zu cases\n", passed, cases);
}

TEST(GoldenMlx, OwnFolders) { walkMlx(std::filesystem::path(MINERVA_TEST_DATA) / "golden", 2); }

TEST(GoldenMlx, OracleFolders) {
  const auto root = std::filesystem::path(MINERVA_SHARED_DIR) / "oracle";
  if (!std::filesystem::exists(root)) GTEST_SKIP() << "skipped: no " << root;
  walkMlx(root, 25);
}

}  // namespace
}  // namespace minerva::tests
