// RFC 4648 base64, for binary data in JSON lines.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace minerva::bench {

[[nodiscard]] std::string encodeBase64(std::string_view bytes);
[[nodiscard]] std::optional<std::string> decodeBase64(std::string_view text);  // nullopt: not base64

}  // namespace minerva::bench
