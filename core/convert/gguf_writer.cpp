#include "core/convert/gguf_writer.h"

#include <type_traits>
#include <utility>

namespace minerva::convert {

namespace {

constexpr std::uint64_t alignment = 32;
constexpr std::uint32_t version = 3;

// Ids of gguf_metadata_value_type.
enum : std::uint32_t { typeUint8 = 0, typeUint32 = 4, typeInt32 = 5, typeFloat32 = 6, typeBool = 7, typeString = 8, typeArray = 9 };

template <class T>
void append(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void appendText(std::string& out, std::string_view text) {
  append(out, static_cast<std::uint64_t>(text.size()));
  out += text;
}

void appendKey(std::string& out, std::string_view key, std::uint32_t type) {
  appendText(out, key);
  append(out, type);
}

// Calls use(T{}) with the C++ type of a numeric metadata id.
template <class Use>
void withNumberType(format::MetadataType type, Use use) {
  using Type = format::MetadataType;
  switch (type) {
    case Type::uint8: use(std::uint8_t{}); return;
    case Type::int8: use(std::int8_t{}); return;
    case Type::uint16: use(std::uint16_t{}); return;
    case Type::int16: use(std::int16_t{}); return;
    case Type::uint32: use(std::uint32_t{}); return;
    case Type::int32: use(std::int32_t{}); return;
    case Type::uint64: use(std::uint64_t{}); return;
    case Type::int64: use(std::int64_t{}); return;
    case Type::float32: use(float{}); return;
    case Type::float64: use(double{}); return;
    case Type::boolean: use(std::uint8_t{}); return;
    case Type::string:
    case Type::array: return;
  }
}

std::uint64_t alignUp(std::uint64_t value) { return (value + alignment - 1) / alignment * alignment; }

}  // namespace

Result<GgufWriter> GgufWriter::create(const std::filesystem::path& path) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  if (!file) {
    return fail({.kind = ErrorKind::io,
                 .what = "The file cannot be created",
                 .where = path.string(),
                 .hint = "Check the folder and its permissions."});
  }
  return GgufWriter(path, std::move(file));
}

void GgufWriter::set(std::string_view key, std::uint32_t value) {
  appendKey(m_keys, key, typeUint32);
  append(m_keys, value);
  ++m_keyCount;
}

void GgufWriter::set(std::string_view key, float value) {
  appendKey(m_keys, key, typeFloat32);
  append(m_keys, value);
  ++m_keyCount;
}

void GgufWriter::set(std::string_view key, bool value) {
  appendKey(m_keys, key, typeBool);
  append(m_keys, static_cast<std::uint8_t>(value));
  ++m_keyCount;
}

void GgufWriter::set(std::string_view key, std::string_view value) {
  appendKey(m_keys, key, typeString);
  appendText(m_keys, value);
  ++m_keyCount;
}

void GgufWriter::set(std::string_view key, std::span<const std::string> values) {
  appendKey(m_keys, key, typeArray);
  append(m_keys, std::uint32_t{typeString});
  append(m_keys, static_cast<std::uint64_t>(values.size()));
  for (const auto& value : values) appendText(m_keys, value);
  ++m_keyCount;
}

void GgufWriter::set(std::string_view key, std::span<const std::int32_t> values) {
  appendKey(m_keys, key, typeArray);
  append(m_keys, std::uint32_t{typeInt32});
  append(m_keys, static_cast<std::uint64_t>(values.size()));
  for (const auto value : values) append(m_keys, value);
  ++m_keyCount;
}

void GgufWriter::set(std::string_view key, std::span<const float> values) {
  appendKey(m_keys, key, typeArray);
  append(m_keys, std::uint32_t{typeFloat32});
  append(m_keys, static_cast<std::uint64_t>(values.size()));
  for (const auto value : values) append(m_keys, value);
  ++m_keyCount;
}

void GgufWriter::set(std::string_view key, std::span<const std::uint8_t> values) {
  appendKey(m_keys, key, typeArray);
  append(m_keys, std::uint32_t{typeUint8});
  append(m_keys, static_cast<std::uint64_t>(values.size()));
  m_keys.append(reinterpret_cast<const char*>(values.data()), values.size());
  ++m_keyCount;
}

void GgufWriter::set(std::string_view key, const std::vector<bool>& values) {
  appendKey(m_keys, key, typeArray);
  append(m_keys, std::uint32_t{typeBool});
  append(m_keys, static_cast<std::uint64_t>(values.size()));
  for (const bool value : values) append(m_keys, static_cast<std::uint8_t>(value));
  ++m_keyCount;
}

void GgufWriter::copy(std::string_view key, const format::MetadataValue& stored) {
  appendKey(m_keys, key, static_cast<std::uint32_t>(stored.type));
  ++m_keyCount;
  if (const auto* array = std::get_if<format::MetadataArray>(&stored.value)) {
    append(m_keys, static_cast<std::uint32_t>(array->type));
    append(m_keys, array->count);
    m_keys.append(reinterpret_cast<const char*>(array->bytes.data()), array->bytes.size());
  } else if (const auto* text = std::get_if<std::string_view>(&stored.value)) {
    appendText(m_keys, *text);
  }
  std::visit(
      [&](const auto& value) {
        if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(value)>>) {
          withNumberType(stored.type, [&]<class T>(T) { append(m_keys, static_cast<T>(value)); });
        }
      },
      stored.value);
}

