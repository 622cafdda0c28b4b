#include "core/serve/call_text.h"

#include <algorithm>

namespace minerva::serve {
namespace {

using grammar::CharSet;
using grammar::Json;
using grammar::NodeId;

constexpr char32_t markerSign = 1;  // before markers that are control tokens; part of no text

}  // namespace

NodeId textWithout(grammar::Rules& rules, std::string_view tag) {
  const CharSet sign(markerSign, markerSign), first = CharSet::of(tag.substr(0, 1));
  CharSet ends = first;  // of no beginning of the tag: another begins, or a marker follows
  ends.add(sign);
  std::vector<NodeId> beginnings, broken;
  for (std::size_t length = 1; length < tag.size(); ++length) {
    CharSet next = CharSet::of(tag.substr(length, 1));
    next.add(ends);
    beginnings.push_back(rules.text(tag.substr(0, length)));
    broken.push_back(rules.sequence({beginnings.back(), rules.chars(CharSet::everything().without(next))}));
  }
  const NodeId begun = rules.repeat(rules.choice(beginnings), 0, grammar::unlimited);
  const NodeId noTag = rules.sequence({begun, rules.choice(broken)});
  const NodeId one = rules.choice({rules.chars(CharSet::everything().without(ends)), noTag});
  return rules.sequence({rules.repeat(one, 0, grammar::unlimited), begun});
}

NodeId anyName(grammar::Rules& rules) {
  constexpr std::uint32_t longest = 64;
  return rules.repeat(rules.chars(CharSet::of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")), 1, longest);
}

const Json* memberNamed(const Json& schema, const char* name) {
  const auto found = schema.is_object() ? schema.find(name) : schema.end();
  return found != schema.end() ? &*found : nullptr;
}

bool isRequired(const Json& schema, const std::string& property) {
  const Json* required = memberNamed(schema, "required");
  return required != nullptr && required->is_array() && std::find(required->begin(), required->end(), property) != required->end();
}

}  // namespace minerva::serve
