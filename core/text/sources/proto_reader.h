// Reads the wire format of protocol buffers field by field and validates every length. Not thread-safe; returns views into
// `bytes`.
#pragma once

#include "core/base/error.h"

#include <bit>
#include <cstdint>
#include <string_view>

namespace minerva::text {

class ProtoReader {
 public:
  // offset: position of `bytes` in the file, for error messages.
  explicit ProtoReader(std::string_view bytes, std::size_t offset = 0) : m_bytes(bytes), m_offset(offset) {}

  struct Field {
    std::uint32_t number = 0;
    std::uint32_t wireType = 0;  // 0: varint, 1: 64 bits, 2: bytes, 5: 32 bits
    std::uint64_t value = 0;     // for types 0, 1, 5
    std::string_view bytes;      // for type 2
    std::size_t position = 0;    // of `bytes` in the file
    [[nodiscard]] float asFloat() const { return std::bit_cast<float>(static_cast<std::uint32_t>(value)); }
  };
  // Returns false at the end and after the first error.
  [[nodiscard]] bool next(Field& field) {
    if (m_pos >= m_bytes.size() || m_failed) return false;
    std::uint64_t key = 0;
    field = {};
    if (!varint(key) || key >> 3 == 0 || key >> 32 != 0) return failHere();
    field.number = static_cast<std::uint32_t>(key >> 3);
    field.wireType = static_cast<std::uint32_t>(key & 7);
    switch (field.wireType) {
      case 0: return varint(field.value) || failHere();
      case 1: return fixed(8, field.value) || failHere();
      case 2: return text(field) || failHere();
      case 5: return fixed(4, field.value) || failHere();
      default: return failHere();
    }
  }
  [[nodiscard]] bool failed() const { return m_failed; }
  [[nodiscard]] std::size_t position() const { return m_offset + m_pos; }

 private:
  bool failHere() {
    m_failed = true;
    return false;
  }
  bool varint(std::uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; shift < 64 && m_pos < m_bytes.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(m_bytes[m_pos++]);
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }
  bool fixed(std::size_t count, std::uint64_t& value) {
    if (m_bytes.size() - m_pos < count) return false;
    for (std::size_t i = 0; i < count; ++i) value |= static_cast<std::uint64_t>(static_cast<unsigned char>(m_bytes[m_pos++])) << 8 * i;
    return true;
  }
  bool text(Field& field) {
    std::uint64_t length = 0;
    if (!varint(length) || length > m_bytes.size() - m_pos) return false;
    field.bytes = m_bytes.substr(m_pos, static_cast<std::size_t>(length));
    field.position = position();
    m_pos += static_cast<std::size_t>(length);
    return true;
  }

  std::string_view m_bytes;
  std::size_t m_offset;
  std::size_t m_pos = 0;
  bool m_failed = false;
};

}  // namespace minerva::text
