#include "core/convert/convert.h"

#include "core/base/processors.h"
#include "core/base/thread_pool.h"
#include "core/convert/part_rows.h"
#include "core/convert/partial.h"
#include "core/convert/verify.h"
#include "core/model/model_config.h"
#include "core/tensor/arrangement.h"

#include <algorithm>
#include <cstdint>
#include <new>
#include <optional>
#include <sys/mman.h>
#include <unistd.h>

namespace minerva::convert {

namespace {

using Path = std::filesystem::path;

class Conversion {
 public:
  // config: null when the model is a GGUF file, whose metadata is copied.
  Conversion(const format::ModelFile& model, const model::ModelConfig* config, const Recipe& recipe, const ConvertOptions& options)
      : m_model(model),
        m_config(config),
        m_recipe(recipe),
        m_options(options),
        m_threads(options.threads > 0 ? options.threads : physicalCores()) {}

  Result<ConvertReport> write(const Path& path);
  [[nodiscard]] const Source& source() const { return m_source; }

 private:
  void chooseTypes();
  Result<void> writeTensor(const SourceTensor& tensor, ElementType type, GgufWriter& writer);
  Result<void> writeZeros(const SourceTensor& tensor, ElementType type, GgufWriter& writer);
  Result<void> writePart(const SourceTensor& tensor, std::size_t index, ElementType type, GgufWriter& writer);
  Result<void> emit(std::span<const std::byte> bytes, const SourceTensor& tensor, GgufWriter& writer);

  const format::ModelFile& m_model;
  const model::ModelConfig* m_config;
  const Recipe& m_recipe;
  const ConvertOptions& m_options;
  ThreadPool m_threads;
  Source m_source;
  std::vector<ElementType> m_types;
  ConvertProgress m_progress;
};

bool isQuantized(ElementType type) { return traits(type).blockElements > 1; }

// Expert tensors published in MXFP4 stay MXFP4 in a 16-bit file: 16 bits would add no precision and quadruple their size.
bool staysMxfp4(const SourceTensor& tensor, ElementType wanted) {
  const TensorView& part = tensor.parts.front();
  const bool half = wanted == ElementType::F16 || wanted == ElementType::BF16;
  return half && part.type == ElementType::MXFP4_PLANES && part.shape.rank == 3 && tensor.transposed.rows == 0;
}

void Conversion::chooseTypes() {
  std::vector<std::string> names;
  for (const SourceTensor& tensor : m_source.tensors) names.push_back(tensor.name);
  const TypeChooser chooser(m_recipe, m_source.facts, names);
  bool requantized = false;
  for (const SourceTensor& tensor : m_source.tensors) {
    ElementType type = ElementType::F32;
    if (!tensor.parts.empty()) {
      const ElementType from = tensor.parts.front().type;
      type = chooser.choose(tensor.name, tensor.shape,
                            m_config == nullptr ? from : ElementType::F32);  // llama.cpp's converter writes unquantized tensors as F32
      if (staysMxfp4(tensor, type)) type = ElementType::MXFP4;
      const bool same = from == type || (from == ElementType::MXFP4_PLANES && type == ElementType::MXFP4);
      requantized = requantized || (!same && isQuantized(from) && isQuantized(type));
    }
    m_types.push_back(type);
    m_progress.bytesTotal += bytesOf(type, static_cast<std::size_t>(tensor.shape.elements()));
  }
  m_progress.tensors = m_source.tensors.size();
  if (requantized)
    m_source.warnings.emplace_back("The weights were already quantized; a copy made from the original would be more accurate");
}

Result<void> Conversion::emit(std::span<const std::byte> bytes, const SourceTensor& tensor, GgufWriter& writer) {
  if (m_options.cancel.stop_requested()) return fail({.kind = ErrorKind::cancelled, .what = "The conversion was cancelled"});
  MINERVA_TRY(writer.write(bytes));
  m_progress.bytesDone += bytes.size();
  m_progress.name = tensor.name;
  if (m_options.progress) m_options.progress(m_progress);
  return {};
}

Result<void> Conversion::writePart(const SourceTensor& tensor, std::size_t index, ElementType type, GgufWriter& writer) {
  const TensorView& part = tensor.parts[index];
  PartRows rows(tensor, index, type);
  if (rows.isCopy()) {
    for (std::size_t at = 0; at < part.bytes.size(); at += pieceElements) {
      MINERVA_TRY(emit(part.bytes.subspan(at, std::min(pieceElements, part.bytes.size() - at)), tensor, writer));
    }
    return {};
  }
  const std::size_t perPiece = std::clamp<std::size_t>(pieceElements / rows.columns(), 1, rows.rows());
  for (std::size_t first = 0; first < rows.rows(); first += perPiece) {
    MINERVA_ASSIGN(const auto bytes, rows.convert(first, std::min(perPiece, rows.rows() - first), m_threads));
    MINERVA_TRY(emit(bytes, tensor, writer));
  }
  return {};
}

// Evicts a tensor's pages once it has been converted, so that the resident set does not grow to the size of the model.
// The mapping stays valid: touching the bytes again reads them back from the file.
void pageOut(std::span<const std::byte> bytes) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<std::uintptr_t>(bytes.data()) + page - 1) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(bytes.data() + bytes.size()) / page * page;
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_PAGEOUT);
}

