// Random JSON schemas, and a validator of its own: it shares nothing with core/grammar.
#pragma once

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <regex>
#include <string>

namespace minerva::engine {

using Json = nlohmann::ordered_json;

class RandomSchemas {
 public:
  explicit RandomSchemas(unsigned seed) : m_random(seed) {}

  Json next() {
    Json schema = make(0);
    if (m_random() % 8 == 0) {  // a list that ends
      schema =
          Json{{"$defs",
                {{"node", {{"type", "object"}, {"properties", {{"v", make(2)}, {"next", Json::object()}}}, {"required", {"v", "next"}}}}}},
               {"$ref", "#/$defs/node"}};
      schema["$defs"]["node"]["properties"]["next"]["anyOf"] = Json::array({{{"type", "null"}}, {{"$ref", "#/$defs/node"}}});
    }
    return schema;
  }

 private:
  int below(int n) { return static_cast<int>(m_random() % static_cast<unsigned>(n)); }
  bool oneIn(int n) { return below(n) == 0; }

  Json make(int depth) {
    switch (below(depth > 2 ? 6 : 12)) {
      case 0: return {{"type", oneIn(2) ? "null" : "boolean"}};
      case 1: return integer();
      case 2: return number();
      case 3: return string();
      case 4: return literal();
      case 5: return {{"type", Json::array({"integer", "null"})}, {"minimum", below(5)}};
      case 6: return {{"anyOf", Json::array({make(depth + 1), make(depth + 1)})}};
      case 7: return {{"oneOf", Json::array({{{"type", "integer"}, {"maximum", 9}}, {{"type", "string"}, {"maxLength", 3}}})}};
      case 8: return {{"allOf", Json::array({object(depth), object(depth)})}};
      case 9: return array(depth);
      default: return object(depth);
    }
  }
  Json integer() {
    Json out{{"type", "integer"}};
    const int least = below(2000) - 1000;
    if (!oneIn(3)) out[oneIn(4) ? "exclusiveMinimum" : "minimum"] = least;
    if (!oneIn(3)) out[oneIn(4) ? "exclusiveMaximum" : "maximum"] = least + 2 + below(oneIn(2) ? 5 : 5000);
    return out;
  }
  Json number() {
    Json out{{"type", "number"}};
    const int least = below(20) - 10;
    if (oneIn(2)) out[oneIn(3) ? "exclusiveMinimum" : "minimum"] = least;
    if (oneIn(2)) out[oneIn(3) ? "exclusiveMaximum" : "maximum"] = least + 1 + below(10);
    return out;
  }
  Json string() {
    static const char* const patterns[] = {"^[a-f]{1,4}$", "^(yes|no|maybe)$", "^\\d{2}-\\d{2}$", "^[^a-z]{0,5}$", "^(ab?)+c$"};
    static const char* const formats[] = {"date", "time", "date-time", "uuid"};
    switch (below(5)) {
      case 0: return {{"type", "string"}, {"pattern", patterns[below(5)]}};
      case 1: return {{"type", "string"}, {"format", formats[below(4)]}};
      default: break;
    }
    const int least = below(4);
    return {{"type", "string"}, {"minLength", least}, {"maxLength", least + below(8)}};
  }
  Json literal() {
    if (oneIn(3)) return {{"const", below(100)}};
    return {{"enum", Json::array({"red", "redder",
                                  "gr\xC3\xBC"
                                  "n",
                                  below(9), nullptr, Json::array({1, "x"})})}};
  }
  Json array(int depth) {
    Json out{{"type", "array"}};
    const int least = below(3);
    if (oneIn(3)) {
      out["prefixItems"] = Json::array({make(depth + 1), make(depth + 2)});
      out["items"] = oneIn(2) ? Json(false) : make(depth + 2);
      out["minItems"] = std::min(least, 2);
      out["maxItems"] = 3;
      return out;
    }
    out["items"] = make(depth + 1);
    out["minItems"] = least;
    out["maxItems"] = least + below(3);
    return out;
  }
  Json object(int depth) {
    static const char* const names[] = {"a", "name", "\xC3\xA9t\xC3\xA9", "q\"uote", "list", "ab"};
    Json out{{"type", "object"}, {"properties", Json::object()}, {"required", Json::array()}};
    for (int i = below(4); i > 0; --i) {
      const char* name = names[below(6)];
      // Of both sides of allOf, so that they can be merged: always the same for a name.
      out["properties"][name] =
          depth > 0 || std::string(name) != "list" ? Json{{"type", "integer"}, {"minimum", 0}, {"maximum", 99}} : make(depth + 1);
      if (oneIn(2)) out["required"].push_back(name);
    }
    if (oneIn(5)) out["additionalProperties"] = Json{{"type", "integer"}};
    return out;
  }

