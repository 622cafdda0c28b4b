#include "core/convert/convert.h"

#include "core/base/thread_pool.h"
#include "core/convert/source.h"
#include "core/model/model_config.h"
#include "core/text/tokenizer.h"

#include <algorithm>
#include <cstdint>
#include <sys/mman.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace minerva::convert {

namespace {

using Path = std::filesystem::path;
constexpr std::size_t pieceElements = std::size_t{4} << 20;  // converted at a time: 16 MB of floats
constexpr std::uint64_t headerRoom = std::uint64_t{64} << 20;

// What both tokenizers must agree on before the file gets its name.
constexpr std::string_view probes[] = {
    "Hello, World!  It's 12345.678 o'clock; we'LL see\tTABS\n\n  indented\r\nfoo_bar(3, 'a b') // done?\n",
    "naïve café Straße абв 你好，世界。 日本語テキスト 한국어 العربية हिन्दी 😀👍🏽 ... $5 {\"k\": [1,2]} camelCase v2.0   end  "};

// A file that is written under another name and renamed when whole.
class PartialFile {
 public:
  explicit PartialFile(Path target) : m_target(std::move(target)), m_path(m_target.string() + ".partial") {}
  ~PartialFile() {
    std::error_code ignored;
    if (!m_kept) std::filesystem::remove(m_path, ignored);
  }
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;
  [[nodiscard]] const Path& path() const { return m_path; }
  Result<void> keep() {
    std::error_code problem;
    std::filesystem::rename(m_path, m_target, problem);
    if (problem) return fail({.kind = ErrorKind::io, .what = "The file cannot get its name", .where = m_target.string(), .actual = problem.message()});
    m_kept = true;
    return {};
  }

 private:
  Path m_target, m_path;
  bool m_kept = false;
};

class Conversion {
 public:
  Conversion(const format::ModelFile& model, const Recipe& recipe, const ConvertOptions& options)
      : m_model(model), m_recipe(recipe), m_options(options),
        m_threads(options.threads > 0 ? options.threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()))) {}

  Result<ConvertReport> write(const Path& path);

 private:
  void chooseTypes();
  Result<void> checkSpace(const Path& path) const;
  Result<void> writeTensor(const SourceTensor& tensor, ElementType type, GgufWriter& writer);
  Result<void> writePart(const SourceTensor& tensor, const TensorView& part, ElementType type, GgufWriter& writer);
  void convertRows(const SourceTensor& tensor, const TensorView& part, ElementType type, std::size_t first, std::size_t rows);
  Result<void> emit(std::span<const std::byte> bytes, const SourceTensor& tensor, GgufWriter& writer);

  const format::ModelFile& m_model;
  const Recipe& m_recipe;
  const ConvertOptions& m_options;
  ThreadPool m_threads;
  Source m_source;
  std::vector<ElementType> m_types;
  ConvertProgress m_progress;
  std::vector<float> m_values;
  std::vector<std::byte> m_bytes;
};

bool isRequantized(ElementType from, ElementType to) { return from != to && traits(from).blockElements > 1 && traits(to).blockElements > 1; }

void Conversion::chooseTypes() {
  std::vector<std::string> names;
  for (const SourceTensor& tensor : m_source.tensors) names.push_back(tensor.name);
  const TypeChooser chooser(m_recipe, m_source.facts, names);
  const bool fromHuggingFace = m_model.format() != format::FileFormat::gguf;
  bool requantized = false;
  for (const SourceTensor& tensor : m_source.tensors) {
    // Converters write what is not quantized as F32.
    const ElementType stored = tensor.parts.empty() || fromHuggingFace ? ElementType::F32 : tensor.parts.front().type;
    m_types.push_back(tensor.parts.empty() ? ElementType::F32 : chooser.choose(tensor.name, tensor.shape, stored));
    m_progress.bytesTotal += bytesOf(m_types.back(), static_cast<std::size_t>(tensor.shape.elements()));
    requantized = requantized || (!tensor.parts.empty() && isRequantized(tensor.parts.front().type, m_types.back()));
  }
  m_progress.tensors = m_source.tensors.size();
  if (requantized) m_source.warnings.emplace_back("The weights were quantized already; a copy made from the original would be closer to it");
}

Result<void> Conversion::checkSpace(const Path& path) const {
  std::error_code problem;
  const auto space = std::filesystem::space(path.parent_path().empty() ? Path(".") : path.parent_path(), problem);
  const std::uint64_t needed = m_progress.bytesTotal + headerRoom;
  if (problem || space.available >= needed) return {};  // where the system does not say, writing will
  return fail({.kind = ErrorKind::limit, .what = "There is not enough free space for the file", .where = path.string(),
               .expected = std::to_string(needed >> 20) + " MiB", .actual = std::to_string(space.available >> 20) + " MiB free",
               .hint = "Free some space, or choose another folder or a smaller type."});
}

Result<void> Conversion::emit(std::span<const std::byte> bytes, const SourceTensor& tensor, GgufWriter& writer) {
  if (m_options.cancel.stop_requested()) return fail({.kind = ErrorKind::cancelled, .what = "The conversion was cancelled"});
  MINERVA_TRY(writer.write(bytes));
  m_progress.bytesDone += bytes.size();
  m_progress.name = tensor.name;
  if (m_options.progress) m_options.progress(m_progress);
  return {};
}

