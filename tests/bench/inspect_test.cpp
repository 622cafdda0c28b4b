// What inspect says of models that cannot run: everything it knows, then the reason, and exit code 1.
#include "core/convert/gguf_writer.h"
#include "tests/bench/bench_process.h"

#include <gtest/gtest.h>

#include <array>

namespace minerva::tests {
namespace {

const std::filesystem::path data = std::filesystem::path(MINERVA_TEST_DATA) / "format";

// A GGUF file of an architecture nobody has, with one tensor.
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
  EXPECT_TRUE(contains(outcome.out, "cannot run: This architecture is not supported")) << outcome.out;
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
