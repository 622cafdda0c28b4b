#include "core/model/families/reader.h"

#include "core/format/text_config.h"
#include "core/tensor/arrangement.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace minerva::model {

namespace {

constexpr const char* damagedHint = "The model's files contradict each other; download them again.";
constexpr const char* layoutHint =
    "The model's files contradict each other, or MLX's tools wrote it in a layout that is not known yet; download them again, or choose the "
    "SafeTensors or the GGUF version.";

std::string shown(const nlohmann::json& value) {
  std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 60) + "...";
  return text;
}

std::string shown(double value) { return nlohmann::json(value).dump() == "null" ? std::to_string(value) : nlohmann::json(value).dump(); }

// Adds the file to errors of Metadata, which knows only its keys.
template <class T>
Result<T> inFile(Result<T> result, const format::ModelFile& file) {
  if (!result) result.error().where = file.path().string() + ", " + result.error().where;
  return result;
}

bool isPlainFloat(ElementType type) { return traits(type).kind == ElementKind::plain || type == ElementType::F64; }

}  // namespace

Reader::Reader(const format::ModelFile& file, std::string architecture) : m_file(file), m_architecture(std::move(architecture)) {
  const auto& config = file.huggingFace().config;
  if (isGguf() || !config.is_object()) return;
  m_textConfig = format::textConfigOf(config);
  m_names = textNamesOf(file);
}

std::string Reader::nameOf(Key key) const { return isGguf() ? m_architecture + "." + std::string(key.gguf) : std::string(key.huggingFace); }

std::string Reader::nameOf(TensorName name, int layer, std::string_view suffix) const {
  std::string text(isGguf() ? name.gguf : name.huggingFace);
  constexpr std::string_view usual = "model.layers.#.";
  if (!isGguf() && layer >= m_apartFrom && text.starts_with(usual))
    return m_apartPrefix + std::to_string(layer - m_apartFrom) + "." + text.substr(usual.size()) + std::string(suffix);
  if (const auto mark = text.find('#'); mark != std::string::npos) text.replace(mark, 1, std::to_string(layer));
  // PyTorch's name for a weight to which something is added when it is used.
  if (const std::string original = text + ".parametrizations" + std::string(suffix) + ".original"; !isGguf() && m_file.find(original))
    return original;
  return (isGguf() ? text : m_names.of(text)) + std::string(suffix);
}

Error Reader::invalid(Key key, std::string what, std::string expected, std::string actual) const {
  return {.kind = ErrorKind::corrupt,
          .what = std::move(what),
          .where = m_file.path().string() + ", " + nameOf(key),
          .expected = std::move(expected),
          .actual = std::move(actual),
          .hint = damagedHint};
}

const nlohmann::json* Reader::entry(Key key) const {
  const auto& config = m_file.huggingFace().config;
  if (key.huggingFace.empty() || !config.is_object()) return nullptr;
  if (m_textConfig) {
    const auto inner = m_textConfig->find(key.huggingFace);
    if (inner != m_textConfig->end()) return inner->is_null() ? nullptr : &*inner;
  }
  const auto found = config.find(key.huggingFace);
  return found == config.end() || found->is_null() ? nullptr : &*found;
}

Result<std::optional<std::int64_t>> Reader::integer(Key key) const {
  if (isGguf()) return key.gguf.empty() ? std::optional<std::int64_t>() : inFile(m_file.metadata().integer(nameOf(key)), m_file);
  const auto* value = entry(key);
  if (!value) return std::nullopt;
  const bool tooLarge = value->is_number_unsigned() && value->get<std::uint64_t>() > (std::uint64_t{1} << 62);
  if (!value->is_number_integer() || tooLarge)
    return fail(invalid(key, "A number in the model's config is not valid", "a whole number", shown(*value)));
  return value->get<std::int64_t>();
}