Result<void> Conversion::writeZeros(const SourceTensor& tensor, ElementType type, GgufWriter& writer) {
  if (tensor.zeroRows == 0) return {};
  const auto columns = static_cast<std::size_t>(tensor.shape.columns());
  const std::vector<float> zeros(columns);
  std::vector<std::byte> row(bytesOf(type, columns));
  traits(type).quantize(zeros.data(), row.data(), columns);
  for (std::int64_t i = 0; i < tensor.zeroRows; ++i) MINERVA_TRY(emit(row, tensor, writer));
  return {};
}

Result<void> Conversion::writeTensor(const SourceTensor& tensor, ElementType type, GgufWriter& writer) {
  if (tensor.parts.empty()) return emit(std::as_bytes(std::span(tensor.values)), tensor, writer);
  for (std::size_t i = 0; i < tensor.parts.size(); ++i) {
    const TensorView& part = tensor.parts[i];
    MINERVA_TRY(writePart(tensor, i, type, writer));
    for (const auto bytes : sourceOf(part, 0, static_cast<std::size_t>(part.shape.rows()))) pageOut(bytes);
  }
  return writeZeros(tensor, type, writer);
}

Result<ConvertReport> Conversion::write(const Path& path) {
  MINERVA_ASSIGN(GgufWriter writer, GgufWriter::create(path));
  MINERVA_ASSIGN(m_source, m_config == nullptr ? describeGguf(m_model, writer) : describeHuggingFace(m_model, *m_config, writer));
  chooseTypes();
  MINERVA_TRY(checkSpace(path, m_progress.bytesTotal));
  writer.set("general.file_type", m_recipe.fileType);
  writer.set("general.quantization_version", 2U);
  for (std::size_t i = 0; i < m_source.tensors.size(); ++i) writer.declare(m_source.tensors[i].name, m_types[i], m_source.tensors[i].shape);
  MINERVA_TRY(writer.begin());
  ConvertReport report{.bytes = m_progress.bytesTotal, .parameters = 0, .warnings = m_source.warnings};
  for (std::size_t i = 0; i < m_source.tensors.size(); ++i) {
    m_progress.tensor = i;
    MINERVA_TRY(writeTensor(m_source.tensors[i], m_types[i], writer));
    report.parameters += static_cast<std::uint64_t>(m_source.tensors[i].shape.elements());
  }
  MINERVA_TRY(writer.finish());
  return report;
}

}  // namespace

Result<void> refuseReplacing(const format::ModelFile& model, const Path& out) {
  for (const Path& path : {out, partialName(out)}) {
    if (!model.reads(path)) continue;
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = "The copy would overwrite a file of the model it is made from",
                 .where = path.string(),
                 .hint = "Choose another name."});
  }
  return {};
}

std::unexpected<Error> tooLittleMemoryFor(const format::ModelFile& model) {
  return fail({.kind = ErrorKind::outOfMemory,
               .what = "There is not enough memory to convert the model",
               .where = model.path().string(),
               .hint = "Close other programs."});
}

std::vector<std::string> convertTypes() {
  std::vector<std::string> names;
  for (const Recipe& recipe : recipes()) names.emplace_back(recipe.name);
  return names;
}

Result<ConvertReport> convertToGguf(const format::ModelFile& model, const Path& out, const ConvertOptions& options) try {
  const Recipe* recipe = findRecipe(options.type);
  if (recipe == nullptr) {
    std::string known;
    for (const std::string& name : convertTypes()) known += (known.empty() ? "" : ", ") + name;
    return fail(
        {.kind = ErrorKind::invalidArgument, .what = "This type cannot be written", .expected = "one of " + known, .actual = options.type});
  }
  MINERVA_TRY(refuseReplacing(model, out));
  std::optional<model::ModelConfig> config;
  if (model.format() != format::FileFormat::gguf) {
    MINERVA_ASSIGN(config, model::readModelConfig(model));  // rejects an inconsistent config before anything is written
  }
  Partial partial(out);
  Conversion conversion(model, config ? &*config : nullptr, *recipe, options);
  MINERVA_ASSIGN(ConvertReport report, conversion.write(partial.path()));
  if (config && conversion.source().scalesInWeights) takeScalesOut(*config);
  MINERVA_TRY(verifyCopy(model, config ? &*config : nullptr, partial.path(), report.warnings));
  MINERVA_TRY(partial.keep());
  return report;
} catch (const std::bad_alloc&) {
  return tooLittleMemoryFor(model);
}

}  // namespace minerva::convert
