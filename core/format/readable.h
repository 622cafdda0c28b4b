// Text from a file, made safe to show in a message.
#pragma once

#include <string>
#include <string_view>

namespace minerva::format {

// At most `limit` bytes; what is not printable ASCII or valid UTF-8 becomes "\xNN".
[[nodiscard]] std::string readable(std::string_view text, std::size_t limit = 80);

}  // namespace minerva::format