Result<std::optional<double>> Reader::number(Key key) const {
  if (isGguf()) return key.gguf.empty() ? std::optional<double>() : inFile(m_file.metadata().number(nameOf(key)), m_file);
  const auto* value = entry(key);
  if (!value) return std::nullopt;
  if (!value->is_number()) return fail(invalid(key, "A number in the model's config is not valid", "a number", shown(*value)));
  return value->get<double>();
}

Result<std::optional<bool>> Reader::boolean(Key key) const {
  if (isGguf()) return key.gguf.empty() ? std::optional<bool>() : inFile(m_file.metadata().boolean(nameOf(key)), m_file);
  const auto* value = entry(key);
  if (!value) return std::nullopt;
  if (!value->is_boolean()) return fail(invalid(key, "A boolean in the model's config is not valid", "true or false", shown(*value)));
  return value->get<bool>();
}

Result<std::optional<std::string>> Reader::string(Key key) const {
  if (isGguf()) {
    if (key.gguf.empty()) return std::nullopt;
    MINERVA_ASSIGN(const auto text, inFile(m_file.metadata().string(nameOf(key)), m_file));
    return text ? std::optional(std::string(*text)) : std::nullopt;
  }
  const auto* value = entry(key);
  if (!value) return std::nullopt;
  if (!value->is_string()) return fail(invalid(key, "A string in the model's config is not valid", "a string", shown(*value)));
  return value->get<std::string>();
}

Result<int> Reader::count(Key key, int limit, std::optional<int> otherwise) const {
  MINERVA_ASSIGN(const auto value, integer(key));
  if (!value && otherwise) return *otherwise;
  if (!value) return fail(invalid(key, "The model's config lacks " + nameOf(key), "a whole number", "nothing"));
  if (*value >= 1 && *value <= limit) return static_cast<int>(*value);
  return fail(invalid(key, "A number in the model's config is out of range", "1 to " + std::to_string(limit), std::to_string(*value)));
}

Result<std::vector<int>> Reader::counts(Key key, int layers, int limit, std::optional<int> otherwise) const {
  std::vector<std::int64_t> stored;
  const auto wanted = static_cast<std::size_t>(layers);
  const nlohmann::json* value = json(key);
  const auto& metadata = m_file.metadata().entries();
  const auto entry = metadata.find(nameOf(key));
  if (isGguf() && entry != metadata.end() && std::holds_alternative<format::MetadataArray>(entry->second.value)) {
    MINERVA_ASSIGN(const auto list, inFile(m_file.metadata().integers(nameOf(key)), m_file));
    if (list) stored = *list;
    MINERVA_ASSIGN(const int all, count({"block_count", ""}, Limits::layers, layers));
    if (all > layers && stored.size() == static_cast<std::size_t>(all)) stored.resize(wanted);
  } else if (value && value->is_array()) {
    for (const nlohmann::json& one : *value) stored.push_back(one.is_number_integer() ? one.get<std::int64_t>() : -1);
  } else {
    MINERVA_ASSIGN(const int all, count(key, limit, otherwise));
    return std::vector<int>(wanted, all);
  }
  const auto inRange = [&](std::int64_t one) { return one >= 0 && one <= limit; };
  if (stored.size() == wanted && std::ranges::all_of(stored, inRange)) return std::vector<int>(stored.begin(), stored.end());
  return fail(invalid(key, "A list in the model's config is not valid", std::to_string(layers) + " numbers up to " + std::to_string(limit),
                      std::to_string(stored.size()) + " numbers"));
}

Result<double> Reader::positive(Key key, double below, std::optional<double> otherwise) const {
  MINERVA_ASSIGN(const auto value, number(key));
  if (!value && otherwise) return *otherwise;
  if (!value) return fail(invalid(key, "The model's config lacks " + nameOf(key), "a number", "nothing"));
  if (std::isfinite(*value) && *value > 0 && *value < below) return *value;
  return fail(invalid(key, "A number in the model's config is out of range", "more than 0 and less than " + shown(below), shown(*value)));
}

