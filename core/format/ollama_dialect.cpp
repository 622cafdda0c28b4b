#include "core/format/ollama_dialect.h"

#include "core/format/byte_reader.h"

#include <algorithm>
#include <string>
#include <vector>

namespace minerva::format {

namespace {

// The keys of one file; names of keys without the architecture's prefix.
class Dialect {
 public:
  Dialect(ModelFileBuilder& builder, std::string_view architecture) : m_builder(builder), m_prefix(std::string(architecture) + ".") {}

  // Renames the architecture, and with it all its keys. `name` must outlive the file.
  void callArchitecture(std::string_view name) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : m_builder.metadata().entries())
      if (key.starts_with(m_prefix)) keys.push_back(key);
    const std::string prefix = std::string(name) + ".";
    for (const std::string& key : keys) renameWhole(key, prefix + key.substr(m_prefix.size()));
    m_builder.metadata().entries()["general.architecture"] = {MetadataType::string, name};
    m_prefix = prefix;
  }

  [[nodiscard]] ModelFileBuilder& builder() { return m_builder; }
  [[nodiscard]] std::string full(std::string_view key) const { return m_prefix + std::string(key); }
  [[nodiscard]] bool has(std::string_view key) const { return m_builder.metadata().has(full(key)); }
  [[nodiscard]] bool hasTensorOf(std::string_view prefix) const {
    return std::ranges::any_of(m_builder.tensors(), [&](const NamedTensor& tensor) { return tensor.name.starts_with(prefix); });
  }
  // Files that hold the parts for images or sound beside the text model are Ollama's.
  [[nodiscard]] bool hasOtherParts() const { return hasTensorOf("v.") || hasTensorOf("mm.") || hasTensorOf("a."); }

  // Rows of a matrix, or of each matrix of a stack; 0 if there is no such tensor.
  [[nodiscard]] std::int64_t rowsOf(std::string_view tensor) const {
    const auto found = std::ranges::find(m_builder.tensors(), tensor, &NamedTensor::name);
    return found == m_builder.tensors().end() ? 0 : found->view.shape.dims[found->view.shape.rank == 3 ? 1 : 0];
  }

  void setMissing(const std::string& whole, const MetadataValue& value) { m_builder.metadata().entries().emplace(whole, value); }
  // In the type that every converter gives sizes: readers refuse them in another. What says the same already stays as it is stored.
  void set(std::string_view key, std::int64_t value) {
    const auto stated = m_builder.metadata().integer(full(key));
    if (stated && *stated == value) return;
    m_builder.metadata().entries()[full(key)] = {MetadataType::uint32, static_cast<std::uint64_t>(value)};
  }
  void rename(std::string_view from, std::string_view to) { renameWhole(full(from), full(to)); }
  void renameWhole(const std::string& from, const std::string& to) {
    auto& entries = m_builder.metadata().entries();
    const auto entry = entries.find(from);
    if (entry == entries.end()) return;
    entries.emplace(to, entry->second);
    entries.erase(entry);
  }
  // A value that says nothing: an empty text or 0.
  void eraseEmpty(std::string_view key) {
    auto& entries = m_builder.metadata().entries();
    const auto entry = entries.find(full(key));
    if (entry == entries.end()) return;
    const auto& value = entry->second.value;
    const auto* text = std::get_if<std::string_view>(&value);
    const auto* number = std::get_if<std::uint64_t>(&value);
    if ((text && text->empty()) || (number && *number == 0)) entries.erase(entry);
  }
  void renameTensors(std::string_view ending, std::string_view to) {
    std::vector<std::string> names;
    for (const NamedTensor& tensor : m_builder.tensors())
      if (tensor.name.ends_with(ending)) names.push_back(tensor.name);
    for (const std::string& name : names) m_builder.rename(name, name.substr(0, name.size() - ending.size()) + std::string(to));
  }

 private:
  ModelFileBuilder& m_builder;
  std::string m_prefix;
};

MetadataValue textValue(std::string_view text) { return {MetadataType::string, text}; }

// Empty if it is absent or not a text.
std::string_view statedText(Metadata& keys, std::string_view key) {
  const auto text = keys.string(key);
  return text && *text ? **text : std::string_view();
}

void renameYarn(Dialect& file) {
  file.rename("rope.scaling.beta_fast", "rope.scaling.yarn_beta_fast");
  file.rename("rope.scaling.beta_slow", "rope.scaling.yarn_beta_slow");
  file.rename("rope.scaling.mscale_all_dim", "rope.scaling.yarn_log_multiplier");
}

// Keeps the first elements, and of the bytes those of them: copies write these as they are.
void shorten(MetadataArray& list, std::uint64_t count) {
  if (count >= list.count || list.type == MetadataType::array) return;
  std::size_t end = list.bytes.size() / list.count * count;
  if (list.type == MetadataType::string) {
    ByteReader reader(list.bytes);
    for (std::uint64_t i = 0; i < count; ++i) static_cast<void>(reader.string());
    end = reader.position();
  }
  list.count = count;
  list.bytes = list.bytes.first(end);
}

