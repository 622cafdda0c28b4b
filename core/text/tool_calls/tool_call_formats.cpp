#include "core/text/tool_calls/call_reader.h"

namespace minerva::text {
namespace {

using View = std::string_view;
constexpr View mistralInner[] = {"[ARGS]", "[CALL_ID]"};
constexpr View gemmaInner[] = {"<|\"|>"};
constexpr View deepSeekInner[] = {"<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>"};
constexpr View kimiInner[] = {"<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>"};
constexpr View argInner[] = {"<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"};
constexpr View dsmlInner[] = {"｜DSML｜"};
constexpr View solarInner[] = {"<|tool_call:begin|>", "<|tool_call:name|>", "<|tool_call:args|>", "<|tool_call:end|>"};

// clang-format off
constexpr ToolCallFormat formatTable[] = {
    // name, open, close, inner, inTemplate, mayBegin, parse, endsInValue
    {"hermes", "<tool_call>", "</tool_call>", {}, {}, calls::mayBeginJson, calls::parseJson, calls::endsInJsonString},
    {"qwen", "<tool_call>", "</tool_call>", {}, {}, calls::mayBeginQwen, calls::parseQwen, calls::endsInParameter},
    {"glm", "<tool_call>", "</tool_call>", argInner, {}, calls::mayBeginGlm, calls::parseGlm, calls::endsInArgValue},
    {"mistral", "[TOOL_CALLS]", "", mistralInner, {}, calls::mayBeginMistral, calls::parseMistral, calls::endsInJsonString},
    {"gemma", "<|tool_call>", "<tool_call|>", gemmaInner, {}, calls::mayBeginGemma, calls::parseGemma, calls::endsInGemmaString},
    {"pythonic", "<|tool_call_start|>", "<|tool_call_end|>", {}, {}, calls::mayBeginPythonic, calls::parsePythonic, calls::endsInPythonString},
    {"lfm2 json", "<|tool_call_start|>", "<|tool_call_end|>", {}, {}, calls::mayBeginJson, calls::parseJson, calls::endsInJsonString},
    {"seed", "<seed:tool_call>", "</seed:tool_call>", {}, {}, calls::mayBeginQwen, calls::parseSeed, calls::endsInParameter},
    {"minimax", "<minimax:tool_call>", "</minimax:tool_call>", {}, {}, calls::mayBeginMiniMax, calls::parseMiniMax, calls::endsInMiniMaxParameter},
    {"deepseek", "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", deepSeekInner, {}, calls::mayBeginDeepSeek, calls::parseDeepSeek, calls::endsInJsonString},
    {"deepseek 3.2", "<｜DSML｜function_calls>", "</｜DSML｜function_calls>", dsmlInner, "'｜DSML｜'", calls::mayBeginDsml, calls::parseDsml, calls::endsInDsmlParameter},
    {"deepseek 4", "<｜DSML｜tool_calls>", "</｜DSML｜tool_calls>", dsmlInner, "'｜DSML｜'", calls::mayBeginDsml, calls::parseDsml, calls::endsInDsmlParameter},
    {"kimi", "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", kimiInner, {}, calls::mayBeginKimi, calls::parseKimi, calls::endsInJsonString},
    {"solar", "<|tool_calls|>", "<|calls|>", solarInner, {}, calls::mayBeginSolar, calls::parseSolar, calls::endsInJsonString},
    {"nemotron 2", "<TOOLCALL>", "</TOOLCALL>", {}, {}, calls::mayBeginJson, calls::parseJson, calls::endsInJsonString},
    {"phi 4, granite 3", "<|tool_call|>", "<|/tool_call|>", {}, {}, calls::mayBeginJson, calls::parseJson, calls::endsInJsonString},
    {"gigachat", "<|function_call|>", "", {}, {}, calls::mayBeginJson, calls::parseJson, calls::endsInJsonString},
    {"functionary", "<function=", "</function>", {}, "<function=example_function_name>{", calls::mayBeginFunctionary, calls::parseFunctionary, calls::endsInJsonString},
    {"cohere", "<|START_ACTION|>", "<|END_ACTION|>", {}, {}, calls::mayBeginJson, calls::parseJson, calls::endsInJsonString},
    {"olmo", "<function_calls>", "</function_calls>", {}, {}, calls::mayBeginPythonic, calls::parsePythonic, calls::endsInPythonString},
    {"llama 4", "<|python_start|>", "<|python_end|>", {}, {}, calls::mayBeginPythonicList, calls::parsePythonic, calls::endsInPythonString},
    {"llama 4 pythonic", "", "", {}, "[func_name1(", calls::mayBeginPythonicList, calls::parsePythonic, calls::endsInPythonString},
    {"llama 3 json", "", "", {}, "\"parameters\": dictionary of argument name and its value", calls::mayBeginBareJson, calls::parseJson, calls::endsInJsonString},
};
// clang-format on

}  // namespace

std::span<const ToolCallFormat> toolCallFormats() { return formatTable; }

std::string plainText(const ToolCall& call) {
  std::string text = call.name;
  for (const ToolArgument& argument : call.arguments) text += '\n' + argument.name + ": " + argument.json;
  if (!call.text.empty()) text += '\n' + call.text;
  return text;
}

}  // namespace minerva::text
