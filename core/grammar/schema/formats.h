// The texts of `format`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace minerva::grammar {

// The pattern of a `format` of strings: a part of its texts, none of which any validator would refuse. Empty: unknown.
// shortText: more of them, of those that have no more than `shortTextLength` characters.
[[nodiscard]] std::string patternOfFormat(std::string_view format, bool shortText = false);
inline constexpr std::uint32_t shortTextLength = 63;
// Formats of strings that are hints for forms and files: any text has them.
[[nodiscard]] bool isAnnotatingFormat(std::string_view format);
// JSON schema's own formats. Another one that is not known, beside a pattern, is a name for what the pattern says.
[[nodiscard]] bool isStandardFormat(std::string_view format);

}  // namespace minerva::grammar
