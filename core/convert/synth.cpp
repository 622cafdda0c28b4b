#include "core/convert/synth.h"

#include "core/convert/gguf_writer.h"
#include "core/convert/synth_shapes.h"
#include "core/convert/synth_vocabulary.h"
#include "core/format/safetensors.h"
#include "core/tensor/half.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <numbers>
#include <optional>

namespace minerva::convert {

namespace {

constexpr float weightDeviation = 0.02F;
constexpr std::size_t poolBlocks = 4096;
constexpr std::size_t pieceBytes = std::size_t{1} << 20;  // written at a time

// SplitMix64 (Steele, Lea, Flood 2014): any seed is good, and it is the same everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : m_state(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (m_state += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  float gaussian() {
    const double radius = std::sqrt(-2.0 * std::log((static_cast<double>(next() >> 11) + 1.0) * 0x1p-53));
    return static_cast<float>(radius * std::cos(2.0 * std::numbers::pi * static_cast<double>(next() >> 11) * 0x1p-53));
  }

 private:
  std::uint64_t m_state;
};

std::uint64_t mix(std::uint64_t seed, std::string_view text) {
  for (const char c : text) seed = (seed ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return Random(seed).next();
}

// Blocks of one type, quantized once. For plain floats a block is 32 elements here.
class Pool {
 public:
  Pool(ElementType type, std::uint64_t seed) : m_elements(std::max<std::size_t>(traits(type).blockElements, 32)) {
    Random random(mix(seed, "pool"));
    std::vector<float> values(poolBlocks * m_elements);
    for (float& value : values) value = weightDeviation * random.gaussian();
    m_blockBytes = bytesOf(type, m_elements);
    m_bytes.resize(poolBlocks * m_blockBytes);
    traits(type).quantize(values.data(), m_bytes.data(), values.size());
  }

  [[nodiscard]] std::size_t blockBytes() const { return m_blockBytes; }
  [[nodiscard]] std::size_t elements() const { return m_elements; }
  [[nodiscard]] const std::byte* block(std::uint64_t i) const { return m_bytes.data() + i % poolBlocks * m_blockBytes; }

 private:
  std::size_t m_elements;
  std::size_t m_blockBytes = 0;
  std::vector<std::byte> m_bytes;
};

enum class Role { matrix, query, key, norm };

struct SynthTensor {
  std::string gguf;
  std::string huggingFace;  // also seeds the weights
  Shape shape;
  ElementType type;
  Role role;
};

using Sink = std::function<Result<void>(std::span<const std::byte>)>;

class Synthesis {
 public:
  Synthesis(const SynthShape& shape, const SynthOptions& options, ElementType body, bool mixed)
      : m_shape(shape), m_options(options), m_body(body), m_mixed(mixed), m_vocabulary(synthVocabulary(shape.vocabulary)) {
    listTensors();
  }

  Result<void> writeGguf(const std::filesystem::path& out);
  Result<void> writeHuggingFace(const std::filesystem::path& folder);

 private:
  [[nodiscard]] bool isGguf() const { return m_options.format == format::FileFormat::gguf; }
  void listTensors();
  void add(std::string gguf, std::string huggingFace, std::int64_t rows, std::int64_t columns, ElementType type, Role role = Role::matrix);
  [[nodiscard]] ElementType headType() const;
  [[nodiscard]] ElementType fitting(ElementType type, std::int64_t columns) const;
  [[nodiscard]] std::int64_t publishedRow(const SynthTensor& tensor, std::int64_t row) const;
  void describe(GgufWriter& writer) const;
  [[nodiscard]] std::string configJson() const;
  Result<void> emit(const SynthTensor& tensor, const Sink& sink);
  Result<void> emitNorm(const SynthTensor& tensor, const Sink& sink) const;
  const Pool& pool(ElementType type);

  const SynthShape& m_shape;
  const SynthOptions& m_options;
  ElementType m_body;
  bool m_mixed;
  SynthVocabulary m_vocabulary;
  std::vector<SynthTensor> m_tensors;
  std::map<ElementType, Pool> m_pools;
};

const Pool& Synthesis::pool(ElementType type) {
  return m_pools.try_emplace(type, type, m_options.seed).first->second;
}

// The head decides every token, so llama-quantize gives it six bits where the body has fewer than eight.
ElementType Synthesis::headType() const {
  const bool belowEightBits = traits(m_body).blockElements > 1 && m_body != ElementType::Q8_0;
  return belowEightBits ? ElementType::Q6_K : m_body;
}

// Rows that are no multiple of 256 cannot have a K type; llama-quantize then takes these.
ElementType Synthesis::fitting(ElementType type, std::int64_t columns) const {
  if (columns % traits(type).blockElements == 0) return type;
  switch (type) {
    case ElementType::Q4_K: return ElementType::Q5_0;
    case ElementType::Q5_K: return ElementType::Q5_1;
    default: return ElementType::Q8_0;
  }
}

void Synthesis::add(std::string gguf, std::string huggingFace, std::int64_t rows, std::int64_t columns, ElementType type, Role role) {
  Shape shape{.dims = {rows, columns, 1, 1}, .rank = 2};
  if (role == Role::norm) {
    shape = {.dims = {columns, 1, 1, 1}, .rank = 1};
    type = isGguf() ? ElementType::F32 : m_body;
  }
  m_tensors.push_back({std::move(gguf), std::move(huggingFace), shape, role == Role::norm ? type : fitting(type, columns), role});
}

void Synthesis::listTensors() {
  const SynthShape& s = m_shape;
  const std::int64_t queries = std::int64_t{s.heads} * s.headDim;
  const std::int64_t keys = std::int64_t{s.kvHeads} * s.headDim;
  add("token_embd.weight", "model.embed_tokens.weight", s.vocabulary, s.hidden, s.tied ? headType() : m_body);
  for (int i = 0; i < s.layers; ++i) {
    const std::string blk = "blk." + std::to_string(i) + ".";
    const std::string layer = "model.layers." + std::to_string(i) + ".";
    // The layers to which the _M mixes give more bits: the first and last eighth and every third between.
    const bool more = m_mixed && (i < s.layers / 8 || i >= 7 * s.layers / 8 || (i - s.layers / 8) % 3 == 2);
    const ElementType precious = more ? ElementType::Q6_K : m_body;
    add(blk + "attn_norm.weight", layer + "input_layernorm.weight", 1, s.hidden, m_body, Role::norm);
    add(blk + "attn_q.weight", layer + "self_attn.q_proj.weight", queries, s.hidden, m_body, Role::query);
    add(blk + "attn_k.weight", layer + "self_attn.k_proj.weight", keys, s.hidden, m_body, Role::key);
    add(blk + "attn_v.weight", layer + "self_attn.v_proj.weight", keys, s.hidden, precious);
    add(blk + "attn_output.weight", layer + "self_attn.o_proj.weight", s.hidden, queries, m_body);
    add(blk + "ffn_norm.weight", layer + "post_attention_layernorm.weight", 1, s.hidden, m_body, Role::norm);
    add(blk + "ffn_gate.weight", layer + "mlp.gate_proj.weight", s.feedForward, s.hidden, m_body);
    add(blk + "ffn_up.weight", layer + "mlp.up_proj.weight", s.feedForward, s.hidden, m_body);
    add(blk + "ffn_down.weight", layer + "mlp.down_proj.weight", s.hidden, s.feedForward, precious);
  }
  add("output_norm.weight", "model.norm.weight", 1, s.hidden, m_body, Role::norm);
  if (!s.tied) add("output.weight", "lm_head.weight", s.vocabulary, s.hidden, headType());
}

// Converters permute q and k for GGUF: row 2j + s of a head is row s * headDim / 2 + j of the published weights.
std::int64_t Synthesis::publishedRow(const SynthTensor& tensor, std::int64_t row) const {
  if (!isGguf() || (tensor.role != Role::query && tensor.role != Role::key)) return row;
  const std::int64_t inHead = row % m_shape.headDim;
  return row - inHead + inHead % 2 * (m_shape.headDim / 2) + inHead / 2;
}

Result<void> Synthesis::emitNorm(const SynthTensor& tensor, const Sink& sink) const {
  Random random(mix(m_options.seed, tensor.huggingFace));
  std::vector<float> values(static_cast<std::size_t>(tensor.shape.elements()));
  // Rounded so that F32, F16 and BF16 files hold the same values.
  for (float& value : values) value = bfloatToFloat(floatToBfloat(1.0F + weightDeviation * random.gaussian()));
  std::vector<std::byte> bytes(bytesOf(tensor.type, values.size()));
  traits(tensor.type).quantize(values.data(), bytes.data(), values.size());
  return sink(bytes);
}

Result<void> Synthesis::emit(const SynthTensor& tensor, const Sink& sink) {
  if (tensor.role == Role::norm) return emitNorm(tensor, sink);
  const Pool& blocks = pool(tensor.type);
  const std::uint64_t seed = mix(m_options.seed, tensor.huggingFace);
  const auto perRow = static_cast<std::size_t>(tensor.shape.columns()) / blocks.elements();
  std::vector<std::byte> piece;
  piece.reserve(pieceBytes + perRow * blocks.blockBytes());
  for (std::int64_t row = 0; row < tensor.shape.rows(); ++row) {
    Random random(seed + static_cast<std::uint64_t>(publishedRow(tensor, row)) * 0xd1342543de82ef95U);
    for (std::size_t i = 0; i < perRow; ++i) {
      const std::byte* block = blocks.block(random.next());
      piece.insert(piece.end(), block, block + blocks.blockBytes());
    }
    if (piece.size() < pieceBytes) continue;
    MINERVA_TRY(sink(piece));
    piece.clear();
  }
  return piece.empty() ? Result<void>{} : sink(piece);
}

void Synthesis::describe(GgufWriter& writer) const {
  const auto number = [](int value) { return static_cast<std::uint32_t>(value); };
  writer.set("general.architecture", "llama");
  writer.set("general.type", "model");
  writer.set("general.name", "synthetic " + std::string(m_shape.name));
  writer.set("general.license", "CC0-1.0");
  writer.set("general.quantization_version", 2U);
  writer.set("llama.block_count", number(m_shape.layers));
  writer.set("llama.context_length", number(m_shape.context));
  writer.set("llama.embedding_length", number(m_shape.hidden));
  writer.set("llama.feed_forward_length", number(m_shape.feedForward));
  writer.set("llama.attention.head_count", number(m_shape.heads));
  writer.set("llama.attention.head_count_kv", number(m_shape.kvHeads));
  writer.set("llama.attention.key_length", number(m_shape.headDim));
  writer.set("llama.attention.value_length", number(m_shape.headDim));
  writer.set("llama.attention.layer_norm_rms_epsilon", 1e-5F);
  writer.set("llama.rope.dimension_count", number(m_shape.headDim));
  writer.set("llama.rope.freq_base", m_shape.ropeBase);
  writer.set("llama.vocab_size", number(m_shape.vocabulary));
  writer.set("tokenizer.ggml.model", "gpt2");
  writer.set("tokenizer.ggml.pre", "gpt-2");
  writer.set("tokenizer.ggml.tokens", m_vocabulary.tokens);
  writer.set("tokenizer.ggml.token_type", m_vocabulary.tokenTypes);
  writer.set("tokenizer.ggml.merges", m_vocabulary.merges);
  writer.set("tokenizer.ggml.bos_token_id", m_vocabulary.bos);
  writer.set("tokenizer.ggml.eos_token_id", m_vocabulary.eos);
  writer.set("tokenizer.ggml.add_bos_token", false);
  writer.set("tokenizer.chat_template", m_vocabulary.chatTemplate);
}

Result<void> Synthesis::writeGguf(const std::filesystem::path& out) {
  MINERVA_ASSIGN(GgufWriter writer, GgufWriter::create(out));
  describe(writer);
  for (const auto& tensor : m_tensors) writer.declare(tensor.gguf, tensor.type, tensor.shape);
  MINERVA_TRY(writer.begin());
  for (const auto& tensor : m_tensors) {
    MINERVA_TRY(emit(tensor, [&](std::span<const std::byte> bytes) { return writer.write(bytes); }));
  }
  return writer.finish();
}

std::string Synthesis::configJson() const {
  const char* dtype = m_body == ElementType::F32 ? "float32" : m_body == ElementType::F16 ? "float16" : "bfloat16";
  const nlohmann::ordered_json config = {
      {"architectures", {"LlamaForCausalLM"}}, {"model_type", "llama"}, {"attention_bias", false}, {"mlp_bias", false},
      {"bos_token_id", m_vocabulary.bos}, {"eos_token_id", m_vocabulary.eos}, {"head_dim", m_shape.headDim}, {"hidden_act", "silu"},
      {"hidden_size", m_shape.hidden}, {"intermediate_size", m_shape.feedForward}, {"max_position_embeddings", m_shape.context},
      {"num_attention_heads", m_shape.heads}, {"num_hidden_layers", m_shape.layers}, {"num_key_value_heads", m_shape.kvHeads},
      {"rms_norm_eps", 1e-5}, {"rope_scaling", nullptr}, {"rope_theta", m_shape.ropeBase}, {"tie_word_embeddings", m_shape.tied},
      {"torch_dtype", dtype}, {"vocab_size", m_shape.vocabulary}};
  return config.dump(2);
}

Result<void> writeText(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (file) return {};
  return fail({.kind = ErrorKind::io, .what = "The file cannot be written", .where = path.string(), .hint = "Check the folder and the free space."});
}

Result<void> Synthesis::writeHuggingFace(const std::filesystem::path& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  nlohmann::ordered_json tokenizer = {{"tokenizer_class", "PreTrainedTokenizerFast"}, {"bos_token", m_vocabulary.tokens[m_vocabulary.bos]},
                                      {"eos_token", m_vocabulary.tokens[m_vocabulary.eos]}, {"add_bos_token", false}, {"chat_template", m_vocabulary.chatTemplate}};
  const nlohmann::ordered_json generation = {{"bos_token_id", m_vocabulary.bos}, {"eos_token_id", m_vocabulary.eos}};
  MINERVA_TRY(writeText(folder / "config.json", configJson()));
  MINERVA_TRY(writeText(folder / "generation_config.json", generation.dump(2)));
  MINERVA_TRY(writeText(folder / "tokenizer_config.json", tokenizer.dump(2)));
  MINERVA_TRY(writeText(folder / "tokenizer.json", tokenizerJson(m_vocabulary)));

  std::vector<format::SafeTensorDescription> descriptions;
  for (const auto& tensor : m_tensors) {
    const auto dims = std::span(tensor.shape.dims).first(static_cast<std::size_t>(tensor.shape.rank));
    descriptions.push_back({tensor.huggingFace, std::string(traits(tensor.type).name), {dims.begin(), dims.end()},
                            bytesOf(tensor.type, static_cast<std::size_t>(tensor.shape.elements()))});
  }
  const auto path = folder / "model.safetensors";
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  const std::string header = format::safeTensorsHeader(descriptions, {{"format", "pt"}});
  file.write(header.data(), static_cast<std::streamsize>(header.size()));
  const Sink sink = [&](std::span<const std::byte> bytes) -> Result<void> {
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (file) return {};
    return fail({.kind = ErrorKind::io, .what = "The file cannot be written", .where = path.string(), .hint = "Check the free space."});
  };
  for (const auto& tensor : m_tensors) MINERVA_TRY(emit(tensor, sink));
  file.close();
  return sink({});
}

Error unknown(const char* what, std::string expected, const std::string& actual) {
  return {.kind = ErrorKind::invalidArgument, .what = what, .expected = "one of " + std::move(expected), .actual = actual};
}

struct Recipe {
  ElementType body;
  bool mixed;
};

std::optional<Recipe> recipeOf(const std::string& name) {
  if (name == "q4_k_m") return Recipe{ElementType::Q4_K, true};
  if (name == "q5_k_m") return Recipe{ElementType::Q5_K, true};
  const auto* type = findElementType(name);
  if (!type || !type->quantize || type->ggmlId == noGgmlId) return std::nullopt;
  return Recipe{type->type, false};
}

}  // namespace

