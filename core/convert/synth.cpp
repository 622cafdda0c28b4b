#include "core/convert/synth.h"

#include "core/convert/partial.h"
#include "core/convert/recipe.h"
#include "core/convert/synth_model.h"
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
constexpr std::size_t pieceBytes = std::size_t{1} << 20;  // bytes written at once

// SplitMix64 (Steele, Lea, Flood 2014): accepts any seed and is portable.
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

// A pool of quantized blocks of one type. A block of a plain float type is 32 elements here.
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

using Sink = std::function<Result<void>(std::span<const std::byte>)>;

class Synthesis {
 public:
  Synthesis(const SynthShape& shape, const SynthOptions& options, const SynthFamily& family, const SynthTypes& types,
            std::vector<SynthTensor> tensors)
      : m_shape(shape),
        m_options(options),
        m_family(family),
        m_types(types),
        m_vocabulary(synthVocabulary(shape.vocabulary)),
        m_tensors(std::move(tensors)) {}

  Result<void> writeGguf(const std::filesystem::path& out);
  Result<void> writeHuggingFace(const std::filesystem::path& folder);

 private:
  // Extracts codes or scales from every block: SafeTensors folders store MXFP4 as two tensors.
  enum class Part { whole, codes, scales };
  [[nodiscard]] std::int64_t publishedRow(const SynthTensor& tensor, std::int64_t row) const;
  void describe(GgufWriter& writer) const;
  [[nodiscard]] std::string configJson() const;
  [[nodiscard]] std::vector<format::SafeTensorDescription> descriptions() const;
  Result<void> writeTexts(const std::filesystem::path& folder) const;
  Result<void> emit(const SynthTensor& tensor, Part part, const Sink& sink);
  Result<void> emitValues(const SynthTensor& tensor, const Sink& sink) const;
  Result<void> emitTransposed(const SynthTensor& tensor, const Sink& sink);
  void appendRow(const SynthTensor& tensor, Part part, std::int64_t row, std::vector<std::byte>& to);
  const Pool& pool(ElementType type);

  const SynthShape& m_shape;
  const SynthOptions& m_options;
  const SynthFamily& m_family;
  SynthTypes m_types;
  SynthVocabulary m_vocabulary;
  std::vector<SynthTensor> m_tensors;
  std::map<ElementType, Pool> m_pools;
};

const Pool& Synthesis::pool(ElementType type) { return m_pools.try_emplace(type, type, m_options.seed).first->second; }

std::int64_t Synthesis::publishedRow(const SynthTensor& tensor, std::int64_t row) const {
  if (!m_types.gguf) return row;
  const std::int64_t inHead = tensor.headDim > 0 ? row % tensor.headDim : 0;
  switch (tensor.order) {
    case SynthOrder::published:
    case SynthOrder::transposed: return row;
    case SynthOrder::rotated: return row - inHead + inHead % 2 * (tensor.headDim / 2) + inHead / 2;
    case SynthOrder::firstOfPair: return 2 * row;
    case SynthOrder::secondOfPair: return 2 * row + 1;
  }
  return row;
}

// Vectors and other tensors generated element by element.
bool isValues(const SynthTensor& tensor) {
  constexpr std::int64_t shortRow = 32;
  return tensor.shape.rank == 1 || tensor.huggingFace.ends_with("_bias") || tensor.mean != 0 || tensor.shape.columns() < shortRow;
}

const std::string& seedNameOf(const SynthTensor& tensor) { return tensor.huggingFace.empty() ? tensor.gguf : tensor.huggingFace; }

Result<void> Synthesis::emitValues(const SynthTensor& tensor, const Sink& sink) const {
  if (!tensor.values.empty()) return sink(std::as_bytes(std::span(tensor.values)));
  Random random(mix(m_options.seed, seedNameOf(tensor)));
  std::vector<float> values(static_cast<std::size_t>(tensor.shape.elements()));
  std::int64_t made = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    // Rounded to BF16 precision so that F32, F16 and BF16 files hold the same values.
    for (const std::int64_t wanted = publishedRow(tensor, static_cast<std::int64_t>(i)); made <= wanted; ++made) {
      values[i] = bfloatToFloat(floatToBfloat(tensor.mean + weightDeviation * random.gaussian()));
    }
  }
  std::vector<std::byte> bytes(bytesOf(tensor.type, values.size()));
  traits(tensor.type).quantize(values.data(), bytes.data(), values.size());
  return sink(bytes);
}

