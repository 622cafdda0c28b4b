// Calls of Gemma 4 and FunctionGemma, whose strings are between markers.
#include "core/text/markers.h"
#include "core/text/tool_calls/call_reader.h"

#include <nlohmann/json.hpp>

namespace minerva::text::calls {
namespace {

constexpr std::string_view gemmaQuote = "<|\"|>", functionGemmaQuote = "<escape>";
constexpr int deepestGemma = 64;

class GemmaReader : public CallReader {
 public:
  GemmaReader(std::string_view text, std::string_view quote) : CallReader(text), m_quote(quote) {}

  // Reads arguments after their opening bracket. Models write a second pair of brackets around them, and JSON's quotes.
  bool arguments(std::vector<ToolArgument>& out) {
    const bool twice = taken("{");
    while (!taken("}")) {
      ToolArgument& argument = out.emplace_back();
      if (!key(argument.name) || !value(argument.json) || !separated("}")) return false;
    }
    return !twice || taken("}");
  }

  bool taken(std::string_view expected) {
    skipSpace();
    return take(expected);
  }

 private:
  // Appends the value as JSON. `depth` limits the nesting.
  bool value(std::string& json, int depth = 0) {
    skipSpace();
    if (depth > deepestGemma) return false;
    if (take("[")) return sequence(json, depth);
    if (take("{")) return mapping(json, depth);
    if (!rest().starts_with(m_quote) && peek() != '"') return word(json);
    std::string text;
    if (!string(text)) return false;
    json += jsonString(text);
    return true;
  }

  bool string(std::string& text) {
    std::string_view inside;
    if (peek() == '"') {
      const nlohmann::json quoted = nlohmann::json::parse(rest().substr(0, endOfString(rest(), 0)), nullptr, false);
      if (!quoted.is_string()) return false;
      text = quoted.get<std::string>();
      return take(rest().substr(0, endOfString(rest(), 0)));
    }
    if (!take(m_quote) || !takeUntil(m_quote, inside)) return false;
    text = inside;
    return true;
  }

  // The rest of a list after its opening bracket; a comma may follow the last element.
  bool sequence(std::string& json, int depth) {
    json += '[';
    for (bool first = true; !taken("]"); first = false) {
      if (!first) json += ',';
      if (!value(json, depth + 1) || !separated("]")) return false;
    }
    json += ']';
    return true;
  }

  bool mapping(std::string& json, int depth) {
    json += '{';
    for (bool first = true; !taken("}"); first = false) {
      std::string name;
      if (!first) json += ',';
      if (!key(name)) return false;
      json += jsonString(name) + ':';
      if (!value(json, depth + 1) || !separated("}")) return false;
    }
    json += '}';
    return true;
  }

  // A key with its colon. Without quotes it reaches up to the colon, and may be empty: the templates write every key as it is.
  bool key(std::string& name) {
    skipSpace();
    if (rest().starts_with(m_quote) || peek() == '"') return string(name) && taken(":");
    const std::size_t colon = rest().find_first_of(":{}[],\n");
    if (colon == std::string_view::npos || rest()[colon] != ':') return false;
    name = trimmed(rest().substr(0, colon));
    return take(rest().substr(0, colon + 1));
  }

  // After an element: a comma, or nothing if the closing bracket follows.
  bool separated(std::string_view close) { return taken(",") || rest().starts_with(close); }

  // A number, true, false or null; or one of Python's.
  bool word(std::string& json) {
    const std::string_view found = rest().substr(0, rest().find_first_of(" \t\r\n,]}:<"));
    const std::string meant = found.find_first_of("([{\"'") == std::string_view::npos ? jsonOfPythonLiteral(found) : std::string();
    json += meant;
    return !meant.empty() && take(found);
  }

  std::string_view m_quote;
};

bool parseQuoted(std::string_view text, std::string_view quote, std::vector<ToolCall>& out) {
  std::vector<ToolCall> found;
  GemmaReader reader(text, quote);
  for (reader.skipSpace(); !reader.atEnd(); reader.skipSpace()) {
    std::string_view name;
    ToolCall& call = found.emplace_back();
    reader.take(":");  // models write one after the marker
    if (!reader.take("call:") || !reader.takeName(name) || !reader.taken("{") || !reader.arguments(call.arguments)) return false;
    call.name = name;
    reader.taken(",");
  }
  for (ToolCall& call : found) out.push_back(std::move(call));
  return !found.empty();
}

bool endsBetween(std::string_view text, std::string_view quote) {
  bool open = false;
  for (std::size_t at = text.find(quote); at != std::string_view::npos; at = text.find(quote, at + quote.size())) open = !open;
  return open;
}

}  // namespace

bool mayBeginGemma(std::string_view text) {
  constexpr std::string_view call = "call:";
  CallReader reader(text);
  reader.skipSpace();
  reader.take(":");
  return reader.rest().size() < call.size() ? call.starts_with(reader.rest()) : reader.rest().starts_with(call);
}

bool parseGemma(std::string_view text, std::vector<ToolCall>& out) { return parseQuoted(text, gemmaQuote, out); }
bool endsInGemmaString(std::string_view text) { return endsBetween(text, gemmaQuote); }
bool parseFunctionGemma(std::string_view text, std::vector<ToolCall>& out) { return parseQuoted(text, functionGemmaQuote, out); }
bool endsInEscapes(std::string_view text) { return endsBetween(text, functionGemmaQuote); }

}  // namespace minerva::text::calls
