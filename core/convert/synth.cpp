#include "core/convert/synth.h"

#include "core/convert/partial.h"
#include "core/convert/recipe.h"
#include "core/convert/synth_model.h"
#include "core/convert/synth_vocabulary.h"
#include "core/convert/synth_weights.h"
#include "core/format/safetensors.h"

#include <algorithm>
#include <fstream>
#include <optional>

namespace minerva::convert {

namespace {

class Synthesis {
 public:
  Synthesis(const SynthShape& shape, const SynthOptions& options, const SynthFamily& family, const SynthTypes& types,
            std::vector<SynthTensor> tensors)
      : m_shape(shape),
        m_options(options),
        m_family(family),
        m_types(types),
        m_vocabulary(synthVocabulary(shape.vocabulary)),
        m_tensors(std::move(tensors)),
        m_weights(options.seed, types.gguf) {}

  Result<void> writeGguf(const std::filesystem::path& out);
  Result<void> writeHuggingFace(const std::filesystem::path& folder);

 private:
  void describe(GgufWriter& writer) const;
  [[nodiscard]] std::string configJson() const;
  [[nodiscard]] std::vector<format::SafeTensorDescription> descriptions() const;
  Result<void> writeTexts(const std::filesystem::path& folder) const;

  const SynthShape& m_shape;
  const SynthOptions& m_options;
  const SynthFamily& m_family;
  SynthTypes m_types;
  SynthVocabulary m_vocabulary;
  std::vector<SynthTensor> m_tensors;
  SynthWeights m_weights;
};

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
    MINERVA_TRY(m_weights.emit(tensor, SynthPart::whole, [&](std::span<const std::byte> bytes) { return writer.write(bytes); }));
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
  const SynthSink sink = [&](std::span<const std::byte> bytes) -> Result<void> {
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (file) return {};
    return fail({.kind = ErrorKind::io, .what = "The file cannot be written", .where = path.string(), .hint = "Check the free space."});
  };
  for (const auto& tensor : m_tensors) {
    const bool apart = tensor.type == ElementType::MXFP4;
    if (apart) MINERVA_TRY(m_weights.emit(tensor, SynthPart::scales, sink));
    MINERVA_TRY(m_weights.emit(tensor, apart ? SynthPart::codes : SynthPart::whole, sink));
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
  const RecipeMix mixes = mix.body == ElementType::Q4_K ? RecipeMix::q4km : RecipeMix::q5km;
  const Recipe recipe{.name = {}, .body = mix.body, .fileType = 0, .mix = mix.mixed ? mixes : RecipeMix::none};
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
