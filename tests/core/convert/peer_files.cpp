#include "tests/core/convert/peer_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace minerva::convert {

namespace {

// A value as text. Numbers are compared in float32, because files store them in different widths.
std::string shown(const format::Metadata& metadata, const std::string& key) {
  const auto found = metadata.entries().find(key);
  if (found == metadata.entries().end()) return "nothing";
  if (const auto* array = std::get_if<format::MetadataArray>(&found->second.value)) {
    std::string text;
    if (array->type == format::MetadataType::string) {
      const auto strings = metadata.strings(key);
      for (const auto& entry : strings&&* strings ? **strings : std::vector<std::string_view>()) text += std::string(entry) + "\n";
    } else {
      const auto numbers = metadata.numbers(key);
      for (const double entry : numbers&&* numbers ? **numbers : std::vector<double>()) text += std::to_string(entry) + " ";
    }
    return text;
  }
  if (const auto* text = std::get_if<std::string_view>(&found->second.value)) return std::string(*text);
  std::string text;
  std::visit(
      [&]<class T>(const T& value) {
        if constexpr (std::is_arithmetic_v<T>) text = std::to_string(static_cast<float>(value));
      },
      found->second.value);
  return text;
}

// Keys of llama.cpp's files that are not compared.
bool isCompared(const std::string& key, const std::string& theirs) {
  static const std::set<std::string> left{
      "general.name",          "general.license", "general.size_label",  // set by hand when these files were made
      "general.file_type",      // MXFP4 if one kind of tensor has it; ours is the type that was requested
      "tokenizer.ggml.scores",  // only their order matters; encoding is compared in the tokenizer tests
  };
  const bool noWindow = key.ends_with(".attention.sliding_window") && std::atof(theirs.c_str()) == 0;  // 0 and absent mean the same
  return !left.contains(key) && !noWindow;
}

// Keys that llama.cpp's files omit because ours have the value that readers assume by default, and those that its converter did not have
// yet.
bool saysTheDefault(const std::string& key, const format::Metadata& metadata) {
  const auto ends = [&](std::string_view ending) { return key.ends_with(ending); };
  if (key.starts_with("general.sampling.") || ends(".eos_token_ids")) return true;  // from generation_config.json; have their own tests
  if (ends(".attention.key_length") || ends(".attention.value_length")) {
    const std::string prefix = key.substr(0, key.find('.') + 1);
    return *metadata.integer(key) == **metadata.integer(prefix + "embedding_length") / **metadata.integer(prefix + "attention.head_count");
  }
  if (ends(".attention.head_count_kv")) return shown(metadata, key) == shown(metadata, key.substr(0, key.size() - 3));  // 0 without heads
  if (ends(".rope.dimension_count")) {
    const std::string prefix = key.substr(0, key.find('.') + 1);
    const auto headDim = metadata.integer(prefix + "attention.key_length");
    return headDim && *headDim && *metadata.integer(key) == **headDim;
  }
  if (ends(".expert_feed_forward_length"))
    return shown(metadata, key) == shown(metadata, key.substr(0, key.find('.')) + ".feed_forward_length");
  if (ends(".attention.head_count_kv")) return shown(metadata, key) == shown(metadata, key.substr(0, key.size() - 3));
  if (ends(".yarn_beta_fast")) return *metadata.number(key) == 32.0;
  if (ends(".yarn_beta_slow")) return *metadata.number(key) == 1.0;
  if (ends(".expert_weights_norm")) return *metadata.boolean(key) == false;
  if (ends(".vocab_size")) {
    const auto tokens = metadata.strings("tokenizer.ggml.tokens");
    return tokens && *tokens && *metadata.integer(key) == static_cast<std::int64_t>((*tokens)->size());
  }
  const bool words = shown(metadata, "tokenizer.ggml.model") == "bert";
  if (words && (key == "tokenizer.ggml.add_bos_token" || key == "tokenizer.ggml.add_eos_token" || ends(".lowercase")))
    return *metadata.boolean(key) == true;
  if (key == "tokenizer.ggml.add_bos_token" && shown(metadata, "tokenizer.ggml.model") == "gpt2") return *metadata.boolean(key) == false;
  if (key == "tokenizer.ggml.add_sep_token") return *metadata.boolean(key) == false;
  if (key == "tokenizer.ggml.add_eos_token") return *metadata.boolean(key) == false;
  if (key == "tokenizer.ggml.add_space_prefix") return true;  // covered by the tokenizer's own tests
  return key == "tokenizer.ggml.padding_token_id" || key == "tokenizer.ggml.unknown_token_id" || key == "tokenizer.ggml.eot_token_id";
}

}  // namespace

