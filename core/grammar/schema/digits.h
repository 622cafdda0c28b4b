// Decimal numbers within bounds as a grammar.
#pragma once

#include "core/grammar/rules.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace minerva::grammar {

inline constexpr std::int64_t largestInteger = 9'223'372'036'854'775'807;  // 2^63 - 1: as much as most languages' integers hold

// A number as it is written, without an exponent.
struct Decimal {
  bool negative = false;
  std::string whole = "0";  // without leading zeros
  std::string fraction;     // without trailing zeros

  // A number of JSON. Nothing, if it has so many digits that nobody means them.
  [[nodiscard]] static std::optional<Decimal> of(std::string_view number);
  [[nodiscard]] bool isZero() const { return whole == "0" && fraction.empty(); }
  [[nodiscard]] std::size_t digits() const { return (whole == "0" ? 0 : whole.size()) + fraction.size(); }
};
// Negative, 0 or positive, as a is less than b, the same, or more.
[[nodiscard]] int compare(const Decimal& a, const Decimal& b);

struct DecimalRange {
  Decimal least, most;
  bool withoutLeast = false, withoutMost = false;
};

// The integers from least to most, both within +-largestInteger and in order.
[[nodiscard]] NodeId integersBetween(Rules& rules, std::int64_t least, std::int64_t most);
// The numbers of the range, with at most so many digits after the point.
[[nodiscard]] NodeId numbersBetween(Rules& rules, const DecimalRange& range, std::size_t decimals);

}  // namespace minerva::grammar
