// Calls written with tags: Qwen, Seed, MiniMax, GLM. Values have no quotes; JSON other than strings stands for itself.
#include "core/text/tool_calls/call_reader.h"

namespace minerva::text::calls {
namespace {

struct Tags {
  std::string_view function, parameter;  // up to the name
  std::string_view endOfName;
  std::string_view endOfFunction;
  bool linesAround;  // a line break after the opening tag and one before the closing tag are not part of the value
};
constexpr std::string_view endOfParameter = "</parameter>";
constexpr Tags qwenTags{"<function=", "<parameter=", ">", "</function>", true};
constexpr Tags seedTags{"<function=", "<parameter=", ">", "</function>", false};
constexpr Tags miniMaxTags{"<invoke name=\"", "<parameter name=\"", "\">", "</invoke>", false};

bool tagMayBegin(std::string_view text, std::string_view tag) {
  CallReader reader(text);
  reader.skipSpace();
  return reader.rest().size() < tag.size() ? tag.starts_with(reader.rest()) : reader.rest().starts_with(tag);
}

bool readFunction(CallReader& reader, const Tags& tags, ToolCall& call) {
  std::string_view name;
  if (!reader.take(tags.function) || !reader.takeUntil(tags.endOfName, name)) return false;
  call.name = trimmed(name);
  if (call.name.empty() || call.name.find_first_of("<>\n") != std::string::npos) return false;
  for (reader.skipSpace(); !reader.take(tags.endOfFunction); reader.skipSpace()) {
    std::string_view key, value;
    if (!reader.take(tags.parameter) || !reader.takeUntil(tags.endOfName, key) || !reader.takeUntil(endOfParameter, value)) return false;
    if (tags.linesAround && value.starts_with('\n')) value.remove_prefix(1);
    if (tags.linesAround && value.ends_with('\n')) value.remove_suffix(1);
    call.arguments.push_back({std::string(trimmed(key)), jsonOfBareText(value)});
  }
  return true;
}

bool parseTags(std::string_view text, const Tags& tags, std::vector<ToolCall>& out) {
  std::vector<ToolCall> found;
  CallReader reader(text);
  for (reader.skipSpace(); !reader.atEnd(); reader.skipSpace())
    if (!readFunction(reader, tags, found.emplace_back())) return false;
  for (ToolCall& call : found) out.push_back(std::move(call));
  return !found.empty();
}

// True if the last of the opening tags has no closing tag.
bool lastIsOpen(std::string_view text, std::string_view open, std::string_view close) {
  const std::size_t at = text.rfind(open);
  return at != std::string_view::npos && text.find(close, at) == std::string_view::npos;
}

}  // namespace

bool mayBeginQwen(std::string_view text) { return tagMayBegin(text, qwenTags.function); }
bool parseQwen(std::string_view text, std::vector<ToolCall>& out) { return parseTags(text, qwenTags, out); }
bool parseSeed(std::string_view text, std::vector<ToolCall>& out) { return parseTags(text, seedTags, out); }
bool mayBeginMiniMax(std::string_view text) { return tagMayBegin(text, miniMaxTags.function); }
bool parseMiniMax(std::string_view text, std::vector<ToolCall>& out) { return parseTags(text, miniMaxTags, out); }
bool endsInParameter(std::string_view text) { return lastIsOpen(text, "<parameter", endOfParameter); }

// A name, then a line break or a tag.
bool mayBeginGlm(std::string_view text) {
  CallReader reader(text);
  std::string_view name;
  reader.skipSpace();
  if (reader.atEnd()) return true;
  if (!reader.takeName(name)) return false;
  const bool newLine = reader.peek() == '\n' || reader.peek() == '\r';
  reader.skipSpace();
  return reader.atEnd() || (newLine && reader.peek() == '<') || tagMayBegin(reader.rest(), "<arg_key>");
}

bool parseGlm(std::string_view text, std::vector<ToolCall>& out) {
  CallReader reader(text);
  std::string_view name;
  reader.skipSpace();
  if (!reader.takeName(name)) return false;
  ToolCall call;
  call.name = name;
  for (reader.skipSpace(); !reader.atEnd(); reader.skipSpace()) {
    std::string_view key, value;
    if (!reader.take("<arg_key>") || !reader.takeUntil("</arg_key>", key)) return false;
    reader.skipSpace();
    if (!reader.take("<arg_value>") || !reader.takeUntil("</arg_value>", value)) return false;
    call.arguments.push_back({std::string(trimmed(key)), jsonOfBareText(value)});
  }
  out.push_back(std::move(call));
  return true;
}

bool endsInArgValue(std::string_view text) { return lastIsOpen(text, "<arg_value>", "</arg_value>"); }

}  // namespace minerva::text::calls
