// Folders of every family: converted they are what llama.cpp's files of the same weights are, key by key and byte by byte.
#include "core/convert/convert.h"
#include "core/convert/families.h"
#include "core/engine/engine.h"
#include "gpu/available.h"
#include "tests/core/format/temporary_folder.h"
#include "tests/support/oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace minerva::convert {
namespace {

namespace fs = std::filesystem;
using File = std::unique_ptr<const format::ModelFile>;
const fs::path golden = fs::path(MINERVA_TEST_DATA) / "golden" / "models";
const fs::path oracle = fs::path(MINERVA_SHARED_DIR) / "oracle";

File open(const fs::path& path) {
  auto file = format::ModelFile::open(path);
  EXPECT_TRUE(file) << file.error().message();
  return file ? std::move(*file) : nullptr;
}

Result<ConvertReport> convert(const fs::path& in, const fs::path& out, const std::string& type) {
  MINERVA_ASSIGN(const File file, format::ModelFile::open(in));
  return convertToGguf(*file, out, {.type = type, .progress = {}, .cancel = {}});
}

// A value as text; numbers as float32 has them, for files differ in the width they write.
std::string shown(const format::Metadata& metadata, const std::string& key) {
  const auto found = metadata.entries().find(key);
  if (found == metadata.entries().end()) return "nothing";
  if (const auto* array = std::get_if<format::MetadataArray>(&found->second.value)) {
    std::string text;
    if (array->type == format::MetadataType::string) {
      const auto strings = metadata.strings(key);
      for (const auto& entry : strings && *strings ? **strings : std::vector<std::string_view>()) text += std::string(entry) + "\n";
    } else {
      const auto numbers = metadata.numbers(key);
      for (const double entry : numbers && *numbers ? **numbers : std::vector<double>()) text += std::to_string(entry) + " ";
    }
    return text;
  }
  if (const auto* text = std::get_if<std::string_view>(&found->second.value)) return std::string(*text);
  std::string text;
  std::visit([&]<class T>(const T& value) {
    if constexpr (std::is_arithmetic_v<T>) text = std::to_string(static_cast<float>(value));
  }, found->second.value);
  return text;
}

// Keys of the peer's files that are not compared.
bool isCompared(const std::string& key, const std::string& theirs) {
  static const std::set<std::string> left{
      "general.name", "general.license",  // given by hand when these files were made
      "general.file_type",                // says MXFP4 where one kind of tensor has it; ours says what was asked for
      "tokenizer.ggml.scores",            // compared by their order below: only that counts
  };
  const bool noWindow = key.ends_with(".attention.sliding_window") && std::atof(theirs.c_str()) == 0;  // 0 and absent are the same
  return !left.contains(key) && !noWindow;
}

// Keys of ours that the peer's files leave out: what they say is what readers take where a file is silent.
bool saysTheDefault(const std::string& key, const format::Metadata& metadata) {
  const auto ends = [&](std::string_view ending) { return key.ends_with(ending); };
  if (ends(".attention.key_length") || ends(".attention.value_length")) {
    const std::string prefix = key.substr(0, key.find('.') + 1);
    return *metadata.integer(key) == **metadata.integer(prefix + "embedding_length") / **metadata.integer(prefix + "attention.head_count");
  }
  if (ends(".expert_feed_forward_length")) return shown(metadata, key) == shown(metadata, key.substr(0, key.find('.')) + ".feed_forward_length");
  if (ends(".yarn_beta_fast")) return *metadata.number(key) == 32.0;
  if (ends(".yarn_beta_slow")) return *metadata.number(key) == 1.0;
  if (ends(".expert_weights_norm")) return *metadata.boolean(key) == false;
  if (key == "tokenizer.ggml.add_eos_token") return *metadata.boolean(key) == false;
  if (key == "tokenizer.ggml.add_space_prefix") return true;  // of the tokenizer, which has tests of its own
  return key == "tokenizer.ggml.padding_token_id" || key == "tokenizer.ggml.unknown_token_id" || key == "tokenizer.ggml.eot_token_id";
}

void expectSameKeys(const format::ModelFile& theirs, const format::ModelFile& mine) {
  for (const auto& [key, value] : theirs.metadata().entries()) {
    const std::string text = shown(theirs.metadata(), key);
    if (!isCompared(key, text)) continue;
    EXPECT_EQ(shown(mine.metadata(), key), text) << key;
  }
  for (const auto& [key, value] : mine.metadata().entries()) {
    if (theirs.metadata().entries().contains(key)) continue;
    EXPECT_TRUE(saysTheDefault(key, mine.metadata())) << key << " = " << shown(mine.metadata(), key) << " is not in the peer's file";
  }
}

std::vector<float> valuesOf(const TensorView& view) {
  std::vector<float> values(static_cast<std::size_t>(view.shape.elements()));
  dequantizeRows(view, 0, static_cast<std::size_t>(view.shape.rows()), values.data());
  return values;
}

void expectSameTensors(const format::ModelFile& theirs, const format::ModelFile& mine) {
  std::set<std::string> names, expected;
  for (const auto& tensor : mine.tensors()) names.insert(tensor.name);
  for (const auto& tensor : theirs.tensors()) expected.insert(tensor.name);
  EXPECT_EQ(names, expected);
  for (const auto& tensor : theirs.tensors()) {
    const TensorView* view = mine.find(tensor.name);
    if (view == nullptr) continue;
    EXPECT_EQ(toString(view->shape), toString(tensor.view.shape)) << tensor.name;
    // llama.cpp's converter writes learned positions in F32 whatever the type; these files have them in the file's.
    if (tensor.name == "position_embd.weight") {
      EXPECT_EQ(valuesOf(*view), valuesOf(tensor.view));
      continue;
    }
    EXPECT_EQ(traits(view->type).name, traits(tensor.view.type).name) << tensor.name;
    // Computed, by the peer in float32, by us in double.
    if (tensor.name == "rope_freqs.weight") {
      const auto values = valuesOf(*view), expected = valuesOf(tensor.view);
      for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-6 * expected[i]) << i;
      continue;
    }
    EXPECT_TRUE(std::ranges::equal(view->bytes, tensor.view.bytes)) << tensor.name;
  }
}

