// Where the arguments of a call begin that is not complete yet, in the syntaxes of calls_in_json.cpp and calls_in_markup.cpp. Only calls
// written as their format has it: a call with a slip before its arguments is known as a whole.
#include "core/text/markers.h"
#include "core/text/tool_calls/call_reader.h"
#include "core/text/tool_calls/call_sections.h"
#include "core/text/tool_calls/call_tags.h"

namespace minerva::text::calls {
namespace {

constexpr std::string_view fence = "```";

// Takes a string of JSON that needs no decoding, with the quotes.
bool takePlainString(CallReader& reader, std::string_view& text) {
  return reader.take("\"") && reader.takeUntil("\"", text) && text.find('\\') == std::string_view::npos;
}

// Takes a member's name and the colon after it.
bool takeKey(CallReader& reader, std::string_view& key) {
  reader.skipSpace();
  if (!takePlainString(reader, key)) return false;
  reader.skipSpace();
  if (!reader.take(":")) return false;
  reader.skipSpace();
  return true;
}

bool isAmong(std::string_view word, std::initializer_list<std::string_view> words) { return std::ranges::find(words, word) != words.end(); }

std::optional<CallOpening> openingAt(std::string_view text, const CallReader& reader, std::string_view name) {
  if (name.empty() || reader.peek() != '{') return std::nullopt;
  return CallOpening{name, text.size() - reader.rest().size()};
}

// Members up to the arguments. The name comes first, or after the type and an id.
std::optional<CallOpening> openingInObject(std::string_view text, CallReader& reader) {
  std::string_view key, name, value;
  while (takeKey(reader, key)) {
    if (isAmong(key, {"arguments", "parameters"})) return openingAt(text, reader, name);
    if (!isAmong(key, {"name", "tool_name", "type", "id", "tool_call_id"}) || !takePlainString(reader, value)) return std::nullopt;
    if (isAmong(key, {"name", "tool_name"})) {
      if (!name.empty()) return std::nullopt;
      name = value;
    }
    reader.skipSpace();
    if (!reader.take(",")) return std::nullopt;
  }
  return std::nullopt;
}

// What closes the call before, in a list or without one.
bool takeEndOfObject(CallReader& reader) {
  reader.skipSpace();
  if (!reader.take("}")) return false;
  while (!reader.atEnd() && betweenCallsInText.find(reader.peek()) != std::string_view::npos) (void)reader.next();
  return true;
}

std::optional<CallOpening> openingInSection(std::string_view text, const Sections& sections, bool isFirst) {
  CallReader reader(text);
  std::string_view name;
  reader.skipSpace();
  if (!isFirst) {
    reader.take(fence);
    reader.skipSpace();
    if (!reader.take(sections.end)) return std::nullopt;
    reader.skipSpace();
  }
  if (!reader.take(sections.begin) || !reader.takeUntil(sections.separator, name)) return std::nullopt;
  reader.skipSpace();
  if (trimmed(name) == "function" && reader.peek() != '{') {
    name = reader.rest().substr(0, reader.rest().find_first_of("\n`{"));
    reader.take(name);
    reader.skipSpace();
  }
  if (reader.take(fence)) reader.take("json");
  reader.skipSpace();
  return openingAt(text, reader, bareName(name));
}

// The same where the marker that begins a section is the format's own; each has one call.
std::optional<CallOpening> openingInOwnSection(std::string_view text, const Sections& sections, bool isFirst) {
  if (!isFirst) return std::nullopt;
  const std::string whole = std::string(sections.begin).append(text);
  const auto found = openingInSection(whole, sections, true);
  if (!found) return std::nullopt;
  const auto name = static_cast<std::size_t>(found->name.data() - whole.data()) - sections.begin.size();
  return CallOpening{text.substr(name, found->name.size()), found->arguments - sections.begin.size()};
}

std::optional<CallOpening> openingAfterName(std::string_view text, std::string_view afterName, bool isFirst) {
  CallReader reader(text);
  std::string_view name;
  if (!isFirst || !reader.takeName(name) || !reader.take(afterName)) return std::nullopt;
  reader.skipSpace();
  return openingAt(text, reader, name);
}

// Where the first parameter begins: what precedes it may be text as well.
std::optional<CallOpening> openingBeforeTag(std::string_view text, CallReader& reader, std::string_view name, const Tags& tags) {
  const std::size_t arguments = text.size() - reader.rest().size();
  reader.skipSpace();
  name = trimmed(name);
  return !name.empty() && reader.take(tags.parameter) ? std::optional(CallOpening{name, arguments, &tags}) : std::nullopt;
}

std::optional<CallOpening> openingInTags(std::string_view text, const Tags& tags) {
  CallReader reader(text);
  std::string_view name;
  reader.skipSpace();
  return reader.take(tags.function) && takeNameInTag(reader, tags, name) ? openingBeforeTag(text, reader, name, tags) : std::nullopt;
}

// The same where the function's opening tag is the format's own; each has one call.
std::optional<CallOpening> openingInOwnTags(std::string_view text, const Tags& tags, bool isFirst) {
  CallReader reader(text);
  std::string_view name;
  return isFirst && takeNameInTag(reader, tags, name) ? openingBeforeTag(text, reader, name, tags) : std::nullopt;
}

constexpr Tags glmParameters{{}, "<arg_key>", "</arg_key>", "</arg_value>", {}, Tags::Lines::none, {}, {}, "<arg_value>"};
constexpr Tags hunyuanParameters{"<tool_call>",     "<arg_key>", "</arg_key>", "</arg_value>", "</tool_call>",
                                 Tags::Lines::none, {},          {},           "<arg_value>"};
constexpr Tags openHunyuanParameters{"<tool_call:opensource>",
                                     "<arg_key:opensource>",
                                     "</arg_key:opensource>",
                                     "</arg_value:opensource>",
                                     "</tool_call:opensource>",
                                     Tags::Lines::none,
                                     {},
                                     {},
                                     "<arg_value:opensource>"};

std::optional<CallOpening> openingBeforeSeparator(std::string_view text, const Tags& tags, std::string_view separator) {
  CallReader reader(text);
  std::string_view name;
  reader.skipSpace();
  if (!reader.take(tags.function)) return std::nullopt;
  reader.skipSpace();
  if (!reader.takeName(name)) return std::nullopt;
  reader.skipSpace();
  return reader.take(separator) ? openingBeforeTag(text, reader, name, tags) : std::nullopt;
}

}  // namespace

std::string_view bareName(std::string_view name) {
  constexpr std::string_view afterId = "<|tool_call:name|>";
  if (const std::size_t at = name.find(afterId); at != std::string_view::npos) name.remove_prefix(at + afterId.size());
  name = trimmed(name);
  if (name.starts_with("functions.")) name.remove_prefix(10);
  const std::size_t colon = name.rfind(':');
  if (colon != std::string_view::npos && name.find_first_not_of("0123456789", colon + 1) == std::string_view::npos)
    name = name.substr(0, colon);
  return name;
}

std::optional<CallOpening> openingOfJson(std::string_view text, bool isFirst) {
  CallReader reader(text);
  reader.skipSpace();
  if (isFirst) {
    if (reader.take(fence)) reader.take("json");
    reader.skipSpace();
    if (reader.take("[")) reader.skipSpace();
  } else if (!takeEndOfObject(reader)) {
    return std::nullopt;
  }
  return reader.take("{") ? openingInObject(text, reader) : std::nullopt;
}

std::optional<CallOpening> openingOfNamedJson(std::string_view text, bool isFirst) {
  CallReader reader(text);
  std::string_view name;
  reader.skipSpace();
  if (isFirst ? !reader.take("[") : !takeEndOfObject(reader)) return std::nullopt;
  reader.skipSpace();
  if (!reader.take("{") || !takeKey(reader, name)) return std::nullopt;
  return openingAt(text, reader, name);
}

std::optional<CallOpening> openingOfMistral(std::string_view text, bool isFirst) {
  CallReader reader(text);
  std::string_view name, id;
  reader.skipSpace();
  if (!isFirst || reader.peek() == '[' || reader.peek() == '{') return openingOfJson(text, isFirst);
  if (!reader.takeName(name)) return std::nullopt;
  reader.skipSpace();
  if (reader.take("[CALL_ID]") && !reader.takeName(id)) return std::nullopt;
  reader.skipSpace();
  reader.take("[ARGS]");
  reader.skipSpace();
  return openingAt(text, reader, name);
}

std::optional<CallOpening> openingOfDeepSeek(std::string_view text, bool isFirst) {
  return openingInSection(text, deepSeekSections, isFirst);
}
std::optional<CallOpening> openingOfInnerDeepSeek(std::string_view text, bool isFirst) {
  return openingInOwnSection(text, deepSeekSections, isFirst);
}
std::optional<CallOpening> openingOfKimi(std::string_view text, bool isFirst) { return openingInSection(text, kimiSections, isFirst); }
std::optional<CallOpening> openingOfInnerKimi(std::string_view text, bool isFirst) {
  return openingInOwnSection(text, kimiSections, isFirst);
}
std::optional<CallOpening> openingOfSolar(std::string_view text, bool isFirst) { return openingInSection(text, solarSections, isFirst); }

std::optional<CallOpening> openingOfNameAndJson(std::string_view text, bool isFirst) {
  const std::size_t space = std::min(text.find_first_not_of(whiteSpaceOfCalls), text.size());
  auto found = openingAfterName(text.substr(space), "\n", isFirst);
  if (found) found->arguments += space;
  return found;
}

std::optional<CallOpening> openingOfQwen(std::string_view text, bool) { return openingInTags(text, qwenTags); }
std::optional<CallOpening> openingOfNamedQwen(std::string_view text, bool) { return openingInTags(text, namedQwenTags); }
std::optional<CallOpening> openingOfInnerQwen(std::string_view text, bool isFirst) { return openingInOwnTags(text, qwenTags, isFirst); }
std::optional<CallOpening> openingOfSeed(std::string_view text, bool) { return openingInTags(text, seedTags); }
std::optional<CallOpening> openingOfMiniMax(std::string_view text, bool) { return openingInTags(text, miniMaxTags); }
std::optional<CallOpening> openingOfAtem(std::string_view text, bool) { return openingInTags(text, atemTags); }
std::optional<CallOpening> openingOfMiniCpm(std::string_view text, bool isFirst) { return openingInOwnTags(text, miniCpmTags, isFirst); }
std::optional<CallOpening> openingOfDsml(std::string_view text, bool) { return openingInTags(text, dsmlTags); }
std::optional<CallOpening> openingOfHunyuan(std::string_view text, bool) {
  return openingBeforeSeparator(text, hunyuanParameters, "<tool_sep>");
}
std::optional<CallOpening> openingOfOpenHunyuan(std::string_view text, bool) {
  return openingBeforeSeparator(text, openHunyuanParameters, "<tool_sep:opensource>");
}
std::optional<CallOpening> openingOfGlm(std::string_view text, bool isFirst) {
  CallReader reader(text);
  std::string_view name;
  reader.skipSpace();
  return isFirst && reader.takeName(name) ? openingBeforeTag(text, reader, name, glmParameters) : std::nullopt;
}

std::optional<CallOpening> openingOfFunctionary(std::string_view text, bool isFirst) { return openingAfterName(text, ">", isFirst); }

}  // namespace minerva::text::calls