// GGUF's block: a scale, then codes 0 to 15 in the lower halves of 16 bytes and 16 to 31 in the upper. Folders have the
// codes in pairs, the even one in the lower half.
void appendCodes(const std::byte* block, std::vector<std::byte>& out) {
  const auto code = [block](int i) { return i < 16 ? block[1 + i] & std::byte{15} : block[1 + i - 16] >> 4; };
  for (int i = 0; i < 32; i += 2) out.push_back(code(i) | code(i + 1) << 4);
}

void Synthesis::appendRow(const SynthTensor& tensor, Part part, std::int64_t row, std::vector<std::byte>& to) {
  const Pool& blocks = pool(tensor.type);
  const auto count = static_cast<std::size_t>(tensor.shape.columns()) / blocks.elements();
  const std::uint64_t seed = mix(m_options.seed, seedNameOf(tensor));
  Random random(seed + static_cast<std::uint64_t>(publishedRow(tensor, row)) * 0xd1342543de82ef95U);
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* block = blocks.block(random.next());
    if (part == Part::whole) to.insert(to.end(), block, block + blocks.blockBytes());
    else if (part == Part::scales) to.push_back(block[0]);
    else appendCodes(block, to);
  }
}

// Of a stack of plain floats.
Result<void> Synthesis::emitTransposed(const SynthTensor& tensor, const Sink& sink) {
  const auto rows = static_cast<std::size_t>(tensor.shape.dims[1]), columns = static_cast<std::size_t>(tensor.shape.columns());
  const std::size_t size = traits(tensor.type).blockBytes;
  std::vector<std::byte> matrix, turned(rows * columns * size);
  for (std::int64_t first = 0; first < tensor.shape.rows(); first += tensor.shape.dims[1]) {
    matrix.clear();
    for (std::int64_t row = 0; row < tensor.shape.dims[1]; ++row) appendRow(tensor, Part::whole, first + row, matrix);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < columns; ++column)
        std::copy_n(&matrix[(row * columns + column) * size], size, &turned[(column * rows + row) * size]);
    }
    MINERVA_TRY(sink(turned));
  }
  return {};
}

Result<void> Synthesis::emit(const SynthTensor& tensor, Part part, const Sink& sink) {
  if (isValues(tensor)) return emitValues(tensor, sink);
  if (tensor.order == SynthOrder::transposed) return emitTransposed(tensor, sink);
  std::vector<std::byte> piece;
  for (std::int64_t row = 0; row < tensor.shape.rows(); ++row) {
    appendRow(tensor, part, row, piece);
    if (piece.size() < pieceBytes) continue;
    MINERVA_TRY(sink(piece));
    piece.clear();
  }
  return piece.empty() ? Result<void>{} : sink(piece);
}

void Synthesis::describe(GgufWriter& writer) const {
  const auto number = [](int value) { return static_cast<std::uint32_t>(value); };
  const std::string own = std::string(m_family.name) + ".";
  writer.set("general.architecture", m_family.name);
  writer.set("general.type", "model");
  writer.set("general.name", "synthetic " + std::string(m_shape.name));
  writer.set("general.license", "CC0-1.0");
  writer.set("general.quantization_version", 2U);
  writer.set(own + "block_count", number(m_shape.layers));
  writer.set(own + "context_length", number(m_shape.context));
  writer.set(own + "embedding_length", number(m_shape.hidden));
  writer.set(own + "feed_forward_length", number(m_shape.feedForward));
  writer.set(own + "attention.head_count", number(m_shape.heads));
  if (!m_family.statesHeads) {
    writer.set(own + "attention.head_count_kv", number(m_shape.kvHeads));
    writer.set(own + "attention.key_length", number(m_shape.headDim));
    writer.set(own + "attention.value_length", number(m_shape.headDim));
  }
  writer.set(own + "attention.layer_norm_rms_epsilon", 1e-5F);
  writer.set(own + "rope.freq_base", m_shape.ropeBase);
  writer.set(own + "vocab_size", number(m_shape.vocabulary));
  m_family.describe(m_shape, writer);
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
  if (m_options.hollow) return writer.finishHollow();
  for (const auto& tensor : m_tensors) {
    MINERVA_TRY(emit(tensor, Part::whole, [&](std::span<const std::byte> bytes) { return writer.write(bytes); }));
  }
  return writer.finish();
}

