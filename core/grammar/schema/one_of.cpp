// oneOf: no text that is written for one alternative may fulfil another.
#include "core/grammar/schema/reader.h"

#include <algorithm>
#include <set>

namespace minerva::grammar {
namespace {

constexpr std::size_t mostTags = 8;  // properties that may be the tag

// The values that a schema lists; null, if it lists none.
Json listedValues(const Json& schema) {
  if (const Json* one = keyword(schema, "const")) return Json::array({*one});
  const Json* list = keyword(schema, "enum");
  return list != nullptr && list->is_array() ? *list : Json();
}

bool shareValues(const Json& a, const Json& b) {
  return std::ranges::any_of(a, [&](const Json& value) { return std::ranges::find(b, value) != b.end(); });
}

const Json* propertyOf(const Json& schema, const std::string& name) {
  const Json* properties = keyword(schema, "properties");
  return properties != nullptr ? keyword(*properties, name.c_str()) : nullptr;
}

std::set<std::string> requiredOf(const Json& schema) {
  std::set<std::string> names;
  const Json* required = keyword(schema, "required");
  for (const Json& name : required != nullptr && required->is_array() ? *required : Json::array())
    if (name.is_string()) names.insert(name.get<std::string>());
  return names;
}

// What is written for the schema has no members but the declared and the required ones.
bool isWrittenClosed(const Json& schema) {
  if (keyword(schema, "patternProperties") != nullptr || keyword(schema, "anyOf") != nullptr || keyword(schema, "oneOf") != nullptr)
    return false;
  const Json* additional = keyword(schema, "additionalProperties");
  return additional != nullptr ? *additional == false : keyword(schema, "properties") != nullptr && !schema["properties"].empty();
}

// No object with such a member fulfils the schema.
bool forbidsMember(const Json& schema, const std::string& name) {
  const Json* additional = keyword(schema, "additionalProperties");
  return additional != nullptr && *additional == false && propertyOf(schema, name) == nullptr &&
         keyword(schema, "patternProperties") == nullptr;
}

}  // namespace

// A property whose values differ from one alternative to the other, in those that declare it. It may be left out of `required`, where it
// has a default: what is written has it nevertheless. Empty: there is none.
Result<std::string> SchemaReader::tagOf(const std::vector<Json>& resolved, const Json& schema, const std::string& path) {
  std::vector<std::string> candidates;
  const Json* discriminator = keyword(schema, "discriminator");
  const Json* named = discriminator != nullptr ? keyword(*discriminator, "propertyName") : nullptr;
  if (named != nullptr && named->is_string()) candidates.push_back(named->get<std::string>());
  for (const Json& one : resolved) {
    const Json* properties = keyword(one, "properties");
    if (properties == nullptr || !properties->is_object()) continue;
    for (const auto& [name, property] : properties->items()) candidates.push_back(name);
    break;
  }
  if (candidates.size() > mostTags) candidates.resize(mostTags);
  std::string best;
  std::size_t most = 1;  // alternatives that declare it
  for (const std::string& name : candidates) {
    std::set<std::string> taken;
    bool differ = true;
    std::size_t declare = 0;
    for (const Json& one : resolved) {
      const Json* property = propertyOf(one, name);
      if (property == nullptr) continue;
      MINERVA_ASSIGN(const Json values, this->resolved(*property, path, 0));
      const Json listed = listedValues(values);
      differ = differ && !listed.is_null() && !listed.empty();
      if (!differ) break;
      ++declare;
      std::set<std::string> own;
      for (const Json& value : listed) own.insert(value.is_number() ? Json(value.get<double>()).dump() : value.dump());
      for (const std::string& value : own) differ = taken.insert(value).second && differ;
    }
    if (!differ || declare <= most) continue;
    best = name;
    most = declare;
  }
  return best;
}

Result<std::vector<Json>> SchemaReader::toldApart(std::vector<Json> whole, const Json& schema, const std::string& path) {
  std::vector<Json> resolved;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    MINERVA_ASSIGN(Json one, this->resolved(whole[i], below(path, "oneOf") + "[" + std::to_string(i) + "]", 0));
    resolved.push_back(std::move(one));
  }
  MINERVA_ASSIGN(const std::string tag, tagOf(resolved, schema, path));
  std::vector<bool> tagged;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    tagged.push_back(!tag.empty() && propertyOf(resolved[i], tag) != nullptr);
    if (!tagged[i]) continue;
    if (requiredOf(resolved[i]).contains(tag)) continue;
    const Json withTag{{"required", Json::array({tag})}};
    whole[i] = Json{{"allOf", Json::array({whole[i], withTag})}};
    MINERVA_ASSIGN(resolved[i], both(resolved[i], withTag, path));
  }
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (tagged[i] && tagged[k]) continue;
      MINERVA_ASSIGN(bool apart, disjoint(resolved[k], resolved[i], path, 0));
      if (!apart) {
        MINERVA_ASSIGN(apart, writtenApart(resolved[k], resolved[i], path));
      }
      if (!apart)
        return notExpressible(below(path, "oneOf"), "two alternatives of oneOf may both hold; use anyOf, or tell them apart by a constant");
    }
  }
  return whole;
}

