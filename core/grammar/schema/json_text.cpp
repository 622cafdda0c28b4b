#include "core/grammar/schema/json_text.h"

#include "core/base/utf8.h"
#include "core/grammar/schema/digits.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace minerva::grammar {
namespace {

CharSet plainCharacters() {
  CharSet set(0x20, 0x10FFFF);
  return set.without(CharSet::of("\"\\"));
}

constexpr std::array<std::pair<char, std::string_view>, 7> jsonEscapes{
    {{'"', "\\\""}, {'\\', "\\\\"}, {'\b', "\\b"}, {'\f', "\\f"}, {'\n', "\\n"}, {'\r', "\\r"}, {'\t', "\\t"}}};

// Sorted texts of code points from `begin` on, of which the first `depth` ones are the same and have been read.
NodeId exceptFrom(Rules& rules, const std::vector<std::u32string>& names, std::size_t begin, std::size_t end, std::size_t depth,
                  NodeId any) {
  const bool isName = names[begin].size() == depth;
  std::vector<NodeId> ways;
  CharSet others = plainCharacters();
  for (std::size_t i = begin + (isName ? 1 : 0); i < end;) {
    const char32_t c = names[i][depth];
    std::size_t next = i;
    while (next < end && names[next][depth] == c) ++next;
    others = others.without({c, c});
    ways.push_back(rules.sequence({rules.chars({c, c}), exceptFrom(rules, names, i, next, depth + 1, any)}));
    i = next;
  }
  ways.push_back(rules.sequence({rules.chars(others), any}));
  if (!isName) ways.push_back(rules.nothing());
  return rules.choice(ways);
}

std::u32string codePointsOf(std::string_view utf8) {
  std::u32string text;
  for (std::size_t at = 0; at < utf8.size();) {
    const utf8::Decoded c = utf8::decode(utf8, at);
    text += c.codePoint;
    at += c.length;
  }
  return text;
}

// Sorted texts whose first `depth` characters are the same and have been read.
NodeId oneOfFrom(Rules& rules, const std::vector<std::u32string>& texts, std::size_t begin, std::size_t end, std::size_t depth) {
  const std::u32string &first = texts[begin], &last = texts[end - 1];
  const auto same = static_cast<std::size_t>(std::ranges::mismatch(first, last).in1 - first.begin());
  std::string common;
  for (std::size_t i = depth; i < same; ++i) utf8::append(common, first[i]);
  std::vector<NodeId> ways;
  if (first.size() == same) ways.push_back(rules.nothing());
  for (std::size_t i = begin + (first.size() == same ? 1 : 0); i < end;) {
    std::size_t next = i;
    while (next < end && texts[next][same] == texts[i][same]) ++next;
    ways.push_back(oneOfFrom(rules, texts, i, next, same));
    i = next;
  }
  return rules.sequence({rules.text(common), rules.choice(ways)});
}

}  // namespace

template <class Make>
NodeId JsonText::once(std::optional<RuleId>& rule, const char* name, const Make& make) {
  if (!rule) {
    rule = m_rules.declare(name);
    m_rules.define(*rule, make());
  }
  return m_rules.rule(*rule);
}

NodeId JsonText::space() {
  return once(m_space, "space", [&] {
    const NodeId indent = m_rules.repeat(m_rules.chars(CharSet::of(" \t")), 0, 20);
    return m_rules.optional(m_rules.choice({m_rules.text(" "), m_rules.sequence({m_rules.text("\n"), indent})}));
  });
}

NodeId JsonText::comma() {
  return once(m_comma, "comma", [&] { return m_rules.sequence({m_rules.text(","), space()}); });
}

NodeId JsonText::brackets(const char* open, NodeId items, bool canBeEmpty, const char* close) {
  const NodeId inside = m_rules.sequence({items, space()});
  return m_rules.sequence({m_rules.text(open), space(), canBeEmpty ? m_rules.optional(inside) : inside, m_rules.text(close)});
}

NodeId JsonText::character() {
  return once(m_character, "character", [&] {
    CharSet hex = CharSet::of("abcdefABCDEF0123456789");
    const NodeId anyHex = m_rules.chars(hex), dD = m_rules.chars(CharSet::of("dD"));
    const NodeId low = m_rules.chars({U'0', U'7'});
    const NodeId high = m_rules.chars(CharSet::of("89abAB")), higher = m_rules.chars(CharSet::of("cdefCDEF"));
    const NodeId twoHex = m_rules.repeat(anyHex, 2, 2);
    const NodeId single = m_rules.choice({m_rules.sequence({m_rules.chars(hex.without(CharSet::of("dD"))), m_rules.repeat(anyHex, 3, 3)}),
                                          m_rules.sequence({dD, low, twoHex})});
    const NodeId pair = m_rules.sequence({dD, high, twoHex, m_rules.text("\\u"), dD, higher, twoHex});
    const NodeId escaped =
        m_rules.choice({m_rules.chars(CharSet::of("\"\\/bfnrt")), m_rules.sequence({m_rules.text("u"), m_rules.choice({single, pair})})});
    return m_rules.choice({m_rules.chars(plainCharacters()), m_rules.sequence({m_rules.text("\\"), escaped})});
  });
}

