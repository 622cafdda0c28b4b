#include "core/grammar/schema/reader.h"

#include <algorithm>

namespace minerva::grammar {

// The first items have schemas of their own (prefixItems; in older drafts, a list in items), the others one for all.
Result<NodeId> SchemaReader::array(const Json& schema, const std::string& path, int depth) {
  if (const Json* unique = keyword(schema, "uniqueItems"); unique != nullptr && *unique != false)
    return notExpressible(below(path, "uniqueItems"), "whether items differ is not a matter of grammar");
  const Json* prefix = keyword(schema, "prefixItems");
  const Json* items = keyword(schema, "items");
  std::string itemsName = "items", prefixName = "prefixItems";
  if (items != nullptr && items->is_array()) {
    if (prefix != nullptr) return badSchema(below(path, "items"), "one schema, beside prefixItems", "a list");
    prefix = items;
    items = keyword(schema, "additionalItems");
    prefixName = "items";
    itemsName = "additionalItems";
  }
  if (prefix != nullptr && !prefix->is_array()) return badSchema(below(path, prefixName), "a list of schemas", prefix->type_name());
  MINERVA_ASSIGN(Count count, this->count(schema, "minItems", "maxItems", path));
  const auto listed = static_cast<std::uint32_t>(prefix != nullptr ? prefix->size() : 0);
  const bool closed = items != nullptr ? *items == false : listed > 0 && count.least <= listed;
  if (closed) count.most = std::min(count.most, listed);
  if (count.least > count.most) return m_rules.choice({});  // nothing fulfils it

  NodeId item = m_json.value();
  if (items != nullptr && !closed) {
    MINERVA_ASSIGN(const NodeId made, value(*items, below(path, itemsName), depth + 1));
    const RuleId rule = m_rules.declare("item");  // it stands twice below: arrays in arrays would double with each level
    m_rules.define(rule, made);
    item = m_rules.rule(rule);
  }
  // The items after the first `i`, with commas before them, from the end on.
  const std::uint32_t own = std::min(listed, count.most);
  NodeId after = m_rules.nothing();
  if (count.most > own) {
    const std::uint32_t least = count.least > own ? count.least - own : 0, most = count.most == unlimited ? unlimited : count.most - own;
    if (own == 0) {
      const NodeId more =
          m_rules.repeat(m_rules.sequence({m_json.comma(), item}), least > 0 ? least - 1 : 0, most == unlimited ? unlimited : most - 1);
      return m_json.brackets("[", m_rules.sequence({item, more}), least == 0, "]");
    }
    after = m_rules.repeat(m_rules.sequence({m_json.comma(), item}), least, most);
  }
  for (std::uint32_t i = own; i-- > 0;) {
    MINERVA_ASSIGN(const NodeId one, value((*prefix)[i], below(path, prefixName) + "[" + std::to_string(i) + "]", depth + 1));
    if (i == 0) return m_json.brackets("[", m_rules.sequence({one, after}), count.least == 0, "]");
    const NodeId more = m_rules.sequence({m_json.comma(), one, after});
    after = count.least > i ? more : m_rules.optional(more);
  }
  return m_rules.sequence({m_rules.text("["), m_json.space(), m_rules.text("]")});
}

}  // namespace minerva::grammar
