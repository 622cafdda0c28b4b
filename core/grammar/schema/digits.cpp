#include "core/grammar/schema/digits.h"

#include <algorithm>
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

// 0 <= least <= most.
NodeId naturalsBetween(Rules& rules, std::int64_t least, std::int64_t most) {
  const std::string from = std::to_string(least), to = std::to_string(most);
  std::vector<NodeId> ways;
  for (std::size_t length = from.size(); length <= to.size(); ++length) {
    const std::string first = length == from.size() ? from : "1" + std::string(length - 1, '0');
    const std::string last = length == to.size() ? to : std::string(length, '9');
    ways.push_back(sameLength(rules, first, last));
  }
  return rules.choice(ways);
}

// The sizes from least to most, 0 <= least < most.
NodeId sizesBetween(Rules& rules, std::int64_t least, bool withoutLeast, std::int64_t most, bool withoutMost) {
  const NodeId digit = rules.chars({U'0', U'9'});
  const NodeId fraction = rules.optional(rules.sequence({rules.text("."), rules.repeat(digit, 1, 9)}));
  const NodeId zeros = rules.optional(rules.sequence({rules.text("."), rules.repeat(rules.text("0"), 1, 9)}));
  const NodeId notZero =
      rules.sequence({rules.text("."), rules.repeat(rules.text("0"), 0, 4), rules.chars({U'1', U'9'}), rules.repeat(digit, 0, 4)});
  std::vector<NodeId> ways{rules.sequence({rules.text(std::to_string(least)), withoutLeast ? notZero : fraction})};
  if (least + 1 < most) ways.push_back(rules.sequence({naturalsBetween(rules, least + 1, most - 1), fraction}));
  if (!withoutMost) ways.push_back(rules.sequence({rules.text(std::to_string(most)), zeros}));
  return rules.choice(ways);
}

}  // namespace

NodeId integersBetween(Rules& rules, std::int64_t least, std::int64_t most) {
  std::vector<NodeId> ways;
  if (least < 0) ways.push_back(rules.sequence({rules.text("-"), naturalsBetween(rules, std::max<std::int64_t>(-most, 1), -least)}));
  if (most >= 0) ways.push_back(naturalsBetween(rules, std::max<std::int64_t>(least, 0), most));
  return rules.choice(ways);
}

NodeId numbersBetween(Rules& rules, std::int64_t least, bool withoutLeast, std::int64_t most, bool withoutMost) {
  if (least > most || (least == most && (withoutLeast || withoutMost))) return rules.choice({});
  if (least == most) return rules.text(std::to_string(least));
  std::vector<NodeId> ways;
  if (least < 0) {
    const bool toZero = most >= 0;  // zero itself is among the others
    ways.push_back(rules.sequence({rules.text("-"), sizesBetween(rules, toZero ? 0 : -most, toZero || withoutMost, -least, withoutLeast)}));
  }
  if (most == 0 && !withoutMost) ways.push_back(rules.text("0"));
  if (most > 0) ways.push_back(sizesBetween(rules, std::max<std::int64_t>(least, 0), least >= 0 && withoutLeast, most, withoutMost));
  return rules.choice(ways);
}

}  // namespace minerva::grammar
