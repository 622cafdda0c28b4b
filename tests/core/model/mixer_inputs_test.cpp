// Which matrices make what attention and recurrent mixers read, in a tiny model of every family.
#include "core/format/model_file.h"
#include "core/model/mixer_inputs.h"

#include "core/model/model_config.h"
#include "tests/support/oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

namespace minerva {
namespace {

// The names of weights without their layer. Gates ("output gate", "delta z", a part of "mamba in") share a buffer with inputs.
constexpr std::array inputNames{"q",
                                "k",
                                "v",
                                "q down",
                                "latent",
                                "rotated key",
                                "key up",
                                "output gate",
                                "delta q",
                                "delta k",
                                "delta v",
                                "delta a",
                                "delta b",
                                "delta z",
                                "delta a down",
                                "delta z down",
                                "mamba in",
                                "mamba low steps",
                                "mamba steps",
                                "mamba B, C",
                                "convolution in"};

std::string withoutLayer(const std::string& name) {
  const auto space = name.find(' ', name.find(' ') + 1);
  return name.starts_with("layer ") && space != std::string::npos ? name.substr(space + 1) : name;
}

void checkInputs(const tests::OracleCase& c, std::set<std::string>& seen) {
  const auto file = format::ModelFile::open(c.model);
  ASSERT_TRUE(file) << file.error().message();
  const auto config = model::readModelConfig(**file);
  ASSERT_TRUE(config) << config.error().message();
  const auto plan = model::buildPlan(*config);
  ASSERT_TRUE(plan) << plan.error().message();
  const std::vector<bool> inputs = model::mixerInputs(*plan);
  const auto expectRight = [&](model::WeightId weight, model::BufferId out) {
    const std::string part = withoutLayer(plan->weights[static_cast<std::size_t>(weight)].name);
    seen.insert(part);
    EXPECT_EQ(inputs[static_cast<std::size_t>(out)], std::ranges::find(inputNames, part) != inputNames.end()) << c.id << ", " << part;
  };
  for (const model::Op& op : plan->ops) {
    if (const auto* heads = std::get_if<model::HeadProjOp>(&op)) expectRight(heads->weight, heads->out);
    if (const auto* proj = std::get_if<model::ProjOp>(&op)) {
      for (const model::ProjPart& part : proj->parts) expectRight(part.weight, proj->out);
    }
    if (const auto* experts = std::get_if<model::ExpertOp>(&op)) {
      EXPECT_FALSE(inputs[static_cast<std::size_t>(experts->out)]) << c.id;
    }
  }
}

TEST(MixerInputs, AreQueriesKeysValuesAndWhatStatesTakeIn) {
  std::set<std::string> seen;
  for (const tests::OracleCase& c : tests::oracleCases(std::filesystem::path(MINERVA_TEST_DATA) / "golden")) checkInputs(c, seen);
  for (const char* part : {"q", "key up", "mamba steps", "o", "down"}) EXPECT_TRUE(seen.contains(part)) << part;
}

TEST(MixerInputs, OfTheNewestFamilies) {
  const auto cases = tests::oracleCases(std::filesystem::path(MINERVA_SHARED_DIR) / "oracle-2026");
  if (cases.empty()) GTEST_SKIP() << "skipped: no ../shared/oracle-2026 here";
  std::set<std::string> seen;
  for (const tests::OracleCase& c : cases) checkInputs(c, seen);
  EXPECT_TRUE(seen.contains("delta q"));
}

}  // namespace
}  // namespace minerva
