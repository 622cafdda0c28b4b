// Calls whose arguments are a JSON object: Hermes' form and its relatives, Mistral, DeepSeek, Kimi, Solar Open, Functionary, Apertus.
#include "core/text/json/json_cursor.h"
#include "core/text/markers.h"
#include "core/text/tool_calls/call_reader.h"
#include "core/text/tool_calls/call_sections.h"

#include <nlohmann/json.hpp>

#include <initializer_list>
#include <optional>

namespace minerva::text {
namespace calls {
namespace {

// Members of an object as raw JSON. Nothing if the text is not one valid JSON object.
std::optional<std::vector<ToolArgument>> jsonMembers(std::string_view json) {
  json = trimmed(json);
  if (!json.starts_with('{') || !nlohmann::json::accept(json)) return std::nullopt;
  JsonCursor cursor(json);
  std::vector<ToolArgument> members;
  if (!cursor.take('{')) return std::nullopt;
  for (bool first = true; cursor.next('}', first);) {
    std::string_view name, raw;
    ToolArgument member;
    if (!cursor.key(name)) return std::nullopt;
    member.name = name;
    if (!cursor.skip(raw)) return std::nullopt;
    member.json = trimmed(raw);
    members.push_back(std::move(member));
  }
  return cursor.failed() ? std::nullopt : std::optional(std::move(members));
}

std::string stringOf(std::string_view json) {
  JsonCursor cursor(json);
  std::string_view text;
  return cursor.peek() == '"' && cursor.string(text) ? std::string(text) : std::string();
}

// Arguments are an object, a string that contains one, or missing: nothing, an empty string or an empty list.
bool readArguments(ToolCall& call, std::string_view json) {
  if (json.starts_with('"')) json = trimmed(call.text = stringOf(json));
  if (json.empty() || json == "null" || (json.starts_with('[') && trimmed(json.substr(1)) == "]")) {
    call.text.clear();
    return true;
  }
  auto members = jsonMembers(json);
  call.text.clear();
  if (members) call.arguments = std::move(*members);
  return members.has_value();
}

bool readCall(std::string_view json, std::vector<ToolCall>& out) {
  const auto members = jsonMembers(json);
  if (!members) return false;
  ToolCall call;
  std::string_view arguments = "null", function;
  for (const ToolArgument& member : *members) {
    if (member.name == "name" || member.name == "tool_name") call.name = stringOf(member.json);
    if (member.name == "arguments" || member.name == "parameters") arguments = member.json;
    if (member.name == "function") function = member.json;
  }
  // OpenAI's form has the call in "function"; a string there is its name. One level only: no recursion.
  if (call.name.empty() && function.starts_with('"')) call.name = stringOf(function);
  if (call.name.empty() && function.starts_with('{')) {
    const auto inner = jsonMembers(function);
    std::string json2 = "null";
    for (const ToolArgument& member : *inner) {
      if (member.name == "name") call.name = stringOf(member.json);
      if (member.name == "arguments" || member.name == "parameters") json2 = member.json;
    }
    if (call.name.empty() || !readArguments(call, json2)) return false;
  } else if (call.name.empty() || !readArguments(call, arguments)) {
    return false;
  }
  out.push_back(std::move(call));
  return true;
}

// An object whose only member is the name with the arguments.
bool readNamed(std::string_view json, std::vector<ToolCall>& out) {
  const auto members = jsonMembers(json);
  if (!members || members->size() != 1) return false;
  ToolCall call;
  call.name = members->front().name;
  if (call.name.empty() || !readArguments(call, members->front().json)) return false;
  out.push_back(std::move(call));
  return true;
}

bool readList(std::string_view json, bool (*read)(std::string_view, std::vector<ToolCall>&), std::vector<ToolCall>& out) {
  JsonCursor cursor(json);
  if (!nlohmann::json::accept(json) || !cursor.take('[')) return false;
  for (bool first = true; cursor.next(']', first);) {
    std::string_view raw;
    if (!cursor.skip(raw) || !read(raw, out)) return false;
  }
  return !cursor.failed();
}

// Takes the arguments of a section: an object, which may contain the end marker, or all that precedes this marker.
bool takeArguments(CallReader& reader, std::string_view end, std::string_view& json) {
  const std::string_view rest = reader.rest();
  std::size_t length = reader.peek() == '{' ? lengthOfBrackets(rest) : rest.find(end);
  while (reader.peek() != '{' && length != std::string_view::npos && endsInJsonString(rest.substr(0, length)))
    length = rest.find(end, length + 1);
  json = rest.substr(0, length);
  return reader.take(json);
}

// DeepSeek V3 and R1 write the type "function" in place of the name, then the name and the arguments as a code block, whose fences may be
// missing.
bool parseSection(CallReader& reader, const Sections& sections, ToolCall& call) {
  std::string_view name, json;
  if (!reader.take(sections.begin) || !reader.takeUntil(sections.separator, name)) return false;
  reader.skipSpace();
  if (trimmed(name) == "function" && reader.peek() != '{') {
    name = reader.rest().substr(0, reader.rest().find_first_of("\n`{"));
    reader.take(name);
    reader.skipSpace();
  }
  const bool fenced = reader.take("```");
  if (fenced) reader.take("json");
  reader.skipSpace();
  if (!takeArguments(reader, sections.end, json)) return false;
  reader.skipSpace();
  if (fenced) reader.take("```");
  reader.skipSpace();
  const bool ends = reader.take(sections.end);  // models forget it after arguments
  call.name = bareName(name);
  return !call.name.empty() && (ends || !trimmed(json).empty()) && readArguments(call, trimmed(json));
}

bool parseSections(std::string_view text, const Sections& sections, std::vector<ToolCall>& out) {
  std::vector<ToolCall> found;
  CallReader reader(text);
  for (reader.skipSpace(); !reader.atEnd(); reader.skipSpace())
    if (!parseSection(reader, sections, found.emplace_back())) return false;
  for (ToolCall& call : found) out.push_back(std::move(call));
  return !found.empty();
}

bool mayBeginWith(std::string_view text, std::string_view beginning) {
  const std::size_t first = text.find_first_not_of(whiteSpaceOfCalls);
  if (first == std::string_view::npos) return true;
  text.remove_prefix(first);
  return text.size() < beginning.size() ? beginning.starts_with(text) : text.starts_with(beginning);
}

enum class Words { taken, cutOff, others };  // cutOff: the text ends before it can tell

// Takes these words with white space between them, or nothing.
Words takeWords(CallReader& reader, std::initializer_list<std::string_view> words) {
  CallReader after = reader;
  for (const std::string_view word : words) {
    after.skipSpace();
    if (!after.take(word)) return word.starts_with(after.rest()) ? Words::cutOff : Words::others;
  }
  reader = after;
  return Words::taken;
}

bool nameThenArguments(CallReader reader, std::string_view key) {
  std::string_view name;
  if (const Words begins = takeWords(reader, {key, ":", "\""}); begins != Words::taken) return begins == Words::cutOff;
  if (!reader.takeUntil("\"", name)) return true;
  if (const Words goesOn = takeWords(reader, {","}); goesOn != Words::taken) return goesOn == Words::cutOff;
  return mayBeginWith(reader.rest(), "\"parameters\"") || mayBeginWith(reader.rest(), "\"arguments\"");
}

constexpr std::string_view codeFence = "```";
constexpr std::string_view pythonRecipient = "python\n";  // what follows is code

bool mayBeginNamed(std::string_view text, std::string_view afterName) {
  CallReader reader(text);
  std::string_view name;
  return reader.atEnd() || (reader.takeName(name) && (reader.atEnd() || (reader.take(afterName) && mayBeginWith(reader.rest(), "{"))));
}

bool parseNamed(std::string_view text, std::string_view afterName, std::vector<ToolCall>& out) {
  CallReader reader(text);
  std::string_view name;
  ToolCall call;
  if (!reader.takeName(name) || !reader.take(afterName) || trimmed(reader.rest()).empty() || !readArguments(call, trimmed(reader.rest())))
    return false;
  call.name = name;
  out.push_back(std::move(call));
  return true;
}

}  // namespace

std::string jsonString(std::string_view text) {
  return nlohmann::json(std::string(text)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

ToolArgument argumentOfBareText(std::string_view name, std::string_view text) {
  const std::string_view value = trimmed(text);
  ToolArgument argument{std::string(trimmed(name)), std::string(value), std::string(text)};
  if (!value.starts_with('"') && nlohmann::json::accept(value)) return argument;
  argument.json = jsonString(text);
  if (jsonOfPythonLiteral(value).empty()) argument.bare.clear();
  return argument;
}

// A line break in a string, or a string that is followed by a word, shows that a quote is missing.
bool endsInJsonString(std::string_view text) {
  bool open = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!open) {
      open = text[i] == '"';
    } else if (text[i] == '\\') {
      ++i;
    } else if (static_cast<unsigned char>(text[i]) < ' ') {
      return false;
    } else if (text[i] == '"') {
      open = false;
      const std::size_t next = text.find_first_not_of(whiteSpaceOfCalls, i + 1);
      if (next != std::string_view::npos && std::string_view(",:}]").find(text[next]) == std::string_view::npos) return false;
    }
  }
  return open;
}

std::string_view withoutFence(std::string_view text) {
  text = trimmed(text);
  if (!text.starts_with(codeFence)) return text;
  text.remove_prefix(codeFence.size());
  if (text.starts_with("json")) text.remove_prefix(4);
  if (text.ends_with(codeFence)) text.remove_suffix(codeFence.size());
  return trimmed(text);
}

bool mayBeginJson(std::string_view text) {
  CallReader reader(text);
  reader.skipSpace();
  if (codeFence.starts_with(reader.rest())) return true;
  if (reader.take(codeFence)) {
    if (beginsWithPartOf(reader.rest(), "json")) return true;
    reader.take("json");
    reader.skipSpace();
  }
  if (reader.take("[")) reader.skipSpace();
  if (reader.atEnd()) return true;
  if (!reader.take("{")) return false;
  reader.skipSpace();
  const char quote = reader.peek() == '\'' ? '\'' : '"';  // Python's is a slip
  if (!reader.atEnd() && !reader.take(std::string_view(&quote, 1))) return false;
  for (const std::string_view member : {"name", "arguments", "parameters", "type", "id", "function", "tool_"}) {
    CallReader after = reader;
    if (beginsWithPartOf(reader.rest(), member)) return true;
    if (after.take(member) && (member.ends_with('_') || after.atEnd() || after.peek() == quote)) return true;
  }
  return false;
}

bool mayBeginBareJson(std::string_view text) {
  CallReader reader(text);
  reader.skipSpace();
  if (reader.take("[")) reader.skipSpace();
  if (!reader.take("{")) return reader.atEnd();
  const Words type = takeWords(reader, {"\"type\"", ":", "\"function\"", ","});
  const Words function = takeWords(reader, {"\"function\"", ":", "{"});
  if (type == Words::cutOff || function == Words::cutOff) return true;
  return nameThenArguments(reader, "\"name\"") || (function == Words::others && nameThenArguments(reader, "\"function\""));
}

bool parseJson(std::string_view text, std::vector<ToolCall>& out) {
  std::vector<ToolCall> found;
  for (text = withoutFence(text); !text.empty();) {
    const std::string_view one = text.substr(0, lengthOfBrackets(text));
    if (!(one.starts_with('[') ? readList(one, readCall, found) : readCall(one, found))) return false;
    text.remove_prefix(one.size());
    text.remove_prefix(std::min(text.find_first_not_of(betweenCallsInText), text.size()));
  }
  for (ToolCall& call : found) out.push_back(std::move(call));
  return !found.empty();
}

bool mayBeginNamedJson(std::string_view text) {
  CallReader reader(text);
  return takeWords(reader, {"[", "{", "\""}) != Words::others;
}

bool parseNamedJson(std::string_view text, std::vector<ToolCall>& out) {
  std::vector<ToolCall> found;
  if (!readList(trimmed(text), readNamed, found) || found.empty()) return false;
  for (ToolCall& call : found) out.push_back(std::move(call));
  return true;
}

bool mayBeginFencedJson(std::string_view text) {
  constexpr std::string_view fence = "```json";
  CallReader reader(text);
  reader.skipSpace();
  return fence.starts_with(reader.rest()) || (reader.take(fence) && mayBeginJson(reader.rest()));
}

bool parseFencedJson(std::string_view text, std::vector<ToolCall>& out) {
  text = trimmed(text);
  if (text.ends_with("```")) text.remove_suffix(3);
  CallReader reader(text);
  return reader.take("```json") && parseJson(reader.rest(), out);
}

bool mayBeginMistral(std::string_view text) {
  CallReader reader(text);
  reader.skipSpace();
  if (reader.peek() == '[' || reader.peek() == '{') return mayBeginJson(text);
  std::string_view name;
  return reader.atEnd() || (reader.takeName(name) && (reader.atEnd() || reader.peek() == '{' || mayBeginWith(reader.rest(), "[ARGS]") ||
                                                      mayBeginWith(reader.rest(), "[CALL_ID]")));
}

bool parseMistral(std::string_view text, std::vector<ToolCall>& out) {
  CallReader reader(trimmed(text));
  if (reader.peek() == '[' || reader.peek() == '{') return parseJson(text, out);
  std::string_view name, id;
  if (!reader.takeName(name)) return false;
  reader.skipSpace();
  if (reader.take("[CALL_ID]") && !reader.takeName(id)) return false;
  reader.skipSpace();
  reader.take("[ARGS]");
  ToolCall call;
  call.name = name;
  if (reader.atEnd()) return false;  // cut off, unless the model ended it, which `ends` is for
  if (!readArguments(call, trimmed(reader.rest()))) return false;
  out.push_back(std::move(call));
  return true;
}

bool mayBeginDeepSeek(std::string_view text) { return mayBeginWith(text, deepSeekSections.begin); }
bool parseDeepSeek(std::string_view text, std::vector<ToolCall>& out) { return parseSections(text, deepSeekSections, out); }
bool mayBeginInnerDeepSeek(std::string_view text) {
  const std::size_t separator = text.find(deepSeekSections.separator), line = text.find('\n');
  return separator != std::string_view::npos ? separator < line : line == std::string_view::npos;
}
bool parseInnerDeepSeek(std::string_view text, std::vector<ToolCall>& out) {
  return parseDeepSeek(std::string(deepSeekSections.begin).append(text), out);
}
bool mayBeginKimi(std::string_view text) { return mayBeginWith(text, kimiSections.begin); }
bool parseKimi(std::string_view text, std::vector<ToolCall>& out) { return parseSections(text, kimiSections, out); }
bool mayBeginInnerKimi(std::string_view text) {
  CallReader reader(text);
  std::string_view name;
  reader.skipSpace();
  if (!reader.takeName(name)) return reader.atEnd();
  return mayBeginWith(reader.rest(), kimiSections.separator);
}
bool parseInnerKimi(std::string_view text, std::vector<ToolCall>& out) {
  return parseKimi(std::string(kimiSections.begin).append(text), out);
}
bool mayBeginSolar(std::string_view text) { return mayBeginWith(text, solarSections.begin); }
bool parseSolar(std::string_view text, std::vector<ToolCall>& out) { return parseSections(text, solarSections, out); }

bool mayBeginNameAndJson(std::string_view text) {
  return mayBeginNamed(text.substr(std::min(text.find_first_not_of(whiteSpaceOfCalls), text.size())), "\n");
}
bool parseNameAndJson(std::string_view text, std::vector<ToolCall>& out) { return parseNamed(trimmed(text), "\n", out); }
bool mayBeginFunctionary(std::string_view text) { return mayBeginNamed(text, ">"); }
bool parseFunctionary(std::string_view text, std::vector<ToolCall>& out) { return parseNamed(text, ">", out); }
bool mayBeginFunctionary32(std::string_view text) { return mayBeginNamed(text, "\n") || mayBeginWith(text, pythonRecipient); }
bool parseFunctionary32(std::string_view text, std::vector<ToolCall>& out) {
  if (parseNamed(text, "\n", out)) return true;
  if (!text.starts_with(pythonRecipient)) return false;
  out.push_back({"python", {}, std::string(text.substr(pythonRecipient.size()))});
  return true;
}

}  // namespace calls

void setArguments(ToolCall& call, std::string_view json) {
  if (!calls::trimmed(json).empty() && !calls::readArguments(call, calls::trimmed(json))) call.text = json;
}

}  // namespace minerva::text
