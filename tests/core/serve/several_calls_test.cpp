// Several demanded calls in one reply, in every format that has them: the texts are what the models' chat templates write.
#include "core/serve/forced_call.h"
#include "tests/core/grammar/grammar_test.h"
#include "tests/core/serve/caller.h"

#include "core/text/channels.h"

#include <string>

namespace minerva::serve {
namespace {

struct Form {
  const char *shown, *first, *second;  // `second` with all that precedes it
};

const Form forms[] = {
    {hermesCalls, "<tool_call>\n{\"name\": \"f\", \"arguments\": {}}", "\n</tool_call>\n<tool_call>\n{\"name\": \"f\", \"arguments\": {}}"},
    {"<tool_call> <function=", "<tool_call>\n<function=f>\n</function>", "\n</tool_call>\n<tool_call>\n<function=f>\n</function>"},
    {"<tool_call> </arg_key>\n<arg_value>", "<tool_call>f\n</tool_call>", "\n<tool_call>f\n</tool_call>"},
    {"<tool_call> <arg_key>", "<tool_call>f</tool_call>", "<tool_call>f</tool_call>"},
    {"[TOOL_CALLS] [ARGS]", "[TOOL_CALLS]f[ARGS]{}", "[TOOL_CALLS]f[ARGS]{}"},
    {"[TOOL_CALLS]", "[TOOL_CALLS][{\"name\": \"f\", \"arguments\": {}", "}, {\"name\": \"f\", \"arguments\": {}}]"},
    {"<param name=", "<function name=\"f\"></function>", "\n<function name=\"f\"></function>"},
    {"<|tool_call>", "<|tool_call>call:f{}", "<tool_call|><|tool_call>call:f{}"},
    {"<start_function_call>", "<start_function_call>call:f{}", "<end_function_call><start_function_call>call:f{}"},
    {"<｜tool▁calls▁begin｜> ```json", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{}",
     "\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{}\n```<｜tool▁call▁end｜>"},
    {"<｜tool▁calls▁begin｜>", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{}",
     "<｜tool▁call▁end｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{}<｜tool▁call▁end｜>"},
    {"<|tool_calls_section_begin|>", "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}",
     "<|tool_call_end|><|tool_call_begin|>functions.f:1<|tool_call_argument_begin|>{}<|tool_call_end|>"},
    {"<|tool_calls|>", "<|tool_calls|><|tool_call:begin|>call000001<|tool_call:name|>f<|tool_call:args|>{}",
     "<|tool_call:end|><|tool_call:begin|>call000002<|tool_call:name|>f<|tool_call:args|>{}<|tool_call:end|>"},
    {"<|tool_call|>", "<|tool_call|>[{\"name\": \"f\", \"arguments\": {}", "}, {\"name\": \"f\", \"arguments\": {}}]"},
    {"<seed:tool_call>", "<seed:tool_call>\n<function=f>\n</function>", "\n</seed:tool_call>\n<seed:tool_call>\n<function=f>\n</function>"},
    {"<minimax:tool_call>", "<minimax:tool_call>\n<invoke name=\"f\">\n", "</invoke>\n<invoke name=\"f\">\n</invoke>"},
    {"<tool> ' + tool|tojson", "<toolcall> {\"name\": \"f\", \"arguments\": {}} </toolcall>",
     "\n<toolcall> {\"name\": \"f\", \"arguments\": {}} </toolcall>"},
    {"<function=example_function_name>{", "<function=f>{}", "</function><function=f>{}"},
};

class SeveralCallsTest : public testing::Test {
 protected:
  // The request that demands calls of a model whose template shows this.
  static engine::Request demanded(const Running& running, bool parallel) {
    const ServedModel model(*running.engine);
    const Options options;
    Turn turn;
    std::stop_source stopping;
    Grammars grammars;
    Context context{options, turn, stopping, grammars};
    context.engine = &model;
    const Json tools = Json::parse(
        R"([{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{},"additionalProperties":false}}}])");
    engine::Request request;
    const auto made = forceCall({.mode = ToolChoice::Mode::required}, tools, parallel, context, request);
    EXPECT_TRUE(made) << made.error().message();
    return request;
  }
  static std::size_t callsIn(const std::string& reply, const engine::Request& request, const Running& running) {
    text::ChannelFormat format;
    format.pair = {"<think>", "</think>"};
    format.toolCalls = {request.callFormat};
    text::ChannelSplitter splitter(format, *running.engine->tokenizer(), {});
    text::ReplyParts parts = splitter.text(reply);
    parts += splitter.flush(true);
    EXPECT_EQ(parts.answer, "") << reply;
    return parts.calls.size();
  }
};

TEST_F(SeveralCallsTest, AreTakenAndRead) {
  for (const Form& form : forms) {
    const TemporaryFolder folder;
    const Running running = callerOf(folder, form.shown);
    const engine::Request several = demanded(running, true), one = demanded(running, false);
    ASSERT_NE(several.constraint, nullptr) << form.shown;
    const std::string both = std::string(form.first) + form.second;
    EXPECT_TRUE(grammar::takes(several.constraint, both)) << both;
    EXPECT_FALSE(grammar::takes(one.constraint, both)) << both;
    EXPECT_EQ(callsIn(both, several, running), 2U) << both;
  }
}

}  // namespace
}  // namespace minerva::serve
