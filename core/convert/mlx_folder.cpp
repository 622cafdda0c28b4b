#include "core/convert/mlx_folder.h"

#include "core/format/model_file.h"
#include "core/convert/families.h"
#include "core/convert/mlx_quantize.h"
#include "core/convert/partial.h"
#include "core/format/safetensors.h"
#include "core/model/model_config.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <new>
#include <system_error>

namespace minerva::convert {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// Files copied unchanged: those that we read, and those that Transformers needs of the tokenizer and of the parts for images.
constexpr std::array companions{"tokenizer.json",
                                "tokenizer_config.json",
                                "tokenizer.model",
                                "tekken.json",
                                "tiktoken.model",
                                "qwen.tiktoken",
                                "generation_config.json",
                                "special_tokens_map.json",
                                "added_tokens.json",
                                "chat_template.jinja",
                                "chat_template.json",
                                "additional_chat_templates/tool_use.jinja",
                                "processor_config.json",
                                "preprocessor_config.json",
                                "vocab.json",
                                "vocab.txt",
                                "merges.txt",
                                "modules.json",
                                "config_sentence_transformers.json",
                                "sentence_bert_config.json"};
// Of each part that modules.json names: mlx_lm takes no part in these, and packs nothing of them.
constexpr std::array moduleFiles{"config.json", "model.safetensors"};

Error cannotWrite(const fs::path& path, std::string why) {
  return {.kind = ErrorKind::io,
          .what = "The file cannot be written",
          .where = path.string(),
          .actual = std::move(why),
          .hint = "Check the folder and the free space."};
}

// The output tensors of one source tensor.
struct Packed {
  std::vector<std::byte> codes, scales, biases;
};

class MlxWriting {
 public:
  MlxWriting(const format::ModelFile& model, const model::ModelConfig& config, const MlxOptions& options)
      : m_model(model), m_options(options) {
    for (const format::NamedTensor& tensor : model.tensors()) {
      const auto isPart = [&](const format::SentenceModule& module) { return tensor.name.starts_with(module.folder + "/"); };
      if (std::ranges::none_of(model.huggingFace().modules, isPart)) m_tensors.push_back(&tensor);
    }
    m_bare = model.find("embed_tokens.weight") != nullptr;
    const Family* family = findFamily(model.huggingFace().config, config);
    if (family && family->wholeNormsInMlx) m_normPlus = config.normPlus;
  }
  Result<ConvertReport> write(const fs::path& folder);

 private:
  [[nodiscard]] bool packs(const format::NamedTensor& tensor) const;
  void describe();
  [[nodiscard]] std::vector<std::byte> wholeNorm(const TensorView& view) const;
  [[nodiscard]] Packed pack(const TensorView& view) const;
  Result<void> writeConfig(const fs::path& folder) const;
  Result<void> copyCompanions(const fs::path& folder) const;
  Result<void> copyFile(const fs::path& folder, const fs::path& name) const;
  [[nodiscard]] std::string nameOf(const format::NamedTensor& tensor) const { return (m_bare ? "model." : "") + tensor.name; }
  Result<void> writeWeights(const fs::path& path);
  Result<void> checkCancel() const;

