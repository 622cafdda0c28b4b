// Reads the text of a call from left to right; what is shared by the syntaxes.
#pragma once

#include "core/text/tool_calls.h"

#include <algorithm>

namespace minerva::text::calls {

constexpr std::string_view whiteSpaceOfCalls = " \t\r\n";

inline bool isNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.' || c == ':';
}

inline std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(whiteSpaceOfCalls);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(whiteSpaceOfCalls) - first + 1);
}

class CallReader {
 public:
  explicit CallReader(std::string_view text) : m_text(text) {}
  void skipSpace() { m_pos = std::min(m_text.find_first_not_of(whiteSpaceOfCalls, m_pos), m_text.size()); }
  [[nodiscard]] bool atEnd() const { return m_pos == m_text.size(); }
  [[nodiscard]] char peek() const { return atEnd() ? '\0' : m_text[m_pos]; }
  [[nodiscard]] std::string_view rest() const { return m_text.substr(m_pos); }
  bool take(std::string_view expected) {
    if (!rest().starts_with(expected)) return false;
    m_pos += expected.size();
    return true;
  }
  // Takes the text before `end` and `end` itself.
  bool takeUntil(std::string_view end, std::string_view& text) {
    const std::size_t at = m_text.find(end, m_pos);
    if (at == std::string_view::npos) return false;
    text = m_text.substr(m_pos, at - m_pos);
    m_pos = at + end.size();
    return true;
  }
  // Takes the name of a function or an argument; false if there is none.
  bool takeName(std::string_view& name) {
    const auto end = std::find_if_not(m_text.begin() + static_cast<std::ptrdiff_t>(m_pos), m_text.end(), isNameCharacter);
    const auto length = static_cast<std::size_t>(end - m_text.begin()) - m_pos;
    name = m_text.substr(m_pos, length);
    m_pos += length;
    return length > 0;
  }
  char next() { return m_text[m_pos++]; }

 private:
  std::string_view m_text;
  std::size_t m_pos = 0;
};

// A JSON string of this text; bytes that are not UTF-8 are replaced.
[[nodiscard]] std::string jsonString(std::string_view text);
// What JSON has for a literal of Python, empty for a string and for all that is no literal.
[[nodiscard]] std::string jsonOfPythonLiteral(std::string_view text);
// An argument in a syntax that writes strings without quotes: JSON other than a string is itself, all else is a string.
[[nodiscard]] ToolArgument argumentOfBareText(std::string_view name, std::string_view text);

// A name as sections have it, without what is not part of it: "functions.name:0" is Kimi's way to number the calls; Solar Open writes an id
// and a marker before the name.
[[nodiscard]] std::string_view bareName(std::string_view name);

// As ToolCallFormat::opening, for the syntaxes below (call_openings.cpp).
[[nodiscard]] std::optional<CallOpening> openingOfJson(std::string_view text, bool isFirst);
[[nodiscard]] std::optional<CallOpening> openingOfNamedJson(std::string_view text, bool isFirst);
[[nodiscard]] std::optional<CallOpening> openingOfMistral(std::string_view text, bool isFirst);
[[nodiscard]] std::optional<CallOpening> openingOfDeepSeek(std::string_view text, bool isFirst);
[[nodiscard]] std::optional<CallOpening> openingOfInnerDeepSeek(std::string_view text, bool isFirst);
[[nodiscard]] std::optional<CallOpening> openingOfKimi(std::string_view text, bool isFirst);
[[nodiscard]] std::optional<CallOpening> openingOfInnerKimi(std::string_view text, bool isFirst);
[[nodiscard]] std::optional<CallOpening> openingOfSolar(std::string_view text, bool isFirst);
[[nodiscard]] std::optional<CallOpening> openingOfNameAndJson(std::string_view text, bool isFirst);
[[nodiscard]] std::optional<CallOpening> openingOfFunctionary(std::string_view text, bool isFirst);
[[nodiscard]] std::optional<CallOpening> openingOfQwen(std::string_view text, bool isFirst);
[[nodiscard]] std::optional<CallOpening> openingOfNamedQwen(std::string_view text, bool isFirst);
[[nodiscard]] std::optional<CallOpening> openingOfInnerQwen(std::string_view text, bool isFirst);
[[nodiscard]] std::optional<CallOpening> openingOfSeed(std::string_view text, bool isFirst);
[[nodiscard]] std::optional<CallOpening> openingOfMiniMax(std::string_view text, bool isFirst);
[[nodiscard]] std::optional<CallOpening> openingOfAtem(std::string_view text, bool isFirst);
[[nodiscard]] std::optional<CallOpening> openingOfMiniCpm(std::string_view text, bool isFirst);
[[nodiscard]] std::optional<CallOpening> openingOfDsml(std::string_view text, bool isFirst);
[[nodiscard]] std::optional<CallOpening> openingOfHunyuan(std::string_view text, bool isFirst);
[[nodiscard]] std::optional<CallOpening> openingOfOpenHunyuan(std::string_view text, bool isFirst);
[[nodiscard]] std::optional<CallOpening> openingOfGlm(std::string_view text, bool isFirst);

