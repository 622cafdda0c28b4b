#include "core/format/safetensors.h"

#include "core/format/byte_reader.h"
#include "core/format/json_reader.h"
#include "core/format/readable.h"

#include <algorithm>
#include <fstream>
#include <optional>

namespace minerva::format {

namespace {

using Json = nlohmann::json;

constexpr std::uint64_t maxHeader = 100'000'000;  // same limit as the reference implementation
constexpr std::size_t headerDepth = 4;            // { name: { shape: [ ] } }
constexpr std::int64_t maxElements = std::int64_t{1} << 60;
constexpr const char* damagedHint = "The file is damaged or its download incomplete; download it again.";

struct Dtype {
  std::string_view name;
  int bits;
};
// All dtypes of the format; sub-byte types are packed.
constexpr Dtype dtypes[] = {{"BOOL", 8}, {"U8", 8},   {"I8", 8},    {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"I16", 16},
                            {"U16", 16}, {"F16", 16}, {"BF16", 16}, {"I32", 32},    {"U32", 32},    {"F32", 32},    {"F64", 64},
                            {"I64", 64}, {"U64", 64}, {"C64", 64},  {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6}};

class HeaderReader {
 public:
  HeaderReader(std::span<const std::byte> data, const std::string& where) : m_data(data), m_where(where) {}

  Result<SafeTensorsFile> read(const Json& header) {
    if (!header.is_object()) return corrupt("The header is not a JSON object", "an object", header.type_name());
    for (const auto& [name, entry] : header.items()) {
      if (name == "__metadata__") {
        readMetadata(entry);
        continue;
      }
      MINERVA_ASSIGN(SafeTensor tensor, readEntry(name, entry));
      m_file.tensors.push_back(std::move(tensor));
    }
    MINERVA_TRY(checkLayout());
    return std::move(m_file);
  }

 private:
  std::unexpected<Error> corrupt(std::string what, std::string expected = {}, std::string actual = {}) const {
    return fail({.kind = ErrorKind::corrupt,
                 .what = std::move(what),
                 .where = m_where,
                 .expected = std::move(expected),
                 .actual = std::move(actual),
                 .hint = damagedHint});
  }

  void readMetadata(const Json& entry) {
    if (!entry.is_object()) {
      m_file.warnings.push_back("__metadata__ of the header is not an object");
      return;
    }
    for (const auto& [key, value] : entry.items()) {
      if (value.is_string()) m_file.metadata[key] = value.get<std::string>();
      else m_file.warnings.push_back("__metadata__ \"" + readable(key) + "\" of the header is not a string");
    }
  }

  Result<SafeTensor> readEntry(const std::string& name, const Json& entry) const;
  Result<std::uint64_t> readShape(const Json& entry, SafeTensor& tensor, const std::string& label, int bits) const;
  Result<void> checkLayout();

  std::span<const std::byte> m_data;
  const std::string& m_where;
  SafeTensorsFile m_file;
};

std::optional<std::uint64_t> natural(const Json& value) {
  if (!value.is_number_unsigned()) return std::nullopt;
  return value.get<std::uint64_t>();
}

Result<SafeTensor> HeaderReader::readEntry(const std::string& name, const Json& entry) const {
  const std::string label = "Tensor " + readable(name);
  if (name.find('\0') != std::string::npos) return corrupt(label + " has a NUL in its name");
  if (name.empty() || !entry.is_object()) return corrupt(label + " has no valid header entry", "a name and an object", entry.type_name());
  const auto dtype = entry.find("dtype");
  if (dtype == entry.end() || !dtype->is_string()) return corrupt(label + " has no dtype");
  SafeTensor tensor{.name = name, .dtype = dtype->get<std::string>(), .shape = {}, .bytes = {}};
  const auto known = std::ranges::find(dtypes, std::string_view(tensor.dtype), &Dtype::name);
  if (known == std::end(dtypes)) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = label + " has a dtype that SafeTensors does not define",
                 .where = m_where,
                 .expected = "F32, F16, BF16, ...",
                 .actual = "\"" + readable(tensor.dtype) + "\""});
  }
  MINERVA_ASSIGN(const std::uint64_t bytes, readShape(entry, tensor, label, known->bits));
  const auto offsets = entry.find("data_offsets");
  if (offsets == entry.end() || !offsets->is_array() || offsets->size() != 2)
    return corrupt(label + " has no valid data_offsets", "two numbers");
  const auto begin = natural((*offsets)[0]);
  const auto end = natural((*offsets)[1]);
  if (!begin || !end || *begin > *end)
    return corrupt(label + " has no valid data_offsets", "two whole numbers in order", readable(offsets->dump()));
  if (*end > m_data.size()) {
    return corrupt(label + " reaches past the end of the file", "an end of at most " + std::to_string(m_data.size()), std::to_string(*end));
  }
  if (*end - *begin != bytes) {
    return corrupt(label + ": shape and data_offsets contradict each other", std::to_string(bytes) + " bytes",
                   std::to_string(*end - *begin));
  }
  tensor.bytes = m_data.subspan(*begin, bytes);
  return tensor;
}

