// Strings: pattern, format and lengths. One of them alone becomes nodes with counts; what must hold at once, an automaton.
#include "core/grammar/limits.h"
#include "core/grammar/schema/formats.h"
#include "core/grammar/schema/reader.h"
#include "core/grammar/schema/regex.h"

#include <algorithm>
#include <utility>

namespace minerva::grammar {
namespace {

constexpr std::uint64_t endlessLength = unlimited;

std::uint64_t times(std::uint64_t length, std::uint64_t count) {
  if (length == 0 || count == 0) return 0;
  return length >= endlessLength || count >= endlessLength ? endlessLength : std::min(endlessLength, length * count);
}

struct LengthRange {
  std::uint64_t least = 0, most = 0;  // characters; most may be `unlimited`
};

LengthRange lengthOf(const Regex& regex, std::uint32_t index) {
  const RegexNode& node = regex.nodes[index];
  if (node.kind == RegexNode::Kind::chars) return {1, 1};
  LengthRange out{node.kind == RegexNode::Kind::choice ? endlessLength : 0, 0};
  if (node.kind >= RegexNode::Kind::start) return {0, 0};
  for (const std::uint32_t part : node.parts) {
    const LengthRange one = lengthOf(regex, part);
    if (node.kind == RegexNode::Kind::choice) out = {std::min(out.least, one.least), std::max(out.most, one.most)};
    else if (node.kind == RegexNode::Kind::repeat) out = {times(one.least, node.least), times(one.most, node.most)};
    else out = {std::min(endlessLength, out.least + one.least), std::min(endlessLength, out.most + one.most)};
  }
  return out;
}

// An alternative of an expression without its anchors.
struct RegexWay {
  std::vector<std::uint32_t> parts;
  bool fromStart = false, toEnd = false;
};

// Nothing, if there are anchors elsewhere than at the ends of the alternatives, or look-aheads.
std::vector<RegexWay> waysOf(const Regex& regex) {
  std::vector<RegexWay> ways;
  for (const std::uint32_t index : regex.nodes[regex.root].parts) {
    RegexWay way{.parts = regex.nodes[index].parts};
    const auto is = [&](std::uint32_t part, RegexNode::Kind kind) { return regex.nodes[part].kind == kind; };
    way.fromStart = !way.parts.empty() && is(way.parts.front(), RegexNode::Kind::start);
    if (way.fromStart) way.parts.erase(way.parts.begin());
    way.toEnd = !way.parts.empty() && is(way.parts.back(), RegexNode::Kind::end);
    if (way.toEnd) way.parts.pop_back();
    if (std::ranges::any_of(way.parts, [&](std::uint32_t part) { return regex.nodes[part].asserts; })) return {};
    ways.push_back(std::move(way));
  }
  return ways;
}

// The lengths of all texts of the expression; any, where it cannot be said.
LengthRange lengthOf(const Regex& regex) {
  LengthRange out{endlessLength, 0};
  const std::vector<RegexWay> ways = waysOf(regex);
  for (const RegexWay& way : ways) {
    LengthRange one{0, way.fromStart && way.toEnd ? 0 : endlessLength};
    for (const std::uint32_t part : way.parts) {
      const LengthRange more = lengthOf(regex, part);
      one = {std::min(endlessLength, one.least + more.least), std::min(endlessLength, one.most + more.most)};
    }
    out = {std::min(out.least, one.least), std::max(out.most, one.most)};
  }
  return ways.empty() ? LengthRange{0, endlessLength} : out;
}

std::optional<NodeId> nodeOf(const Regex& regex, std::uint32_t index, Rules& rules, JsonText& json) {
  const RegexNode& node = regex.nodes[index];
  if (node.kind == RegexNode::Kind::chars) return json.characterOf(node.set);
  std::vector<NodeId> parts;
  for (const std::uint32_t part : node.parts) {
    const auto made = nodeOf(regex, part, rules, json);
    if (!made) return std::nullopt;
    parts.push_back(*made);
  }
  if (node.kind == RegexNode::Kind::repeat) return rules.repeat(parts[0], node.least, node.most);
  return node.kind == RegexNode::Kind::choice ? rules.choice(parts) : rules.sequence(parts);
}

// The expression with counts as they are. Nothing, if it must be an automaton.
std::optional<NodeId> nodeOf(const Regex& regex, Rules& rules, JsonText& json) {
  std::vector<NodeId> made;
  for (const RegexWay& way : waysOf(regex)) {
    const NodeId any = rules.repeat(json.character(), 0, unlimited);
    std::vector<NodeId> parts;
    if (!way.fromStart) parts.push_back(any);
    for (const std::uint32_t part : way.parts) {
      const auto node = nodeOf(regex, part, rules, json);
      if (!node) return std::nullopt;
      parts.push_back(*node);
    }
    if (!way.toEnd) parts.push_back(any);
    made.push_back(rules.sequence(parts));
  }
  if (made.empty()) return std::nullopt;
  return rules.choice(made);
}

// Of characters of one kind (^[a-z]*$) the length is the count, however large.
void boundRepetition(Regex& regex, std::uint32_t least, std::uint32_t most) {
  const std::vector<RegexWay> ways = waysOf(regex);
  if (ways.size() != 1 || ways[0].parts.size() != 1 || !ways[0].fromStart || !ways[0].toEnd) return;
  RegexNode& node = regex.nodes[ways[0].parts[0]];
  if (node.kind != RegexNode::Kind::repeat || regex.nodes[node.parts[0]].kind != RegexNode::Kind::chars) return;
  if (std::max(node.least, least) > std::min(node.most, most)) return;
  node.least = std::max(node.least, least);
  node.most = std::min(node.most, most);
}

// How repetitions are bounded where a text may not be long: of groups, and of characters.
struct Bounding {
  std::uint32_t groups = unlimited, characters = unlimited;
  bool onlyCharacters = false;  // groups without a bound lose what is longer than a character where they have such (escapes)
};
constexpr std::uint32_t freeEnough = 40;  // times that a part without a bound should be able to come

void keepCharacters(Regex& regex, std::uint32_t index) {
  RegexNode& node = regex.nodes[index];
  for (const std::uint32_t part : node.parts) keepCharacters(regex, part);
  if (node.kind != RegexNode::Kind::choice) return;
  const auto isShort = [&](std::uint32_t part) { return lengthOf(regex, part).most <= 1; };
  if (std::ranges::any_of(node.parts, isShort)) std::erase_if(node.parts, [&](std::uint32_t part) { return !isShort(part); });
}

Regex bounded(Regex regex, const Bounding& bounding, std::uint32_t endless) {
  for (std::size_t i = 0; i < regex.nodes.size(); ++i) {
    RegexNode& node = regex.nodes[i];
    if (node.kind != RegexNode::Kind::repeat) continue;
    const bool ofGroup = regex.nodes[node.parts[0]].kind != RegexNode::Kind::chars;
    if (node.most == unlimited && ofGroup && bounding.onlyCharacters) keepCharacters(regex, node.parts[0]);
    const std::uint32_t most = node.most == unlimited ? endless : std::min(node.most, ofGroup ? bounding.groups : bounding.characters);
    node.most = std::max(node.least, most);
  }
  return regex;
}

// Bounds repetitions so that no text is longer than `most`: those without a bound, and others as little as will do. Nothing, if that
// does not help.
std::optional<Regex> shortened(const Regex& regex, std::uint32_t most) {
  std::vector<Bounding> ways;
  for (const std::uint32_t groups : {unlimited, 3U, 2U, 1U})
    for (const Bounding& way : {Bounding{groups, unlimited, false}, Bounding{groups, unlimited, true}, Bounding{groups, 16, true}})
      ways.push_back(way);
  std::optional<Regex> best;
  std::uint32_t bestTimes = 0;
  for (const Bounding& way : ways) {
    std::uint32_t fits = 0, tooMany = most + 1;  // times of the endless ones
    while (fits + 1 < tooMany) {
      const std::uint32_t middle = fits + (tooMany - fits) / 2;
      (lengthOf(bounded(regex, way, middle)).most <= most ? fits : tooMany) = middle;
    }
    if (fits <= bestTimes) continue;
    best = bounded(regex, way, fits);
    bestTimes = fits;
    if (fits >= freeEnough) break;
  }
  return best;
}

// What an expression looks ahead to at the start of the text is an expression of its own.
std::vector<Regex> conjunctsOf(Regex regex) {
  std::vector<Regex> out;
  const std::vector<std::uint32_t> ways = regex.nodes[regex.root].parts;
  std::vector<std::uint32_t> parts = regex.nodes[ways[0]].parts;
  while (ways.size() == 1 && parts.size() > 1 && regex.nodes[parts[0]].kind == RegexNode::Kind::start &&
         regex.nodes[parts[1]].kind == RegexNode::Kind::ahead && regex.nodes[parts[1]].most > 0) {
    Regex one = regex;
    const auto sequence = static_cast<std::uint32_t>(one.nodes.size());
    one.nodes.push_back({.kind = RegexNode::Kind::sequence, .set = {}, .parts = {parts[0], regex.nodes[parts[1]].parts[0]}});
    one.nodes.push_back({.kind = RegexNode::Kind::choice, .set = {}, .parts = {sequence}});
    one.root = sequence + 1;
    out.push_back(std::move(one));
    parts.erase(parts.begin() + 1);
  }
  regex.nodes[ways[0]].parts = parts;
  out.push_back(std::move(regex));
  return out;
}

Error at(const std::string& path, Error error) {
  error.where = path;
  return error;
}

}  // namespace

Result<std::vector<SchemaReader::Expression>> SchemaReader::expressions(const Json& schema, const std::string& path) {
  std::vector<Expression> out;
  const auto add = [&](const std::string& place, const std::string& pattern, const std::string& ofFormat) -> Result<void> {
    Result<Regex> regex = parseRegex(pattern);
    if (!regex) return fail(at(place, std::move(regex.error())));
    for (Regex& one : conjunctsOf(std::move(*regex))) out.push_back({std::move(one), place, ofFormat});
    return {};
  };
  const Json* pattern = keyword(schema, "pattern");
  if (pattern != nullptr) {
    if (!pattern->is_string()) return badSchema(below(path, "pattern"), "text", pattern->type_name());
    MINERVA_TRY(add(below(path, "pattern"), pattern->get<std::string>(), ""));
  }
  const Json* format = keyword(schema, "format");
  if (format == nullptr) return out;
  const std::string place = below(path, "format");
  if (!format->is_string()) return badSchema(place, "text", format->type_name());
  const auto& name = format->get_ref<const std::string&>();
  const std::string known = patternOfFormat(name);
  if (isAnnotatingFormat(name) || (known.empty() && !isStandardFormat(name))) return out;
  if (known.empty())
    return notExpressible(place, "this format is not known (date, time, date-time, duration, uuid, email, hostname, ipv4, ipv6, uri ...)");
  MINERVA_TRY(add(place, known, name));
  return out;
}

// Leaves out the expressions whose texts are those of another one at least.
Result<std::vector<Language>> SchemaReader::languagesOf(std::vector<Expression>& expressions) {
  std::vector<Language> out;
  for (const Expression& one : expressions) {
    Result<Language> language = Language::of(one.regex, m_budget);
    if (!language) return fail(at(one.path, std::move(language.error())));
    out.push_back(std::move(*language));
  }
  for (std::size_t i = 0; i < out.size();) {
    bool implied = false;
    for (std::size_t k = 0; k < out.size() && !implied; ++k) {
      if (k == i) continue;
      const Result<bool> within = out[k].within(out[i], m_budget);
      if (!within) return fail(at(expressions[i].path, within.error()));
      implied = *within;
    }
    if (!implied) {
      ++i;
      continue;
    }
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(i));
    expressions.erase(expressions.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return out;
}

// The texts that all of this allows.
Result<Language> SchemaReader::textsOf(std::vector<Expression>& expressions, Count count, const std::string& path) {
  Language all;
  const auto meet = [&](const std::string& place, const Result<Language>& one) -> Result<void> {
    if (!one) return fail(at(place, one.error()));
    Result<Language> both = all.both(*one, m_budget);
    if (!both) return fail(at(place, std::move(both.error())));
    all = std::move(*both);
    return {};
  };
  MINERVA_ASSIGN(const std::vector<Language> languages, languagesOf(expressions));
  LengthRange lengths{0, endlessLength};
  for (std::size_t i = 0; i < languages.size(); ++i) {
    MINERVA_TRY(meet(expressions[i].path, languages[i]));
    const LengthRange own = lengthOf(expressions[i].regex);
    lengths = {std::max(lengths.least, own.least), std::min(lengths.most, own.most)};
  }
  if (count.least <= lengths.least) count.least = 0;
  if (count.most >= lengths.most) count.most = unlimited;
  if (count.least > 0 || count.most != unlimited)
    MINERVA_TRY(
        meet(below(path, count.most != unlimited ? "maxLength" : "minLength"), Language::ofLength(count.least, count.most, m_budget)));
  if (!all.canBeWritten() && !expressions.empty())
    return notExpressible(expressions.front().path, "no text has this pattern, with the format and the lengths beside it");
  return all;
}

Result<Language> SchemaReader::texts(const Json& schema, const std::string& path) {
  MINERVA_ASSIGN(const Count count, this->count(schema, "minLength", "maxLength", path));
  MINERVA_ASSIGN(std::vector<Expression> all, expressions(schema, path));
  return textsOf(all, count, path);
}

// The texts of one expression as its nodes; nothing, if it does not keep to the lengths or must be an automaton.
std::optional<NodeId> SchemaReader::plainString(Regex regex, Count count) {
  boundRepetition(regex, count.least, count.most);
  const LengthRange lengths = lengthOf(regex);
  if (lengths.least < count.least || (count.most != unlimited && lengths.most > count.most)) return std::nullopt;
  return nodeOf(regex, m_rules, m_json);
}

// The texts of formats that can be counted, in the place of all of them. False: there are no formats.
Result<bool> SchemaReader::simplifyFormats(std::vector<Expression>& all) {
  bool any = false;
  for (Expression& one : all) {
    if (one.format.empty()) continue;
    any = true;
    MINERVA_ASSIGN(one.regex, parseRegex(patternOfFormat(one.format, true)));
  }
  return any;
}

Result<NodeId> SchemaReader::restrictedString(std::vector<Expression> all, Count count, const std::string& path) {
  if (all.size() == 1)
    if (const auto node = plainString(all[0].regex, count)) return *node;
  std::vector<Expression> given = all;
  const Result<Language> language = textsOf(all, count, path);
  if (all.size() == 1)
    if (const auto node = plainString(all[0].regex, count)) return *node;
  if (language) return language->write(m_rules, m_json);
  if (language.error().kind != ErrorKind::limit) return fail(language.error());
  MINERVA_ASSIGN(const bool simpler, simplifyFormats(given));
  all = given;
  if (simpler)
    if (const Result<Language> made = textsOf(given, count, path)) return made->write(m_rules, m_json);
  if (const auto regex = all.size() == 1 && count.most < limits::least ? shortened(all[0].regex, count.most) : std::nullopt)
    if (const auto node = plainString(*regex, count)) return *node;
  return fail(language.error());
}

Result<NodeId> SchemaReader::string(const Json& schema, const std::string& path) {
  MINERVA_ASSIGN(const Count count, this->count(schema, "minLength", "maxLength", path));
  MINERVA_ASSIGN(std::vector<Expression> all, expressions(schema, path));
  const auto quoted = [&](NodeId node) { return m_rules.sequence({m_rules.text("\""), node, m_rules.text("\"")}); };
  if (all.empty() && count.least == 0 && count.most == unlimited) return m_json.string();
  if (all.empty()) return quoted(m_rules.repeat(m_json.character(), count.least, count.most));
  std::string key = std::to_string(count.least) + " " + std::to_string(count.most);
  for (const char* name : {"pattern", "format"}) key += " " + (keyword(schema, name) != nullptr ? keyword(schema, name)->dump() : "");
  if (const auto known = m_strings.find(key); known != m_strings.end()) return m_rules.rule(known->second);
  MINERVA_ASSIGN(const NodeId node, restrictedString(std::move(all), count, path));
  const RuleId rule = m_rules.declare("string");
  m_rules.define(rule, quoted(node));
  m_strings.emplace(key, rule);
  return m_rules.rule(rule);
}

}  // namespace minerva::grammar
