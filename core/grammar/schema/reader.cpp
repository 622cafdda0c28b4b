#include "core/grammar/schema/reader.h"

#include "core/grammar/limits.h"
#include "core/grammar/schema/factor.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace minerva::grammar {
namespace {

constexpr std::array<JsonTypes, 6> typeOrder{json_types::object, json_types::array,   json_types::string,
                                             json_types::number, json_types::boolean, json_types::null};

std::string shortText(const Json& value) {
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 60) + "...";
  return text;
}

// A value of a keyword that asks for nothing: names of properties are strings anyway. A schema that everything fulfils asks for an item
// in `contains`, and forbids everything in `not`.
bool saysNothing(const std::string& name, const Json& value) {
  if (name == "not") return value == false;
  if (name == "contains") return false;
  return (value.is_object() && value.empty()) || (name == "propertyNames" && value == Json{{"type", "string"}});
}

std::size_t characters(const std::string& utf8) {
  return static_cast<std::size_t>(std::ranges::count_if(utf8, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool hasLocalReference(const Json& top) {
  std::vector<const Json*> open{&top};
  while (!open.empty()) {
    const Json& one = *open.back();
    open.pop_back();
    if (const Json* to = keyword(one, "$ref"); to != nullptr && to->is_string() && to->get_ref<const std::string&>().starts_with('#'))
      return true;
    if (one.is_structured())
      for (const Json& part : one) open.push_back(&part);
  }
  return false;
}

// A subschema with an $id of its own (in draft 4, an id) is a document of its own, in which its references would have to lead.
bool refersWithinOtherDocument(const Json& root) {
  const Json* draft = keyword(root, "$schema");
  const bool isDraft4 =
      draft != nullptr && draft->is_string() && draft->get_ref<const std::string&>().find("draft-04") != std::string::npos;
  std::vector<const Json*> open{&root};
  while (!open.empty()) {
    const Json& one = *open.back();
    open.pop_back();
    const Json* id = &one == &root ? nullptr : keyword(one, isDraft4 ? "id" : "$id");
    const bool isDocument = id != nullptr && id->is_string() && !id->get_ref<const std::string&>().starts_with('#');
    if (isDocument && hasLocalReference(one)) return true;
    if (one.is_structured())
      for (const Json& part : one) open.push_back(&part);
  }
  return false;
}

}  // namespace

JsonTypes typeOf(const Json& value) {
  if (value.is_null()) return json_types::null;
  if (value.is_boolean()) return json_types::boolean;
  if (value.is_object()) return json_types::object;
  if (value.is_array()) return json_types::array;
  if (value.is_string()) return json_types::string;
  if (value.is_number_integer()) return json_types::integer;
  return value.get<double>() == static_cast<double>(static_cast<long long>(std::clamp(value.get<double>(), -9e15, 9e15)))
             ? json_types::integer
             : json_types::fraction;
}

const Json* keyword(const Json& schema, const char* name) {
  if (!schema.is_object()) return nullptr;
  const auto found = schema.find(name);
  return found == schema.end() ? nullptr : &*found;
}

std::optional<Json> inLaterDraft(const Json& schema) {
  std::optional<Json> out;
  for (const auto& [name, bound] : {std::pair("exclusiveMinimum", "minimum"), std::pair("exclusiveMaximum", "maximum")}) {
    const Json* given = keyword(schema, name);
    if (given == nullptr || !given->is_boolean() || (*given == true && keyword(schema, bound) == nullptr)) continue;
    if (!out) out = schema;
    out->erase(name);
    if (*given == false) continue;
    (*out)[name] = schema[bound];
    out->erase(bound);
  }
  return out;
}

bool forbidsEverything(const Json& schema) {
  const Json* forbidden = keyword(schema, "not");
  return forbidden != nullptr && (*forbidden == true || *forbidden == Json::object());
}

std::unexpected<Error> badSchema(const std::string& path, const std::string& expected, const std::string& actual) {
  return fail(
      {.kind = ErrorKind::invalidArgument, .what = "The JSON schema is not valid", .where = path, .expected = expected, .actual = actual});
}

std::unexpected<Error> notExpressible(const std::string& path, const std::string& why) {
  return fail({.kind = ErrorKind::unsupported, .what = "The JSON schema cannot be followed: " + why, .where = path});
}

std::string below(const std::string& path, const std::string& name) { return path + "." + name.substr(0, 60); }

Result<NodeId> SchemaReader::read() {
  if (!m_lenient && refersWithinOtherDocument(m_root))
    return notExpressible(m_path, "references (#...) below an $id of a subschema lead into that, which is not followed");
  return value(m_root, m_path, 0);
}

Result<void> SchemaReader::spend(std::size_t steps) {
  m_steps += steps;
  if (m_steps <= limits::schemaSteps && !m_rules.tooLarge()) return {};
  return fail({.kind = ErrorKind::limit,
               .what = "The JSON schema is too large, or its references multiply",
               .where = m_path,
               .expected = "at most " + std::to_string(limits::schemaSteps) + " steps",
               .actual = "more"});
}

Result<void> SchemaReader::checkKeywords(const Json& schema, const std::string& path) {
  if (m_lenient) return {};  // nobody reads those that are not known or refused
  for (const auto& [name, value] : schema.items()) {
    const Keyword* known = keywordNamed(name);
    if (known == nullptr && !name.starts_with("x-"))
      return notExpressible(below(path, name), "the keyword is not known; annotations of one's own begin with x-");
    const bool counts = known != nullptr && known->use == Keyword::Use::refused && !saysNothing(name, value);
    if (counts && !(name == "not" && forbidsEverything(schema))) return notExpressible(below(path, name), "this keyword is not supported");
  }
  return {};
}

// Without `type`: those types whose keywords the schema has; any, if it has none. (A schema that has keywords of objects but no type
// would also be fulfilled by a number, which nobody means.)
Result<JsonTypes> SchemaReader::typesOf(const Json& schema, const std::string& path) {
  const Json* given = keyword(schema, "type");
  JsonTypes types = 0;
  if (given == nullptr) {
    for (const auto& [name, value] : schema.items()) {
      const Keyword* known = keywordNamed(name);
      if (known != nullptr && known->use == Keyword::Use::assertion && known->types != json_types::all && !saysNothing(name, value))
        types |= name == "format" ? json_types::string : known->types;
    }
    return types == 0 ? json_types::all : types;
  }
  const Json list = given->is_array() ? *given : Json::array({*given});
  for (const Json& one : list) {
    const JsonTypes type = one.is_string() ? json_types::named(one.get_ref<const std::string&>()) : 0;
    if (type == 0) return badSchema(below(path, "type"), "null, boolean, object, array, string, integer or number", shortText(one));
    types |= type;
  }
  if (types == 0) return badSchema(below(path, "type"), "at least one type", "none");
  return types;
}

Result<SchemaReader::Count> SchemaReader::count(const Json& schema, const char* least, const char* most, const std::string& path) {
  Count out;
  for (const char* name : {least, most}) {
    const Json* given = keyword(schema, name);
    if (given == nullptr) continue;
    const double number = given->is_number() ? given->get<double>() : -1;
    if (!(number >= 0) || number != static_cast<double>(static_cast<std::uint64_t>(std::min(number, 9e15))))
      return badSchema(below(path, name), "a whole number from 0", shortText(*given));
    const std::uint32_t bound = name == least ? limits::least : limits::most;
    if (number > bound) {
      return fail({.kind = ErrorKind::limit,
                   .what = "The JSON schema asks for too much",
                   .where = below(path, name),
                   .expected = "at most " + std::to_string(bound),
                   .actual = shortText(*given)});
    }
    (name == least ? out.least : out.most) = static_cast<std::uint32_t>(number);
  }
  if (out.least > out.most) return badSchema(below(path, least), std::string("no more than ") + most, std::to_string(out.least));
  return out;
}

Result<NodeId> SchemaReader::value(const Json& schema, const std::string& path, int depth) {
  MINERVA_TRY(spend(1));
  if (depth > limits::nesting) {
    return fail({.kind = ErrorKind::limit,
                 .what = "The JSON schema is nested too deep",
                 .where = path.substr(0, 200),
                 .expected = "at most " + std::to_string(limits::nesting),
                 .actual = "more"});
  }
  if (schema.is_boolean()) return schema.get<bool>() ? m_json.value() : m_rules.choice({});
  if (!schema.is_object()) return badSchema(path, "a schema: an object, true or false", shortText(schema));
  if (const auto later = inLaterDraft(schema)) return value(*later, path, depth);
  if (const auto plain = m_lenient ? lenientForm(schema) : std::nullopt) return value(*plain, path, depth);
  MINERVA_TRY(checkKeywords(schema, path));
  if (forbidsEverything(schema)) return m_rules.choice({});
  if (const Json* nullable = keyword(schema, "nullable")) {
    if (!nullable->is_boolean()) return badSchema(below(path, "nullable"), "true or false", shortText(*nullable));
    Json rest = schema;
    rest.erase("nullable");
    MINERVA_ASSIGN(const NodeId node, value(rest, path, depth + 1));
    return nullable->get<bool>() ? m_rules.choice({node, m_rules.text("null")}) : node;
  }
  return m_lenient ? lenientValue(schema, path, depth) : plainValue(schema, path, depth);
}

Result<NodeId> SchemaReader::plainValue(const Json& schema, const std::string& path, int depth) {
  if (keyword(schema, "$ref") != nullptr) return reference(schema, path, depth);
  if (keyword(schema, "allOf") != nullptr) return merged(schema, path, depth);
  for (const char* name : {"anyOf", "oneOf"})
    if (keyword(schema, name) != nullptr) return alternatives(schema, name, path, depth);
  if (keyword(schema, "const") != nullptr || keyword(schema, "enum") != nullptr) return literals(schema, path);
  MINERVA_ASSIGN(const JsonTypes types, typesOf(schema, path));
  if (types == json_types::all && keyword(schema, "type") == nullptr) return m_json.value();
  std::vector<NodeId> ways;
  for (const JsonTypes type : typeOrder) {
    if ((types & type) == 0) continue;
    MINERVA_ASSIGN(const NodeId way, ofType(types & type, schema, path, depth));
    ways.push_back(way);
  }
  return m_rules.choice(ways);
}

Result<NodeId> SchemaReader::ofType(JsonTypes type, const Json& schema, const std::string& path, int depth) {
  switch (type) {
    case json_types::object: return object(schema, path, depth);
    case json_types::array: return array(schema, path, depth);
    case json_types::string: return string(schema, path);
    case json_types::integer: return integer(schema, path);
    case json_types::number: return number(schema, path);
    case json_types::boolean: return m_json.boolean();
    default: return m_rules.text("null");
  }
}

// A reference alone is a rule, so that recursion is one of rules; with other keywords beside it, both hold.
Result<NodeId> SchemaReader::reference(const Json& schema, const std::string& path, int depth) {
  const bool alone = std::ranges::all_of(schema.items(), [](const auto& entry) {
    const Keyword* known = keywordNamed(entry.key());
    return entry.key() == "$ref" || known == nullptr || known->use == Keyword::Use::annotation;
  });
  if (!alone) return merged(schema, path, depth);
  MINERVA_ASSIGN(const Json* const to, target(schema, path));
  const std::string name = schema["$ref"].get<std::string>();
  const auto known = m_references.find(name);
  if (known != m_references.end()) return m_rules.rule(known->second);
  const RuleId rule = m_rules.declare(name.substr(0, 60));
  m_references.emplace(name, rule);
  MINERVA_ASSIGN(const NodeId body, value(*to, name == "#" ? m_path : m_path + "(" + name.substr(0, 100) + ")", depth + 1));
  m_rules.define(rule, body);
  return m_rules.rule(rule);
}

Result<NodeId> SchemaReader::merged(const Json& schema, const std::string& path, int depth) {
  MINERVA_ASSIGN(const Json whole, resolved(schema, path, depth));
  const std::string text = whole.dump(-1, ' ', false, Json::error_handler_t::replace);
  MINERVA_TRY(spend(1 + text.size() / 256));
  const auto known = m_merged.find(text);
  if (known != m_merged.end()) return m_rules.rule(known->second);
  const RuleId rule = m_rules.declare("allOf");
  m_merged.emplace(text, rule);
  MINERVA_ASSIGN(const NodeId body, value(whole, path, depth + 1));
  m_rules.define(rule, body);
  return m_rules.rule(rule);
}

// Keywords beside anyOf or oneOf hold for each alternative.
Result<NodeId> SchemaReader::alternatives(const Json& schema, const char* keyword, const std::string& path, int depth) {
  const Json& list = schema[keyword];
  if (!list.is_array() || list.empty()) return badSchema(below(path, keyword), "a list of schemas", shortText(list));
  Json beside = Json::object();
  for (const auto& [name, value] : schema.items()) {
    const Keyword* known = keywordNamed(name);
    if (name != keyword && known != nullptr && known->use != Keyword::Use::annotation) beside[name] = value;
  }
  std::vector<Json> whole;
  for (const Json& one : list) whole.push_back(beside.empty() ? one : Json{{"allOf", Json::array({one, beside})}});
  if (!m_lenient && std::string_view(keyword) == "oneOf") {
    MINERVA_ASSIGN(whole, toldApart(std::move(whole), schema, path));
  }
  std::vector<NodeId> ways;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    MINERVA_ASSIGN(const NodeId way, value(whole[i], below(path, keyword) + "[" + std::to_string(i) + "]", depth + 1));
    ways.push_back(way);
  }
  return factoredChoice(m_rules, ways);
}

Result<bool> SchemaReader::literalFits(const Json& literal, const Json& schema, const std::string& path) {
  const JsonTypes type = typeOf(literal);
  if (keyword(schema, "type") != nullptr) {
    MINERVA_ASSIGN(const JsonTypes types, typesOf(schema, path));
    if ((types & type) == 0) return false;
  }
  for (const auto& [name, bound] : schema.items()) {
    const Keyword* known = keywordNamed(name);
    if (known == nullptr || known->use != Keyword::Use::assertion || (known->types & type) == 0) continue;
    if (name == "type" || name == "const" || name == "enum") continue;
    if (literal.is_string() && (name == "pattern" || name == "format")) continue;  // of several keywords; see literals()
    const bool ofLength = name == "minLength" || name == "maxLength", least = name.starts_with("min") || name == "exclusiveMinimum";
    const bool ofSize = name == "minimum" || name == "maximum" || name == "exclusiveMinimum" || name == "exclusiveMaximum";
    if ((!ofLength && !ofSize) || !bound.is_number()) return notExpressible(below(path, name), "this keyword beside enum or const");
    const double value = ofLength ? static_cast<double>(characters(literal.get_ref<const std::string&>())) : literal.get<double>();
    const double limit = bound.get<double>();
    if (least ? value < limit : value > limit) return false;
    if (name.starts_with("exclusive") && value == limit) return false;
  }
  return true;
}

Result<std::vector<Json>> SchemaReader::literalsOf(const Json& schema, const std::string& path) {
  const Json* constant = keyword(schema, "const");
  const Json* list = keyword(schema, "enum");
  if (list != nullptr && (!list->is_array() || list->empty())) return badSchema(below(path, "enum"), "a list of values", shortText(*list));
  const Json given = constant != nullptr ? Json::array({*constant}) : *list;
  std::vector<std::pair<Language, std::string>> languages;
  if (std::ranges::any_of(given, [](const Json& literal) { return literal.is_string(); })) {
    MINERVA_ASSIGN(const std::vector<Expression> all, expressions(schema, path));
    for (const Expression& one : all) {
      Result<Language> language = Language::of(one.regex, m_budget);
      if (!language) {
        language.error().where = one.path;
        return fail(std::move(language.error()));
      }
      languages.emplace_back(std::move(*language), one.path);
    }
  }
  std::vector<Json> out;
  for (const Json& literal : given) {
    MINERVA_TRY(spend(1));
    MINERVA_ASSIGN(bool fits, literalFits(literal, schema, path));
    for (const auto& [language, place] : languages) {
      if (!fits || !literal.is_string() || language.contains(literal.get_ref<const std::string&>())) continue;
      if (place == below(path, "format"))
        return notExpressible(place, "this keyword beside enum or const");  // ours are a part of its texts
      fits = false;
    }
    const bool listed = constant == nullptr || list == nullptr || std::ranges::find(*list, literal) != list->end();
    if (fits && listed) out.push_back(literal);
  }
  return out;
}

Result<NodeId> SchemaReader::literals(const Json& schema, const std::string& path) {
  MINERVA_ASSIGN(const std::vector<Json> values, literalsOf(schema, path));
  std::vector<std::string> texts;
  for (const Json& value : values) texts.push_back(value.dump(-1, ' ', false, Json::error_handler_t::replace));
  return m_json.oneOf(texts);
}

}  // namespace minerva::grammar
