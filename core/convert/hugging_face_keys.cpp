#include "core/convert/hugging_face_keys.h"

#include "core/format/model_file.h"

#include <algorithm>

namespace minerva::convert {

namespace {

// Of models whose layers differ in their heads, the one with full attention.
const model::LayerConfig* typicalAttention(const Keys& keys) {
  const auto isFull = [](const model::LayerConfig& layer) { return layer.hasAttention() && layer.visible.window == 0; };
  const model::LayerConfig* full = keys.firstLayer(isFull);
  return full ? full : keys.firstLayer(&model::LayerConfig::hasAttention);
}

// In GGUF, latent attention has one KV head: values are the latent vector, keys the latent followed by the rotary part.
void describeHeads(Keys& keys, const Family& family, RecipeFacts& facts) {
  const model::LayerConfig* attention = typicalAttention(keys);
  if (!attention) {
    keys.set("attention.head_count", 0);
    keys.set("attention.head_count_kv", 0);
    return;
  }
  const model::LatentAttention& mla = attention->latentAttention;
  const bool latent = mla.latent > 0 && !family.latentByHeads, listed = family.lists == LayerLists::ofAllHeadsAndFeedForward;
  std::vector<std::int32_t> heads, kvHeads;
  for (const model::LayerConfig& layer : keys.model.layers) {
    if (layer.hasAttention()) heads.push_back(layer.headCount);
    else if (listed) heads.push_back(layer.o.weight.empty() ? 0 : attention->headCount);
    if (layer.hasAttention()) kvHeads.push_back(latent ? 1 : mla.latent > 0 ? layer.headCount : layer.kvHeadCount);
    else if (family.lists != LayerLists::whereTheyDiffer) kvHeads.push_back(0);
  }
  keys.setNumbers("attention.head_count", heads, listed);
  keys.setNumbers("attention.head_count_kv", kvHeads, family.lists != LayerLists::whereTheyDiffer);
  keys.set("attention.key_length", latent ? mla.latent + mla.rotaryDim : attention->headDim);
  keys.set("attention.value_length", latent ? mla.latent : mla.latent > 0 ? mla.valueDim : attention->valueSize());
  facts.heads = attention->headCount;
  facts.kvHeads = latent ? 1 : attention->kvHeadCount;
}

void describeFeedForward(Keys& keys, const Family& family) {
  const bool listed = family.lists == LayerLists::ofAttentionAndFeedForward || family.lists == LayerLists::ofAllHeadsAndFeedForward;
  std::vector<std::int32_t> sizes;
  for (const model::LayerConfig& layer : keys.model.layers) {
    const bool mixture = listed && layer.hasExperts();
    sizes.push_back((family.countsBothHalves ? 2 : 1) * (mixture ? layer.experts.feedForwardSize : layer.feedForwardSize));
  }
  const auto size = keys.config.find("intermediate_size");
  const bool stated = size != keys.config.end() && size->is_array();  // for each layer
  // Mixtures without a dense layer may have no such size.
  const bool none = std::ranges::all_of(sizes, [](std::int32_t size) { return size == 0; });
  if (!none || !keys.firstMixture()) keys.setNumbers("feed_forward_length", sizes, listed || stated);
}

void describeExperts(Keys& keys, RecipeFacts& facts, std::vector<std::string>& warnings) {
  const model::LayerConfig* mixture = keys.firstMixture();
  if (!mixture) return;
  const model::Experts& experts = mixture->experts;
  facts.experts = experts.count;
  keys.set("expert_count", experts.count);
  keys.set("expert_used_count", experts.used);
  keys.set("expert_feed_forward_length", experts.feedForwardSize);
  if (!experts.sharedRouter.empty()) keys.set("expert_shared_feed_forward_length", experts.sharedSize);
  const auto isZero = [](std::byte byte) { return byte == std::byte{0}; };
  if (!std::ranges::all_of(experts.resultBias.bytes, isZero))
    warnings.emplace_back("The bias of the experts' sum is left out: llama.cpp does not add it, and GGUF has no name for it");
}

void describeWindow(Keys& keys, const Family& family, std::vector<std::string>& warnings) {
  int window = 0;
  // A window to both sides is stated by its whole width, of which half, rounded down, is on each side.
  const auto sizeOf = [](const model::Visible& visible) {
    return visible.bidirectional && visible.window > 1 ? 2 * (visible.window - 1) : visible.window;
  };
  for (const model::LayerConfig& layer : keys.model.layers) window = std::max(window, sizeOf(layer.visible));
  if (window == 0) return;
  keys.set("attention.sliding_window", window);
  const bool known = family.windowLayers == 0 || keys.model.layers.size() == static_cast<std::size_t>(family.windowLayers);
  if (family.appliesWindow && known) return;
  warnings.push_back("llama.cpp does not apply this architecture's sliding window of " + std::to_string(window) + " tokens" +
                     (family.appliesWindow ? " to models of this size" : "") + "; Minerva does");
}

// Whole, whatever it is called from the current folder ("."). Links stay: those of a download cache lead to files without names.
std::filesystem::path folderOf(const format::ModelFile& file) {
  const auto path = std::filesystem::absolute(file.path()).lexically_normal();
  const auto named = path.has_filename() ? path : path.parent_path();
  return std::filesystem::is_directory(named) ? named : named.parent_path();
}

// llama.cpp numbers the poolings as Pooling does.
void describeEmbedding(Keys& keys, const Family& family, std::vector<std::string>& warnings) {
  const model::ModelConfig& model = keys.model;
  if (!model.embeds()) return;
  keys.set("pooling_type", static_cast<int>(model.embedding.pooling));
  if (model.layers.front().visible.bidirectional && !family.seesBothDirections) keys.setFlag("attention.causal", false);
  const auto& prompts = model.embedding.prompts;
  if (std::ranges::any_of(prompts, [](const auto& prompt) { return !prompt.second.empty(); }))
    warnings.emplace_back("The prompts that the model's makers put before texts are left out: GGUF has no keys for them");
}

// What the publisher recommends, as llama.cpp's converter states it. Numbers out of range are the reader's to leave out.
void describeSampling(Keys& keys) {
  const nlohmann::json& stated = keys.file.huggingFace().generationConfig;
  if (!stated.is_object()) return;
  const auto write = [&](const char* from, const std::string& to) {
    if (const auto value = Keys::numberIn(stated, from)) keys.writer.set("general.sampling." + to, static_cast<float>(*value));
  };
  const bool greedy = stated.value("do_sample", nlohmann::json()) == false;
  if (greedy) keys.writer.set("general.sampling.temp", 0.0F);
  else write("temperature", "temp");
  const auto topK = Keys::numberIn(stated, "top_k");
  if (topK && *topK >= 0 && *topK < 1U << 31) keys.writer.set("general.sampling.top_k", static_cast<std::uint32_t>(*topK));
  write("top_p", "top_p");
  write("min_p", "min_p");
  write("repetition_penalty", "penalty_repeat");
}

// Tokens that the model must never write: a number, or a list of them.
void describeSuppressed(Keys& keys) {
  const nlohmann::json& stated = keys.file.huggingFace().generationConfig;
  const nlohmann::json tokens = stated.is_object() ? stated.value("suppress_tokens", nlohmann::json()) : nlohmann::json();
  std::vector<std::int32_t> ids;
  const auto add = [&](const nlohmann::json& id) {
    const std::int64_t number = id.is_number_integer() ? id.get<std::int64_t>() : -1;
    if (number >= 0 && number < keys.model.vocabularySize) ids.push_back(static_cast<std::int32_t>(number));
  };
  if (tokens.is_array()) std::ranges::for_each(tokens, add);
  else add(tokens);
  if (!ids.empty()) keys.writer.set("tokenizer.ggml.suppress_tokens", ids);
}

}  // namespace

void describeModel(Keys& keys, const Family& family, const format::ModelFile& file, Source& source) {
  const model::ModelConfig& model = keys.model;
  keys.writer.set("general.architecture", family.architecture);
  keys.writer.set("general.type", "model");
  keys.writer.set("general.name", folderOf(file).filename().string());
  const int passes = family.passesKey == nullptr ? 1 : static_cast<int>(keys.number(family.passesKey).value_or(1));
  const int layers = static_cast<int>(model.layers.size()) / passes;
  keys.set("block_count", layers);
  keys.set("context_length", model.contextLength);
  keys.set("embedding_length", model.hiddenSize);
  keys.set("vocab_size", model.vocabularySize);
  const bool rms = model.norm == model::NormKind::rms;
  keys.setFloat(rms ? "attention.layer_norm_rms_epsilon" : "attention.layer_norm_epsilon", model.normEpsilon);
  source.facts.architecture = family.architecture;
  source.facts.layers = layers;
  source.scalesInWeights = family.scalesInWeights;
  describeHeads(keys, family, source.facts);
  describeFeedForward(keys, family);
  describeExperts(keys, source.facts, source.warnings);
  describeWindow(keys, family, source.warnings);
  describeEmbedding(keys, family, source.warnings);
  describeSampling(keys);
  describeSuppressed(keys);
}

}  // namespace minerva::convert