  std::mt19937 m_random;
};

class SchemaCheck {
 public:
  explicit SchemaCheck(const Json& root) : m_root(root) {}
  [[nodiscard]] bool fulfils(const Json& value) const { return holds(m_root, value); }

 private:
  static bool isOf(const std::string& type, const Json& v) {
    if (type == "integer") return v.is_number_integer() || (v.is_number_float() && std::floor(v.get<double>()) == v.get<double>());
    if (type == "number") return v.is_number();
    if (type == "null") return v.is_null();
    if (type == "boolean") return v.is_boolean();
    if (type == "string") return v.is_string();
    if (type == "array") return v.is_array();
    return type == "object" && v.is_object();
  }
  static std::size_t length(const std::string& text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
  }
  static bool isOfFormat(const std::string& format, const std::string& text) {
    static const std::string date = R"(\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01]))",
                             time = R"(([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d\d:\d\d))";
    const std::string uuid = "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";
    return std::regex_match(text, std::regex(format == "date"   ? date
                                             : format == "time" ? time
                                             : format == "uuid" ? uuid
                                                                : date + "T" + time));
  }
  // std::regex knows bytes only; beyond ASCII, classes are tried with a character that is in none of the patterns' classes.
  static std::string inAscii(const std::string& text) {
    std::string out;
    for (const char c : text)
      if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) out += static_cast<unsigned char>(c) < 0x80 ? c : '#';
    return out;
  }
  bool ofNumber(const Json& s, double v) const {
    return (!s.contains("minimum") || v >= s["minimum"].get<double>()) && (!s.contains("maximum") || v <= s["maximum"].get<double>()) &&
           (!s.contains("exclusiveMinimum") || v > s["exclusiveMinimum"].get<double>()) &&
           (!s.contains("exclusiveMaximum") || v < s["exclusiveMaximum"].get<double>());
  }
  bool ofString(const Json& s, const std::string& v) const {
    if (s.contains("minLength") && length(v) < s["minLength"].get<std::size_t>()) return false;
    if (s.contains("maxLength") && length(v) > s["maxLength"].get<std::size_t>()) return false;
    if (s.contains("format") && !isOfFormat(s["format"], v)) return false;
    return !s.contains("pattern") || std::regex_search(inAscii(v), std::regex(s["pattern"].get<std::string>()));
  }
  bool ofArray(const Json& s, const Json& v) const {
    if (s.contains("minItems") && v.size() < s["minItems"].get<std::size_t>()) return false;
    if (s.contains("maxItems") && v.size() > s["maxItems"].get<std::size_t>()) return false;
    const std::size_t prefix = s.contains("prefixItems") ? s["prefixItems"].size() : 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
      if (i < prefix ? !holds(s["prefixItems"][i], v[i]) : s.contains("items") && !holds(s["items"], v[i])) return false;
    }
    return true;
  }
  bool ofObject(const Json& s, const Json& v) const {
    for (const Json& name : s.value("required", Json::array()))
      if (!v.contains(name.get<std::string>())) return false;
    for (const auto& [name, member] : v.items()) {
      const bool declared = s.contains("properties") && s["properties"].contains(name);
      if (declared ? !holds(s["properties"][name], member)
                   : s.contains("additionalProperties") && !holds(s["additionalProperties"], member))
        return false;
    }
    return true;
  }
  bool holds(const Json& s, const Json& v) const {
    if (s.is_boolean()) return s.get<bool>();
    if (s.contains("$ref") && !holds(m_root.at(Json::json_pointer(s["$ref"].get<std::string>().substr(1))), v)) return false;
    if (s.contains("type")) {
      const Json types = s["type"].is_array() ? s["type"] : Json::array({s["type"]});
      if (!std::ranges::any_of(types, [&](const Json& type) { return isOf(type, v); })) return false;
    }
    if (s.contains("const") && s["const"] != v) return false;
    if (s.contains("enum") && std::ranges::find(s["enum"], v) == s["enum"].end()) return false;
    const auto held = [&](const char* list) { return std::ranges::count_if(s[list], [&](const Json& one) { return holds(one, v); }); };
    if (s.contains("anyOf") && held("anyOf") == 0) return false;
    if (s.contains("oneOf") && held("oneOf") != 1) return false;
    if (s.contains("allOf") && held("allOf") != static_cast<std::ptrdiff_t>(s["allOf"].size())) return false;
    if (v.is_number()) return ofNumber(s, v.get<double>());
    if (v.is_string()) return ofString(s, v.get<std::string>());
    if (v.is_array()) return ofArray(s, v);
    return !v.is_object() || ofObject(s, v);
  }
  const Json& m_root;
};

}  // namespace minerva::engine