std::string Synthesis::configJson() const {
  const ElementType vectors = m_types.vectors();
  const char* dtype = vectors == ElementType::F32 ? "float32" : vectors == ElementType::F16 ? "float16" : "bfloat16";
  nlohmann::ordered_json config = {{"bos_token_id", m_vocabulary.bos},
                                   {"eos_token_id", m_vocabulary.eos},
                                   {"head_dim", m_shape.headDim},
                                   {"hidden_act", "silu"},
                                   {"hidden_size", m_shape.hidden},
                                   {"intermediate_size", m_shape.feedForward},
                                   {"max_position_embeddings", m_shape.context},
                                   {"num_attention_heads", m_shape.heads},
                                   {"num_hidden_layers", m_shape.layers},
                                   {"num_key_value_heads", m_shape.kvHeads},
                                   {"rms_norm_eps", 1e-5},
                                   {"rope_theta", m_shape.ropeBase},
                                   {"tie_word_embeddings", m_shape.tied},
                                   {"torch_dtype", dtype},
                                   {"vocab_size", m_shape.vocabulary}};
  m_family.configure(m_shape, m_types, config);
  return config.dump(2);
}

Result<void> writeText(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (file) return {};
  return fail({.kind = ErrorKind::io,
               .what = "The file cannot be written",
               .where = path.string(),
               .hint = "Check the folder and the free space."});
}

Result<void> Synthesis::writeTexts(const std::filesystem::path& folder) const {
  const nlohmann::ordered_json tokenizer = {{"tokenizer_class", "PreTrainedTokenizerFast"},
                                            {"bos_token", m_vocabulary.tokens[m_vocabulary.bos]},
                                            {"eos_token", m_vocabulary.tokens[m_vocabulary.eos]},
                                            {"add_bos_token", false},
                                            {"chat_template", m_vocabulary.chatTemplate}};
  const nlohmann::ordered_json generation = {{"bos_token_id", m_vocabulary.bos}, {"eos_token_id", m_vocabulary.eos}};
  MINERVA_TRY(writeText(folder / "config.json", configJson()));
  MINERVA_TRY(writeText(folder / "generation_config.json", generation.dump(2)));
  MINERVA_TRY(writeText(folder / "tokenizer_config.json", tokenizer.dump(2)));
  return writeText(folder / "tokenizer.json", tokenizerJson(m_vocabulary));
}

std::vector<format::SafeTensorDescription> Synthesis::descriptions() const {
  std::vector<format::SafeTensorDescription> all;
  for (const auto& tensor : m_tensors) {
    const auto dims = std::span(tensor.shape.dims).first(static_cast<std::size_t>(tensor.shape.rank));
    std::vector<std::int64_t> shape(dims.begin(), dims.end());
    const auto elements = static_cast<std::size_t>(tensor.shape.elements());
    if (tensor.order == SynthOrder::transposed) std::swap(shape[1], shape[2]);
    if (tensor.type != ElementType::MXFP4) {
      all.push_back({tensor.huggingFace, std::string(traits(tensor.type).name), shape, bytesOf(tensor.type, elements)});
      continue;
    }
    shape.back() /= 32;
    all.push_back({tensor.huggingFace + "_scales", "U8", shape, elements / 32});
    shape.push_back(16);
    all.push_back({tensor.huggingFace + "_blocks", "U8", shape, elements / 2});
  }
  return all;
}

Result<void> Synthesis::writeHuggingFace(const std::filesystem::path& folder) {
  MINERVA_TRY(writeTexts(folder));
  const auto path = folder / "model.safetensors";
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  const std::string header = format::safeTensorsHeader(descriptions(), {{"format", "pt"}});
  file.write(header.data(), static_cast<std::streamsize>(header.size()));
  const Sink sink = [&](std::span<const std::byte> bytes) -> Result<void> {
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (file) return {};
    return fail({.kind = ErrorKind::io, .what = "The file cannot be written", .where = path.string(), .hint = "Check the free space."});
  };
  for (const auto& tensor : m_tensors) {
    const bool apart = tensor.type == ElementType::MXFP4;
    if (apart) MINERVA_TRY(emit(tensor, Part::scales, sink));
    MINERVA_TRY(emit(tensor, apart ? Part::codes : Part::whole, sink));
  }
  file.close();
  return sink({});
}

Error unknown(const char* what, std::string expected, const std::string& actual) {
  return {.kind = ErrorKind::invalidArgument, .what = what, .expected = "one of " + std::move(expected), .actual = actual};
}

