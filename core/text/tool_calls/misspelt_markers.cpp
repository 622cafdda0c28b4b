// DeepSeek's markers as models distilled from R1 spell them: those are no tokens of their vocabularies.
#include "core/text/markers.h"
#include "core/text/tool_calls/call_reader.h"

#include <string>

namespace minerva::text::calls {
namespace {

constexpr std::string_view blank = "▁";  // between the words of the real markers
constexpr std::string_view blanksOfModels[] = {"_", "\\_", " "};
constexpr std::string_view spelt[] = {"<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>", "<｜tool▁calls▁end｜>"};

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) text.replace(at, what.size(), by);
  return text;
}

}  // namespace

bool mayBeginMisspeltDeepSeek(std::string_view text) {
  constexpr std::string_view beginning = "<｜tool";
  text = text.substr(std::min(text.find_first_not_of(whiteSpace), text.size()));
  return text.starts_with(beginning) || beginsWithPartOf(text, beginning);
}

bool parseMisspeltDeepSeek(std::string_view text, std::vector<ToolCall>& out) {
  std::string right(text);
  for (const std::string_view marker : spelt)
    for (const std::string_view other : blanksOfModels)
      right = replaced(std::move(right), replaced(std::string(marker), blank, other), marker);
  std::string_view sections = trimmed(right);
  if (sections.ends_with(spelt[3])) sections.remove_suffix(spelt[3].size());
  return parseDeepSeek(sections, out);
}

}  // namespace minerva::text::calls
