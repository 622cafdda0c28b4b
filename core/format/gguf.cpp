#include "core/format/gguf.h"

#include "core/format/gguf_keys.h"
#include "core/format/readable.h"

#include <algorithm>
#include <bit>

namespace minerva::format {

namespace {

constexpr std::size_t usualNameLength = 64;  // the specification's limit; longer names are accepted with a warning
constexpr std::uint64_t maxAlignment = 64 * 1024;
constexpr std::uint64_t maxTensorElements = std::uint64_t{1} << 62;

struct TensorInfo {
  std::string_view name;
  const ElementTypeTraits* type = nullptr;
  Shape shape;
  std::uint64_t bytes = 0;
  std::uint64_t offset = 0;  // from the start of the data section
};

class GgufReader : private GgufCursor {
 public:
  GgufReader(std::span<const std::byte> bytes, const std::string& where, Metadata& keys, ModelFileBuilder& builder)
      : GgufCursor{bytes, where, builder, ByteReader(bytes)}, m_keys(keys) {}

  Result<GgufPart> read() {
    MINERVA_TRY(readHeader());
    if (m_swapped) return refuseBigEndian();
    MINERVA_TRY(readGgufKeys(*this, m_keyCount, m_keys));
    MINERVA_ASSIGN(const GgufPart part, readPart());
    for (std::uint64_t i = 0; i < m_tensorCount; ++i) MINERVA_TRY(readTensorInfo(i));
    MINERVA_TRY(placeTensors());
    return part;
  }

 private:
  // Errors of Metadata name the key only, so add the file.
  template <class T>
  Result<T> inFile(Result<T> result) const {
    if (!result) result.error().where = where + ", " + result.error().where;
    return result;
  }

  Result<void> readHeader();
  Result<void> checkVersion(std::uint32_t version);
  std::unexpected<Error> refuseBigEndian();
  Result<GgufPart> readPart() const;
  Result<void> readTensorInfo(std::uint64_t index);
  Result<void> readShape(TensorInfo& info);
  Result<void> checkType(TensorInfo& info, std::uint32_t id) const;
  Result<std::uint64_t> alignment() const;
  Result<void> placeTensors();
  Result<void> checkOverlap() const;