struct Mix {
  ElementType body;
  bool mixed;
};

std::optional<Mix> mixOf(const std::string& name) {
  if (name == "q4_k_m") return Mix{ElementType::Q4_K, true};
  if (name == "q5_k_m") return Mix{ElementType::Q5_K, true};
  const auto* type = findElementType(name);
  if (!type || !type->quantize || type->ggmlId == noGgmlId) return std::nullopt;
  return Mix{type->type, false};
}

constexpr const SynthFamily* synthFamilies[] = {&synthLlama,         &synthGptOss, &synthQwen35,   &synthQwen3Next,
                                                &synthGraniteHybrid, &synthGemma4, &synthDeepseek2};

// What a converter to this type would give each tensor.
void chooseTypes(const SynthShape& shape, const SynthFamily& family, const Mix& mix, std::vector<SynthTensor>& tensors) {
  std::vector<std::string> names;
  for (const SynthTensor& tensor : tensors) names.push_back(tensor.gguf);
  const Recipe recipe{.name = {}, .body = mix.body, .fileType = 0, .mixed = mix.mixed};
  const TypeChooser chooser(recipe, {std::string(family.name), shape.layers, shape.heads, shape.kvHeads, shape.experts}, names);
  for (SynthTensor& tensor : tensors) tensor.type = chooser.choose(tensor.gguf, tensor.shape, ElementType::F32);
}

}  // namespace

std::vector<std::string> synthShapes() {
  std::vector<std::string> names;
  for (const auto& shape : synthShapeTable) names.emplace_back(shape.name);
  return names;
}

Result<void> writeSynthetic(const std::filesystem::path& out, const SynthOptions& options) {
  const auto* published = std::ranges::find(synthShapeTable, std::string_view(options.shape), &SynthShape::name);
  if (published == std::end(synthShapeTable)) {
    std::string known;
    for (const auto& name : synthShapes()) known += (known.empty() ? "" : ", ") + name;
    return fail(unknown("This shape is not known", known, options.shape));
  }
  constexpr int mostLayers = 1024;
  if (options.layers < 0 || options.layers > mostLayers) {
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = "A model cannot have this number of layers",
                 .expected = "0 (as published) to " + std::to_string(mostLayers),
                 .actual = std::to_string(options.layers)});
  }
  SynthShape shape = *published;
  if (options.layers > 0) shape.layers = options.layers;
  const auto recipe = mixOf(options.type);
  const SynthFamily& family = **std::ranges::find(synthFamilies, shape.family, [](const SynthFamily* f) { return f->name; });
  const bool asPublished = recipe && recipe->body == ElementType::MXFP4 && shape.experts > 0;
  const bool plain = recipe && (traits(recipe->body).blockElements == 1 || asPublished);
  if (!recipe || (options.format != format::FileFormat::gguf && !plain)) {
    std::string known = options.format == format::FileFormat::gguf ? "q4_k_m, q5_k_m" : "";
    for (const auto& type : allElementTypes()) {
      if (type.quantize && type.ggmlId != noGgmlId && (options.format == format::FileFormat::gguf || type.blockElements == 1))
        known += (known.empty() ? "" : ", ") + std::string(type.name);
    }
    return fail(unknown("This type cannot be written in this format", known, options.type));
  }
  if (options.format == format::FileFormat::mlx) return fail(unknown("This format cannot be written yet", "GGUF, SafeTensors", "MLX"));
  const bool gguf = options.format == format::FileFormat::gguf;
  if (!gguf && options.hollow) return fail(unknown("A model without weights cannot be written in this format", "GGUF", "SafeTensors"));
  if (!gguf && family.configure == nullptr) return fail(unknown("This shape cannot be written in this format", "GGUF", "SafeTensors"));
  const SynthTypes types{recipe->body, recipe->mixed, gguf};
  std::vector<SynthTensor> tensors = family.tensors(shape, types);
  if (family.configure == nullptr) chooseTypes(shape, family, *recipe, tensors);
  Synthesis synthesis(shape, options, family, types, std::move(tensors));
  Partial partial(out);
  if (!gguf) MINERVA_TRY(partial.makeFolder());
  MINERVA_TRY(gguf ? synthesis.writeGguf(partial.path()) : synthesis.writeHuggingFace(partial.path()));
  return partial.keep();
}

}  // namespace minerva::convert