std::string shownKey(const format::Metadata& metadata, const std::string& key) { return shown(metadata, key); }

void expectSameKeys(const format::ModelFile& theirs, const format::ModelFile& mine, const std::set<std::string>& unlike) {
  for (const auto& [key, value] : theirs.metadata().entries()) {
    const std::string text = shown(theirs.metadata(), key);
    if (!isCompared(key, text) || unlike.contains(key)) continue;
    EXPECT_EQ(shown(mine.metadata(), key), text) << key;
  }
  for (const auto& [key, value] : mine.metadata().entries()) {
    if (theirs.metadata().entries().contains(key) || unlike.contains(key)) continue;
    EXPECT_TRUE(saysTheDefault(key, mine.metadata())) << key << " = " << shown(mine.metadata(), key) << " is not in the peer's file";
  }
}

namespace {

std::vector<float> valuesOf(const TensorView& view) {
  std::vector<float> values(static_cast<std::size_t>(view.shape.elements()));
  dequantizeRows(view, 0, static_cast<std::size_t>(view.shape.rows()), values.data());
  return values;
}

// Whether the values of `wide`, rounded to the type of `mine`, are those of `mine`.
bool sameWhenRounded(const TensorView& mine, const TensorView& wide) {
  const std::vector<float> values = valuesOf(wide);
  std::vector<std::byte> rounded(bytesOf(mine.type, values.size()));
  traits(mine.type).quantize(values.data(), rounded.data(), values.size());
  return std::ranges::equal(mine.bytes, rounded);
}

void expectNear(const TensorView& mine, const TensorView& theirs, const std::string& name) {
  const auto values = valuesOf(mine), expected = valuesOf(theirs);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-6 * std::abs(expected[i])) << name << " " << i;
}

}  // namespace

void expectSameTensors(const format::ModelFile& theirs, const format::ModelFile& mine, const std::set<std::string>& unlike) {
  const bool factorsInWeights = shown(mine.metadata(), "general.architecture") == "falcon-h1";
  std::set<std::string> names, expected;
  for (const auto& tensor : mine.tensors()) names.insert(tensor.name);
  for (const auto& tensor : theirs.tensors()) expected.insert(tensor.name);
  EXPECT_EQ(names, expected);
  for (const auto& tensor : theirs.tensors()) {
    const TensorView* view = mine.find(tensor.name);
    if (view == nullptr) continue;
    EXPECT_EQ(toString(view->shape), toString(tensor.view.shape)) << tensor.name;
    // llama.cpp's converter writes learned positions in F32 for any type; our files keep the type of the source.
    if (tensor.name == "position_embd.weight") {
      EXPECT_EQ(valuesOf(*view), valuesOf(tensor.view));
      continue;
    }
    // The peer's files may keep float32 where values do not fit 16 bits, and keep one small matrix so.
    if (traits(tensor.view.type).name == "F32" && traits(view->type).name == "BF16") {
      EXPECT_TRUE(tensor.name.ends_with("ssm_alpha.weight") || factorsInWeights) << tensor.name;
      EXPECT_TRUE(sameWhenRounded(*view, tensor.view)) << tensor.name;
      continue;
    }
    EXPECT_EQ(traits(view->type).name, traits(tensor.view.type).name) << tensor.name;
    // Computed values: llama.cpp uses float32, we use double.
    if (tensor.name == "rope_freqs.weight" || tensor.name.ends_with(".ssm_a")) {
      expectNear(*view, tensor.view, tensor.name);
      continue;
    }
    EXPECT_TRUE(unlike.contains(tensor.name) || std::ranges::equal(view->bytes, tensor.view.bytes)) << tensor.name;
  }
}

}  // namespace minerva::convert