  Metadata& m_keys;
  bool m_swapped = false;
  std::uint64_t m_tensorCount = 0;
  std::uint64_t m_keyCount = 0;
  std::vector<TensorInfo> m_infos;
};

Result<void> GgufReader::readHeader() {
  const auto magic = reader.number<std::uint32_t>();
  const auto version = reader.number<std::uint32_t>();
  if (!magic || !version) return truncated("the header");
  if (*magic != 0x46554747u) return corrupt("This is not a GGUF file", "the letters GGUF at the start");
  MINERVA_TRY(checkVersion(*version));
  const auto tensors = reader.number<std::uint64_t>();
  const auto keys = reader.number<std::uint64_t>();
  if (!tensors || !keys) return truncated("the header");
  m_tensorCount = *tensors;
  m_keyCount = *keys;
  if (m_swapped) return {};  // a big-endian file is rejected later with a better message
  // Lower bounds per entry: a one-byte key with a one-byte value; a tensor with a one-byte name and no dimension.
  constexpr std::uint64_t smallestKey = 8 + 1 + 4 + 1;
  constexpr std::uint64_t smallestTensor = 8 + 1 + 4 + 4 + 8;
  if (m_keyCount > reader.left() / smallestKey) return truncated("the metadata", std::to_string(m_keyCount) + " keys");
  if (m_tensorCount > reader.left() / smallestTensor) return truncated("the tensor table", std::to_string(m_tensorCount) + " tensors");
  return {};
}

Result<void> GgufReader::checkVersion(std::uint32_t version) {
  m_swapped = version != 0 && (version & 0xFFFFu) == 0;  // versions are small, so a version above 65535 means swapped bytes
  if (m_swapped) {
    reader.swapBytes();
    version = std::byteswap(version);
  }
  if (version == 2 || version == 3) return {};
  return fail(
      {.kind = ErrorKind::unsupported,
       .what = version == 1 ? "This GGUF file has version 1, whose layout was abandoned in 2023" : "This version of GGUF is not supported",
       .where = where,
       .expected = "version 2 or 3",
       .actual = "version " + std::to_string(version),
       .hint = "Convert the model again with a current converter, or download another copy."});
}

// Reads as much of the file as possible, so that the message can name the model.
std::unexpected<Error> GgufReader::refuseBigEndian() {
  std::string holds;
  const bool whole = readGgufKeys(*this, m_keyCount, m_keys).has_value();
  for (const char* key : {"general.architecture", "general.name"}) {
    const auto text = m_keys.string(key);
    if (text && *text) holds += ", " + std::string(key) + " \"" + readable(**text) + "\"";
  }
  return fail(
      {.kind = ErrorKind::unsupported,
       .what = "This GGUF file is in big-endian byte order",
       .where = where,
       .expected = "little-endian",
       .actual = "big-endian" + holds + ", " + std::to_string(m_tensorCount) + " tensors" + (whole ? "" : " (and its metadata is damaged)"),
       .hint = "Download the little-endian copy of this model, or convert it with gguf_convert_endian.py of gguf-py."});
}

Result<GgufPart> GgufReader::readPart() const {
  GgufPart part;
  MINERVA_ASSIGN(const auto number, inFile(m_keys.integer("split.no")));
  MINERVA_ASSIGN(const auto count, inFile(m_keys.integer("split.count")));
  MINERVA_ASSIGN(part.tensors, inFile(m_keys.integer("split.tensors.count")));
  part.number = number.value_or(0);
  part.count = std::max<std::int64_t>(count.value_or(1), 1);
  if (part.number >= 0 && part.number < part.count) return part;
  return corrupt("split.no and split.count contradict each other", "a number below " + std::to_string(part.count),
                 std::to_string(part.number));
}

Result<void> GgufReader::readTensorInfo(std::uint64_t index) {
  const std::string which = "tensor " + std::to_string(index + 1) + " of " + std::to_string(m_tensorCount);
  TensorInfo info;
  const auto name = reader.string();
  if (!name) return truncated("the name of " + which);
  if (!isValidGgufName(*name)) {
    return corrupt("The name of " + which + " is not valid", "1 to 64 bytes of UTF-8 without NUL",
                   name->empty() ? "an empty name" : "\"" + readable(*name) + "\"");
  }
  if (name->size() > usualNameLength) {
    builder.warn("The tensor name \"" + readable(*name) + "\" is longer than the 64 bytes GGUF allows");
  }
  info.name = *name;
  MINERVA_TRY(readShape(info));
  const auto type = reader.number<std::uint32_t>();
  const auto offset = reader.number<std::uint64_t>();
  if (!type || !offset) return truncated("the table entry of tensor " + readable(info.name));
  info.offset = *offset;
  MINERVA_TRY(checkType(info, *type));
  m_infos.push_back(info);
  return {};
}

Result<void> GgufReader::readShape(TensorInfo& info) {
  const auto rank = reader.number<std::uint32_t>();
  if (!rank) return truncated("the table entry of tensor " + readable(info.name));
  if (*rank > 4) return corrupt("Tensor " + readable(info.name) + " has the wrong number of dimensions", "up to 4", std::to_string(*rank));
  info.shape.rank = static_cast<int>(std::max(*rank, 1U));  // a number alone is a vector of one
  std::uint64_t elements = 1;
  for (std::uint32_t i = 0; i < *rank; ++i) {
    const auto size = reader.number<std::uint64_t>();
    if (!size) return truncated("the table entry of tensor " + readable(info.name));
    if (*size == 0 || *size > maxTensorElements || __builtin_mul_overflow(elements, *size, &elements) || elements > maxTensorElements) {
      return corrupt("Tensor " + readable(info.name) + " has an impossible size", "dimensions of at least 1 whose product is below 2^62",
                     "dimension " + std::to_string(i) + " of " + std::to_string(*size));
    }
    info.shape.dims[*rank - 1 - i] = static_cast<std::int64_t>(*size);
  }
  return {};
}

Result<void> GgufReader::checkType(TensorInfo& info, std::uint32_t id) const {
  info.type = findElementTypeByGgmlId(id);
  if (!info.type) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "Tensor " + readable(info.name) + " is stored in a type this version cannot read",
                 .where = where,
                 .expected = "a type that ggml defines",
                 .actual = ggmlTypeName(id),
                 .hint = "Choose another copy of this model, or convert it again with a current converter."});
  }
  const auto columns = static_cast<std::uint64_t>(info.shape.columns());
  if (columns % info.type->blockElements != 0) {
    return corrupt("The rows of tensor " + readable(info.name) + " do not fit its type",
                   "a multiple of " + std::to_string(info.type->blockElements) + " for " + std::string(info.type->name),
                   std::to_string(columns) + " elements in a row");
  }
  const std::uint64_t blocks = static_cast<std::uint64_t>(info.shape.elements()) / info.type->blockElements;
  if (__builtin_mul_overflow(blocks, std::uint64_t{info.type->blockBytes}, &info.bytes)) {
    return corrupt("Tensor " + readable(info.name) + " has an impossible size", {}, toString(info.shape));
  }
  return {};
}

