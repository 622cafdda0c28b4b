// gpt-oss: attention sinks, a sliding window in every other layer, biases everywhere, experts with a clamped gate. The
// original release stores gate and up as alternating rows of one MXFP4 tensor; in bf16 copies of it the stacks are
// transposed.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

namespace minerva::model {

namespace {

constexpr std::string_view gateUpName = "model.layers.#.mlp.experts.gate_up_proj", downName = "model.layers.#.mlp.experts.down_proj";

// Reads a stack [experts, rows, columns]; stacks of a float type are stored transposed.
Result<TensorView> readStack(Reader& reader, const std::string& name, const Shape& shape) {
  const TensorView* stored = reader.file().find(name);
  if (!stored || traits(stored->type).kind != ElementKind::plain) return reader.tensor(name, shape);
  MINERVA_ASSIGN(const TensorView view, reader.tensor(name, stackShape(shape.dims[0], shape.dims[2], shape.dims[1])));
  return reader.transposed(view, name);
}

Result<void> readExpertsOf(Reader& reader, int hiddenSize, int layer, Experts& out) {
  const std::string gateUp = reader.nameOf({"", gateUpName}, layer, ""), down = reader.nameOf({"", downName}, layer, "");
  const std::int64_t count = out.count, size = out.feedForwardSize, hidden = hiddenSize;
  ExpertMatrices gate, downs;
  MINERVA_ASSIGN(const TensorView gateUpView, readStack(reader, gateUp, stackShape(count, 2 * size, hidden)));
  MINERVA_ASSIGN(const TensorView downView, readStack(reader, down, stackShape(count, hidden, size)));
  MINERVA_ASSIGN(gate.bias, reader.tensor(gateUp + "_bias", matrixShape(count, 2 * size)));
  MINERVA_ASSIGN(downs.bias, reader.tensor(down + "_bias", matrixShape(count, hidden)));
  gate.weights = {gateUpView};
  downs.weights = {downView};
  out.gate = std::move(gate);
  out.down = std::move(downs);
  out.gatePlace = GatePlace::alternating;
  return {};
}

// The original release, with different names for router and stacks.
Result<void> readPublished(Reader& reader, const ExpertForm& form, ModelConfig& config) {
  Experts experts;
  MINERVA_ASSIGN(experts.count, reader.count(form.count, 4096));
  MINERVA_ASSIGN(experts.used, reader.count(form.used, experts.count));
  MINERVA_ASSIGN(experts.feedForwardSize, reader.count(form.feedForward, Limits::feedForward));
  for (std::size_t i = 0; i < config.layers.size(); ++i) {
    config.layers[i].experts = experts;
    const int layer = static_cast<int>(i);
    MINERVA_ASSIGN(config.layers[i].experts.router,
                   reader.linear(form.router, layer, experts.count, config.hiddenSize, Reader::Bias::required));
    MINERVA_TRY(readExpertsOf(reader, config.hiddenSize, layer, config.layers[i].experts));
  }
  return {};
}

Result<void> fillGptOss(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.defaultEpsilon = 1e-5;
  form.feedForwardNorm.gguf = "blk.#.post_attention_norm";
  form.window = {};
  form.rope.defaultBase = 150000;
  form.rope.ggufRoundsYarn = false;  // matches the published "truncate": false
  ExpertForm experts;
  experts.count.huggingFace = "num_local_experts";
  experts.feedForward.huggingFace = "intermediate_size";
  experts.router.huggingFace = "model.layers.#.mlp.router";
  experts.stacked = "model.layers.#.mlp.experts.";
  const bool published = !reader.isGguf() && reader.hasNamed(reader.nameOf({"", gateUpName}, 0, ""));
  if (!published) form.experts = &experts;
  form.blocks = !published;
  MINERVA_TRY(fillDecoder(reader, form, config));
  if (published) MINERVA_TRY(readPublished(reader, experts, config));
  config.activation = Activation::clampedSwiglu;
  MINERVA_ASSIGN(const double limit, reader.positive({"", "swiglu_limit"}, 1e9, 7.0));
  if (limit != 7.0) return fail(reader.invalid({"", "swiglu_limit"}, "This SwiGLU limit is not supported", "7", std::to_string(limit)));
  MINERVA_ASSIGN(const int window, reader.count({"attention.sliding_window", "sliding_window"}, Limits::context, 128));
  MINERVA_ASSIGN(const std::vector<bool> sliding, slidingLayers(reader, static_cast<int>(config.layers.size()), 2));
  for (std::size_t i = 0; i < sliding.size(); ++i) {
    LayerConfig& layer = config.layers[i];
    layer.visible.window = sliding[i] ? window : 0;
    const std::string name = reader.isGguf() ? reader.nameOf({"blk.#.attn_sinks", ""}, static_cast<int>(i), ".weight")
                                             : reader.nameOf({"", "model.layers.#.self_attn.sinks"}, static_cast<int>(i), "");
    MINERVA_ASSIGN(layer.sinks, reader.tensor(name, vectorShape(layer.headCount)));
  }
  return {};
}

constexpr std::string_view gptOssGgufNames[] = {"gpt-oss"};
constexpr std::string_view gptOssHuggingFaceNames[] = {"gpt_oss"};

}  // namespace

const Family gptOssFamily{"gpt-oss", gptOssGgufNames, gptOssHuggingFaceNames, fillGptOss};

}  // namespace minerva::model
