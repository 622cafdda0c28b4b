#include "core/grammar/schema/digits.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::grammar {
namespace {

NodeId digitsFrom(Rules& rules, char first, char last, std::size_t more) {
  const auto count = static_cast<std::uint32_t>(more);
  return rules.sequence(
      {rules.chars({static_cast<char32_t>(first), static_cast<char32_t>(last)}), rules.repeat(rules.chars({U'0', U'9'}), count, count)});
}

// Numbers of as many digits as both bounds have.
NodeId sameLength(Rules& rules, std::string_view least, std::string_view most) {
  const auto count = static_cast<std::uint32_t>(least.size());
  const bool any = least.find_first_not_of('0') == std::string_view::npos && most.find_first_not_of('9') == std::string_view::npos;
  if (any) return rules.repeat(rules.chars({U'0', U'9'}), count, count);
  if (least[0] == most[0]) return rules.sequence({rules.text(least.substr(0, 1)), sameLength(rules, least.substr(1), most.substr(1))});
  const std::size_t more = least.size() - 1;
  const std::string zeros(more, '0'), nines(more, '9');
  std::vector<NodeId> ways{rules.sequence({rules.text(least.substr(0, 1)), sameLength(rules, least.substr(1), nines)}),
                           rules.sequence({rules.text(most.substr(0, 1)), sameLength(rules, zeros, most.substr(1))})};
  if (most[0] - least[0] > 1) ways.push_back(digitsFrom(rules, static_cast<char>(least[0] + 1), static_cast<char>(most[0] - 1), more));
  return rules.choice(ways);
}

// least <= most, without signs.
NodeId naturalsBetween(Rules& rules, std::uint64_t least, std::uint64_t most) {
  const std::string from = std::to_string(least), to = std::to_string(most);
  std::vector<NodeId> ways;
  for (std::size_t length = from.size(); length <= to.size(); ++length) {
    const std::string first = length == from.size() ? from : "1" + std::string(length - 1, '0');
    const std::string last = length == to.size() ? to : std::string(length, '9');
    ways.push_back(sameLength(rules, first, last));
  }
  return rules.choice(ways);
}

// Where the digits after the point are, between those of bounds.
struct FractionPlace {
  std::size_t at = 0;                    // digits written
  bool onLeast = false, onMost = false;  // so far the same as that bound, which still says what may follow
};

class Fractions {
 public:
  Fractions(Rules& rules, const DecimalRange& range, std::size_t decimals) : m_rules(rules), m_range(range), m_decimals(decimals) {}

  // From the point on, or nothing; where no such number is within the bounds, no node.
  [[nodiscard]] std::optional<NodeId> from(bool onLeast, bool onMost) {
    const FractionPlace start = released({0, onLeast, onMost});
    std::vector<NodeId> ways;
    if (const auto more = digits(start)) ways.push_back(m_rules.sequence({m_rules.text("."), *more}));
    if (mayEnd(start)) ways.push_back(m_rules.nothing());
    if (ways.empty()) return std::nullopt;
    return m_rules.choice(ways);
  }

 private:
  static char digitAt(const std::string& fraction, std::size_t at) { return at < fraction.size() ? fraction[at] : '0'; }

  // What has reached the least number stays within, whatever follows.
  [[nodiscard]] FractionPlace released(FractionPlace place) const {
    if (place.at >= m_range.least.fraction.size() && !m_range.withoutLeast) place.onLeast = false;
    return place;
  }

  [[nodiscard]] bool mayEnd(const FractionPlace& place) const {
    const bool isLeast = place.at >= m_range.least.fraction.size(), isMost = place.at >= m_range.most.fraction.size();
    if (place.onLeast && (!isLeast || m_range.withoutLeast)) return false;  // less than the bound, or just it
    return !place.onMost || !isMost || !m_range.withoutMost;
  }

  // At least one digit more.
  [[nodiscard]] std::optional<NodeId> digits(const FractionPlace& place) {
    if (place.at >= m_decimals) return std::nullopt;
    const char first = place.onLeast ? digitAt(m_range.least.fraction, place.at) : '0';
    const char last = place.onMost ? digitAt(m_range.most.fraction, place.at) : '9';
    std::vector<NodeId> ways;
    char freeFirst = '9', freeLast = '0';
    for (char digit = first; digit <= last; ++digit) {
      const FractionPlace next = released({place.at + 1, place.onLeast && digit == first, place.onMost && digit == last});
      if (!next.onLeast && !next.onMost) {
        freeFirst = std::min(freeFirst, digit);
        freeLast = std::max(freeLast, digit);
      } else if (const auto rest = after(next)) {
        ways.push_back(m_rules.sequence({m_rules.text(std::string(1, digit)), *rest}));
      }
    }
    if (freeFirst <= freeLast) {
      const auto more = static_cast<std::uint32_t>(m_decimals - place.at - 1);
      const NodeId digit = m_rules.chars({static_cast<char32_t>(freeFirst), static_cast<char32_t>(freeLast)});
      ways.push_back(m_rules.sequence({digit, m_rules.repeat(m_rules.chars({U'0', U'9'}), 0, more)}));
    }
    if (ways.empty()) return std::nullopt;
    return m_rules.choice(ways);
  }

