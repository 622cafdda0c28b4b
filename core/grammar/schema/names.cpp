// The names of members that are not declared: propertyNames and patternProperties.
#include "core/grammar/schema/object_parts.h"

#include <algorithm>

namespace minerva::grammar {
namespace {

constexpr std::size_t longestName = 256;  // bytes, where other names must differ from it
constexpr std::size_t mostPatterns = 6;   // any of which may hold for a name, together

}  // namespace

bool SchemaReader::Names::have(const std::string& name) const {
  if (list) return std::ranges::find(*list, name) != list->end();
  return !language || language->contains(name);
}

Result<SchemaReader::Names> SchemaReader::namesOf(const Json& schema, const std::string& path, int depth) {
  MINERVA_ASSIGN(const Json names, resolved(schema, path, depth));
  const std::vector<std::string> no;
  if (names == true) return Names{};
  if (names == false) return Names{.list = no, .language = {}};
  for (const char* several : {"anyOf", "oneOf"}) {
    const Json* ways = keyword(names, several);
    if (ways == nullptr) continue;
    Names out{.list = no, .language = {}};
    for (const Json& way : *ways) {
      MINERVA_ASSIGN(const Names one, namesOf(way, below(path, several), depth + 1));
      if (!one.list || names.size() > 1)
        return notExpressible(below(path, several), "names of members that are not listed, in several ways");
      out.list->insert(out.list->end(), one.list->begin(), one.list->end());
    }
    return out;
  }
  MINERVA_ASSIGN(const JsonTypes types, typesOf(names, path));
  if (keyword(names, "type") != nullptr && (types & json_types::string) == 0) return Names{.list = no, .language = {}};
  if (keyword(names, "const") != nullptr || keyword(names, "enum") != nullptr) {
    MINERVA_ASSIGN(const std::vector<Json> values, literalsOf(names, path));
    Names out{.list = no, .language = {}};
    for (const Json& value : values)
      if (value.is_string()) out.list->push_back(value.get<std::string>());
    return out;
  }
  const auto isGiven = [&](const char* name) { return keyword(names, name) != nullptr; };
  if (!isGiven("pattern") && !isGiven("format") && !isGiven("minLength") && !isGiven("maxLength")) return Names{};
  MINERVA_ASSIGN(Language language, texts(names, path));
  return Names{.list = {}, .language = std::move(language)};
}

Result<std::vector<SchemaReader::NamedByPattern>> SchemaReader::namedByPattern(const Json& schema, const std::string& path) {
  std::vector<NamedByPattern> out;
  const Json* given = keyword(schema, "patternProperties");
  if (given == nullptr) return out;
  const std::string place = below(path, "patternProperties");
  if (!given->is_object()) return badSchema(place, "an object", given->type_name());
  if (given->size() > mostPatterns) return notExpressible(place, "so many patterns, which may meet");
  for (const auto& [pattern, value] : given->items()) {
    const Result<Regex> regex = parseRegex(pattern);
    Result<Language> language = regex ? Language::of(*regex, m_budget) : Result<Language>(fail(regex.error()));
    if (!language) {
      language.error().where = place;
      return fail(std::move(language.error()));
    }
    out.push_back({std::move(*language), &value, place});
  }
  return out;
}

// A member that is not declared. Nothing, if there can be none.
Result<std::optional<NodeId>> SchemaReader::openMember(const ObjectParts& parts, const std::string& path, int depth) {
  std::vector<std::string> declared;
  for (const Member& member : parts.members) declared.push_back(member.name);
  declared.insert(declared.end(), parts.forbidden.begin(), parts.forbidden.end());
  if (std::ranges::any_of(declared, [](const std::string& name) { return name.size() > longestName; }))
    return notExpressible(below(path, "properties"), "so long a name of a property beside additional ones");
  if (parts.byPattern.empty() && !parts.names.language) {
    MINERVA_ASSIGN(const NodeId value, this->value(parts.additional, below(path, "additionalProperties"), depth + 1));
    const NodeId name = declared.empty() ? m_json.string() : m_json.nameExcept(declared);
    return m_rules.sequence({name, m_rules.text(":"), m_json.space(), value});
  }
  const Result<Language> listed = Language::of(declared, m_budget);
  Result<Language> names = listed ? listed->others().both(parts.names.language.value_or(Language()), m_budget) : listed;
  const std::string place = parts.byPattern.empty() ? below(path, "propertyNames") : parts.byPattern[0].path;
  if (!names) return notExpressible(place, names.error().what);
  std::vector<NodeId> ways;
  MINERVA_TRY(addOpen(parts, *names, 0, Json::array(), ways, path, depth));
  if (ways.empty()) return std::nullopt;
  return m_rules.choice(ways);
}

// The names by which of the patterns, from this one on, are found in them.
Result<void> SchemaReader::addOpen(const ObjectParts& parts, const Language& names, std::size_t pattern, Json schemas,
                                   std::vector<NodeId>& ways, const std::string& path, int depth) {
  if (!names.canBeWritten()) return {};
  if (pattern == parts.byPattern.size()) {
    if (schemas.empty() && !parts.takesOthers) return {};
    const Json schema = schemas.empty() ? parts.additional : schemas.size() == 1 ? schemas[0] : Json{{"allOf", schemas}};
    if (schema == false || forbidsEverything(schema)) return {};
    MINERVA_ASSIGN(const NodeId value,
                   this->value(schema, below(path, schemas.empty() ? "additionalProperties" : "patternProperties"), depth + 1));
    ways.push_back(m_rules.sequence({m_rules.text("\""), names.write(m_rules, m_json), m_rules.text("\":"), m_json.space(), value}));
    return {};
  }
  const NamedByPattern& one = parts.byPattern[pattern];
  const Result<Language> in = names.both(one.names, m_budget), out = names.both(one.names.others(), m_budget);
  if (!in || !out) return notExpressible(one.path, (in ? out : in).error().what);
  MINERVA_TRY(addOpen(parts, *out, pattern + 1, schemas, ways, path, depth));
  schemas.push_back(*one.schema);
  return addOpen(parts, *in, pattern + 1, std::move(schemas), ways, path, depth);
}

}  // namespace minerva::grammar
