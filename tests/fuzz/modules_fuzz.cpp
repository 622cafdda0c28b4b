// Arbitrary text as the modules.json of a small embedding model; what follows the first line that is only "---" is the config.json of every
// part.
#include "core/format/model_file.h"
#include "core/format/hugging_face.h"
#include "core/format/json_reader.h"
#include "tests/fuzz/load_model.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace {

using namespace minerva;

// hidden 32, 2 heads of 16, 1 key/value head, feed-forward 32, vocabulary 64, one layer; dense layers of any names.
void addModel(format::ModelFileBuilder& builder) {
  static const std::vector<std::byte> zeros(std::size_t{64} * 32 * 4);
  const auto add = [&](const std::string& name, std::int64_t rows, std::int64_t columns) {
    const Shape shape = rows == 0 ? Shape{.dims = {columns, 1, 1, 1}, .rank = 1} : Shape{.dims = {rows, columns, 1, 1}, .rank = 2};
    const auto bytes = static_cast<std::size_t>(shape.elements()) * 4;
    [[maybe_unused]] const bool added = builder.add(name, {ElementType::F32, shape, std::span(zeros).first(bytes)});
  };
  const std::string layer = "layers.0.";
  add("embed_tokens.weight", 64, 32);
  for (const char* norm : {"input_layernorm", "post_attention_layernorm"}) add(layer + norm + ".weight", 0, 32);
  for (const char* norm : {"q_norm", "k_norm"}) add(layer + "self_attn." + norm + ".weight", 0, 16);
  add(layer + "self_attn.q_proj.weight", 32, 32);
  add(layer + "self_attn.k_proj.weight", 16, 32);
  add(layer + "self_attn.v_proj.weight", 16, 32);
  add(layer + "self_attn.o_proj.weight", 32, 32);
  for (const char* part : {"gate_proj", "up_proj", "down_proj"}) add(layer + "mlp." + part + ".weight", 32, 32);
  add("norm.weight", 0, 32);
  for (const format::SentenceModule& module : builder.huggingFace().modules) add(module.folder + "/linear.weight", 48, 32);
  builder.huggingFace().config = {
      {"model_type", "qwen3"},         {"vocab_size", 64},           {"hidden_size", 32}, {"num_hidden_layers", 1},
      {"num_attention_heads", 2},      {"num_key_value_heads", 1},   {"head_dim", 16},    {"intermediate_size", 32},
      {"max_position_embeddings", 64}, {"tie_word_embeddings", true}};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = std::min(all.find("\n---\n"), all.size());
  auto modules = format::parseModules(all.substr(0, cut), "modules.json");
  if (!modules) {
    fuzz::mustExplain(modules.error());
    return 0;
  }
  if (auto config = format::parseJson(all.substr(std::min(all.size(), cut + 5)), "config.json", {.infinities = true})) {
    for (format::SentenceModule& module : *modules) module.config = *config;
  }
  for (const format::SentenceModule& module : *modules) {
    if (module.folder.empty() || module.folder.find('/') != std::string::npos || module.folder == "..") std::abort();
  }
  format::ModelFileBuilder builder(format::FileFormat::safetensors, "fuzz");
  builder.huggingFace().modules = std::move(*modules);
  addModel(builder);
  fuzz::loadModel(*builder.finish());
  return 0;
}