// "gemma2-BF16.gguf" -> "BF16".
std::string typeOf(const fs::path& gguf) {
  const std::string stem = gguf.stem().string();
  return stem.substr(stem.rfind('-') + 1);
}

TEST(ConvertFamilies, FilesAreThoseOfThePeer) {
  if (!fs::exists(oracle / "models")) GTEST_SKIP() << "skipped: no ../shared/oracle here";
  const TemporaryFolder folder;
  std::set<std::string> compared;
  for (const auto& c : tests::oracleCases(oracle)) {
    if (c.format != "gguf" || !fs::exists(c.model.parent_path().parent_path() / "hf")) continue;
    const std::string type = typeOf(c.model);
    if (findElementType(type) == nullptr || (traits(findElementType(type)->type).blockElements > 1 && type != "MXFP4")) continue;
    SCOPED_TRACE(c.id);
    const auto out = folder.path() / "out.gguf";
    // Experts made in MXFP4 stay so, beside BF16.
    const auto report = convert(c.model.parent_path().parent_path() / "hf", out, type == "MXFP4" ? "BF16" : type);
    ASSERT_TRUE(report) << c.id << ": " << report.error().message();
    const File theirs = open(c.model), mine = open(out);
    expectSameKeys(*theirs, *mine);
    expectSameTensors(*theirs, *mine);
    compared.insert(c.family);
  }
  const std::set<std::string> families{"cohere", "deepseek_v2", "gemma", "gemma2", "gemma3", "glm4", "gpt2", "gpt_neox", "gpt_oss", "granite", "granitemoe",
                                       "llama", "mistral", "mixtral", "olmo2", "olmoe", "phi", "phi3", "qwen2", "qwen2_moe", "qwen3", "qwen3_moe",
                                       "smollm3", "stablelm", "starcoder2"};
  EXPECT_EQ(compared, families);
}

// Largest difference from a case's logits over all its prompts, in exact precision.
double distance(const fs::path& model, const fs::path& reference) {
  const auto prompts = tests::oraclePrompts(reference);
  EXPECT_TRUE(prompts) << prompts.error().message();
  auto backend = createBackend("cpu", {});
  EXPECT_TRUE(backend);
  auto engine = engine::Engine::load(**backend, {.path = model, .precision = backend::Precision::exact}, {}, {});
  EXPECT_TRUE(engine) << engine.error().message();
  if (!engine || !prompts) return 1e9;
  double largest = 0;
  for (const auto& prompt : *prompts) {
    const auto logits = (*engine)->evaluate(prompt.tokens, true);
    EXPECT_TRUE(logits) << logits.error().message();
    if (!logits || logits->size() != prompt.logits.size()) return 1e9;
    for (std::size_t i = 0; i < logits->size(); ++i) largest = std::max(largest, std::abs(static_cast<double>((*logits)[i]) - prompt.logits[i]));
  }
  return largest;
}

// Folders of SafeTensors and of MLX, whose weights are dequantized.
TEST(ConvertFamilies, FoldersBecomeTheSameModels) {
  const auto cases = tests::oracleCases(oracle);
  if (cases.empty()) GTEST_SKIP() << "skipped: no ../shared/oracle here";
  const TemporaryFolder folder;
  int converted = 0;
  for (const auto& c : cases) {
    if (c.format == "gguf") continue;
    SCOPED_TRACE(c.id);
    const auto out = folder.path() / "out.gguf";
    const auto report = convert(c.model, out, "f32");
    if (c.id == "gemma2-scalar") {  // it differs from Gemma 2 where GGUF has no key
      ASSERT_FALSE(report);
      EXPECT_EQ(report.error().kind, ErrorKind::unsupported);
      EXPECT_FALSE(fs::exists(out));
      continue;
    }
    ASSERT_TRUE(report) << report.error().message();
    const double largest = distance(out, c.reference);
    EXPECT_LT(largest, 1e-3);
    std::cout << c.id << " " << largest << (report->warnings.empty() ? "" : " " + report->warnings.front()) << std::endl;
    fs::remove(out);
    ++converted;
  }
  EXPECT_GE(converted, 55);
}

}  // namespace
}  // namespace minerva::convert
