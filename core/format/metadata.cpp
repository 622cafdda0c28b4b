#include "core/format/metadata.h"

#include "core/format/byte_reader.h"
#include "core/format/readable.h"

#include <limits>

namespace minerva::format {

namespace {

const char* typeName(MetadataType type) {
  switch (type) {
    case MetadataType::uint8: return "uint8";
    case MetadataType::int8: return "int8";
    case MetadataType::uint16: return "uint16";
    case MetadataType::int16: return "int16";
    case MetadataType::uint32: return "uint32";
    case MetadataType::int32: return "int32";
    case MetadataType::float32: return "float32";
    case MetadataType::boolean: return "bool";
    case MetadataType::string: return "string";
    case MetadataType::array: return "array";
    case MetadataType::uint64: return "uint64";
    case MetadataType::int64: return "int64";
    case MetadataType::float64: return "float64";
  }
  return "unknown";
}

std::unexpected<Error> wrongType(std::string_view key, const char* expected, const MetadataValue& value) {
  std::string actual = typeName(value.type);
  if (const auto* array = std::get_if<MetadataArray>(&value.value)) actual += std::string(" of ") + typeName(array->type);
  return fail({.kind = ErrorKind::corrupt,
               .what = "A metadata key has the wrong type",
               .where = readable(key),
               .expected = expected,
               .actual = actual,
               .hint = "Convert the model again with a current converter, or download another copy."});
}

// Reads one element of a stored array; its bounds were validated when the file was opened.
template <class To>
std::optional<To> element(ByteReader& reader, MetadataType type) {
  const auto as = [&]<class From>(std::type_identity<From>) -> std::optional<To> {
    const auto value = reader.number<From>();
    return value ? std::optional<To>(static_cast<To>(*value)) : std::nullopt;
  };
  switch (type) {
    case MetadataType::uint8: return as(std::type_identity<std::uint8_t>{});
    case MetadataType::boolean: return as(std::type_identity<std::uint8_t>{});
    case MetadataType::int8: return as(std::type_identity<std::int8_t>{});
    case MetadataType::uint16: return as(std::type_identity<std::uint16_t>{});
    case MetadataType::int16: return as(std::type_identity<std::int16_t>{});
    case MetadataType::uint32: return as(std::type_identity<std::uint32_t>{});
    case MetadataType::int32: return as(std::type_identity<std::int32_t>{});
    case MetadataType::uint64: return as(std::type_identity<std::uint64_t>{});
    case MetadataType::int64: return as(std::type_identity<std::int64_t>{});
    case MetadataType::float32: return as(std::type_identity<float>{});
    case MetadataType::float64: return as(std::type_identity<double>{});
    case MetadataType::string:
    case MetadataType::array: return std::nullopt;
  }
  return std::nullopt;
}

bool isInteger(MetadataType type) {
  return type != MetadataType::float32 && type != MetadataType::float64 && type != MetadataType::string && type != MetadataType::array;
}

template <class T>
Result<std::optional<std::vector<T>>> arrayOf(std::string_view key, const MetadataValue& value, const char* expected, bool integersOnly) {
  const auto* array = std::get_if<MetadataArray>(&value.value);
  const bool fits = array && array->type != MetadataType::string && (!integersOnly || isInteger(array->type));
  if (!fits) return wrongType(key, expected, value);
  std::vector<T> out;
  out.reserve(static_cast<std::size_t>(array->count));
  ByteReader reader(array->bytes);
  for (std::uint64_t i = 0; i < array->count; ++i) {
    const auto number = element<T>(reader, array->type);
    if (!number) return wrongType(key, expected, value);
    out.push_back(*number);
  }
  return out;
}

}  // namespace

Result<std::optional<std::int64_t>> Metadata::integer(std::string_view key) const {
  const auto entry = m_entries.find(key);
  if (entry == m_entries.end()) return std::nullopt;
  const auto& value = entry->second.value;
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  const auto* number = std::get_if<std::uint64_t>(&value);
  if (!number) return wrongType(key, "an integer", entry->second);
  if (*number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return fail({.kind = ErrorKind::corrupt,
                 .what = "A metadata number is too large",
                 .where = readable(key),
                 .expected = "less than 2^63",
                 .actual = std::to_string(*number)});
  }
  return static_cast<std::int64_t>(*number);
}

Result<std::optional<double>> Metadata::number(std::string_view key) const {
  const auto entry = m_entries.find(key);
  if (entry == m_entries.end()) return std::nullopt;
  const auto& value = entry->second.value;
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* number = std::get_if<std::int64_t>(&value)) return static_cast<double>(*number);
  if (const auto* number = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*number);
  return wrongType(key, "a number", entry->second);
}

Result<std::optional<bool>> Metadata::boolean(std::string_view key) const {
  const auto entry = m_entries.find(key);
  if (entry == m_entries.end()) return std::nullopt;
  if (const auto* flag = std::get_if<bool>(&entry->second.value)) return *flag;
  return wrongType(key, "bool", entry->second);
}

Result<std::optional<std::string_view>> Metadata::string(std::string_view key) const {
  const auto entry = m_entries.find(key);
  if (entry == m_entries.end()) return std::nullopt;
  if (const auto* text = std::get_if<std::string_view>(&entry->second.value)) return *text;
  return wrongType(key, "string", entry->second);
}

Result<std::optional<std::vector<std::string_view>>> Metadata::strings(std::string_view key) const {
  const auto entry = m_entries.find(key);
  if (entry == m_entries.end()) return std::nullopt;
  const auto* array = std::get_if<MetadataArray>(&entry->second.value);
  if (!array || (array->type != MetadataType::string && array->count > 0)) {
    return wrongType(key, "array of strings", entry->second);
  }
  std::vector<std::string_view> out;
  out.reserve(static_cast<std::size_t>(array->count));
  ByteReader reader(array->bytes);
  for (std::uint64_t i = 0; i < array->count; ++i) {
    const auto text = reader.string();
    if (!text) return wrongType(key, "array of strings", entry->second);
    out.push_back(*text);
  }
  return out;
}

Result<std::optional<std::vector<std::int64_t>>> Metadata::integers(std::string_view key) const {
  const auto entry = m_entries.find(key);
  if (entry == m_entries.end()) return std::nullopt;
  return arrayOf<std::int64_t>(key, entry->second, "array of integers", true);
}

Result<std::optional<std::vector<double>>> Metadata::numbers(std::string_view key) const {
  const auto entry = m_entries.find(key);
  if (entry == m_entries.end()) return std::nullopt;
  return arrayOf<double>(key, entry->second, "array of numbers", false);
}

}  // namespace minerva::format
