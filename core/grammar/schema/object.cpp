#include "core/grammar/limits.h"
#include "core/grammar/schema/reader.h"

#include <algorithm>

namespace minerva::grammar {
namespace {

constexpr std::size_t longestName = 256;  // bytes, where other names must differ from it

struct Property {
  std::string name;
  NodeId member = 0;
  bool required = false;
};

// The members from property `i` on, after others (with commas before them). Made from the end, so that each is made once.
struct MemberList {
  NodeId after = 0, first = 0;  // first: nothing was written before
  bool canBeEmpty = true;       // `first` may be left out
};

// Adds a property before the list.
MemberList before(Rules& rules, JsonText& json, const Property& property, const MemberList& rest) {
  MemberList out;
  const RuleId after = rules.declare(property.name.substr(0, 60)), first = rules.declare(property.name.substr(0, 60));
  std::vector<NodeId> ways{rules.sequence({property.member, rest.after})};
  if (!property.required) ways.push_back(rest.first);
  rules.define(first, rules.choice(ways));
  out.first = rules.rule(first);
  out.canBeEmpty = rest.canBeEmpty && !property.required;
  // The comma comes before the choice of the next member, so that it and its white space are read once, not once for each.
  const NodeId more = rules.sequence({json.comma(), out.first});
  rules.define(after, out.canBeEmpty ? rules.optional(more) : more);
  out.after = rules.rule(after);
  return out;
}

std::size_t mostOptionalInARow(const std::vector<Property>& members) {
  std::size_t most = 0, now = 0;
  for (const Property& member : members) {
    now = member.required ? 0 : now + 1;
    most = std::max(most, now);
  }
  return most;
}

}  // namespace

// A member that is not declared.
Result<NodeId> SchemaReader::openMember(const Json& schema, const Json& properties, const std::string& path, int depth) {
  std::vector<std::string> names;
  for (const auto& [name, value] : properties.items()) {
    if (name.size() > longestName) return notExpressible(below(path, "properties"), "so long a name of a property beside additional ones");
    names.push_back(name);
  }
  const Json* additional = keyword(schema, "additionalProperties");
  NodeId value = 0;
  if (additional != nullptr) {
    MINERVA_ASSIGN(value, this->value(*additional, below(path, "additionalProperties"), depth + 1));
  } else {
    value = m_json.value();
  }
  const NodeId name = names.empty() ? m_json.string() : m_json.nameExcept(names);
  return m_rules.sequence({name, m_rules.text(":"), m_json.space(), value});
}

Result<NodeId> SchemaReader::object(const Json& schema, const std::string& path, int depth) {
  const Json none = Json::object();
  const Json* given = keyword(schema, "properties");
  if (given != nullptr && !given->is_object()) return badSchema(below(path, "properties"), "an object", given->type_name());
  const Json& properties = given != nullptr ? *given : none;
  const Json* additional = keyword(schema, "additionalProperties");
  std::vector<std::string> required;
  if (const Json* list = keyword(schema, "required")) {
    if (!list->is_array()) return badSchema(below(path, "required"), "a list of names", list->type_name());
    for (const Json& name : *list) {
      if (!name.is_string()) return badSchema(below(path, "required"), "names", name.type_name());
      required.push_back(name.get<std::string>());
    }
  }
  std::set<std::string> open(required.begin(), required.end());
  const std::size_t demanded = open.size();
  std::vector<Property> members;
  const auto addMember = [&](const std::string& name, NodeId value, bool isRequired) {
    const NodeId key = m_json.literal(Json(name));
    members.push_back({name, m_rules.sequence({key, m_rules.text(":"), m_json.space(), value}), isRequired});
  };
  Json declared = properties;
  for (const auto& [name, property] : properties.items()) {
    const bool isRequired = open.erase(name) > 0;
    if (property == false && !isRequired) continue;
    MINERVA_ASSIGN(const NodeId value, this->value(property, below(below(path, "properties"), name), depth + 1));
    addMember(name, value, isRequired);
  }
  for (const std::string& name : required) {  // not declared: as additional ones
    if (open.erase(name) == 0) continue;
    declared[name] = true;
    const Json anything(true);
    MINERVA_ASSIGN(const NodeId value,
                   this->value(additional != nullptr ? *additional : anything, below(path, "additionalProperties"), depth + 1));
    addMember(name, value, true);
  }

  if (mostOptionalInARow(members) > limits::optionalMembers) {
    return fail({.kind = ErrorKind::limit,
                 .what = "The JSON schema has too many optional properties after one another",
                 .where = below(path, "properties"),
                 .expected = "at most " + std::to_string(limits::optionalMembers),
                 .actual = "more"});
  }
  MINERVA_ASSIGN(const Count count, this->count(schema, "minProperties", "maxProperties", path));
  const bool isOpen = additional != nullptr ? *additional != false : properties.empty();
  const bool counted = isOpen && members.empty();
  if (count.least > demanded) return notExpressible(below(path, "minProperties"), "more members than are required");
  if (count.most < members.size() || (isOpen && !counted && count.most != unlimited))
    return notExpressible(below(path, "maxProperties"), "fewer members than there may be");
  MemberList list{m_rules.nothing(), m_rules.nothing(), true};
  if (isOpen && count.most > 0) {
    MINERVA_ASSIGN(const NodeId member, openMember(schema, declared, path, depth));
    const std::uint32_t more = count.most == unlimited ? unlimited : count.most - 1;
    list.after = m_rules.repeat(m_rules.sequence({m_json.comma(), member}), 0, counted ? more : unlimited);
    list.first = m_rules.sequence({member, list.after});
  }
  for (auto member = members.rbegin(); member != members.rend(); ++member) {
    MINERVA_TRY(spend(1));
    const bool lastOptional = !isOpen && member == members.rbegin() && !member->required;
    if (lastOptional) {  // nothing follows, so being alone is the only way to be the first
      list = {m_rules.optional(m_rules.sequence({m_json.comma(), member->member})), member->member, true};
    } else {
      list = before(m_rules, m_json, *member, list);
    }
  }
  return m_json.brackets("{", list.first, list.canBeEmpty, "}");
}

}  // namespace minerva::grammar
