// `minerva-bench embed`: the oracle's vectors as JSON and SafeTensors, prompts, wrong usage; and what other verbs say of such a model.
#include "tests/bench/bench_process.h"
#include "tests/core/format/temporary_folder.h"
#include "tests/support/reference_data.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace minerva::tests {
namespace {

using nlohmann::json;

std::string bert() { return (referenceData("oracle-2026/embeddings") / "bert-cls/hf").string(); }

TEST(Embed, GivesALineForEachText) {
  const Outcome outcome = bench({"embed", bert(), "the water", "a house", "--device", "cpu", "--precision", "exact"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::vector<json> lines = outcome.lines();
  ASSERT_EQ(lines.size(), 2U);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i]["index"], i);
    EXPECT_GE(lines[i]["tokens"], 3);
    ASSERT_EQ(lines[i]["embedding"].size(), 32U);
    double square = 0;
    for (const double x : lines[i]["embedding"]) square += x * x;
    EXPECT_NEAR(square, 1, 1e-5);
  }
  EXPECT_NE(lines[0]["embedding"], lines[1]["embedding"]);
  EXPECT_NE(outcome.err.find("2 texts"), std::string::npos);
}

TEST(Embed, AFileHasATextOnEachLine) {
  TemporaryFolder folder;
  const std::string file = folder.write("texts.txt", "the water\r\na house\n").string(), out = (folder.path() / "v.safetensors").string();
  const Outcome lines = bench({"embed", bert(), "--file", file, "--device", "cpu"});
  ASSERT_EQ(lines.code, 0) << lines.err;
  ASSERT_EQ(lines.lines().size(), 2U);
  const Outcome piped = bench({"embed", bert(), "--file", "-", "--device", "cpu"}, "the water\na house");
  EXPECT_EQ(piped.out, lines.out);
  const Outcome stored = bench({"embed", bert(), "--file", file, "--format", "safetensors", "--out", out, "--device", "cpu"});
  ASSERT_EQ(stored.code, 0) << stored.err;
  EXPECT_TRUE(stored.out.empty());
  const std::string bytes = TemporaryFolder::read(out);
  std::uint64_t size = 0;
  ASSERT_GT(bytes.size(), sizeof size);
  std::memcpy(&size, bytes.data(), sizeof size);
  const json header = json::parse(bytes.substr(8, size));
  EXPECT_EQ(header["embeddings"]["shape"], (json{2, 32}));
  ASSERT_EQ(bytes.size(), 8 + size + 2 * 32 * 4 + 2 * 4);
  for (std::size_t i = 0; i < 64; ++i) {
    float value = 0;
    std::memcpy(&value, bytes.data() + 8 + size + 4 * i, sizeof value);
    EXPECT_FLOAT_EQ(value, lines.lines()[i / 32]["embedding"][i % 32].get<float>());
  }
}

void expectRefused(const std::vector<std::string>& arguments, const std::string& contained) {
  const Outcome outcome = bench(arguments);
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_NE(outcome.err.find(contained), std::string::npos) << outcome.err;
  EXPECT_TRUE(outcome.out.empty());
}

TEST(Embed, SaysWhatIsMissing) {
  expectRefused({"embed", bert()}, "There are no texts");
  expectRefused({"embed", bert(), "a", "--format", "safetensors"}, "--out");
  expectRefused({"embed", bert(), "a", "--out", bert() + "/model.safetensors"}, "overwrite");
  expectRefused({"embed", bert(), "a", "--out", bert() + "/1_Pooling/config.json"}, "overwrite");
  expectRefused({"embed", bert(), "a", "--prompt", "query", "--device", "cpu"}, "no such prompt");
  expectRefused({"embed", tinyModel("f16"), "a", "--device", "cpu"}, "predicts tokens");
  for (const char* verb : {"chat", "run"}) {
    std::vector<std::string> arguments{verb, bert(), "--device", "cpu"};
    if (std::string(verb) == "run") arguments.insert(arguments.end(), {"-p", "a"});
    expectRefused(arguments, "embedding model");
  }
}

TEST(Embed, InspectSaysThatAModelGivesVectors) {
  const Outcome outcome = bench({"inspect", bert(), "--json", "--device", "cpu"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.json()["embedding"]["dimensions"], 32);
  EXPECT_EQ(outcome.json()["embedding"]["pooling"], "first token");
}

}  // namespace
}  // namespace minerva::tests
