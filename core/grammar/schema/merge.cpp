// $ref, allOf, and what follows from two schemas that both hold.
#include "core/grammar/limits.h"
#include "core/grammar/schema/reader.h"

#include <algorithm>

namespace minerva::grammar {
namespace {

bool isAnnotation(const std::string& name) {
  const Keyword* known = keywordNamed(name);
  return known == nullptr || known->use == Keyword::Use::annotation;
}

Json allOf(const Json& a, const Json& b) { return {{"allOf", Json::array({a, b})}}; }

Json commonValues(const Json& a, const Json& b) {
  Json out = Json::array();
  for (const Json& value : a)
    if (std::ranges::find(b, value) != b.end()) out.push_back(value);
  return out;
}

Json typeNames(JsonTypes types) {
  Json out = Json::array();
  for (const char* name : {"null", "boolean", "object", "array", "string"})
    if ((types & json_types::named(name)) != 0) out.push_back(name);
  if ((types & json_types::fraction) != 0) out.push_back("number");
  else if ((types & json_types::integer) != 0) out.push_back("integer");
  return out;
}

// References are parts of URIs: names may have characters such as < as %3C.
std::string percentDecoded(const std::string& text) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escaped = text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0;
    out += escaped ? static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2])) : text[i];
    if (escaped) i += 2;
  }
  return out;
}

// patternProperties of `a` beside additional members that one of the two bounds: which members are additional is then a matter of each.
bool bindsOthers(const Json& a, const Json& b) {
  if (keyword(a, "patternProperties") == nullptr) return false;
  const auto bounds = [](const Json& schema) {
    const Json* additional = keyword(schema, "additionalProperties");
    return additional != nullptr && *additional != true && *additional != Json::object();
  };
  const bool hasMembers = keyword(b, "properties") != nullptr || keyword(b, "patternProperties") != nullptr;
  return bounds(b) || (hasMembers && bounds(a));
}

// Properties that one schema declares and the other does not are bound by the other's additionalProperties.
void bindUndeclared(Json& properties, const Json* declared, const Json* additional) {
  if (additional == nullptr || *additional == true) return;
  for (auto& [name, schema] : properties.items()) {
    if (declared != nullptr && declared->is_object() && declared->contains(name)) continue;
    schema = *additional == false ? Json(false) : allOf(schema, *additional);
  }
}

// The schemas of an array's items: prefixItems and items; in older drafts, a list in items and additionalItems.
struct ItemSchemas {
  Json first = Json::array();
  Json rest = true;  // of the items after these
  bool restGiven = false, valid = true;
};

ItemSchemas itemSchemas(const Json& schema) {
  ItemSchemas out;
  const Json* items = keyword(schema, "items");
  const Json* first = keyword(schema, "prefixItems");
  const bool older = items != nullptr && items->is_array();
  out.valid = first == nullptr || (first->is_array() && !older);
  if (older) first = items;
  if (older) items = keyword(schema, "additionalItems");
  if (first != nullptr) out.first = *first;
  if (items != nullptr) out.rest = *items;
  out.restGiven = items != nullptr;
  return out;
}

Json bothItems(const Json& a, const Json& b) {
  if (a == false || b == false) return Json(false);
  if (a == true || a == b) return b;
  return b == true ? a : allOf(a, b);
}

// Items that one schema lists and the other does not are bound by what the other says of all items: `a` gets the schemas of both.
void mergeItems(Json& a, Json& b) {
  ItemSchemas left = itemSchemas(a), right = itemSchemas(b);
  if (!left.valid || !right.valid || (left.first.empty() && right.first.empty())) return;
  Json first = Json::array(), rest = bothItems(left.rest, right.rest);
  bool restGiven = left.restGiven || right.restGiven;
  for (std::size_t i = 0; i < std::max(left.first.size(), right.first.size()); ++i) {
    Json item = bothItems(i < left.first.size() ? left.first[i] : left.rest, i < right.first.size() ? right.first[i] : right.rest);
    if (item == false) {  // the array ends before it
      rest = false;
      restGiven = true;
      break;
    }
    first.push_back(std::move(item));
  }
  for (Json* one : {&a, &b})
    for (const char* name : {"prefixItems", "items", "additionalItems"}) one->erase(name);
  a["prefixItems"] = std::move(first);
  if (restGiven) a["items"] = std::move(rest);
}

}  // namespace

Result<const Json*> SchemaReader::target(const Json& schema, const std::string& path) {
  const Json& name = schema["$ref"];
  const std::string place = below(path, "$ref");
  static const Json anything = true;
  if (!name.is_string()) return badSchema(place, "a reference", name.type_name());
  const auto& text = name.get_ref<const std::string&>();
  if (m_lenient && text != "#" && !text.starts_with("#/")) return &anything;
  if (!text.starts_with('#')) return notExpressible(place, "references lead only into the same document (#/...)");
  if (text == "#") return &m_root;
  if (text[1] != '/') return notExpressible(place, "references to anchors are not followed, only to places (#/...)");
  try {
    const Json::json_pointer pointer(percentDecoded(text.substr(1)));
    if (m_root.contains(pointer)) return &m_root.at(pointer);
  } catch (const Json::exception&) {  // not a JSON pointer
  }
  if (m_lenient) return &anything;
  return badSchema(place, "a place in the schema", text.substr(0, 100));
}

