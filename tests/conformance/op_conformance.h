// The comparison of a small plan on a device with the reference.
#pragma once

#include "tests/conformance/op_plans.h"
#include "tests/support/backend_test.h"

#include <string>
#include <vector>

namespace minerva::tests {

class OpConformance : public BackendTest {
 protected:
  void expectConforms(const OpPlan& p, ElementType type, const Script& script, int context, int slots, const std::string& what) {
    const Result<void> checked = model::checkPlan(p.plan);
    ASSERT_TRUE(checked.has_value()) << what << ": " << checked.error().message();
    for (const auto precision : {backend::Precision::exact, backend::Precision::standard}) {
      const auto difference = compareWithReference(*m_backend, p.plan, optionsFor(script, context, slots, precision), script);
      if (!difference && difference.error().kind == ErrorKind::unsupported && GetParam().device != "cpu") {
        GTEST_SKIP() << "skipped: not supported: " << what << ": " << difference.error().message();
      }
      ASSERT_TRUE(difference.has_value()) << what << ": " << difference.error().message();
      EXPECT_EQ(judge(*difference, toleranceOf(precision, type)), "")
          << what << (precision == backend::Precision::exact ? ", exact" : ", standard");
    }
  }

  // `chunks` are the rows per step, as in prefillScript.
  void expectConforms(const OpPlan& p, ElementType type, const std::vector<int>& chunks, int length, const std::string& what) {
    Random random(99);
    expectConforms(p, type, prefillScript(random, p.plan.vocabularySize, length, chunks), length, 1, what);
  }

  // One sequence in steps of all sizes, then several sequences.
  void expectMixes(const OpPlan& p, const std::string& what) {
    expectConforms(p, ElementType::F32, {1, 5, 17, 66, 1, 1}, 100, what);
    Random random(98);
    expectConforms(p, ElementType::F32, sequencesScript(random, p.plan.vocabularySize), sequencesContext, sequencesSlots,
                   what + ", several sequences");
  }
};

}  // namespace minerva::tests
