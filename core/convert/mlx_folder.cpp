#include "core/convert/mlx_folder.h"

#include "core/base/cpu_features.h"
#include "core/base/thread_pool.h"
#include "core/format/model_file.h"
#include "core/convert/families.h"
#include "core/convert/mlx_layout.h"
#include "core/convert/mlx_quantize.h"
#include "core/convert/part_rows.h"
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

class MlxWriting {
 public:
  MlxWriting(const format::ModelFile& model, const model::ModelConfig& config, const MlxOptions& options)
      : m_model(model),
        m_options(options),
        m_layout(mlxLayout(model, config, options)),
        m_threads(options.threads > 0 ? options.threads : physicalCores()) {}
  Result<ConvertReport> write(const fs::path& folder);

 private:
  void describe();
  void quantizeRow(std::span<const float> values, std::size_t row, const MlxTensor& tensor);
  [[nodiscard]] Result<void> writePacked(const MlxTensor& tensor);
  [[nodiscard]] Result<void> writePlain(const MlxTensor& tensor);
  [[nodiscard]] Result<void> put(std::span<const std::byte> bytes);
  Result<void> writeConfig(const fs::path& folder) const;
  Result<void> copyCompanions(const fs::path& folder) const;
  Result<void> copyFile(const fs::path& folder, const fs::path& name) const;
  Result<void> writeWeights(const fs::path& path);

  const format::ModelFile& m_model;
  const MlxOptions& m_options;
  MlxLayout m_layout;
  ThreadPool m_threads;
  std::vector<format::SafeTensorDescription> m_descriptions;
  ConvertReport m_report;
  ConvertProgress m_progress;
  std::ofstream m_file;
  fs::path m_path;
  std::vector<std::byte> m_codes, m_scales, m_biases;  // of a few rows
};

std::string layerOfWeight(const MlxTensor& tensor) {
  return tensor.source.name.substr(0, tensor.source.name.size() - std::string_view(".weight").size());
}

void MlxWriting::describe() {
  for (const MlxTensor& tensor : m_layout.tensors) {
    const Shape& shape = tensor.source.shape;
    const std::string dtype(traits(tensor.stored()).name);
    std::vector<std::int64_t> dims(shape.dims.begin(), shape.dims.begin() + shape.rank);
    const auto elements = static_cast<std::size_t>(shape.elements());
    m_report.parameters += elements;
    if (tensor.bits == 0) {
      m_descriptions.push_back({tensor.source.name, dtype, dims, bytesOf(tensor.stored(), elements)});
      continue;
    }
    dims.back() = shape.columns() * tensor.bits / 32;
    m_descriptions.push_back({tensor.source.name, "U32", dims, elements * static_cast<std::size_t>(tensor.bits) / 8});
    dims.back() = shape.columns() / tensor.group;
    for (const char* part : {".scales", ".biases"}) {
      m_descriptions.push_back(
          {layerOfWeight(tensor) + part, dtype, dims, bytesOf(tensor.stored(), elements / static_cast<std::size_t>(tensor.group))});
    }
  }
  for (const auto& description : m_descriptions) m_report.bytes += description.bytes;
}

Result<void> MlxWriting::put(std::span<const std::byte> bytes) {
  if (m_options.cancel.stop_requested()) return fail({.kind = ErrorKind::cancelled, .what = "The conversion was cancelled"});
  m_file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!m_file) return fail(cannotWrite(m_path, {}));
  m_progress.bytesDone += bytes.size();
  if (m_options.progress) m_options.progress(m_progress);
  return {};
}

Result<void> MlxWriting::writePlain(const MlxTensor& tensor) {
  for (std::size_t i = 0; i < tensor.source.parts.size(); ++i) {
    PartRows rows(tensor.source, i, tensor.stored());
    if (rows.isCopy()) {
      MINERVA_TRY(put(tensor.source.parts[i].bytes));
      continue;
    }
    const std::size_t perPiece = std::clamp<std::size_t>(pieceElements / rows.columns(), 1, rows.rows());
    for (std::size_t first = 0; first < rows.rows(); first += perPiece) {
      MINERVA_ASSIGN(const auto bytes, rows.convert(first, std::min(perPiece, rows.rows() - first), m_threads));
      MINERVA_TRY(put(bytes));
    }
  }
  return {};
}