// Returns the number of bytes the shape requires.
Result<std::uint64_t> HeaderReader::readShape(const Json& entry, SafeTensor& tensor, const std::string& label, int bits) const {
  const auto shape = entry.find("shape");
  if (shape == entry.end() || !shape->is_array()) return corrupt(label + " has no valid shape", "an array of whole numbers");
  std::int64_t elements = 1;
  for (const Json& size : *shape) {
    const auto value = natural(size);
    if (!value || *value > static_cast<std::uint64_t>(maxElements) ||
        __builtin_mul_overflow(elements, static_cast<std::int64_t>(*value), &elements) || elements > maxElements) {
      return corrupt(label + " has an impossible shape", "whole numbers whose product is below 2^60", readable(shape->dump()));
    }
    tensor.shape.push_back(static_cast<std::int64_t>(*value));
  }
  const auto total = static_cast<std::uint64_t>(elements) * static_cast<std::uint64_t>(bits);  // below 2^66 / 64 bits: fits
  if (elements > maxElements / 64 || total % 8 != 0) return corrupt(label + " has an impossible shape", {}, readable(shape->dump()));
  return total / 8;
}

Result<void> HeaderReader::checkLayout() {
  std::ranges::sort(m_file.tensors, {}, [](const SafeTensor& t) { return std::pair(t.bytes.data(), t.bytes.size()); });
  const std::byte* end = m_data.data();
  std::uint64_t gaps = 0;
  const SafeTensor* before = nullptr;
  for (const SafeTensor& tensor : m_file.tensors) {
    if (tensor.bytes.data() < end) return corrupt("Tensors " + readable(before->name) + " and " + readable(tensor.name) + " overlap");
    gaps += static_cast<std::uint64_t>(tensor.bytes.data() - end);
    end = tensor.bytes.data() + tensor.bytes.size();
    before = &tensor;
  }
  gaps += static_cast<std::uint64_t>(m_data.data() + m_data.size() - end);
  if (gaps > 0) m_file.warnings.push_back(m_where + ": " + std::to_string(gaps) + " bytes of data belong to no tensor");
  return {};
}

std::uint64_t headerLength(std::span<const std::byte> bytes) { return ByteReader(bytes).number<std::uint64_t>().value_or(0); }

}  // namespace

bool looksLikeSafeTensors(std::span<const std::byte> bytes) {
  if (bytes.size() < 10) return false;
  const std::uint64_t length = headerLength(bytes);
  return length >= 2 && length <= bytes.size() - 8 && bytes[8] == std::byte{'{'};
}

Result<SafeTensorsFile> readSafeTensors(std::span<const std::byte> bytes, const std::string& where) {
  const auto refuse = [&](const char* what, std::string expected, std::string actual) {
    return fail({.kind = ErrorKind::corrupt,
                 .what = what,
                 .where = where,
                 .expected = std::move(expected),
                 .actual = std::move(actual),
                 .hint = damagedHint});
  };
  if (bytes.size() < 10) return refuse("The file is too short for SafeTensors", "at least 10 bytes", std::to_string(bytes.size()));
  const std::uint64_t length = headerLength(bytes);
  if (length > maxHeader) {
    return refuse("The SafeTensors header is too long", "at most " + std::to_string(maxHeader) + " bytes", std::to_string(length));
  }
  if (length < 2 || length > bytes.size() - 8) {
    return refuse("The SafeTensors header does not fit the file", "2 to " + std::to_string(bytes.size() - 8) + " bytes",
                  std::to_string(length));
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes.data() + 8), length);
  MINERVA_ASSIGN(const Json header, parseJson(text, where + ", header", {.depth = headerDepth, .bytes = maxHeader, .uniqueKeys = true}));
  return HeaderReader(bytes.subspan(8 + length), where).read(header);
}

const ElementTypeTraits* elementTypeOf(const SafeTensor& tensor) {
  const auto* type = findElementType(tensor.dtype);
  return type && type->blockElements == 1 ? type : nullptr;
}

std::string safeTensorsHeader(std::span<const SafeTensorDescription> tensors, const std::map<std::string, std::string>& metadata) {
  Json header = Json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::uint64_t offset = 0;
  for (const auto& tensor : tensors) {
    header[tensor.name] = {{"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {offset, offset + tensor.bytes}}};
    offset += tensor.bytes;
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');  // aligns the data to 8 bytes like the reference implementation
  const std::uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + text;
}

Result<void> writeSafeTensors(const std::filesystem::path& path, std::span<const SafeTensor> tensors,
                              const std::map<std::string, std::string>& metadata) {
  std::vector<SafeTensorDescription> descriptions;
  for (const auto& t : tensors) descriptions.push_back({t.name, t.dtype, t.shape, t.bytes.size()});
  const std::string header = safeTensorsHeader(descriptions, metadata);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(header.data(), static_cast<std::streamsize>(header.size()));
  for (const auto& t : tensors) {
    file.write(reinterpret_cast<const char*>(t.bytes.data()), static_cast<std::streamsize>(t.bytes.size()));
  }
  file.close();
  if (file) return {};
  return fail({.kind = ErrorKind::io,
               .what = "The file cannot be written",
               .where = path.string(),
               .hint = "Check the folder and the free space."});
}

}  // namespace minerva::format
