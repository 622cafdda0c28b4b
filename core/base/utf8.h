// UTF-8 decoding of untrusted bytes: single characters, maximal subparts, replacement of invalid sequences.
//
// Pure functions. Validity follows Unicode 3.9, table 3-7: no overlong forms, no surrogates, nothing above
// U+10FFFF. A maximal subpart is the longest prefix of a well-formed character (at least one byte), which the WHATWG
// decoder replaces by one U+FFFD.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace minerva::utf8 {

inline constexpr char32_t replacement = 0xFFFD;

// How much of a character is present at a position: complete if have == need, a proper prefix if have < need. need is 0 if
// no character can start there (have is then 1).
struct Extent {
  std::uint8_t have = 0;
  std::uint8_t need = 0;
  [[nodiscard]] bool whole() const { return have == need; }
};
// Precondition: pos < text.size().
[[nodiscard]] Extent extentAt(std::string_view text, std::size_t pos);

struct Decoded {
  char32_t codePoint = 0;
  std::uint32_t length = 0;  // bytes, never 0
  bool valid = true;         // false: one byte that is no character; codePoint is U+FFFD
};
[[nodiscard]] Decoded decodeBeyondAscii(std::string_view text, std::size_t pos);

// The character at pos (< text.size()). A byte that is not part of a complete character decodes as U+FFFD of length 1.
[[nodiscard]] inline Decoded decode(std::string_view text, std::size_t pos) {
  const auto byte = static_cast<unsigned char>(text[pos]);
  if (byte < 0x80) return {byte, 1, true};
  return decodeBeyondAscii(text, pos);
}
// The character that ends before pos (> 0).
[[nodiscard]] Decoded decodeBefore(std::string_view text, std::size_t pos);

// Surrogates and values above U+10FFFF are written as U+FFFD.
void append(std::string& out, char32_t codePoint);
[[nodiscard]] bool isValid(std::string_view text);
// Replaces each ill-formed maximal subpart by U+FFFD.
[[nodiscard]] std::string replaceBroken(std::string_view text);

// Text from a file, the network or a model, for a terminal or a log: also replaces control characters (C0, DEL, C1), which could
// move the cursor, recolour or rename the terminal, or forge a line of a log. Tabs and, where they are kept, line feeds stay;
// carriage returns are dropped there, as in text with Windows line ends.
enum class LineFeeds { replaced, kept };
[[nodiscard]] std::string printable(std::string_view text, LineFeeds lines = LineFeeds::replaced);

}  // namespace minerva::utf8