// {"name": ..., "arguments": {...}}, one or several, or an array; also "parameters", "tool_name", and as the member "function".
[[nodiscard]] bool mayBeginJson(std::string_view text);
// Exactly a name and then arguments, after the type at most: other answers are JSON as well.
[[nodiscard]] bool mayBeginBareJson(std::string_view text);
[[nodiscard]] bool parseJson(std::string_view text, std::vector<ToolCall>& out);
// The same with slips that models make, where it is known that the calls end here: what JSON does not allow in strings, a comma or a
// bracket too many, Python's notation.
[[nodiscard]] bool parseRepairedJson(std::string_view text, std::vector<ToolCall>& out);
// The same but Python for syntaxes that have JSON in them.
[[nodiscard]] bool parseRepaired(std::string_view text, std::vector<ToolCall>& out,
                                 bool (*parse)(std::string_view, std::vector<ToolCall>&));
template <bool (*parse)(std::string_view, std::vector<ToolCall>&)>
bool repaired(std::string_view text, std::vector<ToolCall>& out) {
  return parseRepaired(text, out, parse);
}
// The text in a code block, or the whole text.
[[nodiscard]] std::string_view withoutFence(std::string_view text);
[[nodiscard]] bool endsInJsonString(std::string_view text);    // false as well if a string is followed by what JSON does not allow
[[nodiscard]] bool mayBeginFencedJson(std::string_view text);  // the same as a code block
[[nodiscard]] bool parseFencedJson(std::string_view text, std::vector<ToolCall>& out);
// [{name: {...}}, ...].
[[nodiscard]] bool mayBeginNamedJson(std::string_view text);
[[nodiscard]] bool parseNamedJson(std::string_view text, std::vector<ToolCall>& out);
// name[ARGS]{...}, optionally name[CALL_ID]id[ARGS]{...}.
[[nodiscard]] bool mayBeginMistral(std::string_view text);
[[nodiscard]] bool parseMistral(std::string_view text, std::vector<ToolCall>& out);
// <function=name><parameter=k>v</parameter></function>.
[[nodiscard]] bool mayBeginQwen(std::string_view text);
[[nodiscard]] bool parseQwen(std::string_view text, std::vector<ToolCall>& out);
[[nodiscard]] bool parseUnclosedQwen(std::string_view text, std::vector<ToolCall>& out);
[[nodiscard]] bool endsInParameter(std::string_view text);
// The same with <function name="name"> and <parameter name="k">.
[[nodiscard]] bool mayBeginNamedQwen(std::string_view text);
[[nodiscard]] bool parseNamedQwen(std::string_view text, std::vector<ToolCall>& out);
[[nodiscard]] bool parseUnclosedNamedQwen(std::string_view text, std::vector<ToolCall>& out);
[[nodiscard]] bool endsInNamedParameter(std::string_view text);
// The same without <function= and </function>.
[[nodiscard]] bool mayBeginInnerQwen(std::string_view text);
[[nodiscard]] bool parseInnerQwen(std::string_view text, std::vector<ToolCall>& out);
[[nodiscard]] bool parseUnclosedInnerQwen(std::string_view text, std::vector<ToolCall>& out);
[[nodiscard]] bool endsInInnerParameter(std::string_view text);
// Seed has the tags of Qwen without line breaks around the values, and MiniMax
// <invoke name="f"><parameter name="k">v</parameter></invoke>.
[[nodiscard]] bool parseSeed(std::string_view text, std::vector<ToolCall>& out);
[[nodiscard]] bool parseUnclosedSeed(std::string_view text, std::vector<ToolCall>& out);
[[nodiscard]] bool mayBeginMiniMax(std::string_view text);
[[nodiscard]] bool parseMiniMax(std::string_view text, std::vector<ToolCall>& out);
[[nodiscard]] bool parseUnclosedMiniMax(std::string_view text, std::vector<ToolCall>& out);
[[nodiscard]] bool endsInMiniMaxParameter(std::string_view text);
// <atem:invoke name="f"><atem:parameter name="k">v</atem:parameter></atem:invoke>, in <atem:function_calls>.
[[nodiscard]] bool mayBeginAtem(std::string_view text);
[[nodiscard]] bool parseAtem(std::string_view text, std::vector<ToolCall>& out);
[[nodiscard]] bool parseUnclosedAtem(std::string_view text, std::vector<ToolCall>& out);
[[nodiscard]] bool endsInAtemParameter(std::string_view text);
// <function name="f"><param name="k">v</param></function>, without the first tag up to the name and without the last one.
[[nodiscard]] bool mayBeginMiniCpm(std::string_view text);
[[nodiscard]] bool parseMiniCpm(std::string_view text, std::vector<ToolCall>& out);
[[nodiscard]] bool parseUnclosedMiniCpm(std::string_view text, std::vector<ToolCall>& out);
[[nodiscard]] bool endsInMiniCpmParameter(std::string_view text);
// <｜DSML｜invoke name="f"><｜DSML｜parameter name="k" string="true">v</｜DSML｜parameter></｜DSML｜invoke>.
[[nodiscard]] bool mayBeginDsml(std::string_view text);
[[nodiscard]] bool parseDsml(std::string_view text, std::vector<ToolCall>& out);
[[nodiscard]] bool parseUnclosedDsml(std::string_view text, std::vector<ToolCall>& out);
[[nodiscard]] bool endsInDsmlParameter(std::string_view text);
// name<arg_key>k</arg_key><arg_value>v</arg_value>.
[[nodiscard]] bool mayBeginGlm(std::string_view text);
[[nodiscard]] bool parseGlm(std::string_view text, std::vector<ToolCall>& out);
[[nodiscard]] bool parseUnclosedGlm(std::string_view text, std::vector<ToolCall>& out);
[[nodiscard]] bool endsInArgValue(std::string_view text);
// <tool_call>name<tool_sep><arg_key>k</arg_key><arg_value>v</arg_value></tool_call>, one or several.
[[nodiscard]] bool mayBeginHunyuan(std::string_view text);
[[nodiscard]] bool parseHunyuan(std::string_view text, std::vector<ToolCall>& out);
[[nodiscard]] bool parseUnclosedHunyuan(std::string_view text, std::vector<ToolCall>& out);
[[nodiscard]] bool endsInHunyuanValue(std::string_view text);
// The same with ":opensource" at the end of every tag's name.
[[nodiscard]] bool mayBeginOpenHunyuan(std::string_view text);
[[nodiscard]] bool parseOpenHunyuan(std::string_view text, std::vector<ToolCall>& out);
[[nodiscard]] bool parseUnclosedOpenHunyuan(std::string_view text, std::vector<ToolCall>& out);
[[nodiscard]] bool endsInOpenHunyuanValue(std::string_view text);
// One section a call: begin, name, separator, JSON, end.
[[nodiscard]] bool mayBeginDeepSeek(std::string_view text);
[[nodiscard]] bool parseDeepSeek(std::string_view text, std::vector<ToolCall>& out);
[[nodiscard]] bool mayBeginInnerDeepSeek(std::string_view text);  // the same without the first marker
[[nodiscard]] bool parseInnerDeepSeek(std::string_view text, std::vector<ToolCall>& out);
// Markers spelt as R1's distilled models do.
[[nodiscard]] bool mayBeginMisspeltDeepSeek(std::string_view text);
[[nodiscard]] bool parseMisspeltDeepSeek(std::string_view text, std::vector<ToolCall>& out);
[[nodiscard]] bool mayBeginKimi(std::string_view text);
[[nodiscard]] bool parseKimi(std::string_view text, std::vector<ToolCall>& out);
[[nodiscard]] bool mayBeginInnerKimi(std::string_view text);  // the same without the first marker
[[nodiscard]] bool parseInnerKimi(std::string_view text, std::vector<ToolCall>& out);
[[nodiscard]] bool mayBeginSolar(std::string_view text);  // with an id before the name
[[nodiscard]] bool parseSolar(std::string_view text, std::vector<ToolCall>& out);
// A line with the name, then {...}.
[[nodiscard]] bool mayBeginNameAndJson(std::string_view text);
[[nodiscard]] bool parseNameAndJson(std::string_view text, std::vector<ToolCall>& out);
// name>{...}; in version 3.2 with a line break after the name, and "python" with code.
[[nodiscard]] bool mayBeginFunctionary(std::string_view text);
[[nodiscard]] bool parseFunctionary(std::string_view text, std::vector<ToolCall>& out);
[[nodiscard]] bool mayBeginFunctionary32(std::string_view text);
[[nodiscard]] bool parseFunctionary32(std::string_view text, std::vector<ToolCall>& out);
// call:name{k:<|"|>v<|"|>,...}.
[[nodiscard]] bool mayBeginGemma(std::string_view text);
[[nodiscard]] bool parseGemma(std::string_view text, std::vector<ToolCall>& out);
[[nodiscard]] bool endsInGemmaString(std::string_view text);
// The same with <escape> for <|"|>.
[[nodiscard]] bool parseFunctionGemma(std::string_view text, std::vector<ToolCall>& out);
[[nodiscard]] bool endsInEscapes(std::string_view text);
// f(a=1, b="x"), in brackets and with commas, or one a line; also as a code block.
[[nodiscard]] bool mayBeginPythonic(std::string_view text);
[[nodiscard]] bool mayBeginPythonicList(std::string_view text);  // in brackets only
[[nodiscard]] bool parsePythonic(std::string_view text, std::vector<ToolCall>& out);
// What Llama 3 writes for a Python interpreter: name.call(a=1), JSON, or code, which is a call without a name.
[[nodiscard]] bool mayBeginCode(std::string_view text);
[[nodiscard]] bool parseCode(std::string_view text, std::vector<ToolCall>& out);
[[nodiscard]] bool endsInPythonString(std::string_view text);

}  // namespace minerva::text::calls
