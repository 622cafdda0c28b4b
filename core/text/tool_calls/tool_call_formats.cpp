#include "core/text/tool_calls/call_reader.h"

namespace minerva::text {
namespace {

using View = std::string_view;
constexpr View mistralInner[] = {"[ARGS]", "[CALL_ID]"};
constexpr View gemmaInner[] = {"<|\"|>"};
constexpr View deepSeekInner[] = {"<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>"};
constexpr View kimiInner[] = {"<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>"};
constexpr View argInner[] = {"<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"};
constexpr View hunyuanInner[] = {"<tool_call>", "</tool_call>", "<tool_sep>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"};
constexpr View openHunyuanInner[] = {"<tool_call:opensource>", "</tool_call:opensource>", "<tool_sep:opensource>",  "<arg_key:opensource>",
                                     "</arg_key:opensource>",  "<arg_value:opensource>",  "</arg_value:opensource>"};
constexpr View dsmlInner[] = {"｜DSML｜"};
constexpr View escapeInner[] = {"<escape>"};
constexpr View solarInner[] = {"<|tool_call:begin|>", "<|tool_call:name|>", "<|tool_call:args|>", "<|tool_call:end|>"};
constexpr View pluginInner[] = {"<|action_start|>", "<|plugin|>"};
constexpr View roleInner[] = {"<|role_sep|>"};

constexpr View jsonEnds[] = {"}", "]", "}]"};
constexpr View emptyEnds[] = {"{}"};  // of calls without arguments
constexpr View qwenEnds[] = {"</function>"};
constexpr View miniMaxEnds[] = {"</invoke>"};
constexpr View atemEnds[] = {"</atem:invoke>"};
constexpr View dsmlEnds[] = {"</｜DSML｜invoke>"};
constexpr View glmEnds[] = {"</arg_value>"};
constexpr View hunyuanEnds[] = {"</tool_call>", "</arg_value></tool_call>"};
constexpr View openHunyuanEnds[] = {"</tool_call:opensource>", "</arg_value:opensource></tool_call:opensource>"};

// clang-format off
constexpr ToolCallFormat formatTable[] = {
    // name, open, close, inner, inTemplate, mayBegin, opening, parse, endsInValue, parseUnclosed, ends, outerClose, wholeLines, answer
    {"hermes", "<tool_call>", "</tool_call>", {}, {}, calls::mayBeginJson, calls::openingOfJson, calls::parseJson, calls::endsInJsonString, calls::parseRepairedJson, jsonEnds},
    {"hermes in Python", "<tool_call>", "</tool_call>", {}, {}, calls::mayBeginPythonic, nullptr, calls::parsePythonic, calls::endsInPythonString},
    {"qwen", "<tool_call>", "</tool_call>", {}, {}, calls::mayBeginQwen, calls::openingOfQwen, calls::parseQwen, calls::endsInParameter, calls::parseUnclosedQwen, qwenEnds},
    {"qwen with names in quotes", "<tool_call>", "</tool_call>", {}, {}, calls::mayBeginNamedQwen, calls::openingOfNamedQwen, calls::parseNamedQwen, calls::endsInNamedParameter, calls::parseUnclosedNamedQwen, qwenEnds},
    {"qwen without <tool_call>", "<function=", "</function>", {}, "</function>\\n</tool_call>", calls::mayBeginInnerQwen, calls::openingOfInnerQwen, calls::parseInnerQwen, calls::endsInInnerParameter, calls::parseUnclosedInnerQwen, {}, "</tool_call>", true},
    {"glm", "<tool_call>", "</tool_call>", argInner, {}, calls::mayBeginGlm, calls::openingOfGlm, calls::parseGlm, calls::endsInArgValue, calls::parseUnclosedGlm, glmEnds},
    {"glm with JSON", "<tool_call>", "</tool_call>", {}, {}, calls::mayBeginNameAndJson, calls::openingOfNameAndJson, calls::parseNameAndJson, calls::endsInJsonString, calls::repaired<calls::parseNameAndJson>, jsonEnds},
    {"mistral", "[TOOL_CALLS]", "", mistralInner, {}, calls::mayBeginMistral, calls::openingOfMistral, calls::parseMistral, calls::endsInJsonString, calls::repaired<calls::parseMistral>, emptyEnds},
    {"gemma", "<|tool_call>", "<tool_call|>", gemmaInner, {}, calls::mayBeginGemma, nullptr, calls::parseGemma, calls::endsInGemmaString},
    {"functiongemma", "<start_function_call>", "<end_function_call>", escapeInner, {}, calls::mayBeginGemma, nullptr, calls::parseFunctionGemma, calls::endsInEscapes},
    {"pythonic", "<|tool_call_start|>", "<|tool_call_end|>", {}, {}, calls::mayBeginPythonic, nullptr, calls::parsePythonic, calls::endsInPythonString},
    {"lfm2 json", "<|tool_call_start|>", "<|tool_call_end|>", {}, {}, calls::mayBeginJson, calls::openingOfJson, calls::parseJson, calls::endsInJsonString, calls::parseRepairedJson, jsonEnds},
    {"seed", "<seed:tool_call>", "</seed:tool_call>", {}, {}, calls::mayBeginQwen, calls::openingOfSeed, calls::parseSeed, calls::endsInParameter, calls::parseUnclosedSeed, qwenEnds},
    {"minimax", "<minimax:tool_call>", "</minimax:tool_call>", {}, {}, calls::mayBeginMiniMax, calls::openingOfMiniMax, calls::parseMiniMax, calls::endsInMiniMaxParameter, calls::parseUnclosedMiniMax, miniMaxEnds},
    {"muse", "<atem:function_calls>", "</atem:function_calls>", {}, {}, calls::mayBeginAtem, calls::openingOfAtem, calls::parseAtem, calls::endsInAtemParameter, calls::parseUnclosedAtem, atemEnds},
    {"minicpm 5", "<function name=\"", "</function>", {}, "<param name=", calls::mayBeginMiniCpm, calls::openingOfMiniCpm, calls::parseMiniCpm, calls::endsInMiniCpmParameter, calls::parseUnclosedMiniCpm, {}, {}, true},
    {"deepseek", "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", deepSeekInner, {}, calls::mayBeginDeepSeek, calls::openingOfDeepSeek, calls::parseDeepSeek, calls::endsInJsonString, calls::repaired<calls::parseDeepSeek>},
    {"deepseek without a section", "<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>", deepSeekInner, "<｜tool▁calls▁begin｜>", calls::mayBeginInnerDeepSeek, calls::openingOfInnerDeepSeek, calls::parseInnerDeepSeek, calls::endsInJsonString, calls::repaired<calls::parseInnerDeepSeek>, {}, "<｜tool▁calls▁end｜>"},
    {"deepseek with underscores", "<｜tool_calls_begin｜>", "<｜tool_calls_end｜>", {}, "<｜tool▁calls▁begin｜>", calls::mayBeginMisspeltDeepSeek, nullptr, calls::parseMisspeltDeepSeek, calls::endsInJsonString, calls::repaired<calls::parseMisspeltDeepSeek>},
    {"deepseek with escaped underscores", "<｜tool\\_calls\\_begin｜>", "<｜tool\\_calls\\_end｜>", {}, "<｜tool▁calls▁begin｜>", calls::mayBeginMisspeltDeepSeek, nullptr, calls::parseMisspeltDeepSeek, calls::endsInJsonString, calls::repaired<calls::parseMisspeltDeepSeek>},
    {"deepseek with spaces", "<｜tool calls begin｜>", "<｜tool calls end｜>", {}, "<｜tool▁calls▁begin｜>", calls::mayBeginMisspeltDeepSeek, nullptr, calls::parseMisspeltDeepSeek, calls::endsInJsonString, calls::repaired<calls::parseMisspeltDeepSeek>},
    {"deepseek 3.2", "<｜DSML｜function_calls>", "</｜DSML｜function_calls>", dsmlInner, "｜DSML｜", calls::mayBeginDsml, calls::openingOfDsml, calls::parseDsml, calls::endsInDsmlParameter, calls::parseUnclosedDsml, dsmlEnds},
    {"deepseek 4", "<｜DSML｜tool_calls>", "</｜DSML｜tool_calls>", dsmlInner, "｜DSML｜", calls::mayBeginDsml, calls::openingOfDsml, calls::parseDsml, calls::endsInDsmlParameter, calls::parseUnclosedDsml, dsmlEnds},
    {"kimi", "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", kimiInner, {}, calls::mayBeginKimi, calls::openingOfKimi, calls::parseKimi, calls::endsInJsonString, calls::repaired<calls::parseKimi>},
    {"kimi without a section", "<|tool_call_begin|>", "<|tool_call_end|>", kimiInner, "<|tool_calls_section_begin|>", calls::mayBeginInnerKimi, calls::openingOfInnerKimi, calls::parseInnerKimi, calls::endsInJsonString, calls::repaired<calls::parseInnerKimi>, emptyEnds, "<|tool_calls_section_end|>"},
    {"solar", "<|tool_calls|>", "<|calls|>", solarInner, {}, calls::mayBeginSolar, calls::openingOfSolar, calls::parseSolar, calls::endsInJsonString, calls::repaired<calls::parseSolar>},
    {"nemotron 2", "<TOOLCALL>", "</TOOLCALL>", {}, {}, calls::mayBeginJson, calls::openingOfJson, calls::parseJson, calls::endsInJsonString, calls::parseRepairedJson, jsonEnds},
    {"nemotron mini", "<toolcall>", "</toolcall>", {}, "<tool> ' + tool|tojson", calls::mayBeginJson, calls::openingOfJson, calls::parseJson, calls::endsInJsonString, calls::parseRepairedJson, jsonEnds},
    {"hunyuan 3, open source", "<tool_calls:opensource>", "</tool_calls:opensource>", openHunyuanInner, {}, calls::mayBeginOpenHunyuan, calls::openingOfOpenHunyuan, calls::parseOpenHunyuan, calls::endsInOpenHunyuanValue, calls::parseUnclosedOpenHunyuan, openHunyuanEnds},
    {"hunyuan 3", "<tool_calls>", "</tool_calls>", hunyuanInner, "<tool_sep>", calls::mayBeginHunyuan, calls::openingOfHunyuan, calls::parseHunyuan, calls::endsInHunyuanValue, calls::parseUnclosedHunyuan, hunyuanEnds},
    {"jamba, hunyuan, apriel", "<tool_calls>", "</tool_calls>", {}, {}, calls::mayBeginJson, calls::openingOfJson, calls::parseJson, calls::endsInJsonString, calls::parseRepairedJson, jsonEnds},
    {"phi 4, granite 3", "<|tool_call|>", "<|/tool_call|>", {}, {}, calls::mayBeginJson, calls::openingOfJson, calls::parseJson, calls::endsInJsonString, calls::parseRepairedJson, jsonEnds},
    {"granite 3 without bars", "<tool_call>", "</tool_call>", {}, "<|tool_call|>", calls::mayBeginJson, calls::openingOfJson, calls::parseJson, calls::endsInJsonString, calls::parseRepairedJson, jsonEnds},
    {"gigachat", "<|function_call|>", "", {}, {}, calls::mayBeginJson, calls::openingOfJson, calls::parseJson, calls::endsInJsonString, calls::parseRepairedJson, jsonEnds},
    {"gigachat 3.0", "<|message_sep|>\n\nfunction call<|role_sep|>", "", roleInner, "'role': 'function call'", calls::mayBeginJson, calls::openingOfJson, calls::parseJson, calls::endsInJsonString, calls::parseRepairedJson, jsonEnds},
    {"gigachat 3.0 without <|message_sep|>", "function call<|role_sep|>", "", roleInner, "'role': 'function call'", calls::mayBeginJson, calls::openingOfJson, calls::parseJson, calls::endsInJsonString, calls::parseRepairedJson, jsonEnds},
    {"functionary", "<function=", "</function>", {}, "<function=example_function_name>{", calls::mayBeginFunctionary, calls::openingOfFunctionary, calls::parseFunctionary, calls::endsInJsonString, calls::repaired<calls::parseFunctionary>},
    {"functionary 3.2", ">>>", "", {}, ">>>${recipient}", calls::mayBeginFunctionary32, calls::openingOfNameAndJson, calls::parseFunctionary32, calls::endsInJsonString, calls::repaired<calls::parseFunctionary32>, {}, {}, false, "all\n"},
    {"cohere", "<|START_ACTION|>", "<|END_ACTION|>", {}, {}, calls::mayBeginJson, calls::openingOfJson, calls::parseJson, calls::endsInJsonString, calls::parseRepairedJson, jsonEnds},
    {"apertus", "<|tools_prefix|>", "<|tools_suffix|>", {}, {}, calls::mayBeginNamedJson, calls::openingOfNamedJson, calls::parseNamedJson, calls::endsInJsonString, calls::repaired<calls::parseNamedJson>},
    {"command r", "Action:", "", {}, "\"tool_name\": title of the tool", calls::mayBeginFencedJson, calls::openingOfJson, calls::parseFencedJson, calls::endsInJsonString, calls::repaired<calls::parseFencedJson>},
    {"firefunction", "functools", "", {}, "functools[{", calls::mayBeginJson, calls::openingOfJson, calls::parseJson, calls::endsInJsonString, calls::parseRepairedJson, jsonEnds},
    {"internlm 2", "<|action_start|><|plugin|>", "<|action_end|>", pluginInner, {}, calls::mayBeginJson, calls::openingOfJson, calls::parseJson, calls::endsInJsonString, calls::parseRepairedJson, jsonEnds},
    {"granite 20b", "<function_call>", "", {}, {}, calls::mayBeginJson, calls::openingOfJson, calls::parseJson, calls::endsInJsonString, calls::parseRepairedJson, jsonEnds},
    {"olmo", "<function_calls>", "</function_calls>", {}, {}, calls::mayBeginPythonic, nullptr, calls::parsePythonic, calls::endsInPythonString},
    {"llama 3 python tag", "<|python_tag|>", "", {}, "Environment: ipython", calls::mayBeginCode, nullptr, calls::parseCode, calls::endsInPythonString},
    {"llama 4", "<|python_start|>", "<|python_end|>", {}, {}, calls::mayBeginPythonicList, nullptr, calls::parsePythonic, calls::endsInPythonString},
    {"llama 4 pythonic", "", "", {}, "[func_name1(", calls::mayBeginPythonicList, nullptr, calls::parsePythonic, calls::endsInPythonString},
    {"llama 3 json", "", "", {}, "\"parameters\": dictionary of argument name and its value", calls::mayBeginBareJson, calls::openingOfJson, calls::parseJson, calls::endsInJsonString, calls::parseRepairedJson},
};
// clang-format on

constexpr const ToolCallFormat* formatNamed(View name) {
  const ToolCallFormat* row = formatTable;
  while (row->name != name) ++row;
  return row;
}

constexpr View arguments = "\", \"arguments\": ", parameters = "\", \"parameters\": ";
constexpr View nextInList = "}, {\"name\": \"";

constexpr CallTags qwenCall{"<parameter=", ">\n", "\n</parameter>\n"}, seedCall{"<parameter=", ">", "</parameter>\n"};
constexpr CallTags atemCall{"<atem:parameter name=\"", "\">", "</atem:parameter>\n"};
constexpr CallTags miniMaxCall{"<parameter name=\"", "\">", "</parameter>\n"}, miniCpmCall{"<param name=\"", "\">", "</param>"};
constexpr CallTags glmCall{"<arg_key>", "</arg_key><arg_value>", "</arg_value>"};
constexpr CallTags glmCallInLines{"<arg_key>", "</arg_key>\n<arg_value>", "</arg_value>\n"};  // GLM 4.5 and 4.6, Hunyuan 3

constexpr CallTags openHunyuanCall{"<arg_key:opensource>", "</arg_key:opensource>\n<arg_value:opensource>", "</arg_value:opensource>\n"};

// clang-format off
constexpr CallForm callTable[] = {
    // format, before, between, after, next, inTemplate, tags, quote, again
    {formatNamed("minicpm 5"), "<function name=\"", "\">", "</function>", "", "", &miniCpmCall},
    {formatNamed("qwen"), "<tool_call>\n<function=", ">\n", "</function>", "", "<function=", &qwenCall},
    {formatNamed("hunyuan 3, open source"), "<tool_calls:opensource>\n<tool_call:opensource>", "<tool_sep:opensource>\n", "</tool_call:opensource>", "</tool_call:opensource>\n<tool_call:opensource>", "", &openHunyuanCall},
    {formatNamed("hunyuan 3"), "<tool_calls>\n<tool_call>", "<tool_sep>\n", "</tool_call>", "</tool_call>\n<tool_call>", "", &glmCallInLines},
    {formatNamed("jamba, hunyuan, apriel"), "<tool_calls>[{\"name\": \"", arguments, "}]", nextInList},
    {formatNamed("glm"), "<tool_call>", "\n", "</tool_call>", "", "</arg_key>\n<arg_value>", &glmCallInLines},
    {formatNamed("glm"), "<tool_call>", "", "</tool_call>", "", "<arg_key>", &glmCall},
    {formatNamed("hermes"), "<tool_call>\n{\"name\": \"", arguments, "}"},
    {formatNamed("mistral"), "[TOOL_CALLS]", "[ARGS]", "", "", "[ARGS]"},
    {formatNamed("mistral"), "[TOOL_CALLS][{\"name\": \"", arguments, "}]", nextInList},
    {formatNamed("gemma"), "<|tool_call>call:", "{", "}", "", "", nullptr, gemmaInner[0]},
    {formatNamed("functiongemma"), "<start_function_call>call:", "{", "}", "", "", nullptr, escapeInner[0]},
    {formatNamed("lfm2 json"), "<|tool_call_start|>[{\"name\": \"", arguments, "}]", nextInList},
    {formatNamed("seed"), "<seed:tool_call>\n<function=", ">\n", "</function>", "", "", &seedCall},
    {formatNamed("minimax"), "<minimax:tool_call>\n<invoke name=\"", "\">\n", "</invoke>", "</invoke>\n<invoke name=\"", "", &miniMaxCall},
    {formatNamed("deepseek"), "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>", "\n```json\n", "\n```<｜tool▁call▁end｜>", "\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>", "```json"},
    {formatNamed("deepseek"), "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>", "<｜tool▁call▁end｜><｜tool▁call▁begin｜>"},
    {formatNamed("kimi"), "<|tool_calls_section_begin|><|tool_call_begin|>functions.", ":\x02<|tool_call_argument_begin|>", "<|tool_call_end|>", "<|tool_call_end|><|tool_call_begin|>functions."},
    {formatNamed("solar"), "<|tool_calls|><|tool_call:begin|>call\x02<|tool_call:name|>", "<|tool_call:args|>", "<|tool_call:end|>", "<|tool_call:end|><|tool_call:begin|>call\x02<|tool_call:name|>"},
    {formatNamed("nemotron 2"), "<TOOLCALL>[{\"name\": \"", arguments, "}]", nextInList},
    {formatNamed("nemotron mini"), "<toolcall> {\"name\": \"", arguments, "} </toolcall>"},
    {formatNamed("phi 4, granite 3"), "<|tool_call|>[{\"name\": \"", arguments, "}]", nextInList},
    {formatNamed("gigachat"), "<|function_call|>{\"name\": \"", arguments, "}"},
    {formatNamed("gigachat 3.0 without <|message_sep|>"), "function call<|role_sep|>\n{\"name\": \"", arguments, "}"},
    {formatNamed("functionary"), "<function=", ">", ""},
    {formatNamed("cohere"), "<|START_ACTION|>[\n    {\"tool_call_id\": \"0\", \"tool_name\": \"", parameters, "}\n]", "},\n    {\"tool_call_id\": \"0\", \"tool_name\": \""},
    {formatNamed("apertus"), "<|tools_prefix|>[{\"", "\": ", "}]", "}, {\""},
    {formatNamed("command r"), "Action:\n```json\n[{\"tool_name\": \"", parameters, "}]```", "}, {\"tool_name\": \""},
    {formatNamed("firefunction"), "functools[{\"name\": \"", arguments, "}]", nextInList},
    {formatNamed("internlm 2"), "<|action_start|><|plugin|>\n{\"name\": \"", arguments, "}"},
    {formatNamed("granite 20b"), "<function_call> {\"name\": \"", arguments, "}"},
    {formatNamed("llama 3 json"), "{\"name\": \"", parameters, "}"},
};
constexpr CallForm harmonyForm{nullptr, "<|channel|>commentary to=functions.", " <|constrain|>json<|message|>", ""};
constexpr CallForm museForm{formatNamed("muse"), " to=", "\">\n", "</atem:invoke>\n</atem:function_calls>", "", "", &atemCall, {}, "<|message|><atem:function_calls>\n<atem:invoke name=\""};
// clang-format on

}  // namespace

std::span<const ToolCallFormat> toolCallFormats() { return formatTable; }
std::span<const CallForm> callForms() { return callTable; }
const CallForm& harmonyCallForm() { return harmonyForm; }
const CallForm& museCallForm() { return museForm; }

std::string plainText(const ToolCall& call) {
  std::string text = call.name;
  for (const ToolArgument& argument : call.arguments) text += '\n' + argument.name + ": " + argument.json;
  if (!call.text.empty()) text += '\n' + call.text;
  return text;
}

}  // namespace minerva::text
