// Decimal numbers within bounds as a grammar.
#pragma once

#include "core/grammar/rules.h"

#include <cstdint>

namespace minerva::grammar {

inline constexpr std::int64_t largestInteger = 9'007'199'254'740'991;  // 2^53 - 1: every reader holds it exactly

// The integers from least to most, both within +-largestInteger and in order.
[[nodiscard]] NodeId integersBetween(Rules& rules, std::int64_t least, std::int64_t most);
// The numbers from least to most, with at most 9 digits after the point. Without the bounds themselves where they are excluded.
[[nodiscard]] NodeId numbersBetween(Rules& rules, std::int64_t least, bool withoutLeast, std::int64_t most, bool withoutMost);

}  // namespace minerva::grammar