Result<std::uint64_t> GgufReader::alignment() const {
  MINERVA_ASSIGN(const auto stored, inFile(m_keys.integer("general.alignment")));
  if (!stored) return 32;
  const auto value = static_cast<std::uint64_t>(*stored);
  if (*stored >= 8 && value <= maxAlignment && std::has_single_bit(value)) return value;
  return corrupt("general.alignment is not valid", "a power of two from 8 to 65536", std::to_string(*stored));
}

Result<void> GgufReader::placeTensors() {
  if (m_infos.empty()) return {};  // vocabulary-only file
  MINERVA_ASSIGN(const std::uint64_t step, alignment());
  const std::uint64_t start = (reader.position() + step - 1) / step * step;
  if (start > bytes.size()) return truncated("the padding before the tensor data");
  const std::uint64_t available = bytes.size() - start;
  for (const TensorInfo& info : m_infos) {
    if (info.offset % step != 0) {
      return corrupt("The offset of tensor " + readable(info.name) + " is not aligned", "a multiple of " + std::to_string(step),
                     std::to_string(info.offset));
    }
    if (info.offset > available || info.bytes > available - info.offset) {
      return fail({.kind = ErrorKind::corrupt,
                   .what = "Tensor " + readable(info.name) + " reaches past the end of the file",
                   .where = where,
                   .expected = std::to_string(info.bytes) + " bytes at offset " + std::to_string(info.offset) + " of the data",
                   .actual = std::to_string(available) + " bytes of data",
                   .hint = GgufCursor::damagedHint});
    }
    const TensorView view{info.type->type, info.shape, bytes.subspan(start + info.offset, info.bytes)};
    if (!builder.add(std::string(info.name), view)) return corrupt("Tensor " + readable(info.name) + " occurs twice");
  }
  return checkOverlap();
}

Result<void> GgufReader::checkOverlap() const {
  std::vector<const TensorInfo*> sorted;
  sorted.reserve(m_infos.size());
  for (const TensorInfo& info : m_infos) sorted.push_back(&info);
  std::ranges::sort(sorted, {}, &TensorInfo::offset);
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const TensorInfo& before = *sorted[i - 1];
    if (before.offset + before.bytes <= sorted[i]->offset) continue;
    return corrupt("Tensors " + readable(before.name) + " and " + readable(sorted[i]->name) + " overlap",
                   "offset " + std::to_string(before.offset + before.bytes) + " or more", std::to_string(sorted[i]->offset));
  }
  return {};
}

}  // namespace

Result<GgufPart> readGgufPart(std::span<const std::byte> bytes, const std::string& where, Metadata& keys, ModelFileBuilder& builder) {
  return GgufReader(bytes, where, keys, builder).read();
}

Result<void> readGguf(std::span<const std::byte> bytes, const std::string& where, ModelFileBuilder& builder) {
  MINERVA_ASSIGN(const GgufPart part, readGgufPart(bytes, where, builder.metadata(), builder));
  if (part.count == 1) return {};
  return fail({.kind = ErrorKind::unsupported,
               .what = "This GGUF file is one part of a split model",
               .where = where,
               .expected = "a whole model",
               .actual = "part " + std::to_string(part.number + 1) + " of " + std::to_string(part.count)});
}

// clang-format off
std::string ggmlTypeName(std::uint32_t id) {
  static constexpr std::string_view names[] = {
      "F32", "F16", "Q4_0", "Q4_1", "Q4_2 (removed from GGUF in 2023)", "Q4_3 (removed from GGUF in 2023)", "Q5_0", "Q5_1", "Q8_0", "Q8_1", "Q2_K", "Q3_K", "Q4_K", "Q5_K",
      "Q6_K", "Q8_K", "IQ2_XXS", "IQ2_XS", "IQ3_XXS", "IQ1_S", "IQ4_NL", "IQ3_S", "IQ2_S", "IQ4_XS", "I8", "I16", "I32",
      "I64", "F64", "IQ1_M", "BF16", "Q4_0_4_4 (removed from GGUF in 2024)", "Q4_0_4_8 (removed from GGUF in 2024)",
      "Q4_0_8_8 (removed from GGUF in 2024)", "TQ1_0", "TQ2_0", "IQ4_NL_4_4 (removed from GGUF in 2024)",
      "IQ4_NL_4_8 (removed from GGUF in 2024)", "IQ4_NL_8_8 (removed from GGUF in 2024)", "MXFP4", "NVFP4", "Q1_0", "Q2_0"};
  const std::string number = "type " + std::to_string(id);
  constexpr std::uint32_t firstOfIk = 97, lastOfIk = 399;  // ik_llama.cpp's own
  if (id >= firstOfIk && id <= lastOfIk) return number + ", which only ik_llama.cpp reads";
  if (id >= std::size(names) || names[id].empty()) return number + ", which is not known";
  return std::string(names[id]);
}
// clang-format on

}  // namespace minerva::format