// Rows [first, first + rows) of the written matrix into m_bytes.
void Conversion::convertRows(const SourceTensor& tensor, const TensorView& part, ElementType type, std::size_t first, std::size_t rows) {
  const auto columns = static_cast<std::size_t>(part.shape.columns());
  const std::size_t rowBytes = bytesOf(type, columns);
  const auto perHead = tensor.interleavedHeads > 0 ? static_cast<std::size_t>(part.shape.rows() / tensor.interleavedHeads) : 0;
  m_threads.run([&](int thread) {
    const std::size_t begin = rows * static_cast<std::size_t>(thread) / static_cast<std::size_t>(m_threads.size());
    const std::size_t end = rows * static_cast<std::size_t>(thread + 1) / static_cast<std::size_t>(m_threads.size());
    for (std::size_t i = begin; i < end; ++i) {
      std::size_t row = first + i;
      if (perHead > 0) {
        const std::size_t inHead = row % perHead;
        row += inHead % 2 * (perHead / 2) + inHead / 2 - inHead;
      }
      float* values = m_values.data() + i * columns;
      dequantizeRows(part, row, 1, values);
      traits(type).quantize(values, m_bytes.data() + i * rowBytes, columns);
    }
  });
}

// A vector counts as so many rows of one element where its rows are permuted.
TensorView asMatrix(TensorView view) {
  if (view.shape.rank == 1) view.shape = {.dims = {view.shape.dims[0], 1, 1, 1}, .rank = 2};
  return view;
}

Result<void> Conversion::writePart(const SourceTensor& tensor, const TensorView& part, ElementType type, GgufWriter& writer) {
  if (part.type == type && tensor.interleavedHeads == 0 && !part.apart()) {
    for (std::size_t at = 0; at < part.bytes.size(); at += pieceElements) {
      MINERVA_TRY(emit(part.bytes.subspan(at, std::min(pieceElements, part.bytes.size() - at)), tensor, writer));
    }
    return {};
  }
  const TensorView matrix = tensor.interleavedHeads > 0 ? asMatrix(part) : part;
  const auto columns = static_cast<std::size_t>(matrix.shape.columns()), rows = static_cast<std::size_t>(matrix.shape.rows());
  const std::size_t perPiece = std::clamp<std::size_t>(pieceElements / columns, 1, rows);
  m_values.resize(perPiece * columns);
  m_bytes.resize(perPiece * bytesOf(type, columns));
  for (std::size_t first = 0; first < rows; first += perPiece) {
    const std::size_t count = std::min(perPiece, rows - first);
    convertRows(tensor, matrix, type, first, count);
    MINERVA_TRY(emit(std::span(m_bytes).first(count * bytesOf(type, columns)), tensor, writer));
  }
  return {};
}

// Or the whole mapped model would lie in memory by the end. Harmless to any memory: what is asked for again is read again.
void pageOut(std::span<const std::byte> bytes) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<std::uintptr_t>(bytes.data()) + page - 1) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(bytes.data() + bytes.size()) / page * page;
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_PAGEOUT);
}

Result<void> Conversion::writeTensor(const SourceTensor& tensor, ElementType type, GgufWriter& writer) {
  if (tensor.parts.empty()) return emit(std::as_bytes(std::span(tensor.values)), tensor, writer);
  for (const TensorView& part : tensor.parts) {
    MINERVA_TRY(writePart(tensor, part, type, writer));
    pageOut(part.bytes);
  }
  return {};
}

Result<ConvertReport> Conversion::write(const Path& path) {
  MINERVA_ASSIGN(GgufWriter writer, GgufWriter::create(path));
  MINERVA_ASSIGN(m_source, m_model.format() == format::FileFormat::gguf ? describeGguf(m_model, writer) : describeHuggingFace(m_model, writer));
  chooseTypes();
  MINERVA_TRY(checkSpace(path));
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

// The new file must be a model of ours too, and read text as the old one does.
Result<void> verify(const format::ModelFile& model, const Path& written, ConvertReport& report) {
  MINERVA_ASSIGN(const auto file, format::ModelFile::open(written));
  if (model.format() != format::FileFormat::gguf) MINERVA_TRY(model::readModelConfig(*file));
  const auto before = text::createTokenizer(model), after = text::createTokenizer(*file);
  if (!before) return {};
  if (!after) return fail(after.error());
  for (const std::string_view probe : probes) {
    if ((*before)->encode(probe, {}) == (*after)->encode(probe, {})) continue;
    report.warnings.emplace_back("The new file's tokenizer splits some texts differently: GGUF cannot state this tokenizer exactly");
    break;
  }
  return {};
}

bool isPartOf(const format::ModelFile& model, const Path& out) {
  std::error_code ignored;
  return std::filesystem::equivalent(model.path(), out, ignored);
}

}  // namespace

std::vector<std::string> convertTypes() {
  std::vector<std::string> names;
  for (const Recipe& recipe : recipes()) names.emplace_back(recipe.name);
  return names;
}

Result<ConvertReport> convertToGguf(const format::ModelFile& model, const Path& out, const ConvertOptions& options) {
  const Recipe* recipe = findRecipe(options.type);
  if (recipe == nullptr) {
    std::string known;
    for (const std::string& name : convertTypes()) known += (known.empty() ? "" : ", ") + name;
    return fail({.kind = ErrorKind::invalidArgument, .what = "This type cannot be written", .expected = "one of " + known, .actual = options.type});
  }
  if (isPartOf(model, out)) {
    return fail({.kind = ErrorKind::invalidArgument, .what = "The copy would replace the model it is made from", .where = out.string(), .hint = "Choose another name."});
  }
  if (model.format() != format::FileFormat::gguf) MINERVA_TRY(model::readModelConfig(model));  // refuses what contradicts itself
  PartialFile partial(out);
  MINERVA_ASSIGN(ConvertReport report, Conversion(model, *recipe, options).write(partial.path()));
  MINERVA_TRY(verify(model, partial.path(), report));
  MINERVA_TRY(partial.keep());
  return report;
}

}  // namespace minerva::convert