// Tokens for parts of images, for which the embedding has no row.
void leaveOutTokensWithoutRow(ModelFileBuilder& builder) {
  const auto embedding = std::ranges::find(builder.tensors(), "token_embd.weight", &NamedTensor::name);
  if (embedding == builder.tensors().end()) return;
  const auto rows = static_cast<std::uint64_t>(embedding->view.shape.rows());
  auto& entries = builder.metadata().entries();
  for (const char* key : {"tokenizer.ggml.tokens", "tokenizer.ggml.scores", "tokenizer.ggml.token_type"}) {
    const auto entry = entries.find(key);
    if (entry == entries.end()) continue;
    if (auto* list = std::get_if<MetadataArray>(&entry->second.value)) shorten(*list, rows);
  }
}

// EmbeddingGemma is a Gemma 3 with two dense layers behind the pooling.
void translateEmbeddingGemma(Dialect& file) {
  file.callArchitecture("gemma-embedding");
  file.builder().rename("dense.0.weight", "dense_2.weight");
  file.builder().rename("dense.1.weight", "dense_3.weight");
  file.builder().rename("norm.weight", "output_norm.weight");
}

// That the larger models stretch the positions of their global layers, and that no space is put before a text, Ollama's engine knew by
// itself.
void translateGemma3(Dialect& file) {
  const bool embeds = file.hasTensorOf("dense.0.weight");
  const Metadata& keys = file.builder().metadata();
  const bool own = embeds || file.hasOtherParts() || file.has("mm.tokens_per_image") || file.has("rope.global.freq_base") ||
                   file.has("rope.local.freq_base") || !file.has("attention.layer_norm_rms_epsilon") ||
                   keys.has("tokenizer.ggml.add_padding_token") || keys.has("tokenizer.ggml.add_unknown_token");
  if (!own) return;
  file.rename("rope.global.freq_base", "rope.freq_base");
  file.rename("rope.local.freq_base", "rope.freq_base_swa");
  renameYarn(file);
  const auto context = keys.integer(file.full("context_length"));
  constexpr std::int64_t stretchedContext = 131072;
  if (context && context->value_or(0) >= stretchedContext && !file.has("rope.scaling.type")) {
    file.setMissing(file.full("rope.scaling.type"), textValue("linear"));
    file.setMissing(file.full("rope.scaling.factor"), {MetadataType::float32, 8.0});
  }
  file.setMissing("tokenizer.ggml.add_space_prefix", {MetadataType::boolean, false});
  leaveOutTokensWithoutRow(file.builder());
  if (embeds) translateEmbeddingGemma(file);
}

// Its tokenizer is called SentencePiece, but has merges, and no scores that mean anything.
void translateGemma4(Dialect& file) {
  Metadata& keys = file.builder().metadata();
  const bool merged = statedText(keys, "tokenizer.ggml.pre") == "gemma4" && keys.has("tokenizer.ggml.merges");
  if (merged && statedText(keys, "tokenizer.ggml.model") == "llama") keys.entries()["tokenizer.ggml.model"] = textValue("gemma4");
  file.renameTensors(".ffn_gate_inp.per_expert_scale", ".ffn_down_exps.scale");
}

void translateMistral3(Dialect& file) {
  Metadata& keys = file.builder().metadata();
  const bool own = file.hasOtherParts() || file.has("rope.scaling.beta_fast") || file.has("rope.scaling.mscale_all_dim") ||
                   file.has("rope.scaling_beta");
  if (!own) return;
  file.eraseEmpty("rope.scaling.type");  // Mistral Small
  renameYarn(file);
  file.rename("rope.scaling_beta", "attention.temperature_scale");
  const std::string_view pre = statedText(keys, "tokenizer.ggml.pre");
  if (pre.empty() || pre == "default") keys.entries()["tokenizer.ggml.pre"] = textValue("tekken");
}

// The number of key/value heads is a list, with 0 for layers without attention and the same for all others.
void translateQwenHybrid(Dialect& file) {
  Metadata& keys = file.builder().metadata();
  const auto heads = keys.integers(file.full("attention.head_count_kv"));
  if (heads && *heads && !(*heads)->empty()) {
    const std::int64_t most = std::ranges::max(**heads);
    const bool same = std::ranges::all_of(**heads, [&](std::int64_t one) { return one == 0 || one == most; });
    if (same) file.set("attention.head_count_kv", most);
  }
  file.eraseEmpty("feed_forward_length");  // of a mixture
  file.renameTensors(".ssm_dt", ".ssm_dt.bias");
}