  const format::ModelFile& m_model;
  const MlxOptions& m_options;
  float m_normPlus = 0;                               // added to norms
  bool m_bare = false;                                // embedding models may lack the "model." of the names, which mlx_lm needs
  std::vector<const format::NamedTensor*> m_tensors;  // of the model itself
  std::vector<format::SafeTensorDescription> m_descriptions;
  ConvertReport m_report;
};

// The norms of a delta net and of the part for images are stored whole by everyone.
bool isNormWithoutOne(const format::NamedTensor& tensor) {
  const bool whole = tensor.name.ends_with("linear_attn.norm.weight") || tensor.name.find("visual.") != std::string::npos;
  return tensor.view.shape.rank == 1 && tensor.name.ends_with("norm.weight") && !whole;
}

// mlx_lm packs the layers that multiply or embed, but one; a convolution has another rank.
bool MlxWriting::packs(const format::NamedTensor& tensor) const {
  const Shape& shape = tensor.view.shape;
  if (tensor.name.ends_with("per_layer_model_projection.weight")) return false;
  return shape.rank == 2 && tensor.name.ends_with(".weight") && shape.columns() % m_options.group == 0;
}

void MlxWriting::describe() {
  for (const format::NamedTensor* one : m_tensors) {
    const format::NamedTensor& tensor = *one;
    const Shape& shape = tensor.view.shape;
    const std::string name = nameOf(tensor), dtype(traits(tensor.view.type).name);
    const auto dims = std::span(shape.dims).first(static_cast<std::size_t>(shape.rank));
    m_report.parameters += static_cast<std::uint64_t>(shape.elements());
    if (!packs(tensor)) {
      m_descriptions.push_back({name, dtype, {dims.begin(), dims.end()}, tensor.view.bytes.size()});
      continue;
    }
    const std::int64_t words = shape.columns() * m_options.bits / 32, groups = shape.columns() / m_options.group;
    const std::string layer = name.substr(0, name.size() - std::string_view(".weight").size());
    const auto perScale = static_cast<std::int64_t>(traits(tensor.view.type).blockBytes);
    m_descriptions.push_back({name, "U32", {shape.rows(), words}, static_cast<std::uint64_t>(shape.rows() * words * 4)});
    for (const char* part : {".scales", ".biases"})
      m_descriptions.push_back({layer + part, dtype, {shape.rows(), groups}, static_cast<std::uint64_t>(shape.rows() * groups * perScale)});
  }
  for (const auto& description : m_descriptions) m_report.bytes += description.bytes;
}

std::vector<std::byte> MlxWriting::wholeNorm(const TensorView& view) const {
  std::vector<float> values(static_cast<std::size_t>(view.shape.elements()));
  dequantizeRows(view, 0, 1, values.data());
  for (float& value : values) value += m_normPlus;
  std::vector<std::byte> bytes(view.bytes.size());
  traits(view.type).quantize(values.data(), bytes.data(), values.size());
  return bytes;
}

Packed MlxWriting::pack(const TensorView& view) const {
  const auto columns = static_cast<std::size_t>(view.shape.columns()), rows = static_cast<std::size_t>(view.shape.rows());
  const auto group = static_cast<std::size_t>(m_options.group);
  const ElementTypeTraits& scale = traits(view.type);
  Packed packed;
  packed.codes.resize(rows * columns * static_cast<std::size_t>(m_options.bits) / 8);
  packed.scales.resize(rows * (columns / group) * scale.blockBytes);
  packed.biases.resize(packed.scales.size());
  std::vector<float> values(columns);
  std::vector<std::uint8_t> codes(columns);
  std::size_t at = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    dequantizeRows(view, row, 1, values.data());
    for (std::size_t first = 0; first < columns; first += group, at += scale.blockBytes) {
      const MlxGroup made =
          quantizeMlxGroup(std::span(values).subspan(first, group), m_options.bits, view.type, std::span(codes).subspan(first, group));
      scale.quantize(&made.scale, packed.scales.data() + at, 1);
      scale.quantize(&made.bias, packed.biases.data() + at, 1);
    }
    const std::size_t rowBytes = packed.codes.size() / rows;
    packMlxCodes(codes, m_options.bits, std::span(packed.codes).subspan(row * rowBytes, rowBytes));
  }
  return packed;
}

Result<void> MlxWriting::writeConfig(const fs::path& folder) const {
  Json config = m_model.huggingFace().config;
  config["quantization"] = {{"group_size", m_options.group}, {"bits", m_options.bits}};
  config["quantization_config"] = config["quantization"];
  std::ofstream file(folder / "config.json", std::ios::binary | std::ios::trunc);
  file << config.dump(4);
  file.close();
  return file ? Result<void>() : Result<void>(fail(cannotWrite(folder / "config.json", {})));
}

// If there is such a file.
Result<void> MlxWriting::copyFile(const fs::path& folder, const fs::path& name) const {
  std::error_code problem;
  const fs::path from = fs::is_directory(m_model.path(), problem) ? m_model.path() : m_model.path().parent_path();
  if (!fs::exists(from / name, problem)) return {};
  fs::create_directories((folder / name).parent_path(), problem);
  fs::copy_file(from / name, folder / name, problem);
  if (problem) return fail(cannotWrite(folder / name, problem.message()));
  return {};
}

Result<void> MlxWriting::copyCompanions(const fs::path& folder) const {
  for (const char* name : companions) MINERVA_TRY(copyFile(folder, name));
  for (const format::SentenceModule& module : m_model.huggingFace().modules) {
    for (const char* name : moduleFiles) MINERVA_TRY(copyFile(folder, fs::path(module.folder) / name));
  }
  return {};
}

Result<void> MlxWriting::checkCancel() const {
  if (!m_options.cancel.stop_requested()) return {};
  return fail({.kind = ErrorKind::cancelled, .what = "The conversion was cancelled"});
}

