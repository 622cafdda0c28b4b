// Schemas as clients write them, where what cannot be followed is left out.
#include "core/grammar/schema/reader.h"

#include <algorithm>
#include <cctype>

namespace minerva::grammar {
namespace {

// Gemini's interface has types in capitals. Nothing, if none of the types is one: any.
std::optional<Json> knownTypes(const Json& given) {
  Json out = Json::array();
  for (const Json& one : given.is_array() ? given : Json::array({given})) {
    if (!one.is_string()) return std::nullopt;
    std::string name = one.get<std::string>();
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (json_types::named(name) == 0) return std::nullopt;
    out.push_back(std::move(name));
  }
  if (out.empty()) return std::nullopt;
  return given.is_array() ? out : out[0];
}

}  // namespace

// Languages such as Go write null for a list that is empty or missing.
std::optional<Json> lenientForm(const Json& schema) {
  std::optional<Json> out;
  const auto changed = [&]() -> Json& { return out ? *out : out.emplace(schema); };
  for (const auto& [name, value] : schema.items()) {
    const Keyword* known = keywordNamed(name);
    if (known == nullptr || known->use == Keyword::Use::annotation || name == "const") continue;
    const bool isEmpty = name == "enum" && value.is_array() && value.empty();
    if (value.is_null() || isEmpty) changed().erase(name);
  }
  const Json* type = keyword(out ? *out : schema, "type");
  if (type == nullptr) return out;
  const std::optional<Json> types = knownTypes(*type);
  if (!types) changed().erase("type");
  else if (*types != *type) changed()["type"] = *types;
  return out;
}

// Without those keywords that turn out not to be expressible, or to be malformed, one after the other.
Result<NodeId> SchemaReader::lenientValue(Json schema, const std::string& path, int depth) {
  while (true) {
    Result<NodeId> node = plainValue(schema, path, depth);
    if (node) return node;
    const Error& error = node.error();
    std::string named;
    for (const auto& [name, value] : schema.items())
      if (error.where == below(path, name) || (name == "propertyNames" && error.where.starts_with(below(path, name)))) named = name;
    if (named.empty()) return node;
    schema.erase(named);
    if (named == "patternProperties") schema["additionalProperties"] = true;  // which its members are now
  }
}

}  // namespace minerva::grammar
