// Reads little-endian values from untrusted bytes, front to back. Every read is checked; nothing is allocated.
// A failed read leaves the position where it was. Value type; the bytes must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace minerva::format {

class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : m_bytes(bytes) {}

  [[nodiscard]] std::size_t position() const { return m_position; }
  [[nodiscard]] std::size_t left() const { return m_bytes.size() - m_position; }

  template <class T>
    requires std::is_arithmetic_v<T>
  [[nodiscard]] std::optional<T> number() {
    if (left() < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, m_bytes.data() + m_position, sizeof value);
    m_position += sizeof value;
    return value;
  }

  [[nodiscard]] std::optional<std::span<const std::byte>> bytes(std::uint64_t count) {
    if (count > left()) return std::nullopt;
    const auto view = m_bytes.subspan(m_position, static_cast<std::size_t>(count));
    m_position += view.size();
    return view;
  }

  // A 64-bit length and that many bytes.
  [[nodiscard]] std::optional<std::string_view> string() {
    const std::size_t start = m_position;
    if (const auto length = number<std::uint64_t>()) {
      if (const auto view = bytes(*length)) return std::string_view(reinterpret_cast<const char*>(view->data()), view->size());
    }
    m_position = start;
    return std::nullopt;
  }

 private:
  std::span<const std::byte> m_bytes;
  std::size_t m_position = 0;
};

}  // namespace minerva::format
