// How sentencepiece's vocabularies write a space.
#pragma once

#include <string_view>

namespace minerva::text {

inline constexpr std::string_view spaceMark = "▁";

}  // namespace minerva::text
