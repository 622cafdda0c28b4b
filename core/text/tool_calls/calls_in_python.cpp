// Calls written as those of functions in Python: Llama 4, LFM2, Olmo, MiniCPM 3.
#include "core/text/markers.h"
#include "core/text/tool_calls/python_literal.h"

namespace minerva::text::calls {
namespace {

bool nameThenBracket(CallReader reader) {
  std::string_view name;
  reader.skipSpace();
  return reader.atEnd() || (reader.takeName(name) && (reader.atEnd() || reader.peek() == '('));
}

// All arguments in one dictionary, in place of a list of them.
bool readPythonDictionary(PythonReader& reader, std::vector<ToolArgument>& out) {
  std::string json;
  ToolCall call;
  if (!reader.value(json) || !reader.taken(")")) return false;
  setArguments(call, json);
  out = std::move(call.arguments);
  return call.text.empty();
}

bool readPythonArguments(PythonReader& reader, std::vector<ToolArgument>& out) {
  reader.skipSpace();
  if (reader.peek() == '{') return readPythonDictionary(reader, out);
  while (!reader.taken(")")) {
    std::string_view name;
    ToolArgument& argument = out.emplace_back();
    if (!reader.takeName(name) || !reader.taken("=") || !reader.value(argument.json) || !reader.separated(")")) return false;
    argument.name = name;
  }
  return true;
}

bool readPythonCalls(PythonReader reader, std::vector<ToolCall>& found) {
  const bool fenced = reader.taken("```");
  if (fenced) reader.take("python");
  const bool list = reader.taken("[");
  for (reader.skipSpace(); !reader.atEnd() && reader.peek() != (list ? ']' : '`'); reader.skipSpace()) {
    std::string_view name;
    ToolCall& call = found.emplace_back();
    if (!reader.takeName(name) || !reader.take("(") || !readPythonArguments(reader, call.arguments)) return false;
    call.name = name;
    if (!reader.taken(",") && list && reader.peek() != ']') return false;
  }
  if (list && !reader.take("]")) return false;
  if (fenced && !reader.taken("```")) return false;
  reader.skipSpace();
  return reader.atEnd() && !found.empty();
}

}  // namespace

bool mayBeginPythonicList(std::string_view text) {
  CallReader reader(text);
  reader.skipSpace();
  return reader.atEnd() || (reader.take("[") && nameThenBracket(reader));
}

// MiniCPM 3 writes the calls as a code block.
bool mayBeginPythonic(std::string_view text) {
  constexpr std::string_view fence = "```python";
  CallReader reader(text);
  reader.skipSpace();
  if (fence.starts_with(reader.rest())) return true;
  if (reader.take(fence.substr(0, 3))) reader.take(fence.substr(3));
  return mayBeginPythonicList(reader.rest()) || nameThenBracket(reader);
}

bool parsePythonic(std::string_view text, std::vector<ToolCall>& out) {
  for (const PythonQuotes quotes : {PythonQuotes::escaped, PythonQuotes::nested}) {
    std::vector<ToolCall> found;
    if (!readPythonCalls(PythonReader(text, quotes), found)) continue;
    for (ToolCall& call : found) out.push_back(std::move(call));
    return true;
  }
  return false;
}

bool mayBeginCode(std::string_view) { return true; }

// brave_search.call(query="x"), JSON, or code.
bool parseCode(std::string_view text, std::vector<ToolCall>& out) {
  std::vector<ToolCall> found;
  if (parseJson(text, out)) return true;
  if (trimmed(text).empty()) return false;
  if (readPythonCalls(PythonReader(text), found) &&
      std::ranges::all_of(found, [](const auto& call) { return call.name.ends_with(".call"); })) {
    for (ToolCall& call : found) call.name.resize(call.name.size() - std::string_view(".call").size());
  } else {
    found = {{"", {}, std::string(trimmed(text))}};
  }
  for (ToolCall& call : found) out.push_back(std::move(call));
  return true;
}

bool endsInPythonString(std::string_view text) { return endsInString(text); }

}  // namespace minerva::text::calls
