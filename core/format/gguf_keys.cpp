#include "core/format/gguf_keys.h"

#include "core/base/utf8.h"
#include "core/format/readable.h"

namespace minerva::format {

namespace {

constexpr std::uint64_t maxKeyLength = 65535;  // the specification's limit
constexpr int maxArrayDepth = 8;

std::size_t sizeOf(MetadataType type) {
  switch (type) {
    case MetadataType::uint8:
    case MetadataType::int8:
    case MetadataType::boolean: return 1;
    case MetadataType::uint16:
    case MetadataType::int16: return 2;
    case MetadataType::uint32:
    case MetadataType::int32:
    case MetadataType::float32: return 4;
    case MetadataType::uint64:
    case MetadataType::int64:
    case MetadataType::float64: return 8;
    case MetadataType::string:
    case MetadataType::array: return 0;
  }
  return 0;
}

class KeyReader {
 public:
  KeyReader(GgufCursor& cursor, std::uint64_t count, Metadata& keys) : m_cursor(cursor), m_count(count), m_keys(keys) {}

  Result<void> read() {
    for (std::uint64_t i = 0; i < m_count; ++i) MINERVA_TRY(readKey(i));
    return {};
  }

 private:
  Result<void> readKey(std::uint64_t index);
  Result<MetadataValue> readValue(MetadataType type, std::string_view key);
  Result<MetadataValue> readScalar(MetadataType type, std::string_view key);
  Result<MetadataArray> readArray(std::string_view key, int depth);
  Result<void> skipTexts(std::uint64_t count, std::string_view key);

