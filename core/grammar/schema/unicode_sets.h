// Characters by their properties in Unicode, for regular expressions.
#pragma once

#include "core/grammar/char_set.h"

#include <optional>
#include <string_view>

namespace minerva::grammar {

// Of \p{...}: a general category, by its short or long name ("L", "Lu", "Letter"). Nothing: not known.
[[nodiscard]] std::optional<CharSet> charactersOfCategory(std::string_view name);
// With the upper, lower and title case of each.
[[nodiscard]] CharSet inAnyCase(CharSet set);

}  // namespace minerva::grammar
