// What the engine says of a file that it loads, and of one that is damaged.
#include "core/format/model_file.h"
#include "gpu/available.h"
#include "tests/core/engine/engine_fixture.h"
#include "tests/support/conformance.h"
#include "tests/support/no_threads.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

namespace minerva::engine {
namespace {

// A copy of the golden folder that the test may modify.
std::filesystem::path copyOfGolden(const char* name) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / name;
  std::filesystem::remove_all(folder);
  std::filesystem::copy(goldenCase().model, folder);
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    std::filesystem::permissions(entry.path(), std::filesystem::perms::owner_all);
  return folder;
}

// The header of a .safetensors file, and the offset of its data.
std::pair<nlohmann::json, std::size_t> headerOf(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::uint64_t size = 0;
  file.read(reinterpret_cast<char*>(&size), sizeof size);
  std::string header(size, ' ');
  file.read(header.data(), static_cast<std::streamsize>(size));
  return {nlohmann::json::parse(header), 8 + size};
}

// Makes the first value of a row of a BF16 matrix a NaN.
void breakWeight(const std::filesystem::path& path, const std::string& name, int row) {
  const auto [header, data] = headerOf(path);
  const std::size_t begin = header[name]["data_offsets"][0], columns = header[name]["shape"][1];
  const std::uint16_t nan = 0x7fc0;
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(data + begin + columns * 2 * static_cast<std::size_t>(row)));
  file.write(reinterpret_cast<const char*>(&nan), sizeof nan);
}

void addMetadata(const std::filesystem::path& path, const char* key, const nlohmann::json& value) {
  auto [header, data] = headerOf(path);
  header["__metadata__"][key] = value;
  std::ifstream in(path, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(data));
  const std::string rest{std::istreambuf_iterator<char>(in), {}};
  in.close();
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const std::uint64_t size = text.size();
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(&size), sizeof size);
  out << text << rest;
}

class EngineLoad : public EngineTest {};

TEST_F(EngineLoad, SaysWhatItLoaded) {
  std::vector<LoadProgress::Phase> phases;
  auto loaded = Engine::load(*m_backend, {.path = goldenCase().model}, [&](const LoadProgress& p) { phases.push_back(p.phase); }, {});
  ASSERT_TRUE(loaded.has_value());
  const ModelInfo& info = (*loaded)->info();
  EXPECT_EQ(info.family, "llama");
  EXPECT_EQ(info.format, format::FileFormat::safetensors);
  EXPECT_EQ(info.typeName, "BF16");
  EXPECT_EQ(info.modelContext, 512);
  EXPECT_EQ(info.contextLength, 512);
  EXPECT_NEAR(info.bitsPerWeight, 16, 0.5);
  EXPECT_GT(info.loadMs, 0);
  // Each phase occurs at least once and in this order. While loading, the tokenizer may be ready before the weights.
  using Phase = LoadProgress::Phase;
  phases.erase(std::unique(phases.begin(), phases.end()), phases.end());
  EXPECT_EQ(phases, (std::vector{Phase::opening, Phase::weights, Phase::tokenizer, Phase::warming, Phase::done}));
}

// Warnings of the file, the family and the tokenizer.
TEST_F(EngineLoad, AWarningOfAFileAppearsOnce) {
  const std::filesystem::path folder = copyOfGolden("minerva-warnings");
  nlohmann::json config = nlohmann::json::parse(std::ifstream(folder / "config.json"));
  config["eos_token_id"] = 70000;  // the family warns that this is outside the vocabulary
  std::ofstream(folder / "config.json") << config;
  nlohmann::json tokenizer = nlohmann::json::parse(std::ifstream(folder / "tokenizer_config.json"));
  tokenizer["unk_token"] = "<nowhere>";  // the tokenizer warns that this is not in the vocabulary
  std::ofstream(folder / "tokenizer_config.json") << tokenizer;
  addMetadata(folder / "model.safetensors", "odd", 5);  // the file warns that this is not a string
  load({.path = folder});
  const std::vector<std::string>& warnings = m_engine->info().warnings;
  const auto times = [&](const std::string& part) {
    return std::ranges::count_if(warnings, [&](const std::string& warning) { return warning.find(part) != std::string::npos; });
  };
  std::string all;
  for (const std::string& warning : warnings) all += warning + "\n";
  EXPECT_EQ(times("of the header is not a string"), 1) << all;
  EXPECT_EQ(times("70000"), 1) << all;
  EXPECT_EQ(times("unk_token"), 1) << all;
  std::filesystem::remove_all(folder);
}

