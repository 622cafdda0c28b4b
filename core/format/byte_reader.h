// Sequential reader for untrusted bytes, little- or big-endian. Reads are bounds-checked and allocate nothing; a failed read
// does not move the position. Value type; the bytes must outlive it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
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

  // Switches to the opposite of the native byte order.
  void swapBytes() { m_swapped = true; }
  [[nodiscard]] std::size_t position() const { return m_position; }
  [[nodiscard]] std::size_t left() const { return m_bytes.size() - m_position; }

  template <class T>
  requires std::is_arithmetic_v<T>
  [[nodiscard]] std::optional<T> number() {
    if (left() < sizeof(T)) return std::nullopt;
    std::array<std::byte, sizeof(T)> stored;
    std::memcpy(stored.data(), m_bytes.data() + m_position, sizeof stored);
    if (m_swapped) std::ranges::reverse(stored);
    m_position += sizeof stored;
    return std::bit_cast<T>(stored);
  }

  [[nodiscard]] std::optional<std::span<const std::byte>> bytes(std::uint64_t count) {
    if (count > left()) return std::nullopt;
    const auto view = m_bytes.subspan(m_position, static_cast<std::size_t>(count));
    m_position += view.size();
    return view;
  }

  // A string: 64-bit length, then the bytes.
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
  bool m_swapped = false;
};

}  // namespace minerva::format
