#include "tests/core/convert/convert_support.h"

#include "core/format/model_file.h"
#include "core/engine/embedder.h"
#include "core/engine/engine.h"
#include "core/text/tokenizer.h"
#include "gpu/available.h"
#include "tests/core/format/temporary_folder.h"
#include "tests/support/oracle.h"
#include "tests/support/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <span>

namespace minerva::convert {

namespace fs = std::filesystem;

namespace {

// Of an embedding model the vector of the text.
std::vector<float> vectorOf(backend::Backend& backend, const fs::path& model, std::span<const text::TokenId> tokens) {
  auto embedder = engine::Embedder::load(backend, {.path = model, .precision = backend::Precision::exact}, {}, {});
  EXPECT_TRUE(embedder) << embedder.error().message();
  if (!embedder) return {};
  const std::vector<std::vector<text::TokenId>> texts{{tokens.begin(), tokens.end()}};
  auto vectors = (*embedder)->embedTokens(texts);
  EXPECT_TRUE(vectors) << vectors.error().message();
  return vectors ? vectors->values : std::vector<float>();
}

bool isEmbeddingModel(const fs::path& model) {
  const auto config = model::readModelConfig(*openModel(model));
  return config && config->embeds();
}

std::vector<float> logitsOf(const fs::path& model, std::span<const text::TokenId> tokens) {
  auto backend = createBackend("cpu", {});
  EXPECT_TRUE(backend);
  if (isEmbeddingModel(model)) return vectorOf(**backend, model, tokens);
  auto engine = engine::Engine::load(**backend, {.path = model, .precision = backend::Precision::exact}, {}, {});
  EXPECT_TRUE(engine) << engine.error().message();
  if (!engine) return {};
  auto logits = (*engine)->evaluate(tokens, true);
  EXPECT_TRUE(logits) << logits.error().message();
  return logits ? *logits : std::vector<float>();
}

double largestDifference(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.empty() || a.size() != b.size()) return 1e9;
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(static_cast<double>(a[i]) - b[i]);
    if (!std::isfinite(difference)) return 1e9;
    largest = std::max(largest, difference);
  }
  return largest;
}

// The tokens are the space, the line feed and the first printable ASCII characters, in byte-level BPE notation.
std::string smallTokenizer(int count) {
  nlohmann::json vocabulary = nlohmann::json::object();
  vocabulary["Ġ"] = 0;
  vocabulary["Ċ"] = 1;
  for (int i = 2; i < count; ++i) vocabulary[std::string(1, static_cast<char>('!' + i - 2))] = i;
  const nlohmann::json bytes = {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", true}};
  return nlohmann::json{{"version", "1.0"},
                        {"added_tokens", nlohmann::json::array()},
                        {"normalizer", nullptr},
                        {"pre_tokenizer", bytes},
                        {"post_processor", nullptr},
                        {"decoder", bytes},
                        {"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", nlohmann::json::array()}}}}
      .dump();
}

}  // namespace

File openModel(const fs::path& path) {
  auto file = format::ModelFile::open(path);
  EXPECT_TRUE(file) << file.error().message();
  return file ? std::move(*file) : nullptr;
}

Result<ConvertReport> convertFile(const fs::path& in, const fs::path& out, const std::string& type) {
  MINERVA_ASSIGN(const File file, format::ModelFile::open(in));
  return convertToGguf(*file, out, {.type = type, .progress = {}, .cancel = {}});
}

double distance(const fs::path& model, const fs::path& reference) {
  const auto prompts = tests::oraclePrompts(reference);
  EXPECT_TRUE(prompts) << prompts.error().message();
  if (!prompts) return 1e9;
  double largest = 0;
  for (const auto& prompt : *prompts) largest = std::max(largest, largestDifference(logitsOf(model, prompt.tokens), prompt.logits));
  return largest;
}

double distanceBetween(const fs::path& a, const fs::path& b) {
  std::vector<text::TokenId> tokens;
  for (int i = 0; i < 40; ++i) tokens.push_back(i * 37 % 271);
  return largestDifference(logitsOf(a, tokens), logitsOf(b, tokens));
}

