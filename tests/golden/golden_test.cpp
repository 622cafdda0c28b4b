#include "tests/golden/table.h"
#include "tests/golden/walk.h"
#include "tests/support/conformance.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace minerva::tests {
namespace {

std::vector<BackendUnderTest> withReference() {
  std::vector<BackendUnderTest> all{{"reference", "reference", {}}};
  all.insert(all.end(), backendsUnderTest().begin(), backendsUnderTest().end());
  return all;
}

class Golden : public testing::TestWithParam<BackendUnderTest> {
 protected:
  void SetUp() override {
    auto created = createBackend(GetParam().device, GetParam().options);
    ASSERT_TRUE(created.has_value()) << created.error().message();
    m_backend = std::move(*created);
  }

  void walkAll(const std::vector<OracleCase>& cases, backend::Precision precision) {
    const bool exact = precision == backend::Precision::exact;
    const char* name = exact ? "exact" : "standard";
    WalkOptions options{.precision = precision};
    if (GetParam().device != "cpu") options.chunks = {1 << 20, 7};
    std::size_t passed = 0;
    for (const OracleCase& c : cases) {
      const Result<WalkResult> result = walk(*m_backend, c, options);
      const std::string wrong = result ? verdict(c, *result, precision) : result.error().message();
      EXPECT_EQ(wrong, "") << c.id << ", " << name;
      passed += wrong.empty() ? 1 : 0;
      addToTable({c.id, c.family, c.format, GetParam().name, exact, result ? result->largest : -1, wrong.empty()});
    }
    std::printf("golden: %s, %s: %zu of %zu cases\n", GetParam().name.c_str(), name, passed, cases.size());
  }

  std::unique_ptr<backend::Backend> m_backend;
};

TEST_P(Golden, OwnCasesExact) {
  const auto cases = oracleCases(std::filesystem::path(MINERVA_TEST_DATA) / "golden");
  ASSERT_GE(cases.size(), 4U);
  walkAll(cases, backend::Precision::exact);
}

TEST_P(Golden, OwnCasesStandard) {
  const auto cases = oracleCases(std::filesystem::path(MINERVA_TEST_DATA) / "golden");
  ASSERT_GE(cases.size(), 4U);
  walkAll(cases, backend::Precision::standard);
}

TEST_P(Golden, OracleExact) {
  const auto cases = oracleCases(std::filesystem::path(MINERVA_SHARED_DIR) / "oracle");
  if (cases.empty()) GTEST_SKIP() << "skipped: no ../shared/oracle here";
  EXPECT_GE(cases.size(), 163U);
  walkAll(cases, backend::Precision::exact);
}

TEST_P(Golden, OracleStandard) {
  if (GetParam().name == "reference") GTEST_SKIP() << "skipped: the reference has one precision";
  const auto cases = oracleCases(std::filesystem::path(MINERVA_SHARED_DIR) / "oracle");
  if (cases.empty()) GTEST_SKIP() << "skipped: no ../shared/oracle here";
  walkAll(cases, backend::Precision::standard);
}

TEST_P(Golden, Oracle2026Exact) {
  const auto cases = oracleCases(std::filesystem::path(MINERVA_SHARED_DIR) / "oracle-2026");
  if (cases.empty()) GTEST_SKIP() << "skipped: no ../shared/oracle-2026 here";
  EXPECT_GE(cases.size(), 57U);
  walkAll(cases, backend::Precision::exact);
}

TEST_P(Golden, Oracle2026Standard) {
  if (GetParam().name == "reference") GTEST_SKIP() << "skipped: the reference has one precision";
  const auto cases = oracleCases(std::filesystem::path(MINERVA_SHARED_DIR) / "oracle-2026");
  if (cases.empty()) GTEST_SKIP() << "skipped: no ../shared/oracle-2026 here";
  walkAll(cases, backend::Precision::standard);
}

INSTANTIATE_TEST_SUITE_P(Devices, Golden, testing::ValuesIn(withReference()), [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace minerva::tests
