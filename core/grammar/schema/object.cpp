#include "core/grammar/limits.h"
#include "core/grammar/schema/object_parts.h"

#include <algorithm>

namespace minerva::grammar {
namespace {

// The members from one on, by how many were written before (as far as that matters). Made from the end, so that each is made once.
struct MemberList {
  std::optional<NodeId> next;  // at least one of them, without the comma before it
  bool canBeEmpty = false;

  [[nodiscard]] bool possible() const { return next || canBeEmpty; }
  // With the comma, which is read once and not once for each member that may be next.
  [[nodiscard]] NodeId after(Rules& rules, JsonText& json) const {
    if (!next) return rules.nothing();
    const NodeId more = rules.sequence({json.comma(), *next});
    return canBeEmpty ? rules.optional(more) : more;
  }
};

// Whether it can be seen at once that no text is one of the node's.
bool isNothing(const Rules& rules, NodeId id, int depth = 0) {
  constexpr int deepest = 12;
  if (depth > deepest) return false;
  const Node& node = rules.nodes()[id];
  if (node.kind == Node::Kind::rule)
    return rules.rules()[node.first].defined && isNothing(rules, rules.rules()[node.first].body, depth + 1);
  const auto begin = rules.parts().begin() + node.first, end = begin + node.count;
  const auto nothing = [&](NodeId part) { return isNothing(rules, part, depth + 1); };
  if (node.kind == Node::Kind::choice) return std::all_of(begin, end, nothing);
  return node.kind == Node::Kind::sequence && std::any_of(begin, end, nothing);
}

bool isClosed(const Json& additional) { return additional == false || forbidsEverything(additional); }

}  // namespace

Result<SchemaReader::ObjectParts> SchemaReader::objectParts(const Json& schema, const std::string& path, int depth) {
  ObjectParts out;
  const Json none = Json::object();
  const Json* given = keyword(schema, "properties");
  if (given != nullptr && !given->is_object()) return badSchema(below(path, "properties"), "an object", given->type_name());
  const Json& properties = given != nullptr ? *given : none;
  if (const Json* names = keyword(schema, "propertyNames")) {
    MINERVA_ASSIGN(out.names, namesOf(*names, below(path, "propertyNames"), depth + 1));
  }
  MINERVA_ASSIGN(out.byPattern, namedByPattern(schema, path));
  if (const Json* additional = keyword(schema, "additionalProperties")) {
    out.additional = *additional;
    out.takesOthers = !isClosed(*additional);
  } else {
    out.takesOthers = properties.empty() && out.byPattern.empty();
  }
  std::vector<std::string> required;
  if (const Json* list = keyword(schema, "required")) {
    if (!list->is_array()) return badSchema(below(path, "required"), "a list of names", list->type_name());
    for (const Json& name : *list) {
      if (!name.is_string()) return badSchema(below(path, "required"), "names", name.type_name());
      required.push_back(name.get<std::string>());
    }
  }
  const std::set<std::string> demanded(required.begin(), required.end());
  // `own`: null for a name that is not declared, which is an additional one.
  const auto add = [&](const std::string& name, const Json* own) -> Result<void> {
    Json schemas = own != nullptr ? Json::array({*own}) : Json::array();
    for (const NamedByPattern& one : out.byPattern)
      if (one.names.contains(name)) schemas.push_back(*one.schema);
    Json whole = schemas.empty() ? out.additional : schemas.size() == 1 ? schemas[0] : Json{{"allOf", schemas}};
    if (!out.names.have(name)) whole = false;
    if (isClosed(whole) && !demanded.contains(name)) {
      out.forbidden.push_back(name);
      return {};
    }
    const bool isDemanded = demanded.contains(name);
    if (m_mends && own == nullptr && isClosed(whole)) return {};
    const std::string place = own != nullptr ? below(below(path, "properties"), name) : below(path, "additionalProperties");
    MINERVA_ASSIGN(NodeId value, this->value(whole, place, depth + 1));
    if (isDemanded && isNothing(m_rules, value)) {
      if (m_unfulfilled.empty()) m_unfulfilled = place;
      if (m_mends) value = m_json.value();
    }
    const NodeId key = m_json.literal(Json(name));
    out.members.push_back({name, m_rules.sequence({key, m_rules.text(":"), m_json.space(), value}), isDemanded});
    return {};
  };
  std::set<std::string> known;
  for (const auto& [name, property] : properties.items()) {
    known.insert(name);
    MINERVA_TRY(add(name, &property));
  }
  std::vector<std::string> listed = out.names.list.value_or(std::vector<std::string>());
  const bool takesListed = out.takesOthers || !out.byPattern.empty();
  for (std::vector<std::string>* names : {&required, &listed}) {
    if (names == &listed && !takesListed) continue;
    for (const std::string& name : *names)
      if (known.insert(name).second) MINERVA_TRY(add(name, nullptr));
  }
  if (out.names.list) {  // there are no others
    out.takesOthers = false;
    out.byPattern.clear();
  }
  return out;
}

Result<NodeId> SchemaReader::object(const Json& schema, const std::string& path, int depth) {
  MINERVA_ASSIGN(const ObjectParts parts, objectParts(schema, path, depth));
  std::size_t mostOptional = 0, optional = 0, demanded = 0;
  for (const Member& member : parts.members) {
    optional = member.required ? 0 : optional + 1;
    mostOptional = std::max(mostOptional, optional);
    demanded += member.required ? 1 : 0;
  }
  if (mostOptional > limits::optionalMembers) {
    return fail({.kind = ErrorKind::limit,
                 .what = "The JSON schema has too many optional properties after one another",
                 .where = below(path, "properties"),
                 .expected = "at most " + std::to_string(limits::optionalMembers),
                 .actual = "more"});
  }
  MINERVA_ASSIGN(Count count, this->count(schema, "minProperties", "maxProperties", path));
  std::optional<NodeId> open;
  if (parts.takesOthers || !parts.byPattern.empty()) {
    MINERVA_ASSIGN(open, openMember(parts, path, depth));
  }
  if (count.least <= demanded) count.least = 0;
  if (!open && count.most >= parts.members.size()) count.most = unlimited;
  // Names that are not declared may come twice, and count once.
  if (open && count.least > parts.members.size() + 1)
    return notExpressible(below(path, "minProperties"), "more members than are declared, which must differ");
  return memberLists(parts.members, open, count, path);
}

Result<NodeId> SchemaReader::memberLists(const std::vector<Member>& members, std::optional<NodeId> open, Count count,
                                         const std::string& path) {
  // Without declared members, a count of the grammar does.
  const bool listed = !members.empty();
  const std::uint32_t counted = !listed ? 0 : count.most != unlimited ? count.most : count.least;
  if (members.size() * (std::size_t{counted} + 1) > 8 * limits::optionalMembers)
    return notExpressible(below(path, count.most != unlimited ? "maxProperties" : "minProperties"), "a count of so many members");
  std::vector<MemberList> lists(counted + 1);
  for (std::uint32_t written = 0; written <= counted; ++written) {
    MemberList& end = lists[written];
    end.canBeEmpty = written >= count.least;
    const std::uint32_t most = count.most == unlimited ? unlimited : count.most - std::min(count.most, written);
    const bool oneMore = count.least <= written + 1;
    if (!open || most == 0 || !oneMore) continue;
    const NodeId others = m_rules.repeat(m_rules.sequence({m_json.comma(), *open}), 0, most == unlimited ? unlimited : most - 1);
    const RuleId rule = m_rules.declare("members");
    m_rules.define(rule, m_rules.sequence({*open, others}));
    end.next = m_rules.rule(rule);
  }
  for (auto member = members.rbegin(); member != members.rend(); ++member) {
    MINERVA_TRY(spend(1));
    std::vector<MemberList> from(counted + 1);
    for (std::uint32_t written = 0; written <= counted; ++written) {
      const bool full = count.most != unlimited && written == count.most;
      const MemberList &with = lists[std::min(written + 1, counted)], &without = lists[written];
      std::vector<NodeId> ways;
      if (!full && with.possible()) ways.push_back(m_rules.sequence({member->node, with.after(m_rules, m_json)}));
      if (!member->required && without.next) ways.push_back(*without.next);
      from[written].canBeEmpty = without.canBeEmpty && !member->required;
      if (ways.empty()) continue;
      const RuleId rule = m_rules.declare(member->name.substr(0, 60));
      m_rules.define(rule, m_rules.choice(ways));
      from[written].next = m_rules.rule(rule);
    }
    lists = std::move(from);
  }
  if (!lists[0].possible()) return m_rules.choice({});  // nothing fulfils it
  return m_json.brackets("{", lists[0].next.value_or(m_rules.nothing()), lists[0].canBeEmpty, "}");
}

}  // namespace minerva::grammar
