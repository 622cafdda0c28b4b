// The ops of several residual streams, and those that change a row in place, on every backend.
#include "tests/conformance/op_conformance.h"
#include "tests/conformance/stream_plans.h"

#include <gtest/gtest.h>

#include <string>

namespace minerva::tests::streams {
namespace {

class StreamConformance : public OpConformance {
 protected:
  void expectRows(const OpPlan& p, const std::string& what, ElementType type = ElementType::F32) {
    expectConforms(p, type, {1, 2, 21}, 37, what);
  }
};

TEST_P(StreamConformance, ThresholdsOfEveryHeight) {
  for (const int columns : {1, 3, 16, 75, 300, 1027}) {
    for (const float deviations : {-1.0F, 0.0F, 1.645F}) {
      expectRows(thresholdPlan(columns, deviations), std::to_string(deviations) + " deviations of " + std::to_string(columns));
    }
  }
}

TEST_P(StreamConformance, XieluOfLargeAndSmallValues) {
  for (const int columns : {3, 16, 75}) {
    for (const double rms : {1e-7, 1e-3, 0.3, 1.0, 20.0}) {
      const std::string what = std::to_string(columns) + " of " + std::to_string(rms);
      expectRows(xieluPlan(columns, {0.8F, 1.3F, 0.5F, -1e-6F}, rms), what);
      expectRows(xieluPlan(columns, {0.1F, 4.0F, 0.2F, -0.1F}, rms), what + ", a large epsilon");
    }
  }
}

// Also runs of almost nothing, which are not blown up.
TEST_P(StreamConformance, LevelsOfRuns) {
  for (const int columns : {3, 16, 75, 300}) {
    for (const int runs : {1, 3}) {
      for (const double rms : {1e-4, 0.2, 30.0}) {
        expectRows(levelPlan(columns, runs, rms),
                   std::to_string(runs) + " runs of " + std::to_string(columns) + ", " + std::to_string(rms));
      }
    }
  }
}

TEST_P(StreamConformance, EveryStreamIsMixed) {
  for (const int count : {1, 2, 4, 8}) {
    for (const int columns : {3, 64, 75}) {
      for (const bool targeted : {false, true}) {
        for (const int shown : {0, count / 2, count - 1}) {
          expectRows(mixPlan(count, columns, targeted, shown), "stream " + std::to_string(shown) + " of " + std::to_string(count) + " x " +
                                                                   std::to_string(columns) + (targeted ? " to a target" : ""));
        }
      }
    }
  }
}

TEST_P(StreamConformance, TokensWithoutARowHaveTheFirst) {
  for (const auto type : {ElementType::F32, ElementType::BF16, ElementType::Q8_0, ElementType::Q4_K}) {
    for (const int rows : {1, 5, opVocabulary - 1}) {
      expectRows(shortTablePlan(type, rows, 256), std::to_string(rows) + " rows of " + std::string(traits(type).name), type);
    }
  }
}

TEST_P(StreamConformance, PlainSums) {
  for (const int parts : {1, 3}) {
    for (const int columns : {3, 64, 75}) {
      for (const bool add : {false, true}) {
        expectRows(sumPlan(parts, columns, add), std::to_string(parts) + " parts of " + std::to_string(columns) + (add ? " added" : ""));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, StreamConformance, testing::ValuesIn(backendsUnderTest()),
                         [](const auto& info) { return info.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StreamConformance);

}  // namespace
}  // namespace minerva::tests::streams
