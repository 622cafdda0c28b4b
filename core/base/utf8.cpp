#include "core/base/utf8.h"

#include <cstring>

namespace minerva::utf8 {
namespace {

std::uint8_t byteAt(std::string_view text, std::size_t pos) { return static_cast<std::uint8_t>(text[pos]); }

struct Lead {
  std::uint8_t need;       // bytes of the character, 0: not a lead byte
  std::uint8_t low, high;  // allowed range of the second byte
};

Lead leadOf(std::uint8_t byte) {
  if (byte < 0x80) return {1, 0, 0};
  if (byte < 0xC2) return {0, 0, 0};
  if (byte < 0xE0) return {2, 0x80, 0xBF};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte < 0xF0) return {3, 0x80, 0xBF};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte < 0xF4) return {4, 0x80, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

// Length of the ASCII run at pos, eight bytes at a time.
std::size_t asciiRun(std::string_view text, std::size_t pos) {
  const std::size_t start = pos;
  while (pos + 8 <= text.size()) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + pos, 8);
    if ((word & 0x8080808080808080ull) != 0) break;
    pos += 8;
  }
  while (pos < text.size() && byteAt(text, pos) < 0x80) ++pos;
  return pos - start;
}

}  // namespace

Extent extentAt(std::string_view text, std::size_t pos) {
  const Lead lead = leadOf(byteAt(text, pos));
  if (lead.need <= 1) return {1, lead.need};
  Extent extent{1, lead.need};
  while (extent.have < extent.need && pos + extent.have < text.size()) {
    const std::uint8_t byte = byteAt(text, pos + extent.have);
    const bool allowed = extent.have == 1 ? byte >= lead.low && byte <= lead.high : (byte & 0xC0) == 0x80;
    if (!allowed) break;
    ++extent.have;
  }
  return extent;
}

Decoded decodeBeyondAscii(std::string_view text, std::size_t pos) {
  const Extent extent = extentAt(text, pos);
  if (!extent.whole()) return {replacement, 1, false};
  if (extent.need == 1) return {byteAt(text, pos), 1, true};
  char32_t codePoint = byteAt(text, pos) & (0x7Fu >> extent.need);
  for (std::size_t i = 1; i < extent.need; ++i) codePoint = codePoint << 6 | (byteAt(text, pos + i) & 0x3Fu);
  return {codePoint, extent.need, true};
}

Decoded decodeBefore(std::string_view text, std::size_t pos) {
  const std::size_t farthest = pos < 4 ? 0 : pos - 4;
  for (std::size_t start = pos - 1; start > farthest && (byteAt(text, start) & 0xC0) == 0x80;) {
    --start;
    if ((byteAt(text, start) & 0xC0) == 0x80) continue;
    const Decoded decoded = decode(text, start);
    if (decoded.valid && start + decoded.length == pos) return decoded;
    break;
  }
  const Decoded last = decode(text.substr(0, pos), pos - 1);
  return last;
}

void append(std::string& out, char32_t c) {
  if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) c = replacement;
  const auto put = [&out](char32_t byte) { out.push_back(static_cast<char>(static_cast<unsigned char>(byte))); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xC0 | c >> 6);
  } else if (c < 0x10000) {
    put(0xE0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3F));
  } else {
    put(0xF0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3F));
    put(0x80 | (c >> 6 & 0x3F));
  }
  put(0x80 | (c & 0x3F));
}

bool isValid(std::string_view text) {
  for (std::size_t pos = asciiRun(text, 0); pos < text.size(); pos += asciiRun(text, pos)) {
    const Extent extent = extentAt(text, pos);
    if (!extent.whole()) return false;
    pos += extent.have;
  }
  return true;
}

std::string replaceBroken(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t pos = 0; pos < text.size();) {
    const Extent extent = extentAt(text, pos);
    if (extent.whole()) {
      out.append(text.substr(pos, extent.have));
    } else {
      append(out, replacement);
    }
    pos += extent.have;
  }
  return out;
}

std::string printable(std::string_view text, LineFeeds lines) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t pos = 0; pos < text.size();) {
    const Decoded decoded = decode(text, pos);
    const char32_t c = decoded.codePoint;
    const bool kept = c == '\t' || (c == '\n' && lines == LineFeeds::kept);
    const bool control = c < 0x20 || (c >= 0x7F && c < 0xA0);
    const bool dropped = c == '\r' && lines == LineFeeds::kept;
    if (decoded.valid && (kept || !control)) {
      out.append(text.substr(pos, decoded.length));
    } else if (!dropped) {
      append(out, replacement);
    }
    pos += decoded.valid ? decoded.length : extentAt(text, pos).have;
  }
  return out;
}

}  // namespace minerva::utf8
