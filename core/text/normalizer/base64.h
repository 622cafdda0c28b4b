// Base64 decoding (RFC 4648), for bytes in JSON files. Pure function.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace minerva::text {

// Returns nullopt if a character is outside the alphabet. Padding is optional.
[[nodiscard]] inline std::optional<std::string> decodeBase64(std::string_view text) {
  static constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string out;
  out.reserve(text.size() / 4 * 3 + 3);
  unsigned bits = 0, held = 0;
  for (const char c : text) {
    const std::size_t value = alphabet.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    bits = (bits << 6 | static_cast<unsigned>(value)) & 0xFFFF;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    out.push_back(static_cast<char>(bits >> held & 0xFF));
  }
  return out;
}

}  // namespace minerva::text
