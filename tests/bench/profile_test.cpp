// minerva-bench profile: every op of the plan is in the tables, once, with what it reads and multiplies.
#include "tests/bench/bench_process.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace minerva::tests {
namespace {

using nlohmann::json;

const json* opNamed(const json& step, const std::string& start) {
  for (const json& op : step["ops"])
    if (op["op"].get<std::string>().starts_with(start)) return &op;
  return nullptr;
}

TEST(Profile, HasEveryOpOfATokenAndOfAPrompt) {
  const Outcome outcome = bench({"profile", tinyModel("q8_0"), "--device", "cpu", "-p", "8", "--depth", "20", "-r", "2", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json all = outcome.json();
  ASSERT_EQ(all["steps"].size(), 2U);
  EXPECT_EQ(all["steps"][0]["step"], "A token behind 20");
  EXPECT_EQ(all["steps"][1]["step"], "A prompt of 8 tokens behind 20");
  const json speed = bench({"speed", tinyModel("q8_0"), "--device", "cpu", "-p", "8", "-n", "2", "-r", "1", "--json"}).json();
  for (const json& step : all["steps"]) {
    double total = 0;
    for (const json& op : step["ops"]) {
      EXPECT_GE(op["ms"].get<double>(), 0) << op["op"];
      EXPECT_GT(op["number"].get<int>(), 0) << op["op"];
      total += op["ms"].get<double>();
    }
    EXPECT_NEAR(step["ms"].get<double>(), total, 1e-9);
    EXPECT_GT(total, 0);
  }
  const json *of = opNamed(all["steps"][0], "head"), *ofPrompt = opNamed(all["steps"][1], "head");
  ASSERT_TRUE(of != nullptr && ofPrompt != nullptr) << outcome.out;
  EXPECT_EQ((*of)["bytes"], (*ofPrompt)["bytes"]) << "the head multiplies the last token alone";
  EXPECT_EQ((*of)["flops"], (*ofPrompt)["flops"]);
  double bytes = 0;
  for (const json& op : all["steps"][0]["ops"]) bytes += op["bytes"].get<double>();
  EXPECT_GE(bytes, speed["bytes_per_token"].get<double>()) << "of a token at depth 20, and of one at the start of the context";
}

TEST(Profile, IsATableForPeople) {
  const auto file = temporaryFolder() / "profile.md";
  const Outcome outcome = bench({"profile", tinyModel("q4_0"), "--device", "cpu", "-p", "4", "-r", "1", "--markdown", file.string()});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part : {"A token behind 0: ", "A prompt of 4 tokens behind 0: ", "| op | number |", "| head Q6_K ", "attention"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << " in " << outcome.out;
  std::ifstream stream(file);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), outcome.out);
}

// What cannot be cut back to a position, recurrent states and windows, is put back before each repetition.
TEST(Profile, RepeatsStepsOfModelsWithStates) {
  for (const char* shape : {"test-delta-net", "test-mamba", "test-gemma4"}) {
    const std::string path = (temporaryFolder() / (std::string(shape) + ".gguf")).string();
    ASSERT_EQ(bench({"synth", path, "--shape", shape, "--type", "q8_0"}).code, 0) << shape;
    for (const char* depth : {"0", "40"}) {
      const Outcome outcome = bench({"profile", path, "--device", "cpu", "-p", "8", "--depth", depth, "-r", "2", "--json"});
      ASSERT_EQ(outcome.code, 0) << shape << " behind " << depth << ": " << outcome.err;
      EXPECT_EQ(outcome.json()["steps"].size(), 2U);
    }
  }
}

TEST(Profile, RefusesADepthBeyondTheContext) {
  const Outcome outcome = bench({"profile", tinyModel("q4_0"), "--device", "cpu", "-p", "8", "--depth", "1000000", "-r", "1"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("fewer positions"), std::string::npos) << outcome.err;
}

TEST(Profile, RefusesAPromptOfNothing) { EXPECT_EQ(bench({"profile", tinyModel("q4_0"), "-p", "0"}).code, 2); }

}  // namespace
}  // namespace minerva::tests