std::vector<std::string> synthShapes() {
  std::vector<std::string> names;
  for (const auto& shape : synthShapeTable) names.emplace_back(shape.name);
  return names;
}

Result<void> writeSynthetic(const std::filesystem::path& out, const SynthOptions& options) {
  const auto* shape = std::ranges::find(synthShapeTable, std::string_view(options.shape), &SynthShape::name);
  if (shape == std::end(synthShapeTable)) {
    std::string known;
    for (const auto& name : synthShapes()) known += (known.empty() ? "" : ", ") + name;
    return fail(unknown("This shape is not known", known, options.shape));
  }
  const auto recipe = recipeOf(options.type);
  const bool plain = recipe && traits(recipe->body).blockElements == 1;
  if (!recipe || (options.format != format::FileFormat::gguf && !plain)) {
    std::string known = options.format == format::FileFormat::gguf ? "q4_k_m, q5_k_m" : "";
    for (const auto& type : allElementTypes()) {
      if (type.quantize && type.ggmlId != noGgmlId && (options.format == format::FileFormat::gguf || type.blockElements == 1)) known += (known.empty() ? "" : ", ") + std::string(type.name);
    }
    return fail(unknown("This type cannot be written in this format", known, options.type));
  }
  if (options.format == format::FileFormat::mlx) return fail(unknown("This format cannot be written yet", "GGUF, SafeTensors", "MLX"));
  Synthesis synthesis(*shape, options, recipe->body, recipe->mixed);
  return options.format == format::FileFormat::gguf ? synthesis.writeGguf(out) : synthesis.writeHuggingFace(out);
}

}  // namespace minerva::convert
