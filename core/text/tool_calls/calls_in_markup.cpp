// Calls written with tags: Qwen, Seed, MiniMax, Muse Glimmer, MiniCPM 5, DeepSeek V3.2 and later, GLM, Hunyuan 3. Values have no quotes;
// JSON other than strings stands for itself.
#include "core/text/markers.h"
#include "core/text/tool_calls/call_reader.h"
#include "core/text/tool_calls/call_tags.h"

#include <initializer_list>
#include <string>

namespace minerva::text::calls {
namespace {

bool tagMayBegin(std::string_view text, std::string_view tag) {
  CallReader reader(text);
  reader.skipSpace();
  return reader.rest().size() < tag.size() ? tag.starts_with(reader.rest()) : reader.rest().starts_with(tag);
}

enum class Found { calls, openValue, neither };  // openValue: the text ends within a value

// Takes a value and the tag after it. The value may contain that tag: it ends where one of `next` follows, or nothing.
bool takeValue(CallReader& reader, std::string_view tag, std::initializer_list<std::string_view> next, std::string_view& value) {
  const std::string_view rest = reader.rest();
  for (std::size_t at = rest.find(tag); at != std::string_view::npos; at = rest.find(tag, at + tag.size())) {
    const std::string_view through = rest.substr(0, at + tag.size()), after = trimmed(rest.substr(through.size()));
    if (!after.empty() && std::ranges::none_of(next, [&](std::string_view one) { return after.starts_with(one); })) continue;
    value = rest.substr(0, at);
    return reader.take(through);
  }
  return false;
}

std::size_t findOnLine(std::string_view text, std::string_view tag) {
  std::size_t at = text.find(tag);
  while (at != std::string_view::npos && at > 0 && text[at - 1] != '\n') at = text.find(tag, at + 1);
  return at;
}

// True if the tag after this value is that of another parameter, which begins within it.
bool lacksItsEnd(std::string_view value, const Tags& tags) {
  const std::size_t last = value.rfind(tags.parameter);
  if (last == std::string_view::npos || value.find(tags.endOfParameter, last) != std::string_view::npos) return false;
  return last == 0 || value[last - 1] == '\n' || value.substr(0, last).find(tags.endOfFunction) != std::string_view::npos;
}

// Skips tags that close something, whatever it is: models drift to names such as </function_invocation>, or close a function twice. False
// if there is none.
bool skipClosingTags(CallReader& reader) {
  const auto isOfName = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  bool skipped = false;
  for (reader.skipSpace(); reader.rest().starts_with("</"); reader.skipSpace()) {
    const std::string_view rest = reader.rest();
    const auto* const end = std::find_if_not(rest.begin() + 2, rest.end(), isOfName);
    if (end == rest.begin() + 2 || end == rest.end() || *end != '>') break;
    skipped = reader.take(rest.substr(0, static_cast<std::size_t>(end - rest.begin()) + 1));
  }
  return skipped;
}

// True if only the tags of what is around the value follow its last closing tag, with one of them misspelt.
bool takeBeforeClosingTags(CallReader& reader, std::string_view tag, std::string_view& value) {
  const std::size_t last = reader.rest().rfind(tag);
  if (last == std::string_view::npos) return false;
  CallReader after(reader.rest().substr(last + tag.size()));
  if (!skipClosingTags(after) || !after.atEnd()) return false;
  value = reader.rest().substr(0, last);
  return reader.take(value) && reader.take(tag);
}

// Models forget the tag after a value. Then it ends before the next tag, which is looked for if there is no other end and `unclosed`.
bool takeParameter(CallReader& reader, const Tags& tags, bool unclosed, std::string_view& value) {
  const std::string_view rest = reader.rest();
  CallReader closed = reader;
  const bool ends = takeValue(closed, tags.endOfParameter, {tags.parameter, tags.endOfFunction}, value);
  if (ends && !lacksItsEnd(value, tags)) {
    reader = closed;
    return true;
  }
  if (!ends && !unclosed) return false;
  if (!ends && takeBeforeClosingTags(reader, tags.endOfParameter, value)) return true;
  const std::size_t line = std::min(findOnLine(rest, tags.parameter), findOnLine(rest, tags.endOfFunction));
  value = rest.substr(0, std::min(line, rest.find(tags.endOfFunction)));
  return value.size() < rest.size() && reader.take(value);
}

// Takes a value between the marks of a string, and the tag after it, which may be missing.
bool takeText(CallReader& reader, const Tags& tags, std::string_view& value) {
  reader.skipSpace();
  reader.take(tags.openText);
  if (!reader.takeUntil(tags.closeText, value)) return false;
  reader.skipSpace();
  reader.take(tags.endOfParameter);
  return true;
}

// The tag after a function. `unclosed`: any other in its place at the end of the text.
bool takeEndOfFunction(CallReader& reader, const Tags& tags, bool unclosed) {
  if (reader.take(tags.endOfFunction)) {
    skipClosingTags(reader);
    return true;
  }
  CallReader after = reader;
  if (!unclosed || !skipClosingTags(after) || !after.atEnd()) return false;
  reader = after;
  return true;
}

Found readFunction(CallReader& reader, const Tags& tags, bool unclosed, ToolCall& call) {
  std::string_view name;
  if (!reader.take(tags.function) || !takeNameInTag(reader, tags, name) || trimmed(name).empty()) return Found::neither;
  call.name = trimmed(name);
  for (reader.skipSpace(); !takeEndOfFunction(reader, tags, unclosed); reader.skipSpace()) {
    std::string_view key, value;
    if (!reader.take(tags.parameter) || !takeNameInTag(reader, tags, key)) return Found::neither;
    if (!tags.openText.empty() && trimmed(reader.rest()).starts_with(tags.openText)) {
      if (!takeText(reader, tags, value)) return Found::openValue;
      call.arguments.push_back({std::string(trimmed(key)), jsonString(value)});
      continue;
    }
    if (!takeParameter(reader, tags, unclosed, value)) return Found::openValue;
    call.arguments.push_back(argumentInTags(key, withoutLinesAround(value, tags.lines)));
  }
  return Found::calls;
}

Found readFunctions(std::string_view text, const Tags& tags, bool unclosed, std::vector<ToolCall>& found) {
  CallReader reader(text);
  for (reader.skipSpace(); !reader.atEnd(); reader.skipSpace())
    if (const Found what = readFunction(reader, tags, unclosed, found.emplace_back()); what != Found::calls) return what;
  return found.empty() ? Found::neither : Found::calls;
}

bool parseTags(std::string_view text, const Tags& tags, std::vector<ToolCall>& out, bool unclosed = false) {
  std::vector<ToolCall> found;
  if (readFunctions(text, tags, unclosed, found) != Found::calls) return false;
  for (ToolCall& call : found) out.push_back(std::move(call));
  return true;
}

bool endsInValueOf(std::string_view text, const Tags& tags) {
  std::vector<ToolCall> found;
  return readFunctions(text, tags, false, found) == Found::openValue;
}

std::string withOuterTags(std::string_view text, const Tags& tags) {
  return std::string(tags.function).append(text).append(tags.endOfFunction);
}

// True if a text may begin a function whose opening tag was taken.
bool mayBeginInner(std::string_view text, const Tags& tags) {
  CallReader reader(text);
  std::string_view name;
  if (!reader.takeName(name) || reader.atEnd()) return reader.atEnd();
  if (beginsWithPartOf(reader.rest(), tags.endOfName)) return true;
  const bool named = reader.take(tags.endOfName) || (lineEndsName(tags) && reader.peek() == '\n');
  return named && (tagMayBegin(reader.rest(), tags.parameter) || tagMayBegin(reader.rest(), tags.endOfFunction));
}

// Of GLM and Hunyuan 3, which have the same tags around arguments; a call has tags and a separator only in Hunyuan.
struct ArgumentTags {
  std::string_view key, endOfKey, value, endOfValue;
  std::string_view call = {}, separator = {}, endOfCall = {};
};
constexpr ArgumentTags glmTags{"<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"};
constexpr ArgumentTags hunyuanTags{"<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", "<tool_call>", "<tool_sep>", "</tool_call>"};
constexpr ArgumentTags openHunyuanTags{"<arg_key:opensource>",    "</arg_key:opensource>",  "<arg_value:opensource>",
                                       "</arg_value:opensource>", "<tool_call:opensource>", "<tool_sep:opensource>",
                                       "</tool_call:opensource>"};

// True if the tag after this value is that of another argument, which begins within it.
bool lacksEndOfArgument(std::string_view value, const ArgumentTags& tags) {
  const std::size_t last = value.rfind(tags.value);
  return last != std::string_view::npos && trimmed(value.substr(0, last)).ends_with(tags.endOfKey) &&
         value.find(tags.endOfValue, last) == std::string_view::npos;
}

// Models forget the tag after a value. Then it ends before the next argument, if `unclosed`.
bool takeArgument(CallReader& reader, const ArgumentTags& tags, bool unclosed, std::string_view& value) {
  CallReader closed = reader;
  const std::string_view last = tags.endOfCall.empty() ? tags.key : tags.endOfCall;
  if (takeValue(closed, tags.endOfValue, {tags.key, last}, value) && !lacksEndOfArgument(value, tags)) {
    reader = closed;
    return true;
  }
  const std::size_t other = reader.rest().find(tags.key);
  if (!unclosed || other == std::string_view::npos) return false;
  value = reader.rest().substr(0, other);
  reader.take(value);
  if (value.ends_with('\n')) value.remove_suffix(1);
  return true;
}

// Takes the name of an argument and its tags, of which the one after it may be missing.
bool takeArgumentName(CallReader& reader, const ArgumentTags& tags, std::string_view& name) {
  if (!reader.take(tags.key)) return false;
  name = reader.rest().substr(0, std::min(reader.rest().find(tags.endOfKey), reader.rest().find(tags.value)));
  reader.take(name);
  reader.take(tags.endOfKey);
  reader.skipSpace();
  return reader.take(tags.value);
}

Found readGlm(std::string_view text, bool unclosed, ToolCall& call) {
  CallReader reader(text);
  std::string_view name;
  reader.skipSpace();
  if (!reader.takeName(name)) return Found::neither;
  call.name = name;
  for (reader.skipSpace(); !reader.atEnd(); reader.skipSpace()) {
    std::string_view key, value;
    if (!takeArgumentName(reader, glmTags, key)) return Found::neither;
    if (!takeArgument(reader, glmTags, unclosed, value)) return Found::openValue;
    call.arguments.push_back(argumentOfBareText(key, value));
  }
  return Found::calls;
}

bool parseGlmTags(std::string_view text, bool unclosed, std::vector<ToolCall>& out) {
  ToolCall call;
  if (readGlm(text, unclosed, call) != Found::calls) return false;
  out.push_back(std::move(call));
  return true;
}

// Calls with tags of their own, a separator behind each name.
Found readHunyuan(std::string_view text, const ArgumentTags& tags, bool unclosed, std::vector<ToolCall>& found) {
  CallReader reader(text);
  for (reader.skipSpace(); !reader.atEnd(); reader.skipSpace()) {
    std::string_view name;
    if (!reader.take(tags.call)) return Found::neither;
    reader.skipSpace();
    if (!reader.takeName(name)) return Found::neither;
    ToolCall& call = found.emplace_back();
    call.name = name;
    reader.skipSpace();
    if (!reader.take(tags.separator)) return Found::neither;
    for (reader.skipSpace(); !reader.take(tags.endOfCall); reader.skipSpace()) {
      std::string_view key, value;
      if (!takeArgumentName(reader, tags, key)) return Found::neither;
      if (!takeArgument(reader, tags, unclosed, value)) return Found::openValue;
      call.arguments.push_back(argumentOfBareText(key, value));
    }
  }
  return found.empty() ? Found::neither : Found::calls;
}

bool parseHunyuanTags(std::string_view text, const ArgumentTags& tags, std::vector<ToolCall>& out, bool unclosed = false) {
  std::vector<ToolCall> found;
  if (readHunyuan(text, tags, unclosed, found) != Found::calls) return false;
  for (ToolCall& call : found) out.push_back(std::move(call));
  return true;
}

bool endsInValueOf(std::string_view text, const ArgumentTags& tags) {
  std::vector<ToolCall> found;
  return readHunyuan(text, tags, false, found) == Found::openValue;
}

}  // namespace

std::string_view withoutLinesAround(std::string_view value, Tags::Lines lines) {
  const std::size_t before = value.starts_with('\n') ? 1 : 0, after = value.size() > before && value.ends_with('\n') ? 1 : 0;
  if (lines == Tags::Lines::none || (lines == Tags::Lines::both && before + after < 2)) return value;
  return value.substr(before, value.size() - before - after);
}

ToolArgument argumentInTags(std::string_view key, std::string_view value) {
  const std::size_t at = key.find(typeAfterName);
  ToolArgument argument = argumentOfBareText(key.substr(0, at), value);
  if (at == std::string_view::npos) return argument;
  if (key.substr(at + typeAfterName.size()) == "true") argument.json = jsonString(value);
  argument.bare.clear();
  return argument;
}

bool lineEndsName(const Tags& tags) { return tags.endOfName == ">"; }

bool takeNameInTag(CallReader& reader, const Tags& tags, std::string_view& name) {
  const std::size_t line = reader.rest().find('\n');
  if (lineEndsName(tags) && line < reader.rest().find(tags.endOfName)) {
    name = reader.rest().substr(0, line);
    reader.take(name);
  } else if (!reader.takeUntil(tags.endOfName, name)) {
    return false;
  }
  return name.find_first_of("<>\n") == std::string_view::npos;
}

bool mayBeginQwen(std::string_view text) { return tagMayBegin(text, qwenTags.function); }
bool parseQwen(std::string_view text, std::vector<ToolCall>& out) { return parseTags(text, qwenTags, out); }
bool parseUnclosedQwen(std::string_view text, std::vector<ToolCall>& out) { return parseTags(text, qwenTags, out, true); }
bool mayBeginNamedQwen(std::string_view text) { return tagMayBegin(text, namedQwenTags.function); }
bool parseNamedQwen(std::string_view text, std::vector<ToolCall>& out) { return parseTags(text, namedQwenTags, out); }
bool parseUnclosedNamedQwen(std::string_view text, std::vector<ToolCall>& out) { return parseTags(text, namedQwenTags, out, true); }
bool endsInNamedParameter(std::string_view text) { return endsInValueOf(text, namedQwenTags); }
bool parseSeed(std::string_view text, std::vector<ToolCall>& out) { return parseTags(text, seedTags, out); }
bool parseUnclosedSeed(std::string_view text, std::vector<ToolCall>& out) { return parseTags(text, seedTags, out, true); }
bool mayBeginMiniMax(std::string_view text) { return tagMayBegin(text, miniMaxTags.function); }
bool parseMiniMax(std::string_view text, std::vector<ToolCall>& out) { return parseTags(text, miniMaxTags, out); }
bool parseUnclosedMiniMax(std::string_view text, std::vector<ToolCall>& out) { return parseTags(text, miniMaxTags, out, true); }
bool endsInParameter(std::string_view text) { return endsInValueOf(text, qwenTags); }
bool endsInMiniMaxParameter(std::string_view text) { return endsInValueOf(text, miniMaxTags); }

bool mayBeginAtem(std::string_view text) { return tagMayBegin(text, atemTags.function); }
bool parseAtem(std::string_view text, std::vector<ToolCall>& out) { return parseTags(text, atemTags, out); }
bool parseUnclosedAtem(std::string_view text, std::vector<ToolCall>& out) { return parseTags(text, atemTags, out, true); }
bool endsInAtemParameter(std::string_view text) { return endsInValueOf(text, atemTags); }

bool mayBeginInnerQwen(std::string_view text) { return mayBeginInner(text, qwenTags); }
bool parseInnerQwen(std::string_view text, std::vector<ToolCall>& out) { return parseTags(withOuterTags(text, qwenTags), qwenTags, out); }
bool parseUnclosedInnerQwen(std::string_view text, std::vector<ToolCall>& out) {
  return parseTags(withOuterTags(text, qwenTags), qwenTags, out, true);
}
bool endsInInnerParameter(std::string_view text) { return endsInParameter(std::string(qwenTags.function).append(text)); }

bool mayBeginMiniCpm(std::string_view text) { return mayBeginInner(text, miniCpmTags); }
bool parseMiniCpm(std::string_view text, std::vector<ToolCall>& out) {
  return parseTags(withOuterTags(text, miniCpmTags), miniCpmTags, out);
}
bool parseUnclosedMiniCpm(std::string_view text, std::vector<ToolCall>& out) {
  return parseTags(withOuterTags(text, miniCpmTags), miniCpmTags, out, true);
}
bool endsInMiniCpmParameter(std::string_view text) { return endsInValueOf(std::string(miniCpmTags.function).append(text), miniCpmTags); }

bool mayBeginDsml(std::string_view text) { return tagMayBegin(text, dsmlTags.function); }
bool parseDsml(std::string_view text, std::vector<ToolCall>& out) { return parseTags(text, dsmlTags, out); }
bool parseUnclosedDsml(std::string_view text, std::vector<ToolCall>& out) { return parseTags(text, dsmlTags, out, true); }
bool endsInDsmlParameter(std::string_view text) { return endsInValueOf(text, dsmlTags); }

// A name, then a line break or a tag.
bool mayBeginGlm(std::string_view text) {
  CallReader reader(text);
  std::string_view name;
  reader.skipSpace();
  if (reader.atEnd()) return true;
  if (!reader.takeName(name)) return false;
  const bool newLine = reader.peek() == '\n' || reader.peek() == '\r';
  reader.skipSpace();
  return reader.atEnd() || (newLine && reader.peek() == '<') || tagMayBegin(reader.rest(), glmTags.key);
}

bool parseGlm(std::string_view text, std::vector<ToolCall>& out) { return parseGlmTags(text, false, out); }
bool parseUnclosedGlm(std::string_view text, std::vector<ToolCall>& out) { return parseGlmTags(text, true, out); }

bool endsInArgValue(std::string_view text) {
  ToolCall call;
  return readGlm(text, false, call) == Found::openValue;
}

bool mayBeginHunyuan(std::string_view text) { return tagMayBegin(text, hunyuanTags.call); }
bool parseHunyuan(std::string_view text, std::vector<ToolCall>& out) { return parseHunyuanTags(text, hunyuanTags, out); }
bool parseUnclosedHunyuan(std::string_view text, std::vector<ToolCall>& out) { return parseHunyuanTags(text, hunyuanTags, out, true); }
bool endsInHunyuanValue(std::string_view text) { return endsInValueOf(text, hunyuanTags); }

bool mayBeginOpenHunyuan(std::string_view text) { return tagMayBegin(text, openHunyuanTags.call); }
bool parseOpenHunyuan(std::string_view text, std::vector<ToolCall>& out) { return parseHunyuanTags(text, openHunyuanTags, out); }
bool parseUnclosedOpenHunyuan(std::string_view text, std::vector<ToolCall>& out) {
  return parseHunyuanTags(text, openHunyuanTags, out, true);
}
bool endsInOpenHunyuanValue(std::string_view text) { return endsInValueOf(text, openHunyuanTags); }

}  // namespace minerva::text::calls