bool Reader::has(TensorName name, int layer, std::string_view suffix) const { return m_file.find(nameOf(name, layer, suffix)) != nullptr; }

Result<TensorView> Reader::tensor(TensorName name, int layer, const Shape& shape, std::string_view suffix) {
  return tensor(nameOf(name, layer, suffix), shape);
}

bool Reader::lacksInAllLayers(std::string_view name) const {
  const auto withoutNumbers = [](std::string_view text) {
    std::string rest(text);
    std::erase_if(rest, [](char c) { return c >= '0' && c <= '9'; });
    return rest;
  };
  const std::string wanted = withoutNumbers(name);
  return std::ranges::none_of(m_file.tensors(), [&](const auto& tensor) { return withoutNumbers(tensor.name) == wanted; });
}

Result<TensorView> Reader::tensor(const std::string& full, const Shape& shape) {
  const TensorView* view = m_file.find(full);
  if (!view) {
    return fail({.kind = ErrorKind::corrupt,
                 .what = "The model lacks the tensor " + full,
                 .where = m_file.path().string(),
                 .expected = toString(shape),
                 .hint = m_file.format() == format::FileFormat::mlx && lacksInAllLayers(full) ? layoutHint : damagedHint});
  }
  const bool flat = shape.rank == 1 || (shape.rank == 2 && shape.rows() == 1);
  if (flat ? view->shape.elements() != shape.elements() : view->shape != shape) {
    return fail({.kind = ErrorKind::corrupt,
                 .what = "Tensor " + full + " does not have the shape given by the model's config",
                 .where = m_file.path().string(),
                 .expected = toString(shape),
                 .actual = toString(view->shape),
                 .hint = damagedHint});
  }
  if (shape.rank == 1 && !isPlainFloat(view->type)) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "Tensor " + full + " is a vector, which cannot be quantized",
                 .where = m_file.path().string(),
                 .expected = "F32, F16 or BF16",
                 .actual = std::string(traits(view->type).name)});
  }
  if (shape.rank > 1 && traits(view->type).kind == ElementKind::number) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "Tensor " + full + " has an element type that weights cannot have",
                 .where = m_file.path().string(),
                 .expected = "a float or a quantized type",
                 .actual = std::string(traits(view->type).name),
                 .hint = "Choose another copy of this model."});
  }
  if (m_taken.insert(full).second) m_parameters += static_cast<std::uint64_t>(shape.elements());
  TensorView out = *view;
  out.shape = shape;
  return out;
}

Result<TensorView> Reader::transposed(const TensorView& view, const std::string& name) const {
  if (!isPlainFloat(view.type)) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "Tensor " + name + " is quantized along the wrong dimension",
                 .where = m_file.path().string(),
                 .expected = "F32, F16 or BF16",
                 .actual = std::string(traits(view.type).name),
                 .hint = "Choose another copy of this model, such as a GGUF file."});
  }
  const bool stack = view.shape.rank == 3;
  const std::int64_t count = stack ? view.shape.dims[0] : 1, columns = view.shape.columns(), rows = view.shape.rows() / count;
  const Shape shape = stack ? stackShape(count, columns, rows) : matrixShape(columns, rows);
  return transposedGroups(view, shape, rows);
}

Result<Linear> rowsOf(const Linear& fused, std::int64_t first, std::int64_t rows) {
  // Of a slice the first scale counts from its first row.
  const std::int64_t share = fused.weight.apart() ? fused.weight.planes.rowsPerScale : 1, offset = first % share;
  if (offset != 0 && offset + rows > share && fused.weight.shape.rows() > share) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "The parts of a fused matrix share their scales",
                 .where = "rows " + std::to_string(first) + " to " + std::to_string(first + rows - 1),
                 .expected = "a part that begins at a multiple of " + std::to_string(share) + " rows",
                 .actual = std::to_string(first),
                 .hint = "Choose another copy of this model, such as a GGUF file."});
  }
  Linear out{sliceRows(fused.weight, first, rows), fused.bias};
  if (!fused.bias.empty()) {
    const std::size_t size = traits(fused.bias.type).blockBytes;
    out.bias.shape = vectorShape(rows);
    out.bias.bytes = fused.bias.bytes.subspan(static_cast<std::size_t>(first) * size, static_cast<std::size_t>(rows) * size);
  }
  return out;
}