// row: of the rows at hand.
void MlxWriting::quantizeRow(std::span<const float> values, std::size_t row, const MlxTensor& tensor) {
  const auto group = static_cast<std::size_t>(tensor.group), groups = values.size() / group;
  const ElementTypeTraits& scale = traits(tensor.stored());
  std::vector<std::uint8_t> codes(values.size());
  for (std::size_t i = 0; i < groups; ++i) {
    const MlxGroup made =
        quantizeMlxGroup(values.subspan(i * group, group), tensor.bits, tensor.stored(), std::span(codes).subspan(i * group, group));
    const std::size_t at = (row * groups + i) * scale.blockBytes;
    scale.quantize(&made.scale, m_scales.data() + at, 1);
    scale.quantize(&made.bias, m_biases.data() + at, 1);
  }
  const std::size_t rowBytes = values.size() * static_cast<std::size_t>(tensor.bits) / 8;
  packMlxCodes(codes, tensor.bits, std::span(m_codes).subspan(row * rowBytes, rowBytes));
}

// The codes of all rows are in the file before the first scale.
Result<void> MlxWriting::writePacked(const MlxTensor& tensor) {
  std::vector<std::byte> scales, biases;
  for (std::size_t part = 0; part < tensor.source.parts.size(); ++part) {
    PartRows rows(tensor.source, part, ElementType::F32);
    const std::size_t columns = rows.columns(), perPiece = std::clamp<std::size_t>(pieceElements / columns, 1, rows.rows());
    for (std::size_t first = 0; first < rows.rows(); first += perPiece) {
      const std::size_t count = std::min(perPiece, rows.rows() - first);
      MINERVA_ASSIGN(const auto bytes, rows.convert(first, count, m_threads));
      const auto* values = reinterpret_cast<const float*>(bytes.data());
      m_codes.resize(count * columns * static_cast<std::size_t>(tensor.bits) / 8);
      m_scales.resize(bytesOf(tensor.stored(), count * columns / static_cast<std::size_t>(tensor.group)));
      m_biases.resize(m_scales.size());
      m_threads.run([&](int thread) {
        const auto all = static_cast<std::size_t>(m_threads.size()), mine = static_cast<std::size_t>(thread);
        for (std::size_t row = count * mine / all; row < count * (mine + 1) / all; ++row)
          quantizeRow({values + row * columns, columns}, row, tensor);
      });
      MINERVA_TRY(put(m_codes));
      scales.insert(scales.end(), m_scales.begin(), m_scales.end());
      biases.insert(biases.end(), m_biases.begin(), m_biases.end());
    }
  }
  MINERVA_TRY(put(scales));
  return put(biases);
}

Result<void> MlxWriting::writeConfig(const fs::path& folder) const {
  Json config = m_model.huggingFace().config;
  config["quantization"] = {{"group_size", m_options.group}, {"bits", m_options.bits}};
  for (const MlxTensor& tensor : m_layout.tensors) {
    if (tensor.ownBits && tensor.bits > 0)
      config["quantization"][layerOfWeight(tensor)] = {{"group_size", tensor.group}, {"bits", tensor.bits}};
  }
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

Result<void> MlxWriting::writeWeights(const fs::path& path) {
  m_path = path;
  m_file.open(path, std::ios::binary | std::ios::trunc);
  const std::string header = format::safeTensorsHeader(m_descriptions, {{"format", "mlx"}});
  m_file.write(header.data(), static_cast<std::streamsize>(header.size()));
  m_progress.bytesTotal = m_report.bytes;
  m_progress.tensors = m_layout.tensors.size();
  for (const MlxTensor& tensor : m_layout.tensors) {
    m_progress.name = tensor.source.name;
    MINERVA_TRY(tensor.bits > 0 ? writePacked(tensor) : writePlain(tensor));
    ++m_progress.tensor;
  }
  m_file.close();
  return m_file ? Result<void>() : Result<void>(fail(cannotWrite(path, {})));
}

Result<ConvertReport> MlxWriting::write(const fs::path& folder) {
  describe();
  MINERVA_TRY(checkSpace(folder, m_report.bytes));
  if (m_layout.predicting > 0) {
    m_report.warnings.push_back("The part that predicts further tokens is left out: " + std::to_string(m_layout.predicting) + " tensors");
  }
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
