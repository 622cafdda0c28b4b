#include "core/model/families/reader.h"

#include <algorithm>
#include <cmath>

namespace minerva::model {

namespace {

constexpr const char* damagedHint = "The model's files contradict each other; download them again.";

std::string shown(const nlohmann::json& value) {
  std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 60) + "...";
  return text;
}

std::string shown(double value) { return nlohmann::json(value).dump() == "null" ? std::to_string(value) : nlohmann::json(value).dump(); }

// Metadata knows its keys, not its file.
template <class T>
Result<T> inFile(Result<T> result, const format::ModelFile& file) {
  if (!result) result.error().where = file.path().string() + ", " + result.error().where;
  return result;
}

bool isPlainFloat(ElementType type) { return traits(type).blockElements == 1; }

}  // namespace

std::string Reader::nameOf(Key key) const {
  return isGguf() ? m_architecture + "." + std::string(key.gguf) : std::string(key.huggingFace);
}

std::string Reader::nameOf(TensorName name, int layer, std::string_view suffix) const {
  std::string text(isGguf() ? name.gguf : name.huggingFace);
  if (const auto mark = text.find('#'); mark != std::string::npos) text.replace(mark, 1, std::to_string(layer));
  return text + std::string(suffix);
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
  const auto found = config.find(key.huggingFace);
  return found == config.end() || found->is_null() ? nullptr : &*found;
}

Result<std::optional<std::int64_t>> Reader::integer(Key key) const {
  if (isGguf()) return key.gguf.empty() ? std::optional<std::int64_t>() : inFile(m_file.metadata().integer(nameOf(key)), m_file);
  const auto* value = entry(key);
  if (!value) return std::nullopt;
  const bool tooLarge = value->is_number_unsigned() && value->get<std::uint64_t>() > (std::uint64_t{1} << 62);
  if (!value->is_number_integer() || tooLarge) return fail(invalid(key, "A number of the model's config is not valid", "a whole number", shown(*value)));
  return value->get<std::int64_t>();
}

Result<std::optional<double>> Reader::number(Key key) const {
  if (isGguf()) return key.gguf.empty() ? std::optional<double>() : inFile(m_file.metadata().number(nameOf(key)), m_file);
  const auto* value = entry(key);
  if (!value) return std::nullopt;
  if (!value->is_number()) return fail(invalid(key, "A number of the model's config is not valid", "a number", shown(*value)));
  return value->get<double>();
}

Result<std::optional<bool>> Reader::boolean(Key key) const {
  if (isGguf()) return key.gguf.empty() ? std::optional<bool>() : inFile(m_file.metadata().boolean(nameOf(key)), m_file);
  const auto* value = entry(key);
  if (!value) return std::nullopt;
  if (!value->is_boolean()) return fail(invalid(key, "A switch of the model's config is not valid", "true or false", shown(*value)));
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
  if (!value->is_string()) return fail(invalid(key, "A text of the model's config is not valid", "a text", shown(*value)));
  return value->get<std::string>();
}

Result<int> Reader::count(Key key, int limit, std::optional<int> otherwise) const {
  MINERVA_ASSIGN(const auto value, integer(key));
  if (!value && otherwise) return *otherwise;
  if (!value) return fail(invalid(key, "The model's config lacks " + nameOf(key), "a whole number", "nothing"));
  if (*value >= 1 && *value <= limit) return static_cast<int>(*value);
  return fail(invalid(key, "A number of the model's config is out of range", "1 to " + std::to_string(limit), std::to_string(*value)));
}

Result<double> Reader::positive(Key key, double below, std::optional<double> otherwise) const {
  MINERVA_ASSIGN(const auto value, number(key));
  if (!value && otherwise) return *otherwise;
  if (!value) return fail(invalid(key, "The model's config lacks " + nameOf(key), "a number", "nothing"));
  if (std::isfinite(*value) && *value > 0 && *value < below) return *value;
  return fail(invalid(key, "A number of the model's config is out of range", "more than 0 and less than " + shown(below), shown(*value)));
}

bool Reader::has(TensorName name, int layer, std::string_view suffix) const {
  return m_file.find(nameOf(name, layer, suffix)) != nullptr;
}

Result<TensorView> Reader::tensor(TensorName name, int layer, const Shape& shape, std::string_view suffix) {
  const std::string full = nameOf(name, layer, suffix);
  const TensorView* view = m_file.find(full);
  if (!view) {
    return fail({.kind = ErrorKind::corrupt,
                 .what = "The model lacks the tensor " + full,
                 .where = m_file.path().string(),
                 .expected = toString(shape),
                 .hint = damagedHint});
  }
  if (view->shape != shape) {
    return fail({.kind = ErrorKind::corrupt,
                 .what = "Tensor " + full + " has another shape than the model's config says",
                 .where = m_file.path().string(),
                 .expected = toString(shape),
                 .actual = toString(view->shape),
                 .hint = damagedHint});
  }
  if (shape.rank == 1 && !isPlainFloat(view->type)) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "Tensor " + full + " is quantized, which vectors never are",
                 .where = m_file.path().string(),
                 .expected = "F32, F16 or BF16",
                 .actual = std::string(traits(view->type).name)});
  }
  if (m_taken.insert(full).second) m_parameters += static_cast<std::uint64_t>(shape.elements());
  return *view;
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

void Reader::warnAboutUnused(std::vector<std::string>& warnings) const {
  constexpr std::size_t shownAtMost = 3;
  std::size_t unused = 0;
  std::string names;
  for (const auto& tensor : m_file.tensors()) {
    if (m_taken.contains(tensor.name) || tensor.name.ends_with("inv_freq")) continue;
    if (++unused <= shownAtMost) names += (names.empty() ? "" : ", ") + tensor.name;
  }
  if (unused > 0) warnings.push_back(std::to_string(unused) + " tensors are not used: " + names + (unused > shownAtMost ? ", ..." : ""));
}

}  // namespace minerva::model