TEST_F(EngineLoad, ACancelledLoadSaysSo) {
  std::stop_source stop;
  stop.request_stop();
  const auto loaded = Engine::load(*m_backend, {.path = goldenCase().model}, {}, stop.get_token());
  ASSERT_FALSE(loaded.has_value());
  EXPECT_EQ(loaded.error().kind, ErrorKind::cancelled);
}

TEST_F(EngineLoad, ASystemWithoutAThreadLoadsOnThisOne) {
  const tests::NoThreads none;
  const auto loaded = Engine::load(*m_backend, {.path = goldenCase().model}, {}, {});
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message();
  EXPECT_NE((*loaded)->tokenizer(), nullptr);
}

TEST(EngineLoadOnVulkan, ASystemWithoutAThreadLoadsOnThisOne) {
  const tests::BackendUnderTest* gpu = tests::gpuUnderTest();
  if (gpu == nullptr) GTEST_SKIP() << "skipped: there is no Vulkan device";
  const auto device = std::move(*createBackend(gpu->device, gpu->options));
  const LoadOptions options{.path = goldenCase().model};
  ASSERT_TRUE(Engine::load(*device, options, {}, {}));  // the driver has its threads now
  const tests::NoThreads none;
  const auto loaded = Engine::load(*device, options, {}, {});
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message();
}

TEST_F(EngineLoad, AMissingFileIsNamed) {
  const auto loaded = Engine::load(*m_backend, {.path = "/nowhere/model.gguf"}, {}, {});
  ASSERT_FALSE(loaded.has_value());
  EXPECT_EQ(loaded.error().kind, ErrorKind::notFound);
  EXPECT_NE(loaded.error().message().find("/nowhere/model.gguf"), std::string::npos);
}

// A NaN in a weight of the last layer.
TEST_F(EngineLoad, AWeightThatIsNoNumberIsFoundAndNamed) {
  const std::filesystem::path folder = copyOfGolden("minerva-nan");
  breakWeight(folder / "model.safetensors", "model.layers.1.mlp.down_proj.weight", 3);
  load({.path = folder});
  const Record r = run(greedy({1, 2, 3}, 4));
  ASSERT_TRUE(r.failed.has_value());
  EXPECT_EQ(r.failed->error.kind, ErrorKind::corrupt);
  EXPECT_EQ(r.failed->error.where, "layer 1 down, row 3");
  std::filesystem::remove_all(folder);
}

// A NaN in the embedding of a token that only some of the replies contain.
TEST_F(EngineLoad, RepliesThatAreNoNumbersFailAndTheOthersGoOn) {
  const std::filesystem::path folder = copyOfGolden("minerva-nan-token");
  const std::vector<TokenId> prompt = goldenPrompts()[1].tokens, reply = firstGreedy(6);
  const auto occurs = [&](TokenId token) { return std::ranges::count(prompt, token) + std::ranges::count(reply, token) > 0; };
  TokenId broken = 0;
  while (occurs(broken)) ++broken;
  breakWeight(folder / "model.safetensors", "model.embed_tokens.weight", broken);
  load({.path = folder, .sequences = 3});
  const RequestId good = m_engine->submit(greedy(prompt, 6));
  const RequestId bad[] = {m_engine->submit(greedy({broken, 1}, 6)), m_engine->submit(greedy({broken, 2}, 6))};
  runAll();
  EXPECT_EQ(m_records[good].tokens, reply);
  for (const RequestId id : bad) {
    ASSERT_TRUE(m_records[id].failed.has_value());
    EXPECT_EQ(m_records[id].failed->error.kind, ErrorKind::corrupt);
    EXPECT_TRUE(m_records[id].failed->error.where.ends_with(", row " + std::to_string(broken))) << m_records[id].failed->error.where;
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace minerva::engine