// Whether no object that is written for one of them fulfils the other.
Result<bool> SchemaReader::writtenApart(const Json& a, const Json& b, const std::string& path) {
  for (const auto& [own, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    MINERVA_TRY(spend(own->size() + other->size()));
    for (const Json* one : {own, other}) {
      MINERVA_ASSIGN(const JsonTypes types, typesOf(*one, path));
      if (types != json_types::object) return false;
    }
    const std::set<std::string> ownRequired = requiredOf(*own), otherRequired = requiredOf(*other);
    const bool lacks = isWrittenClosed(*own) && std::ranges::any_of(otherRequired, [&](const std::string& name) {
                         return propertyOf(*own, name) == nullptr && !ownRequired.contains(name);
                       });
    const bool hasForbidden = std::ranges::any_of(ownRequired, [&](const std::string& name) { return forbidsMember(*other, name); });
    if (!lacks && !hasForbidden) return false;
  }
  return true;
}

// Whether surely no value fulfils both, even if the one that is written fulfils more than the one that would be generated.
Result<bool> SchemaReader::disjoint(const Json& a, const Json& b, const std::string& path, int depth) {
  MINERVA_TRY(spend(2));
  if (depth > 4) return false;
  MINERVA_ASSIGN(const Json left, resolved(a, path, 0));
  MINERVA_ASSIGN(const Json right, resolved(b, path, 0));
  if (left == false || right == false) return true;
  if (!left.is_object() || !right.is_object() || left.contains("nullable") || right.contains("nullable")) return false;
  const Json ours = listedValues(left), theirs = listedValues(right);
  if (!ours.is_null() && !theirs.is_null()) return !shareValues(ours, theirs);
  const auto types = [&](const Json& schema, const Json& list) -> Result<JsonTypes> {
    JsonTypes found = 0;
    for (const Json& value : list.is_null() ? Json::array() : list) found |= typeOf(value);
    if (!list.is_null()) return found;
    if (keyword(schema, "type") == nullptr) return json_types::all;
    return typesOf(schema, path);
  };
  MINERVA_ASSIGN(const JsonTypes ourTypes, types(left, ours));
  MINERVA_ASSIGN(const JsonTypes theirTypes, types(right, theirs));
  const JsonTypes common = ourTypes & theirTypes;
  if (common == 0) return true;
  if (common != json_types::object) return false;
  const std::set<std::string> required = requiredOf(left), alsoRequired = requiredOf(right);
  for (const std::string& name : required) {
    if (!alsoRequired.contains(name)) continue;
    const Json *mine = propertyOf(left, name), *other = propertyOf(right, name);
    if (mine == nullptr || other == nullptr) continue;
    MINERVA_ASSIGN(const bool apart, disjoint(*mine, *other, path, depth + 1));
    if (apart) return true;
  }
  return false;
}

}  // namespace minerva::grammar
