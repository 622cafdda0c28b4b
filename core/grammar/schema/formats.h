// The texts of `format`.
#pragma once

#include <string>
#include <string_view>

namespace minerva::grammar {

// The pattern of a `format` of strings: a part of its texts, none of which any validator would refuse. Empty: unknown.
// bounded: fewer of them, the parts of whose names have a length.
[[nodiscard]] std::string patternOfFormat(std::string_view format, bool bounded = false);
// Formats of strings that are hints for forms and files: any text has them.
[[nodiscard]] bool isAnnotatingFormat(std::string_view format);
// JSON schema's own formats. Another one that is not known says something to people only: JSON schema has formats as annotations.
[[nodiscard]] bool isStandardFormat(std::string_view format);

}  // namespace minerva::grammar
