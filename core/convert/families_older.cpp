// Rows of families of dense models that began before 2025: with names of their own, queries, keys and values in one matrix, or factors.
#include "core/convert/families.h"

#include <array>
#include <cmath>

namespace minerva::convert {

namespace {

using enum Form;

constexpr std::string_view fusedName[] = {"wqkv"}, packedName[] = {"W_pack"}, queryKeyValueName[] = {"query_key_value"};
constexpr Place internlmPlaces[] = {
    {"tok_embeddings", "token_embd"}, {"output", "output"}, {"attention_norm", "attn_norm"}, {"attention.wo", "attn_output"}};
constexpr Place deciPlaces[] = {{"self_attn.linear_attn", "attn_output"}};
constexpr Place plainLatentPlaces[] = {{"self_attn.kv_b_proj", "attn_kv_b"}};
constexpr Place falcon1Places[] = {{"self_attention.dense", "attn_output"}, {"ln_attn", "attn_norm_2"}, {"ln_mlp", "attn_norm"}};
constexpr Place qwen1Places[] = {{"mlp.w1", "ffn_up"}, {"mlp.w2", "ffn_gate"}};
constexpr Place chatGlmPlaces[] = {{"embedding.word_embeddings", "token_embd"},
                                   {"encoder.final_layernorm", "output_norm"},
                                   {"output_layer", "output"},
                                   {"self_attention.query_key_value", "attn_qkv"},
                                   {"self_attention.dense", "attn_output"}};
constexpr std::string_view rotaryBuffers[] = {"rotary_pos_emb."};

// Queries, keys and values of every layer as GGUF has them, out of one matrix of the folder: in three tensors, whose rows are permuted
// where readers rotate adjacent pairs, or in one again.
void addAttention(const Keys& keys, bool interleaved, bool together, std::vector<SourceTensor>& tensors) {
  for (std::size_t i = 0; i < keys.model.layers.size(); ++i) {
    const model::LayerConfig& layer = keys.model.layers[i];
    const std::string block = "blk." + std::to_string(i) + ".";
    const auto add = [&](const std::string& name, std::vector<TensorView> parts, int heads) {
      const bool bias = name.ends_with("bias");
      std::int64_t rows = 0;
      for (TensorView& part : parts) {
        if (part.empty()) return;
        if (bias) part = part.arrangement ? part : asColumn(part);
        rows += part.shape.rows();
      }
      const std::int64_t columns = parts.front().shape.columns(), size = heads > 0 ? rows / heads : 0;
      const Shape vector{.dims = {rows, 1, 1, 1}, .rank = 1}, matrix{.dims = {rows, columns, 1, 1}, .rank = 2};
      SourceTensor out{.name = block + name, .parts = std::move(parts), .shape = bias ? vector : matrix};
      if (interleaved && heads > 0) out.order = {.counts = {heads, size / 2, 2}, .steps = {size, 1, size / 2}};
      tensors.push_back(std::move(out));
    };
    for (const auto& [suffix, part] : {std::pair(".weight", &model::Linear::weight), std::pair(".bias", &model::Linear::bias)}) {
      if (together) {
        add(std::string("attn_qkv") + suffix, {layer.q.*part, layer.k.*part, layer.v.*part}, 0);
        continue;
      }
      add(std::string("attn_q") + suffix, {layer.q.*part}, layer.headCount);
      add(std::string("attn_k") + suffix, {layer.k.*part}, layer.kvHeadCount);
      add(std::string("attn_v") + suffix, {layer.v.*part}, 0);
    }
  }
}

Result<void> addApart(const Keys& keys, std::vector<SourceTensor>& tensors) {
  addAttention(keys, true, false, tensors);
  return {};
}

Result<void> addTogether(const Keys& keys, std::vector<SourceTensor>& tensors) {
  addAttention(keys, false, true, tensors);
  return {};
}

// Names of layouts that no reader looks at.
Result<void> addMetaLayout(Keys& keys) {
  keys.setText("tensor_data_layout", "Meta AI original pth");
  return {};
}
Result<void> addFalconLayout(Keys& keys) {
  if (!keys.model.parallelBlocks)
    return cannotBeStated("A GGUF file of this architecture has parallel blocks", "attention and feed-forward side by side",
                          "one after the other");
  keys.setText("tensor_data_layout", "jploski");
  return {};
}

// Where each query head has a key head, the rows of the fused matrix are in another order.
Result<void> checkSharedKeys(Keys& keys) {
  if (keys.model.layers.front().kvHeadCount == 1) return {};
  return cannotBeStated("A GGUF file of this architecture has one key head", "multi_query", "a key head for each query head");
}

Result<void> addCodeshellRope(Keys& keys) {
  keys.setText("rope.scaling.type", "linear");
  keys.setFloat("rope.scaling.factor", 1);
  return {};
}

Result<void> addOlmoLimit(Keys& keys) {
  if (keys.model.attentionLimit > 0) keys.setFloat("attention.clamp_kqv", keys.model.attentionLimit);
  return {};
}

// Unless it is scaled, the rotation is said to be as it is.
Result<void> addNemotronRope(Keys& keys) {
  const nlohmann::json parameters = keys.ropeParameters();
  if (!parameters.is_object() || !parameters.contains("factor")) keys.setText("rope.scaling.type", "none");
  return {};
}

Result<void> addMiniCpmScales(Keys& keys) {
  keys.setFloat("embedding_scale", keys.model.embeddingScale);
  keys.setFloat("residual_scale", keys.model.residualScale);
  keys.setFloat("logit_scale", 1 / keys.model.logitScale);
  return {};
}

Result<void> addLatentSizes(Keys& keys) {
  const model::LatentAttention& latent = keys.model.layers.front().latentAttention;
  if (!latent.qDown.weight.empty()) keys.set("attention.q_lora_rank", static_cast<int>(latent.qDown.weight.shape.rows()));
  keys.set("attention.kv_lora_rank", latent.latent);
  return {};
}

// There are no keys for the factors: readers know those of the one published model.
Result<void> addMiniCpm3Keys(Keys& keys) {
  const model::ModelConfig& model = keys.model;
  const auto near = [](double value, double usual) { return std::abs(value - usual) < 1e-4 * usual; };
  const double residual = 1.4 / std::sqrt(static_cast<double>(model.layers.size())), logits = 256.0 / model.hiddenSize;
  if (!near(model.embeddingScale, 12) || !near(model.residualScale, residual) || !near(model.logitScale, logits))
    return cannotBeStated("A GGUF file of this architecture cannot express this model's factors", "those of MiniCPM3-4B", "others");
  return addLatentSizes(keys);
}

constexpr Family olderRows[] = {
    {.modelType = "internlm2",
     .architecture = "internlm2",
     .own = internlmPlaces,
     .mixer = {"attention.", fusedName},
     .addTensors = addApart},
    {.modelType = "internlm3", .architecture = "llama", .interleaved = true},
    {.modelType = "xverse", .architecture = "xverse", .interleaved = true, .addKeys = addMetaLayout},
    {.modelType = "nemotron", .architecture = "nemotron", .addKeys = addNemotronRope},
    {.modelType = "nemotron-nas",
     .architecture = "deci",
     .interleaved = true,
     .own = deciPlaces,
     .lists = LayerLists::ofAllHeadsAndFeedForward},
    {.modelType = "deci", .architecture = "deci", .interleaved = true},
    {.modelType = "minicpm", .architecture = "minicpm", .interleaved = true, .addKeys = addMiniCpmScales},
    {.modelType = "minicpm3", .architecture = "minicpm3", .own = plainLatentPlaces, .latentByHeads = true, .addKeys = addMiniCpm3Keys},
    {.modelType = "olmo", .architecture = "olmo", .interleaved = true, .addKeys = addOlmoLimit},
    {.modelType = "falcon",
     .architecture = "falcon",
     .own = falcon1Places,
     .mixer = {"self_attention.", queryKeyValueName},
     .addKeys = addFalconLayout,
     .addTensors = addTogether},
    {.modelType = "orion", .architecture = "orion", .addKeys = addMetaLayout},
    {.modelType = "baichuan",
     .architecture = "baichuan",
     .mixer = {"self_attn.", packedName},
     .addKeys = addMetaLayout,
     .addTensors = addApart},
    {.modelType = "qwen", .architecture = "qwen", .own = qwen1Places, .countsBothHalves = true},
    {.modelType = "chatglm", .architecture = "chatglm", .own = chatGlmPlaces, .unused = rotaryBuffers},
    {.modelType = "glm", .architecture = "chatglm"},
    {.modelType = "gpt_bigcode", .architecture = "starcoder", .addKeys = checkSharedKeys},
    {.modelType = "PanguEmbedded", .architecture = "pangu-embedded"},
    {.modelType = "openpangu_dense", .architecture = "pangu-embedded"},
    {.modelType = "maincoder", .architecture = "maincoder"},
    {.modelType = "plm", .architecture = "plm", .own = plainLatentPlaces, .latentByHeads = true, .addKeys = addLatentSizes},
    {.modelType = "codeshell", .architecture = "codeshell", .addKeys = addCodeshellRope},
};

}  // namespace

std::span<const Family> olderFamilies() { return olderRows; }

}  // namespace minerva::convert
