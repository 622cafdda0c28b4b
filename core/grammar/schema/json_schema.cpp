#include "core/grammar/json_schema.h"

#include "core/grammar/limits.h"
#include "core/grammar/rule_checks.h"
#include "core/grammar/schema/reader.h"

namespace minerva::grammar {
namespace {

// The error of a compiled schema says where the schema is, not which rule.
Result<std::shared_ptr<const Grammar>> compiledAt(const Rules& rules, RuleId root, const std::string& path) {
  Result<std::shared_ptr<const Grammar>> made = Grammar::compile(rules, root);
  if (made) return made;
  made.error().actual += made.error().actual.empty() ? made.error().where : " (" + made.error().where + ")";
  made.error().where = path;
  return made;
}

// A type that is not known may be any one within a schema, but of a whole reply it is another format, or a slip.
Result<void> checkWholeType(const Json& schema, const std::string& path) {
  const Json* type = keyword(schema, "type");
  const std::optional<Json> plain = type != nullptr && type->is_string() && *type != "any" ? lenientForm(schema) : std::nullopt;
  if (!plain || plain->contains("type")) return {};
  return badSchema(below(path, "type"), "null, boolean, object, array, string, integer or number", type->get<std::string>().substr(0, 60));
}

// JSON is copied and written recursively.
bool isDeeper(const Json& value, int most) {
  std::vector<std::pair<const Json*, int>> open{{&value, 0}};
  while (!open.empty()) {
    const auto [one, depth] = open.back();
    open.pop_back();
    if (depth > most) return true;
    if (!one->is_structured()) continue;
    for (const Json& part : *one) open.emplace_back(&part, depth + 1);
  }
  return false;
}

}  // namespace

Result<NodeId> addJsonSchema(Rules& rules, const Json& schema, const std::string& path, Inexpressible inexpressible) {
  if (isDeeper(schema, limits::jsonDepth)) {
    return fail({.kind = ErrorKind::limit,
                 .what = "The JSON schema is nested too deep",
                 .where = path,
                 .expected = "at most " + std::to_string(limits::jsonDepth),
                 .actual = "more"});
  }
  const std::optional<Rules> before = inexpressible == Inexpressible::leftOut ? std::optional(rules) : std::nullopt;
  SchemaReader reader(rules, schema, path, inexpressible);
  Result<NodeId> node = reader.read();
  if (!node || reader.unfulfilled().empty() || hasFiniteText(rules, *node)) return node;
  if (before) {
    rules = *before;
    return SchemaReader(rules, schema, path, inexpressible, true).read();
  }
  return fail({.kind = ErrorKind::invalidArgument,
               .what = "No finite text fulfils the schema of a property that is demanded",
               .where = reader.unfulfilled()});
}

Result<std::shared_ptr<const Grammar>> jsonSchemaGrammar(const Json& schema, const std::string& path, Inexpressible inexpressible) {
  MINERVA_TRY(checkWholeType(schema, path));
  Rules rules;
  const RuleId root = rules.declare("the schema");
  MINERVA_ASSIGN(const NodeId body, addJsonSchema(rules, schema, path, inexpressible));
  rules.define(root, body);
  return compiledAt(rules, root, path);
}

Result<std::shared_ptr<const Grammar>> jsonObjectGrammar() {
  Rules rules;
  const RuleId root = rules.declare("root");
  rules.define(root, JsonText(rules).object());
  return Grammar::compile(rules, root);
}

}  // namespace minerva::grammar