Result<void> MlxWriting::writeWeights(const fs::path& path) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  const std::string header = format::safeTensorsHeader(m_descriptions, {{"format", "mlx"}});
  file.write(header.data(), static_cast<std::streamsize>(header.size()));
  ConvertProgress progress;
  progress.bytesTotal = m_report.bytes;
  progress.tensors = m_tensors.size();
  const auto put = [&](std::span<const std::byte> bytes) {
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    progress.bytesDone += bytes.size();
  };
  for (const format::NamedTensor* one : m_tensors) {
    const format::NamedTensor& tensor = *one;
    MINERVA_TRY(checkCancel());
    progress.name = tensor.name;
    if (packs(tensor)) {
      const Packed packed = pack(tensor.view);
      for (const auto* part : {&packed.codes, &packed.scales, &packed.biases}) put(*part);
    } else if (m_normPlus != 0 && isNormWithoutOne(tensor)) {
      put(wholeNorm(tensor.view));
    } else {
      put(tensor.view.bytes);
    }
    ++progress.tensor;
    if (m_options.progress) m_options.progress(progress);
  }
  file.close();
  return file ? Result<void>() : Result<void>(fail(cannotWrite(path, {})));
}

Result<ConvertReport> MlxWriting::write(const fs::path& folder) {
  describe();
  MINERVA_TRY(writeWeights(folder / "model.safetensors"));
  MINERVA_TRY(writeConfig(folder));
  MINERVA_TRY(copyCompanions(folder));
  return m_report;
}

Result<void> checkSource(const format::ModelFile& model) {
  if (model.format() == format::FileFormat::safetensors) {
    const auto coded = std::ranges::find_if(
        model.tensors(), [](const format::NamedTensor& tensor) { return traits(tensor.view.type).kind != ElementKind::plain; });
    if (coded == model.tensors().end()) return {};
    return fail({.kind = ErrorKind::unsupported,
                 .what = "The weights are already quantized",
                 .where = model.path().string(),
                 .expected = "F32, F16 or BF16",
                 .actual = coded->name + " is " + std::string(traits(coded->view.type).name),
                 .hint = "Make the copy from the unquantized model."});
  }
  return fail({.kind = ErrorKind::unsupported,
               .what = "An MLX folder can only be made from a SafeTensors folder",
               .where = model.path().string(),
               .expected = "SafeTensors",
               .actual = format::name(model.format())});
}

Result<void> checkFamily(const format::ModelFile& model, const model::ModelConfig& config) {
  const Family* family = findFamily(model.huggingFace().config, config);
  if (family == nullptr) return {};
  Error error{.kind = ErrorKind::unsupported,
              .what = "mlx_lm has no models of this kind",
              .where = model.path().string(),
              .expected = "a model that predicts tokens, or an embedding model made from one",
              .actual = config.family,
              .hint = "Make a GGUF file instead."};
  const auto encoders = encoderFamilies();
  if (family >= encoders.data() && family < encoders.data() + encoders.size()) return fail(std::move(error));
  if (family->transposedRank != 2) return {};
  error.what = "A model whose matrices are stored transposed cannot be written as MLX";
  error.expected = "matrices [outputs, inputs]";
  return fail(std::move(error));
}

}  // namespace

Result<ConvertReport> convertToMlx(const format::ModelFile& model, const fs::path& out, const MlxOptions& options) try {
  if (mlxType(options.bits, options.group, ElementType::F32) == nullptr) {
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = "MLX has no such quantization",
                 .expected = "2, 3, 4, 5, 6 or 8 bits in groups of 32, 64 or 128",
                 .actual = std::to_string(options.bits) + " bits in groups of " + std::to_string(options.group)});
  }
  MINERVA_TRY(checkSource(model));
  MINERVA_TRY(refuseReplacing(model, out));
  MINERVA_ASSIGN(const model::ModelConfig config, model::readModelConfig(model));
  MINERVA_TRY(checkFamily(model, config));
  Partial partial(out);
  MINERVA_TRY(partial.makeFolder());
  MINERVA_ASSIGN(ConvertReport report, MlxWriting(model, config, options).write(partial.path()));
  MINERVA_ASSIGN(const auto written, format::ModelFile::open(partial.path()));  // read back before it gets its name
  MINERVA_TRY(model::readModelConfig(*written));
  MINERVA_TRY(partial.keep());
  return report;
} catch (const std::bad_alloc&) {
  return tooLittleMemoryFor(model);
}

}  // namespace minerva::convert
