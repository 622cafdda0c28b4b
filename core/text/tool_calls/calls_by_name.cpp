// Calls without the markers of any format, in JSON: bare, in a code block or in tags of other families. Models whose templates show
// <tool_call> write them, such as Qwen2.5-Coder. They are calls only if they name a tool of the request.
#include "core/text/markers.h"
#include "core/text/tool_calls/call_reader.h"

#include <nlohmann/json.hpp>

namespace minerva::text {
namespace {

struct Wrapper {
  std::string_view open, close;
};
// One whose beginning is another comes first.
constexpr Wrapper callWrappers[] = {{"```json", "```"},
                                    {"```tool_call", "```"},
                                    {"```", "```"},
                                    {"<tools>", "</tools>"},
                                    {"<tool_call>", "</tool_call>"},
                                    {"<tool>", "</tool>"},
                                    {"<function_call>", "</function_call>"},
                                    {"<json>", "</json>"},
                                    {"<response>", "</response>"}};

Wrapper wrapperOf(std::string_view text) {
  for (const Wrapper& one : callWrappers)
    if (text.starts_with(one.open)) return one;
  return {};
}

bool mayBeginByName(std::string_view text) {
  text = text.substr(std::min(text.find_first_not_of(whiteSpace), text.size()));
  if (std::ranges::any_of(callWrappers, [&](const Wrapper& one) { return beginsWithPartOf(text, one.open); })) return true;
  return calls::mayBeginBareJson(text.substr(wrapperOf(text).open.size()));
}

std::string_view unwrapped(std::string_view text) {
  text = calls::trimmed(text);
  const Wrapper wrapper = wrapperOf(text);
  text.remove_prefix(wrapper.open.size());
  if (!wrapper.close.empty() && text.ends_with(wrapper.close)) text.remove_suffix(wrapper.close.size());
  return text;
}

bool parseByName(std::string_view text, std::vector<ToolCall>& out) { return calls::parseJson(unwrapped(text), out); }
bool parseRepairedByName(std::string_view text, std::vector<ToolCall>& out) { return calls::parseRepairedJson(unwrapped(text), out); }

constexpr ToolCallFormat byName{"by name",          "", "", {}, {}, mayBeginByName, nullptr, parseByName, calls::endsInJsonString,
                                parseRepairedByName};

}  // namespace

const ToolCallFormat& formatByName() { return byName; }

std::size_t lengthOfCallsByName(std::string_view text, bool atEnd) {
  const std::size_t first = std::min(text.find_first_not_of(whiteSpace), text.size());
  const std::string_view close = wrapperOf(text.substr(first)).close;
  for (std::size_t end = 0;;) {
    const std::size_t length = lengthOfBrackets(text.substr(end));
    if (length == std::string_view::npos) return atEnd ? text.size() : length;
    end += length;
    if (close.empty()) return end;
    const std::size_t next = std::min(text.find_first_not_of(betweenCallsInText, end), text.size());
    const std::string_view rest = text.substr(next);
    if (rest.starts_with(close)) return next + close.size();
    if (!atEnd && beginsWithPartOf(rest, close)) return std::string_view::npos;
    if (!rest.starts_with('{')) return end;
    end = next;
  }
}

std::vector<std::string> toolNames(const nlohmann::ordered_json& tools) {
  std::vector<std::string> names;
  if (!tools.is_array()) return names;
  for (const auto& tool : tools) {
    const auto function = tool.find("function");
    if (function == tool.end() || !function->is_object()) continue;
    const auto name = function->find("name");
    if (name != function->end() && name->is_string()) names.push_back(name->get<std::string>());
  }
  return names;
}

}  // namespace minerva::text
