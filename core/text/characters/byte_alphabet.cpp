#include "core/text/characters/byte_alphabet.h"

#include "core/base/utf8.h"

#include <array>

namespace minerva::text {
namespace {

// Printable Latin-1 bytes map to themselves, all others in ascending order to U+0100 onwards (Radford et al., GPT-2's
// encoder.py).
struct Alphabet {
  std::array<std::string, 256> written;
  std::array<std::int16_t, 0x144> byteOf;

  Alphabet() {
    byteOf.fill(-1);
    char32_t next = 0x100;
    for (unsigned byte = 0; byte < 256; ++byte) {
      const bool visible = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
      const char32_t character = visible ? byte : next++;
      utf8::append(written[byte], character);
      byteOf[character] = static_cast<std::int16_t>(byte);
    }
  }
};

const Alphabet& alphabet() {
  static const Alphabet made;
  return made;
}

}  // namespace

std::string_view byteToWritten(std::uint8_t byte) { return alphabet().written[byte]; }

std::optional<std::uint8_t> writtenToByte(char32_t character) {
  const Alphabet& known = alphabet();
  if (character >= known.byteOf.size() || known.byteOf[character] < 0) return std::nullopt;
  return static_cast<std::uint8_t>(known.byteOf[character]);
}

void appendWritten(std::string& out, std::string_view bytes) {
  const Alphabet& known = alphabet();
  for (const char byte : bytes) out += known.written[static_cast<unsigned char>(byte)];
}

void appendBytesOfWritten(std::string& out, std::string_view written) {
  const std::size_t before = out.size();
  for (std::size_t pos = 0; pos < written.size();) {
    const utf8::Decoded decoded = utf8::decode(written, pos);
    const auto byte = decoded.valid ? writtenToByte(decoded.codePoint) : std::nullopt;
    if (!byte) {
      out.resize(before);
      out += written;
      return;
    }
    out.push_back(static_cast<char>(*byte));
    pos += decoded.length;
  }
}

}  // namespace minerva::text
