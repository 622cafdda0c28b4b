#include "core/text/pattern/pattern.h"

namespace minerva::text {

Result<Pattern> Pattern::fromRegex(std::string_view regex) {
  MINERVA_ASSIGN(Regex compiled, Regex::compile(regex));
  Pattern pattern{std::variant<std::string, Regex>(std::move(compiled))};
  pattern.m_source = regex;
  return pattern;
}

Result<Pattern> Pattern::fromJson(const nlohmann::json& owner, const std::string& ownerName) {
  const auto found = owner.find("pattern");
  if (found == owner.end()) return fail(fieldError(ownerName, "pattern", "a string or a regular expression", nullptr));
  if (found->is_string()) return Pattern(found->get<std::string>());
  if (found->is_object() && found->contains("String")) {
    MINERVA_ASSIGN(std::string text, stringField(*found, "String", ownerName));
    return Pattern(std::move(text));
  }
  if (found->is_object() && found->contains("Regex")) {
    MINERVA_ASSIGN(const std::string source, stringField(*found, "Regex", ownerName));
    auto pattern = fromRegex(source);
    if (!pattern) pattern.error().where = "tokenizer.json, " + ownerName + ", " + pattern.error().where;
    return pattern;
  }
  return fail(fieldError(ownerName, "pattern", "a string or a regular expression", &*found));
}

std::vector<MatchRange> Pattern::matches(std::string_view text) const {
  if (const Regex* regex = std::get_if<Regex>(&m_pattern)) return regex->matches(text);
  const std::string& wanted = std::get<std::string>(m_pattern);
  std::vector<MatchRange> found;
  if (wanted.empty()) return found;
  for (std::size_t at = text.find(wanted); at != std::string_view::npos; at = text.find(wanted, at + wanted.size()))
    found.push_back({at, at + wanted.size()});
  return found;
}

std::string Pattern::replaceAll(std::string_view text, std::string_view content) const {
  std::string out;
  out.reserve(text.size() + text.size() / 4);
  std::size_t done = 0;
  for (const MatchRange& range : matches(text)) {
    out.append(text.substr(done, range.begin - done)).append(content);
    done = range.end;
  }
  return out.append(text.substr(done));
}

}  // namespace minerva::text
