// The search pattern of a Split or Replace: a plain string or a regular expression. Immutable, thread-safe.
#pragma once

#include "core/text/json/json_fields.h"
#include "core/text/pattern/regex.h"

#include <variant>

namespace minerva::text {

class Pattern {
 public:
  // Reads owner["pattern"]: {"String": ...}, {"Regex": ...} or a bare string.
  [[nodiscard]] static Result<Pattern> fromJson(const nlohmann::json& owner, const std::string& ownerName);
  [[nodiscard]] static Result<Pattern> fromRegex(std::string_view regex);

  [[nodiscard]] std::vector<MatchRange> matches(std::string_view text) const;
  [[nodiscard]] std::string replaceAll(std::string_view text, std::string_view content) const;
  // The regular expression as written; empty for a plain string.
  [[nodiscard]] const std::string& regexSource() const { return m_source; }

 private:
  explicit Pattern(std::variant<std::string, Regex> pattern) : m_pattern(std::move(pattern)) {}
  std::variant<std::string, Regex> m_pattern;
  std::string m_source;
};

}  // namespace minerva::text