void GgufWriter::declare(std::string_view name, ElementType type, const Shape& shape) {
  const std::uint64_t offset = m_tensors.empty() ? 0 : alignUp(m_tensors.back().offset + m_tensors.back().bytes);
  m_tensors.push_back({offset, bytesOf(type, static_cast<std::size_t>(shape.elements()))});
  appendText(m_table, name);
  append(m_table, static_cast<std::uint32_t>(shape.rank));
  for (int i = shape.rank - 1; i >= 0; --i) append(m_table, static_cast<std::uint64_t>(shape.dims[static_cast<std::size_t>(i)]));
  append(m_table, traits(type).ggmlId);
  append(m_table, offset);
}

Result<void> GgufWriter::begin() {
  std::string header = "GGUF";
  append(header, version);
  append(header, static_cast<std::uint64_t>(m_tensors.size()));
  append(header, m_keyCount);
  header += m_keys + m_table;
  header.append(alignUp(header.size()) - header.size(), '\0');
  m_file.write(header.data(), static_cast<std::streamsize>(header.size()));
  m_keys.clear();
  m_table.clear();
  return checkStream();
}

Result<void> GgufWriter::write(std::span<const std::byte> bytes) {
  while (m_current < m_tensors.size() && m_written == m_tensors[m_current].offset + m_tensors[m_current].bytes) {
    if (++m_current < m_tensors.size()) MINERVA_TRY(pad(m_tensors[m_current].offset));
  }
  if (m_current >= m_tensors.size() || m_written + bytes.size() > m_tensors[m_current].offset + m_tensors[m_current].bytes) {
    return fail({.kind = ErrorKind::internal, .what = "More bytes are written than the tensor holds", .where = m_path.string()});
  }
  m_file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  m_written += bytes.size();
  return checkStream();
}

Result<void> GgufWriter::finish() {
  const std::uint64_t end = m_tensors.empty() ? 0 : m_tensors.back().offset + m_tensors.back().bytes;
  if (m_written != end) {
    return fail({.kind = ErrorKind::internal,
                 .what = "Tensors are missing",
                 .where = m_path.string(),
                 .expected = std::to_string(end) + " bytes",
                 .actual = std::to_string(m_written)});
  }
  MINERVA_TRY(pad(alignUp(end)));
  m_file.close();
  return checkStream();
}

Result<void> GgufWriter::finishHollow() {
  const std::uint64_t end = m_tensors.empty() ? 0 : m_tensors.back().offset + m_tensors.back().bytes;
  const auto header = static_cast<std::uint64_t>(m_file.tellp());
  m_file.close();
  MINERVA_TRY(checkStream());
  std::error_code problem;
  std::filesystem::resize_file(m_path, header + alignUp(end), problem);
  if (!problem) return {};
  return fail({.kind = ErrorKind::io,
               .what = "The file cannot be made as large as its tensors",
               .where = m_path.string(),
               .expected = std::to_string(header + alignUp(end)) + " bytes",
               .actual = problem.message()});
}

Result<void> GgufWriter::pad(std::uint64_t to) {
  static constexpr char zeros[alignment] = {};
  m_file.write(zeros, static_cast<std::streamsize>(to - m_written));
  m_written = to;
  return checkStream();
}

Result<void> GgufWriter::checkStream() {
  if (m_file) return {};
  return fail({.kind = ErrorKind::io, .what = "The file cannot be written", .where = m_path.string(), .hint = "Check the free space."});
}

}  // namespace minerva::convert
