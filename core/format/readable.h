// Escapes text from a file for use in messages.
#pragma once

#include <string>
#include <string_view>

namespace minerva::format {

// At most `limit` bytes; control characters and invalid UTF-8 become "\xNN".
[[nodiscard]] std::string readable(std::string_view text, std::size_t limit = 80);

}  // namespace minerva::format
