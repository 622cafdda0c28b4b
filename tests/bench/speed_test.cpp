// minerva-bench speed with lists and several models.
#include "tests/bench/bench_process.h"
#include "tests/core/format/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace minerva::tests {
namespace {

using nlohmann::json;

Outcome speedOf(const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"speed", "-p", "8", "-n", "4", "-r", "2", "--device", "cpu"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return bench(arguments);
}

std::size_t occurrences(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

// Scripts read this object; what they know of it stays.
TEST(Speed, OneValueIsOneObjectWithTheseFields) {
  const Outcome outcome = speedOf({tinyModel("q4_0"), "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto row = nlohmann::ordered_json::parse(outcome.out);
  ASSERT_TRUE(row.is_object());
  std::vector<std::string> fields;
  for (const auto& [name, value] : row.items()) fields.push_back(name);
  EXPECT_EQ(fields, (std::vector<std::string>{"model",
                                              "format",
                                              "type",
                                              "device",
                                              "device_name",
                                              "device_detail",
                                              "threads",
                                              "batch",
                                              "depth",
                                              "prompt",
                                              "generate",
                                              "load_ms",
                                              "ttft_ms",
                                              "prefill_tokens_per_second",
                                              "decode_tokens_per_second",
                                              "tpot_ms",
                                              "peak_memory_bytes",
                                              "memory",
                                              "bytes_per_token",
                                              "read_bytes_per_second",
                                              "bandwidth_share",
                                              "repetitions"}));
  EXPECT_EQ(row["repetitions"].size(), 2U);
  EXPECT_EQ(row["prompt"], 8);
  EXPECT_EQ(row["generate"], 4);
  EXPECT_TRUE(row["peak_memory_bytes"].is_number());
}

TEST(Speed, ListsGiveARowForEachDepthAndBatch) {
  const auto markdown = temporaryFolder() / "speed.md", svg = temporaryFolder() / "speed.svg";
  const Outcome outcome =
      speedOf({"--batch", "1,2,3", "--depth", "0,16", tinyModel("q4_0"), "--json", "--markdown", markdown.string(), "--svg", svg.string()});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json rows = outcome.json();
  ASSERT_EQ(rows.size(), 6U);
  std::vector<std::pair<int, int>> found;
  for (const json& row : rows) {
    found.emplace_back(row["depth"], row["batch"]);
    EXPECT_GT(row["decode_tokens_per_second"].get<double>(), 0);
    EXPECT_GT(row["prefill_tokens_per_second"].get<double>(), 0);
  }
  EXPECT_EQ(found, (std::vector<std::pair<int, int>>{{0, 1}, {0, 2}, {0, 3}, {16, 1}, {16, 2}, {16, 3}}));
  // The weights of a step are shared by its conversations, the states are not.
  EXPECT_GT(rows[0]["bytes_per_token"].get<double>(), 1.8 * rows[1]["bytes_per_token"].get<double>());
  const std::string table = TemporaryFolder::read(markdown), chart = TemporaryFolder::read(svg);
  EXPECT_EQ(occurrences(table, "\n| "), 6U) << table;
  EXPECT_NE(table.find("Minerva "), std::string::npos) << "the commit";
  EXPECT_EQ(occurrences(chart, "<circle"), 24U) << "decode and prefill, over batch and depth";
  EXPECT_EQ(occurrences(chart, "<path"), 2U * 2 + 2 * 3) << "a line for each depth, and for each batch";
}

TEST(Speed, DepthsBeyondTheContextAreLeftOutInWords) {
  const Outcome some = speedOf({"--depth", "0,1000000", tinyModel("q4_0"), "--json"});
  ASSERT_EQ(some.code, 0) << some.err;
  EXPECT_EQ(some.json()["depth"], 0);
  EXPECT_NE(some.err.find("depth 1000000"), std::string::npos) << some.err;
  const Outcome none = speedOf({"--depth", "900000,1000000", tinyModel("q4_0")});
  EXPECT_NE(none.code, 0);
  EXPECT_NE(none.err.find("context is too short"), std::string::npos) << none.err;
}

// Prompts and replies share steps, so that the first reply could have ended before the last prompt was computed.
TEST(Speed, RepliesTogetherAreMeasuredHoweverShort) {
  const Outcome outcome =
      bench({"speed", "-p", "64", "-n", "2", "-r", "1", "--device", "cpu", "--batch", "8", "--chunk-ms", "1", tinyModel("q4_0"), "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_GT(outcome.json()[0]["decode_tokens_per_second"].get<double>(), 0);
}

TEST(Speed, ModelsAreRowsInTheirOrder) {
  const std::string folder = (goldenLlama / "hf").string();
  const auto svg = temporaryFolder() / "models.svg";
  const Outcome outcome = speedOf({folder, tinyModel("q4_0"), tinyModel("f16"), "--json", "--svg", svg.string()});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json rows = outcome.json();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0]["format"], "SafeTensors");
  EXPECT_EQ(rows[1]["format"], "GGUF");
  EXPECT_EQ(rows[1]["type"], "Q4_0");
  EXPECT_EQ(rows[2]["type"], "F16");
  for (const json& row : rows) {
    EXPECT_EQ(row["repetitions"].size(), 2U);
    EXPECT_TRUE(row["peak_memory_bytes"].is_null()) << "the process holds all three";
  }
  EXPECT_EQ(occurrences(TemporaryFolder::read(svg), "class=\"bar "), 6U) << "decode and prefill";
}

// Models of equal name, format and type are told apart by their files, and by numbers where these are the same.
TEST(Speed, ModelsThatAreCalledTheSameAreRowsAndLinesOfTheirOwn) {
  const std::string first = tinyModel("q4_0"), other = (temporaryFolder() / "other.gguf").string();
  std::filesystem::copy_file(first, other);
  const auto svg = temporaryFolder() / "same.svg", markdown = temporaryFolder() / "same.md";
  const Outcome outcome =
      speedOf({"--batch", "1,2", first, other, other, tinyModel("f16"), "--json", "--svg", svg.string(), "--markdown", markdown.string()});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::vector<std::string> names;
  const json rows = outcome.json();
  for (std::size_t i = 0; i < rows.size(); i += 2) names.push_back(rows[i]["model"]);
  const std::string own = "synthetic test-tiny";
  EXPECT_EQ(names, (std::vector<std::string>{own + " (tiny-q4_0.gguf)", own + " (other.gguf)", own + " (other.gguf, 2)", own}));
  EXPECT_EQ(occurrences(TemporaryFolder::read(svg), "<path"), 8U) << "decode and prefill of four models";
  EXPECT_EQ(occurrences(TemporaryFolder::read(markdown), "other.gguf, 2"), 2U);
}

TEST(Speed, WrongListsAreWrongUsage) {
  for (const std::vector<std::string>& wrong : std::vector<std::vector<std::string>>{
           {"--batch", "1,0"}, {"--batch", "1,x"}, {"--batch", "65"}, {"--depth", "-1"}, {"--depth", "1,-4"}, {"--depth", "4k"}}) {
    std::vector<std::string> arguments = wrong;
    arguments.push_back(tinyModel("q4_0"));
    EXPECT_EQ(speedOf(arguments).code, 2) << wrong[1];
  }
}

TEST(Speed, AReportThatCannotBeWrittenIsOneLine) {
  const std::string path = (temporaryFolder() / "absent" / "speed.md").string();
  const Outcome outcome = speedOf({tinyModel("q4_0"), "--markdown", path});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  EXPECT_NE(outcome.err.find(path), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace minerva::tests
