// The character that represents a space in vocabularies of SentencePiece.
#pragma once

#include <string_view>

namespace minerva::text {

inline constexpr std::string_view spaceMark = "▁";

}  // namespace minerva::text