Result<Linear> Reader::linear(TensorName name, int layer, std::int64_t rows, std::int64_t columns, Bias bias) {
  Linear out;
  MINERVA_ASSIGN(out.weight, tensor(name, layer, matrixShape(rows, columns)));
  if (bias == Bias::required || (bias == Bias::optional && has(name, layer, ".bias"))) {
    MINERVA_ASSIGN(out.bias, tensor(name, layer, vectorShape(rows), ".bias"));
  }
  return out;
}

Result<NormWeights> Reader::norm(TensorName name, int layer, std::int64_t size, Bias bias) {
  NormWeights out;
  MINERVA_ASSIGN(out.weight, tensor(name, layer, vectorShape(size)));
  if (bias == Bias::required || (bias == Bias::optional && has(name, layer, ".bias"))) {
    MINERVA_ASSIGN(out.bias, tensor(name, layer, vectorShape(size), ".bias"));
  }
  return out;
}

Result<void> Reader::refuseUnusedScales() const {
  constexpr std::string_view suffix = ".scale";
  for (const auto& tensor : m_file.tensors()) {
    if (!tensor.name.ends_with(suffix) || m_taken.contains(tensor.name)) continue;
    std::string weight = tensor.name.substr(0, tensor.name.size() - suffix.size());
    if (!weight.ends_with(".weight")) weight += ".weight";
    if (!m_taken.contains(weight) || !isPlainFloat(tensor.view.type)) continue;
    std::vector<float> values(static_cast<std::size_t>(tensor.view.shape.elements()));
    dequantizeRows(tensor.view, 0, static_cast<std::size_t>(tensor.view.shape.rows()), values.data());
    const auto other = std::ranges::find_if(values, [](float value) { return value != 1.0F; });
    if (other == values.end()) continue;
    return fail({.kind = ErrorKind::unsupported,
                 .what = "Tensor " + weight + " has a scale for the whole tensor, which is not supported",
                 .where = m_file.path().string(),
                 .expected = "no " + tensor.name + ", or 1 in it",
                 .actual = std::to_string(*other),
                 .hint = "Choose a copy of this model in another type."});
  }
  return {};
}

void Reader::warnAboutUnused(int layers, std::vector<std::string>& warnings) const {
  constexpr std::size_t shownAtMost = 3;
  std::size_t unused = 0, otherParts = 0, predicting = 0;
  std::string names;
  for (const auto& tensor : m_file.tensors()) {
    if (m_taken.contains(tensor.name) || tensor.name.ends_with("inv_freq")) continue;
    if (isGguf() ? isOfOtherPartInGguf(tensor.name) : isOfOtherPart(m_names, tensor.name)) {
      ++otherParts;
      continue;
    }
    if (predictsFurther(tensor.name, layers)) {
      ++predicting;
      continue;
    }
    if (++unused <= shownAtMost) names += (names.empty() ? "" : ", ") + tensor.name;
  }
  if (unused > 0) warnings.push_back(std::to_string(unused) + " tensors are not used: " + names + (unused > shownAtMost ? ", ..." : ""));
  if (otherParts > 0) {
    warnings.push_back("The model's parts for images and sound are not used (" + std::to_string(otherParts) +
                       " tensors); it reads text only");
  }
  if (predicting > 0) {
    warnings.push_back("The model's parts that predict the tokens after the next one are not used (" + std::to_string(predicting) +
                       " tensors)");
  }
}

}  // namespace minerva::model