  [[nodiscard]] std::optional<NodeId> after(const FractionPlace& place) {
    const auto more = digits(place);
    if (!mayEnd(place)) return more;
    return more ? m_rules.optional(*more) : m_rules.nothing();
  }

  Rules& m_rules;
  const DecimalRange& m_range;
  const std::size_t m_decimals;
};

// 0 <= least <= most.
std::optional<NodeId> sizesBetween(Rules& rules, const DecimalRange& range, std::size_t decimals) {
  Fractions fractions(rules, range, decimals);
  const std::uint64_t least = std::stoull(range.least.whole), most = std::stoull(range.most.whole);
  std::vector<NodeId> ways;
  const auto add = [&](std::optional<NodeId> fraction, NodeId whole) {
    if (fraction) ways.push_back(rules.sequence({whole, *fraction}));
  };
  add(fractions.from(true, least == most), rules.text(range.least.whole));
  if (least + 1 < most) add(fractions.from(false, false), naturalsBetween(rules, least + 1, most - 1));
  if (least < most) add(fractions.from(false, true), rules.text(range.most.whole));
  if (ways.empty()) return std::nullopt;
  return rules.choice(ways);
}

}  // namespace

std::optional<Decimal> Decimal::of(std::string_view number) {
  Decimal out;
  out.negative = number.starts_with('-');
  if (out.negative) number.remove_prefix(1);
  const std::size_t mark = number.find_first_of("eE");
  int exponent = 0;
  if (mark != std::string_view::npos) {
    std::string_view power = number.substr(mark + 1);
    if (power.starts_with('+')) power.remove_prefix(1);
    if (std::from_chars(power.data(), power.data() + power.size(), exponent).ec != std::errc{} || std::abs(exponent) > 400)
      return std::nullopt;
    number = number.substr(0, mark);
  }
  const std::size_t point = number.find('.');
  std::string digits(number.substr(0, point));
  int wholeDigits = static_cast<int>(digits.size());
  if (point != std::string_view::npos) digits += number.substr(point + 1);
  wholeDigits += exponent;
  if (wholeDigits < 0) digits.insert(0, static_cast<std::size_t>(-wholeDigits), '0'), wholeDigits = 0;
  if (static_cast<std::size_t>(wholeDigits) > digits.size()) digits.append(static_cast<std::size_t>(wholeDigits) - digits.size(), '0');
  out.whole = digits.substr(0, static_cast<std::size_t>(wholeDigits));
  out.fraction = digits.substr(static_cast<std::size_t>(wholeDigits));
  out.whole.erase(0, std::min(out.whole.find_first_not_of('0'), out.whole.size()));
  if (out.whole.empty()) out.whole = "0";
  out.fraction.erase(out.fraction.find_last_not_of('0') + 1);
  if (out.isZero()) out.negative = false;
  return out;
}

int compare(const Decimal& a, const Decimal& b) {
  if (a.negative != b.negative) return a.negative ? -1 : 1;
  const int sign = a.negative ? -1 : 1;
  if (a.whole.size() != b.whole.size()) return a.whole.size() < b.whole.size() ? -sign : sign;
  if (a.whole != b.whole) return a.whole < b.whole ? -sign : sign;
  if (a.fraction == b.fraction) return 0;
  return a.fraction < b.fraction ? -sign : sign;
}

NodeId integersBetween(Rules& rules, std::int64_t least, std::int64_t most) {
  const auto size = [](std::int64_t negative) { return static_cast<std::uint64_t>(-negative); };
  std::vector<NodeId> ways;
  if (least < 0) ways.push_back(rules.sequence({rules.text("-"), naturalsBetween(rules, most < 0 ? size(most) : 1, size(least))}));
  if (most >= 0)
    ways.push_back(naturalsBetween(rules, static_cast<std::uint64_t>(std::max<std::int64_t>(least, 0)), static_cast<std::uint64_t>(most)));
  return rules.choice(ways);
}

NodeId numbersBetween(Rules& rules, const DecimalRange& range, std::size_t decimals) {
  std::vector<NodeId> ways;
  const int order = compare(range.least, range.most);
  if (order > 0 || (order == 0 && (range.withoutLeast || range.withoutMost))) return rules.choice({});
  const auto positive = [](Decimal number) {
    number.negative = false;
    return number;
  };
  if (range.least.negative) {
    const bool toZero = !range.most.negative;  // zero itself is among the others
    const DecimalRange sizes{toZero ? Decimal() : positive(range.most), positive(range.least), toZero || range.withoutMost,
                             range.withoutLeast};
    if (const auto node = sizesBetween(rules, sizes, decimals)) ways.push_back(rules.sequence({rules.text("-"), *node}));
  }
  if (!range.most.negative) {
    const DecimalRange sizes{range.least.negative ? Decimal() : range.least, range.most, !range.least.negative && range.withoutLeast,
                             range.withoutMost};
    if (const auto node = sizesBetween(rules, sizes, decimals)) ways.push_back(*node);
  }
  return rules.choice(ways);
}

}  // namespace minerva::grammar