CharSet JsonText::writable() {
  CharSet set = plainCharacters();
  for (const auto& [c, escape] : jsonEscapes) set.add(static_cast<char32_t>(c), static_cast<char32_t>(c));
  return set;
}

std::optional<NodeId> JsonText::characterOf(const CharSet& set) {
  std::vector<NodeId> ways;
  if (const CharSet plain = set.common(plainCharacters()); !plain.empty()) ways.push_back(m_rules.chars(plain));
  for (const auto& [c, escape] : jsonEscapes)
    if (set.contains(static_cast<char32_t>(c))) ways.push_back(m_rules.text(escape));
  if (ways.empty()) return std::nullopt;
  return m_rules.choice(ways);
}

NodeId JsonText::string() {
  return once(m_string, "string", [&] {
    return m_rules.sequence({m_rules.text("\""), m_rules.repeat(character(), 0, unlimited), m_rules.text("\"")});
  });
}

NodeId JsonText::integer() {
  return once(m_integer, "integer", [&] { return integersBetween(m_rules, -largestInteger, largestInteger); });
}

// Of so many digits that every reader can hold it.
NodeId JsonText::number() {
  return once(m_number, "number", [&] {
    const NodeId digit = m_rules.chars({U'0', U'9'});
    const NodeId fraction = m_rules.sequence({m_rules.text("."), m_rules.repeat(digit, 1, 16)});
    const NodeId exponent = m_rules.sequence(
        {m_rules.chars(CharSet::of("eE")), m_rules.optional(m_rules.chars(CharSet::of("+-"))), m_rules.repeat(digit, 1, 2)});
    return m_rules.sequence({m_rules.choice({integer(), m_rules.text("-0")}), m_rules.optional(fraction), m_rules.optional(exponent)});
  });
}

NodeId JsonText::boolean() {
  return once(m_boolean, "boolean", [&] { return m_rules.choice({m_rules.text("true"), m_rules.text("false")}); });
}

NodeId JsonText::object() {
  return once(m_object, "object", [&] {
    const NodeId member = m_rules.sequence({string(), m_rules.text(":"), space(), value()});
    return brackets("{", m_rules.sequence({member, m_rules.repeat(m_rules.sequence({comma(), member}), 0, unlimited)}), true, "}");
  });
}

NodeId JsonText::array() {
  return once(m_array, "array", [&] {
    return brackets("[", m_rules.sequence({value(), m_rules.repeat(m_rules.sequence({comma(), value()}), 0, unlimited)}), true, "]");
  });
}

// Declared before it is made: it contains itself.
NodeId JsonText::value() {
  if (m_value) return m_rules.rule(*m_value);
  m_value = m_rules.declare("value");
  m_rules.define(*m_value, m_rules.choice({object(), array(), string(), number(), boolean(), m_rules.text("null")}));
  return m_rules.rule(*m_value);
}

NodeId JsonText::nameExcept(const std::vector<std::string>& names) {
  std::vector<std::u32string> decoded;
  for (const std::string& name : names) {
    std::u32string text = codePointsOf(name);
    // A name that needs escapes cannot be written without.
    if (std::ranges::all_of(text, [plain = plainCharacters()](char32_t c) { return plain.contains(c); }))
      decoded.push_back(std::move(text));
  }
  std::ranges::sort(decoded);
  decoded.erase(std::unique(decoded.begin(), decoded.end()), decoded.end());
  const NodeId any = m_rules.repeat(m_rules.chars(plainCharacters()), 0, unlimited);
  const NodeId text = decoded.empty() ? any : exceptFrom(m_rules, decoded, 0, decoded.size(), 0, any);
  return m_rules.sequence({m_rules.text("\""), text, m_rules.text("\"")});
}

NodeId JsonText::oneOf(const std::vector<std::string>& texts) {
  if (texts.empty()) return m_rules.choice({});
  std::vector<std::u32string> sorted;
  for (const std::string& text : texts) sorted.push_back(codePointsOf(text));
  std::ranges::sort(sorted);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return oneOfFrom(m_rules, sorted, 0, sorted.size(), 0);
}

NodeId JsonText::literal(const nlohmann::ordered_json& value) {
  return m_rules.text(value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace minerva::grammar
