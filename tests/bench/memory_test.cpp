// Memory checks: the requirements that inspect computes, the error for a model that is too large, and the suggested smaller
// settings.
#include "tests/bench/bench_process.h"
#include "tests/core/format/temporary_folder.h"
#include "tests/support/sparse_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>

namespace minerva::tests {
namespace {

using nlohmann::json;

bool reportContains(const std::string& text, std::string_view words) { return text.find(words) != std::string::npos; }

// The tiny model with its context length set to 2^24.
std::string longModel() {
  std::string bytes = TemporaryFolder::read(tinyModel("f16"));
  constexpr std::string_view key = "llama.context_length";
  const std::size_t at = bytes.find(key);
  if (at == std::string::npos) throw std::runtime_error("no context length in the tiny model");
  constexpr std::uint32_t length = 1U << 24;
  std::memcpy(bytes.data() + at + key.size() + sizeof(std::uint32_t), &length,
              sizeof length);  // after the value's type
  const auto path = temporaryFolder() / "long.gguf";
  std::ofstream(path, std::ios::binary) << bytes;
  return path.string();
}

TEST(Memory, AModelThatDoesNotFitIsRefusedWithFiguresAndWhatWould) {
  // 1 TiB of keys and values.
  const Outcome outcome = bench({"speed", longModel(), "--ctx", "16777216", "--batch", "64", "--device", "cpu"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  for (const char* words :
       {"The model does not fit into memory (cpu): expected at most ", " free, found 1.00", " TiB needed: weights ",
        "state of the conversations 1.00 TiB, scratch ", "What would fit: a context of ", " with keys and values as Q8_0 ("}) {
    EXPECT_TRUE(reportContains(outcome.err, words)) << words << " is missing in " << outcome.err;
  }
}

// The load succeeds, because the system backs memory with pages only when they are touched, and this context is never
// filled.
TEST(Memory, ItIsLoadedAllTheSameWhereOneInsists) {
  const Outcome outcome = bench(
      {"speed", longModel(), "--ctx", "16777216", "--batch", "64", "-p", "8", "-n", "2", "-r", "1", "--device", "cpu", "--load-anyway"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(reportContains(outcome.err, "warning: The model does not fit into memory (cpu): expected at most ")) << outcome.err;
  EXPECT_TRUE(reportContains(outcome.err, "loaded anyway: the system may become slow")) << outcome.err;
}

// A folder with transposed experts, as large as two layers of gpt-oss-20b, of which one keeps all positions. The weights are not read
// unless the model is placed.
TEST(Memory, NothingIsReadBeforeAModelFits) {
  constexpr std::int64_t most = 300 << 20;
  const auto folder = temporaryFolder() / "gpt-oss";
  const std::size_t bytes = writeSparseFolder(folder, {.family = "gpt-oss",
                                                       .layers = 2,
                                                       .hidden = 2880,
                                                       .heads = 64,
                                                       .kvHeads = 8,
                                                       .context = 1 << 24,
                                                       .experts = 32,
                                                       .expertsUsed = 4,
                                                       .expertSize = 2880});
  ASSERT_GT(bytes, std::size_t{1} << 30);
  for (const char* name : {"tokenizer.json", "tokenizer_config.json"}) {
    std::filesystem::copy_file(goldenLlama / "hf" / name, folder / name, std::filesystem::copy_options::overwrite_existing);
  }
  const Outcome inspected = bench({"inspect", folder.string(), "--device", "cpu"});
  EXPECT_EQ(inspected.code, 0) << inspected.err;
  EXPECT_LT(inspected.peakBytes, most);
  const Outcome refused = bench({"speed", folder.string(), "--ctx", "16777216", "--batch", "64", "--device", "cpu"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_TRUE(reportContains(refused.err, "The model does not fit into memory")) << refused.err;
  EXPECT_LT(refused.peakBytes, most);
}

TEST(Memory, InspectWorksItOutForADeviceWithoutLoading) {
  const auto inspect = [](const std::string& kv) {
    const Outcome outcome = bench({"inspect", longModel(), "--ctx", "4096", "--kv", kv, "--device", "cpu", "--json"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.json()["memory"];
  };
  const json half = inspect("f16"), codes = inspect("q8_0");
  ASSERT_EQ(half["devices"].size(), 1U);
  for (const json& memory : {half, codes}) {
    const json& device = memory["devices"][0];
    EXPECT_EQ(device["device"], "cpu");
    EXPECT_EQ(device["kv"], memory["kv"]) << "4096 is whole blocks of positions";
    EXPECT_EQ(device["total"].get<std::uint64_t>(),
              device["weights"].get<std::uint64_t>() + device["kv"].get<std::uint64_t>() + device["scratch"].get<std::uint64_t>());
    EXPECT_EQ(device["fits"], true);
    EXPECT_GT(device["free"].get<std::uint64_t>(), 0U);
    EXPECT_TRUE(memory["offers"].empty());
  }
  // Q8_0 takes 34 bytes for 32 elements, f16 takes 64.
  EXPECT_EQ(codes["kv"].get<std::uint64_t>() * 64, half["kv"].get<std::uint64_t>() * 34);
  const Outcome text = bench({"inspect", longModel(), "--device", "cpu"});
  EXPECT_TRUE(reportContains(text.out, "on cpu ") && reportContains(text.out, " free")) << text.out;
}

std::vector<float> logits(const std::string& kv) {
  const auto path = temporaryFolder() / ("kv-" + kv);
  const Outcome outcome = bench({"logits", (goldenLlama / "hf").string(), "--tokens", "5,9,11,3,60,7,2,40,41,42,9,5", "--kv", kv,
                                 "--device", "cpu", "--out", path.string()});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::string bytes = TemporaryFolder::read(path);
  std::uint64_t header = 0;
  std::memcpy(&header, bytes.data(), sizeof header);
  std::vector<float> values((bytes.size() - 8 - header) / sizeof(float));
  std::memcpy(values.data(), bytes.data() + 8 + header, values.size() * sizeof(float));
  return values;
}

TEST(Memory, AQuantizedCacheChangesLogitsALittle) {
  const std::vector<float> half = logits("f16"), codes = logits("q8_0");
  ASSERT_EQ(half.size(), codes.size());
  double square = 0, all = 0;
  for (std::size_t i = 0; i < half.size(); ++i) {
    square += std::pow(static_cast<double>(half[i]) - static_cast<double>(codes[i]), 2);
    all += std::pow(static_cast<double>(half[i]), 2);
  }
  EXPECT_GT(square, 0) << "the cache is the same";
  EXPECT_LT(std::sqrt(square / all), 0.02);
}

TEST(Memory, LayersAreSharedWithAGpuOnly) {
  for (const std::vector<std::string>& choice : {std::vector<std::string>{"--gpu-layers", "1"}, {"--cpu-experts"}}) {
    std::vector<std::string> arguments{"run", tinyModel("q4_0"), "-p", "a", "--device", "cpu"};
    arguments.insert(arguments.end(), choice.begin(), choice.end());
    const Outcome outcome = bench(arguments);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_TRUE(reportContains(outcome.err, "only between GPUs, and between GPUs and the CPU")) << outcome.err;
  }
  EXPECT_EQ(bench({"run", tinyModel("q4_0"), "-p", "a", "--gpu-layers", "-3"}).code, 2);
  EXPECT_EQ(bench({"run", tinyModel("q4_0"), "-p", "a", "--kv", "q4_0"}).code, 2);
  const Outcome mistaken = bench({"run", tinyModel("q4_0"), "-p", "a", "--cache", "q8_0"});
  EXPECT_EQ(mistaken.code, 2);
  EXPECT_TRUE(reportContains(mistaken.err, "names a folder; the type of the KV cache is --kv q8_0")) << mistaken.err;
}

TEST(Memory, ASharedModelWritesWhatTheProcessorWrites) {
  const auto run = [](const std::vector<std::string>& device) {
    std::vector<std::string> arguments{
        "run",   (goldenLlama / "hf").string(), "--tokens", "5,9,11,3", "-n", "12", "--temp", "0", "--ignore-eos", "--precision", "exact",
        "--json"};
    arguments.insert(arguments.end(), device.begin(), device.end());
    return bench(arguments);
  };
  if (!reportContains(bench({"devices", "--json"}).out, "vulkan:0")) GTEST_SKIP() << "skipped: no Vulkan device";
  const Outcome alone = run({"--device", "cpu"});
  ASSERT_EQ(alone.code, 0) << alone.err;
  for (const char* layers : {"0", "1", "auto"}) {
    const Outcome both = run({"--device", "vulkan:0", "--gpu-layers", layers});
    ASSERT_EQ(both.code, 0) << both.err;
    EXPECT_EQ(both.json()["tokens"], alone.json()["tokens"]) << layers;
  }
  const Outcome none = run({"--device", "vulkan:0", "--cpu-experts"});
  EXPECT_EQ(none.code, 1);
  EXPECT_TRUE(reportContains(none.err, "The model has no experts to keep on the host")) << none.err;
  const Outcome many = run({"--device", "vulkan:0", "--gpu-layers", "99"});
  EXPECT_TRUE(reportContains(many.err, "found 99")) << many.err;
}

}  // namespace
}  // namespace minerva::tests
