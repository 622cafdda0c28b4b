// Arbitrary text as the config.json of a small Llama's tensors.
#include "core/format/json_reader.h"
#include "core/format/model_file_builder.h"
#include "tests/fuzz/load_model.h"

#include <cstdint>
#include <string_view>

namespace {

// hidden 32, 2 heads of 16, 1 key/value head, feed-forward 32, vocabulary 64, one layer, tied.
void addTensors(minerva::format::ModelFileBuilder& builder) {
  using namespace minerva;
  static const std::vector<std::byte> zeros(std::size_t{64} * 32 * 4);
  const auto add = [&](const char* name, std::int64_t rows, std::int64_t columns) {
    const Shape shape = rows == 0 ? Shape{.dims = {columns, 1, 1, 1}, .rank = 1} : Shape{.dims = {rows, columns, 1, 1}, .rank = 2};
    const auto bytes = static_cast<std::size_t>(shape.elements()) * 4;
    if (!builder.add(name, {ElementType::F32, shape, std::span(zeros).first(bytes)})) std::abort();
  };
  add("model.embed_tokens.weight", 64, 32);
  add("model.layers.0.input_layernorm.weight", 0, 32);
  add("model.layers.0.self_attn.q_proj.weight", 32, 32);
  add("model.layers.0.self_attn.k_proj.weight", 16, 32);
  add("model.layers.0.self_attn.v_proj.weight", 16, 32);
  add("model.layers.0.self_attn.o_proj.weight", 32, 32);
  add("model.layers.0.post_attention_layernorm.weight", 0, 32);
  add("model.layers.0.mlp.gate_proj.weight", 32, 32);
  add("model.layers.0.mlp.up_proj.weight", 32, 32);
  add("model.layers.0.mlp.down_proj.weight", 32, 32);
  add("model.norm.weight", 0, 32);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace minerva;
  auto json = format::parseJson({reinterpret_cast<const char*>(data), size}, "config.json");
  if (!json) {
    fuzz::mustExplain(json.error());
    return 0;
  }
  format::ModelFileBuilder builder(format::FileFormat::safetensors, "fuzz");
  builder.huggingFace().config = std::move(*json);
  addTensors(builder);
  fuzz::loadModel(*builder.finish());
  return 0;
}