Result<Json> SchemaReader::resolved(const Json& schema, const std::string& path, int depth) {
  MINERVA_TRY(spend(1 + schema.size()));
  if (depth > limits::nesting) return badSchema(path.substr(0, 200), "references and allOf that end", "a chain of them");
  if (!schema.is_object()) {
    if (schema.is_boolean()) return schema;
    return badSchema(path, "a schema: an object, true or false", schema.type_name());
  }
  if (const auto later = inLaterDraft(schema)) return resolved(*later, path, depth);
  if (const auto plain = m_lenient ? lenientForm(schema) : std::nullopt) return resolved(*plain, path, depth);
  MINERVA_TRY(checkKeywords(schema, path));
  if (forbidsEverything(schema)) return Json(false);
  if (const Json* list = keyword(schema, "allOf"); list == nullptr && keyword(schema, "$ref") == nullptr) return schema;
  Json out = schema;
  out.erase("allOf");
  out.erase("$ref");
  if (keyword(schema, "$ref") != nullptr) {
    MINERVA_ASSIGN(const Json* const to, target(schema, path));
    MINERVA_ASSIGN(const Json referred, resolved(*to, path, depth + 1));
    MINERVA_ASSIGN(out, both(referred, out, path));
  }
  if (const Json* list = keyword(schema, "allOf")) {
    const std::string place = below(path, "allOf");
    if (!list->is_array() || list->empty()) return badSchema(place, "a list of schemas", list->type_name());
    for (std::size_t i = 0; i < list->size(); ++i) {
      MINERVA_ASSIGN(const Json part, resolved((*list)[i], place + "[" + std::to_string(i) + "]", depth + 1));
      MINERVA_ASSIGN(out, both(out, part, place + "[" + std::to_string(i) + "]"));
    }
  }
  return out;
}

Result<Json> SchemaReader::both(const Json& a, const Json& b, const std::string& path) {
  if (a == false || b == false) return Json(false);
  if (a == true) return b;
  if (b == true) return a;
  MINERVA_TRY(spend(1 + a.size() + b.size()));
  for (const auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)})
    if (!m_lenient && bindsOthers(*one, *other))
      return notExpressible(below(path, "patternProperties"), "members by pattern of one part, and members of another part beside them");
  Json out = Json::object();
  Json left = a, right = b;
  if (keyword(a, "properties") != nullptr || keyword(b, "properties") != nullptr) {
    for (const auto& [one, other] : {std::pair(&left, &b), std::pair(&right, &a)})
      if (const Json* own = keyword(*one, "properties"); own != nullptr && own->is_object())
        bindUndeclared((*one)["properties"], keyword(*other, "properties"), keyword(*other, "additionalProperties"));
  }
  mergeItems(left, right);
  for (const auto& [name, value] : left.items()) {
    if (isAnnotation(name)) continue;
    const Json* other = keyword(right, name.c_str());
    if (other == nullptr || *other == value) {
      out[name] = value;
      continue;
    }
    MINERVA_ASSIGN(out[name], bothOf(name, value, *other, path));
  }
  for (const auto& [name, value] : right.items())
    if (!isAnnotation(name) && !out.contains(name)) out[name] = value;
  if (out.contains("type") && out["type"].is_array() && out["type"].empty()) return Json(false);
  if (out.contains("enum") && out["enum"].is_array() && out["enum"].empty()) return Json(false);
  return out;
}

Result<Json> SchemaReader::bothOf(const std::string& name, const Json& a, const Json& b, const std::string& path) {
  if (name == "type") {
    MINERVA_ASSIGN(const JsonTypes left, typesOf({{"type", a}}, path));
    MINERVA_ASSIGN(const JsonTypes right, typesOf({{"type", b}}, path));
    return typeNames(left & right);
  }
  if (name == "enum" && a.is_array() && b.is_array()) return commonValues(a, b);
  if (name == "items" && !a.is_array() && !b.is_array()) return allOf(a, b);
  if (name == "additionalProperties") return a == false || b == false ? Json(false) : allOf(a, b);
  if (name == "required" && a.is_array() && b.is_array()) {
    Json out = a;
    for (const Json& one : b)
      if (std::ranges::find(out, one) == out.end()) out.push_back(one);
    return out;
  }
  if (name == "propertyNames") return allOf(a, b);
  if ((name == "properties" || name == "patternProperties") && a.is_object() && b.is_object()) {
    Json out = a;
    for (const auto& [property, schema] : b.items()) {
      Json* own = out.contains(property) ? &out[property] : nullptr;
      if (own == nullptr) out[property] = schema;
      else if (*own != schema) *own = allOf(*own, schema);
    }
    return out;
  }
  if (a.is_number() && b.is_number()) {
    const bool aIsLess = a.get<double>() < b.get<double>();
    if (name.starts_with("min") || name == "exclusiveMinimum") return aIsLess ? b : a;
    if (name.starts_with("max") || name == "exclusiveMaximum") return aIsLess ? a : b;
  }
  if (name == "pattern" && a.is_string() && b.is_string()) {
    const auto &first = a.get_ref<const std::string&>(), &second = b.get_ref<const std::string&>();
    const Result<Regex> left = parseRegex(first), right = parseRegex(second);
    if (left && right) return Json("^(?=[^]*(?:" + first + "))(?=[^]*(?:" + second + "))");
    if (m_lenient) return left ? a : b;
    return notExpressible(below(path, name), (left ? right : left).error().what);
  }
  if (name == "uniqueItems" || name == "nullable") return a == true && b == true;
  if (m_lenient) return a;
  if (name == "const") return notExpressible(below(path, name), "two different constants cannot both hold");
  return notExpressible(below(path, name), "two of this keyword that both hold cannot be made one");
}

}  // namespace minerva::grammar