  GgufCursor& m_cursor;
  std::uint64_t m_count;
  Metadata& m_keys;
};

Result<void> KeyReader::readKey(std::uint64_t index) {
  const std::string which = "metadata key " + std::to_string(index + 1) + " of " + std::to_string(m_count);
  const auto key = m_cursor.reader.string();
  if (!key) return m_cursor.truncated("the name of " + which);
  if (!isValidGgufName(*key)) {
    return m_cursor.corrupt("The name of " + which + " is not valid", "1 to 65535 bytes of UTF-8 without NUL",
                            key->empty() ? "an empty name" : "\"" + readable(*key) + "\"");
  }
  const auto type = m_cursor.reader.number<std::uint32_t>();
  if (!type) return m_cursor.truncated("metadata key " + readable(*key));
  MINERVA_ASSIGN(MetadataValue value, readValue(static_cast<MetadataType>(*type), *key));
  if (!m_keys.entries().emplace(std::string(*key), std::move(value)).second) {
    return m_cursor.corrupt("The metadata key " + readable(*key) + " occurs twice");
  }
  return {};
}

Result<MetadataValue> KeyReader::readValue(MetadataType type, std::string_view key) {
  if (type == MetadataType::array) {
    MINERVA_ASSIGN(const MetadataArray array, readArray(key, 1));
    return MetadataValue{type, array};
  }
  if (type == MetadataType::string) {
    const auto text = m_cursor.reader.string();
    if (!text) return m_cursor.truncated("the string of metadata key " + readable(key));
    if (!utf8::isValid(*text))
      m_cursor.builder.warn("The metadata key " + readable(key) + " is not valid UTF-8: \"" + readable(*text) + "\"");
    return MetadataValue{type, *text};
  }
  return readScalar(type, key);
}

Result<MetadataValue> KeyReader::readScalar(MetadataType type, std::string_view key) {
  MetadataValue out{type, std::int64_t{0}};
  const auto take = [&]<class Stored, class Kept>(std::type_identity<Stored>, std::type_identity<Kept>) {
    const auto value = m_cursor.reader.number<Stored>();
    if (value) out.value = static_cast<Kept>(*value);
    return value.has_value();
  };
  constexpr std::type_identity<std::int64_t> asSigned;
  constexpr std::type_identity<std::uint64_t> asUnsigned;
  constexpr std::type_identity<double> asDouble;
  bool complete = false;
  switch (type) {
    case MetadataType::uint8: complete = take(std::type_identity<std::uint8_t>{}, asUnsigned); break;
    case MetadataType::uint16: complete = take(std::type_identity<std::uint16_t>{}, asUnsigned); break;
    case MetadataType::uint32: complete = take(std::type_identity<std::uint32_t>{}, asUnsigned); break;
    case MetadataType::uint64: complete = take(std::type_identity<std::uint64_t>{}, asUnsigned); break;
    case MetadataType::int8: complete = take(std::type_identity<std::int8_t>{}, asSigned); break;
    case MetadataType::int16: complete = take(std::type_identity<std::int16_t>{}, asSigned); break;
    case MetadataType::int32: complete = take(std::type_identity<std::int32_t>{}, asSigned); break;
    case MetadataType::int64: complete = take(std::type_identity<std::int64_t>{}, asSigned); break;
    case MetadataType::float32: complete = take(std::type_identity<float>{}, asDouble); break;
    case MetadataType::float64: complete = take(std::type_identity<double>{}, asDouble); break;
    case MetadataType::boolean: {
      const auto flag = m_cursor.reader.number<std::uint8_t>();
      if (flag && *flag > 1) {
        return m_cursor.corrupt("The metadata key " + readable(key) + " is not a valid bool", "0 or 1", std::to_string(*flag));
      }
      if (flag) out.value = *flag == 1;
      complete = flag.has_value();
      break;
    }
    default:
      return m_cursor.corrupt("The metadata key " + readable(key) + " has an unknown type", "a type from 0 to 12",
                              std::to_string(static_cast<std::uint32_t>(type)));
  }
  if (!complete) return m_cursor.truncated("metadata key " + readable(key));
  return out;
}

// Nested arrays are valid but unused by any known model; they are kept as raw bytes.
Result<MetadataArray> KeyReader::readArray(std::string_view key, int depth) {
  if (depth > maxArrayDepth) {
    return fail({.kind = ErrorKind::limit,
                 .what = "Metadata key " + readable(key) + " nests arrays too deeply",
                 .where = m_cursor.where,
                 .expected = "at most " + std::to_string(maxArrayDepth) + " levels",
                 .hint = GgufCursor::damagedHint});
  }
  const auto type = m_cursor.reader.number<std::uint32_t>();
  const auto count = m_cursor.reader.number<std::uint64_t>();
  if (!type || !count) return m_cursor.truncated("the array of metadata key " + readable(key));
  MetadataArray array{static_cast<MetadataType>(*type), *count, {}};
  if (*type > static_cast<std::uint32_t>(MetadataType::float64)) {
    return m_cursor.corrupt("The array of metadata key " + readable(key) + " has an unknown type", "a type from 0 to 12",
                            std::to_string(*type));
  }
  const std::size_t start = m_cursor.reader.position();
  const std::size_t smallest = array.type == MetadataType::string  ? sizeof(std::uint64_t)
                               : array.type == MetadataType::array ? sizeof(std::uint32_t) + sizeof(std::uint64_t)
                                                                   : sizeOf(array.type);
  if (array.count > m_cursor.reader.left() / smallest)
    return m_cursor.truncated("the array of metadata key " + readable(key), std::to_string(*count) + " elements");
  if (array.type == MetadataType::string) {
    MINERVA_TRY(skipTexts(array.count, key));
  } else if (array.type == MetadataType::array) {
    for (std::uint64_t i = 0; i < array.count; ++i) MINERVA_TRY(readArray(key, depth + 1));
  } else {
    (void)m_cursor.reader.bytes(array.count * smallest);
  }
  array.bytes = m_cursor.bytes.subspan(start, m_cursor.reader.position() - start);
  return array;
}

Result<void> KeyReader::skipTexts(std::uint64_t count, std::string_view key) {
  bool warned = false;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto text = m_cursor.reader.string();
    if (!text)
      return m_cursor.truncated("string " + std::to_string(i) + " of metadata key " + readable(key), std::to_string(count) + " strings");
    if (warned || utf8::isValid(*text)) continue;
    m_cursor.builder.warn("String " + std::to_string(i) + " of metadata key " + readable(key) + " is not valid UTF-8: \"" +
                          readable(*text) + "\"");
    warned = true;
  }
  return {};
}

}  // namespace

Result<void> readGgufKeys(GgufCursor& cursor, std::uint64_t count, Metadata& keys) { return KeyReader(cursor, count, keys).read(); }

bool isValidGgufName(std::string_view name) {
  return !name.empty() && name.size() <= maxKeyLength && name.find('\0') == std::string_view::npos && utf8::isValid(name);
}

}  // namespace minerva::format
