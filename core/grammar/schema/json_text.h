// The parts of JSON texts that schemas have in common, as nodes of a grammar.
#pragma once

#include "core/grammar/rules.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace minerva::grammar {

class JsonText {
 public:
  explicit JsonText(Rules& rules) : m_rules(rules) {}

  [[nodiscard]] NodeId value();   // anything
  [[nodiscard]] NodeId object();  // any object
  [[nodiscard]] NodeId array();   // any array
  [[nodiscard]] NodeId string();  // any string
  [[nodiscard]] NodeId number();
  [[nodiscard]] NodeId integer();  // that 64 bits hold
  [[nodiscard]] NodeId boolean();
  [[nodiscard]] NodeId space();  // bounded white space
  // One character of a string, plain or escaped. Surrogates only in pairs, so that it is one character for every reader.
  [[nodiscard]] NodeId character();
  // The characters that can be written plainly or by a short escape.
  [[nodiscard]] static CharSet writable();
  // One character of this set, in a string; nullopt if it has none that can be written.
  [[nodiscard]] std::optional<NodeId> characterOf(const CharSet& set);
  // A string that is none of these, for names of members; written without escapes.
  [[nodiscard]] NodeId nameExcept(const std::vector<std::string>& names);
  // One of these texts. Common beginnings are shared, so that many can be told apart quickly.
  [[nodiscard]] NodeId oneOf(const std::vector<std::string>& texts);
  [[nodiscard]] NodeId literal(const nlohmann::ordered_json& value);  // compact
  // "{" or "[", the items, and the closing bracket. canBeEmpty: or no items.
  [[nodiscard]] NodeId brackets(const char* open, NodeId items, bool canBeEmpty, const char* close);
  [[nodiscard]] NodeId comma();

 private:
  template <class Make>
  NodeId once(std::optional<RuleId>& rule, const char* name, const Make& make);
  Rules& m_rules;
  std::optional<RuleId> m_value, m_object, m_array, m_string, m_number, m_integer, m_boolean, m_space, m_character, m_comma;
};

}  // namespace minerva::grammar
