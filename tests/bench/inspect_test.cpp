// Output of inspect for models that cannot run: everything that is known, then the reason, and exit code 1.
#include "core/convert/gguf_writer.h"
#include "tests/bench/bench_process.h"

#include <gtest/gtest.h>

#include <array>

namespace minerva::tests {
namespace {

const std::filesystem::path data = std::filesystem::path(MINERVA_TEST_DATA) / "format";

// A GGUF file of an unknown architecture, with one tensor.
std::string zebra() {
  const auto path = temporaryFolder() / "zebra.gguf";
  auto writer = convert::GgufWriter::create(path);
  EXPECT_TRUE(writer);
  writer->set("general.architecture", "zebra");
  writer->declare("token_embd.weight", ElementType::F32, {.dims = {2, 4, 1, 1}, .rank = 2});
  EXPECT_TRUE(writer->begin());
  const std::array<float, 8> values{};
  EXPECT_TRUE(writer->write(std::as_bytes(std::span(values))));
  EXPECT_TRUE(writer->finish());
  return path.string();
}

bool contains(const std::string& text, std::string_view words) { return text.find(words) != std::string::npos; }

TEST(Inspect, NamesAnUnknownArchitectureAndTheKnownOnes) {
  const Outcome outcome = bench({"inspect", zebra(), "--json"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "zebra") && contains(outcome.err, "llama") && contains(outcome.err, "gpt-oss")) << outcome.err;
  const auto j = outcome.json();
  EXPECT_EQ(j["format"], "GGUF");
  EXPECT_EQ(j["architecture"], "zebra");
  EXPECT_EQ(j["supported"], false);
  EXPECT_EQ(j["parameters"], 8);
  EXPECT_EQ(j["types"]["F32"], 32);
  EXPECT_EQ(j["memory"]["weights_by_part"]["embedding"], 32);
  ASSERT_EQ(j["problems"].size(), 2U) << "the architecture and the tokenizer";
  EXPECT_TRUE(contains(j["problems"][1].get<std::string>(), "tokenizer")) << j["problems"][1];
}

TEST(Inspect, SaysForPeopleWhyAModelCannotRun) {
  const Outcome outcome = bench({"inspect", zebra()});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.out, "architecture  zebra")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "cannot run: The architecture \"zebra\" is not supported")) << outcome.out;
}

TEST(Inspect, PrintsNoControlCharacterOfAFile) {
  const auto path = temporaryFolder() / "steers.gguf";
  auto writer = convert::GgufWriter::create(path);
  ASSERT_TRUE(writer);
  writer->set("general.architecture", "ze\033[2Jbra");
  writer->set("general.name", "\033]0;title\007");
  writer->declare("token\033[31m", ElementType::F32, {.dims = {2, 1, 1, 1}, .rank = 1});
  ASSERT_TRUE(writer->begin());
  const std::array<float, 2> values{};
  ASSERT_TRUE(writer->write(std::as_bytes(std::span(values))));
  ASSERT_TRUE(writer->finish());
  const Outcome outcome = bench({"inspect", path.string(), "--tensors"});
  EXPECT_TRUE(contains(outcome.out, "[2Jbra") && contains(outcome.out, "[31m")) << outcome.out;
  EXPECT_EQ((outcome.out + outcome.err).find_first_of("\033\007"), std::string::npos) << outcome.out << outcome.err;
}

TEST(Inspect, ShowsWhatAnMlxFolderHolds) {
  const Outcome outcome = bench({"inspect", (data / "mlx").string(), "--json", "--tensors"});
  EXPECT_EQ(outcome.code, 1) << "its config.json describes no model";
  const auto j = outcome.json();
  EXPECT_EQ(j["format"], "MLX");
  EXPECT_TRUE(j["types"].contains("MLX3_G32_BF16"));
  EXPECT_TRUE(j["types"].contains("NVFP4_PLANES"));
  std::uint64_t bytes = 0;
  for (const auto& [type, size] : j["types"].items()) bytes += size.get<std::uint64_t>();
  EXPECT_EQ(j["memory"]["weights"], bytes);
}

TEST(Inspect, SharesOfTypesAddUpAndNothingIsWrongWithAGoodModel) {
  const Outcome outcome = bench({"inspect", tinyModel("q4_0"), "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto j = outcome.json();
  EXPECT_EQ(j["supported"], true);
  EXPECT_TRUE(j["problems"].empty());
  std::uint64_t parts = 0;
  for (const auto& [part, size] : j["memory"]["weights_by_part"].items()) parts += size.get<std::uint64_t>();
  EXPECT_EQ(parts, j["memory"]["weights"].get<std::uint64_t>());
  for (const char* part : {"attention", "feed_forward", "embedding", "head"}) EXPECT_GT(j["memory"]["weights_by_part"][part], 0) << part;
}

}  // namespace
}  // namespace minerva::tests