// Only Ollama's engine wrote this name. The kind of scaling and the pre-tokenizer it knew by itself.
void translateGptOss(Dialect& file) {
  file.callArchitecture("gpt-oss");
  file.setMissing(file.full("rope.scaling.type"), textValue("yarn"));
  if (const std::int64_t size = file.rowsOf("blk.0.ffn_gate_exps.weight"); size > 0 && !file.has("expert_feed_forward_length"))
    file.set("expert_feed_forward_length", size);
  file.builder().metadata().entries()["tokenizer.ggml.pre"] = textValue("gpt-4o");
  for (const char* ending : {".weight", ".bias"}) {
    file.renameTensors(std::string(".attn_out") + ending, std::string(".attn_output") + ending);
    file.renameTensors(std::string(".ffn_norm") + ending, std::string(".post_attention_norm") + ending);
  }
  file.renameTensors(".attn_sinks", ".attn_sinks.weight");
}

void translateOlmo3(Dialect& file) { file.callArchitecture("olmo2"); }

// GLM-4.7-Flash. The keys that llama.cpp has for a head's sizes hold those of the latent vector, and the other way round.
void translateGlm4MoeLite(Dialect& file) {
  file.callArchitecture("deepseek2");
  for (const char* key : {"attention.key_length", "attention.value_length"}) {
    const auto size = file.builder().metadata().integer(file.full(key));
    if (size && *size) file.set(std::string(key) + "_mla", **size);
  }
  file.builder().metadata().entries()["tokenizer.ggml.pre"] = textValue("glm4");
}

void translateNemotronMixture(Dialect& file) {
  constexpr std::string_view down = ".ffn_latent_in.weight";
  const auto& tensors = file.builder().tensors();
  const auto first = std::ranges::find_if(tensors, [&](const NamedTensor& tensor) { return tensor.name.ends_with(down); });
  if (first != tensors.end() && !file.has("moe_latent_size")) file.set("moe_latent_size", first->view.shape.rows());
  file.renameTensors(down, ".ffn_latent_down.weight");
  file.renameTensors(".ffn_latent_out.weight", ".ffn_latent_up.weight");
}

// The parts for images and sound of these two are left aside, as everywhere.
void translateNemotronOmni(Dialect& file) {
  const auto experts = file.builder().metadata().integer(file.full("expert_count"));
  const bool mixture = experts && experts->value_or(0) > 0;
  file.callArchitecture(mixture ? "nemotron_h_moe" : "nemotron_h");
  if (mixture) translateNemotronMixture(file);
}
void translateQwen25Vl(Dialect& file) { file.callArchitecture("qwen2vl"); }

// The stated size is of before two thirds were taken of it.
void translateLfm2(Dialect& file) {
  if (const std::int64_t size = file.rowsOf("blk.0.ffn_gate.weight"); size > 0) file.set("feed_forward_length", size);
}

// No other converter writes this key.
void translateGemma3n(Dialect& file) {
  if (!file.has("head_dim")) return;
  file.rename("head_dim", "attention.key_length");
  file.rename("rope.freq_base_local", "rope.freq_base_swa");
  file.setMissing("tokenizer.ggml.add_space_prefix", {MetadataType::boolean, false});
}

// Early files of Llama 3, whoever wrote them, name no pre-tokenizer.
void translateLlama3(Dialect& file) {
  Metadata& keys = file.builder().metadata();
  const std::string_view pre = statedText(keys, "tokenizer.ggml.pre");
  if ((!pre.empty() && pre != "default") || statedText(keys, "tokenizer.ggml.model") != "gpt2") return;
  constexpr std::size_t headerToken = 128006;
  const auto tokens = keys.strings("tokenizer.ggml.tokens");
  if (tokens && *tokens && (*tokens)->size() > headerToken && (**tokens)[headerToken] == "<|start_header_id|>")
    keys.entries()["tokenizer.ggml.pre"] = textValue("llama-bpe");
}

struct Row {
  std::string_view architecture;
  void (*translate)(Dialect&);
};
constexpr Row rows[] = {
    {"gemma3", translateGemma3},
    {"gemma3n", translateGemma3n},
    {"gemma4", translateGemma4},
    {"glm4moelite", translateGlm4MoeLite},
    {"gptoss", translateGptOss},
    {"lfm2", translateLfm2},
    {"llama", translateLlama3},
    {"mistral3", translateMistral3},
    {"nemotron_h_moe", translateNemotronMixture},
    {"nemotron_h_omni", translateNemotronOmni},
    {"olmo3", translateOlmo3},
    {"qwen25vl", translateQwen25Vl},
    {"qwen35", translateQwenHybrid},
    {"qwen35moe", translateQwenHybrid},
    {"qwen3next", translateQwenHybrid},
};

}  // namespace

void translateOllamaDialect(ModelFileBuilder& builder) {
  Metadata& keys = builder.metadata();
  const std::string_view architecture = statedText(keys, "general.architecture");
  Dialect file(builder, architecture);
  for (const Row& row : rows)
    if (row.architecture == architecture) row.translate(file);
}

}  // namespace minerva::format