void expectSameTokenizer(const format::ModelFile& a, const format::ModelFile& b) {
  const auto first = text::createTokenizer(a), second = text::createTokenizer(b);
  ASSERT_TRUE(first) << first.error().message();
  ASSERT_TRUE(second) << second.error().message();
  for (const std::string text : {"Hello, World! It's 12345.678 o'clock", "  two  spaces\n\n\ttabs",
                                 "naïve Straße абв 你好，世界 한국어 😀👍🏽", ""}) {
    const auto ids = (*first)->encode(text, {});
    EXPECT_EQ(ids, (*second)->encode(text, {})) << text;
    EXPECT_EQ((*first)->decode(ids, {}), (*second)->decode(ids, {})) << text;
  }
  EXPECT_EQ((*first)->special().bos, (*second)->special().bos);
  EXPECT_EQ((*first)->special().eos, (*second)->special().eos);
  EXPECT_EQ((*first)->addsBos(), (*second)->addsBos());
}

std::uint64_t hashOf(const format::ModelFile& file) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  const auto add = [&](const void* data, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3U;
  };
  std::map<std::string, TensorView> sorted;
  for (const auto& tensor : file.tensors()) sorted.emplace(tensor.name, tensor.view);
  for (const auto& [name, view] : sorted) {
    add(name.data(), name.size());
    add(&traits(view.type).ggmlId, sizeof(std::uint32_t));
    for (const auto& plane : {view.bytes, view.planes.scales, view.planes.biases}) add(plane.data(), plane.size());
  }
  return hash;
}

int expectFoldersBecomeTheSame(const fs::path& oracle, const std::map<std::string, std::string>& refused) {
  const TemporaryFolder folder;
  int converted = 0;
  for (const auto& c : tests::oracleCases(oracle)) {
    if (c.format == "gguf") continue;
    SCOPED_TRACE(c.id);
    const auto out = folder.path() / "out.gguf";
    const auto report = convertFile(c.model, out, "f32");
    if (const auto why = refused.find(c.id); why != refused.end()) {
      EXPECT_FALSE(report);
      if (report) continue;
      EXPECT_EQ(report.error().kind, ErrorKind::unsupported);
      EXPECT_NE(report.error().what.find(why->second), std::string::npos) << report.error().what;
      EXPECT_FALSE(fs::exists(out));
      continue;
    }
    EXPECT_TRUE(report) << report.error().message();
    if (!report) continue;
    EXPECT_LT(distance(out, c.reference), 1e-3);
    expectSameTokenizer(*openModel(c.model), *openModel(out));
    fs::remove(out);
    ++converted;
  }
  return converted;
}

void copyWithTokenizer(const fs::path& from, const fs::path& to) {
  fs::remove_all(to);
  fs::copy(from, to);
  if (fs::exists(to / "tokenizer.json")) return;
  const int tokens = openModel(from)->huggingFace().config.value("vocab_size", 0);
  if (tokens < 256) {
    std::ofstream(to / "tokenizer.json") << smallTokenizer(tokens);
  } else {
    fs::copy(golden / "models" / "llama-gqa-bf16" / "hf" / "tokenizer.json", to / "tokenizer.json");
  }
}

void writeFolder(const fs::path& folder, const nlohmann::json& config, const std::vector<FolderTensor>& tensors) {
  fs::create_directories(folder);
  tests::Random random(7);
  nlohmann::json header;
  std::vector<float> values;
  for (const FolderTensor& tensor : tensors) {
    const std::size_t first = values.size();
    std::size_t count = 1;
    for (const int size : tensor.shape) count *= static_cast<std::size_t>(size);
    const bool norm = tensor.name.ends_with("weight") && tensor.shape.size() == 1;
    for (std::size_t i = 0; i < count; ++i) values.push_back(static_cast<float>((norm ? 1 : 0) + 0.15 * random.normal()));
    header[tensor.name] = {
        {"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {first * sizeof(float), values.size() * sizeof(float)}}};
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const auto length = static_cast<std::uint64_t>(text.size());
  std::ofstream out(folder / "model.safetensors", std::ios::binary);
  out.write(reinterpret_cast<const char*>(&length), sizeof length);
  out << text;
  out.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(float)));
  std::ofstream(folder / "config.json") << config;
  for (const char* name : {"tokenizer.json", "tokenizer_config.json"}) {
    fs::copy_file(golden / "models" / "llama-gqa-bf16" / "hf" / name, folder / name, fs::copy_options::overwrite_existing);
  }
}

}  // namespace minerva::convert
