#include "core/format/readable.h"

#include "core/base/utf8.h"

namespace minerva::format {

std::string readable(std::string_view text, std::size_t limit) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const utf8::Extent extent = utf8::extentAt(text, at);
    const std::size_t length = extent.whole() ? extent.need : 0;
    const auto byte = static_cast<unsigned char>(text[at]);
    if (out.size() + 4 > limit) return out + "...";
    if (length == 0 || byte < 0x20 || byte == 0x7f) {
      out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
      ++at;
    } else {
      out += text.substr(at, length);
      at += length;
    }
  }
  return out;
}

}  // namespace minerva::format
