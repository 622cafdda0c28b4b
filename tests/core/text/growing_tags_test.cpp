// What pieces tell of calls in markup before they are complete.
#include "tests/support/random.h"
#include "call_cases.h"

namespace minerva::text {
namespace {

// A call of f as a model's chat template writes it.
struct TagForm {
  const char *source, *open, *beforeName, *afterName, *afterValue, *close;
};
const TagForm tagForms[] = {
    {"<tool_call> <function=", "<tool_call>\n<function=f>\n", "<parameter=", ">\n", "\n</parameter>\n", "</function>\n</tool_call>"},
    {"</function>\\n</tool_call>", "<function=f>\n", "<parameter=", ">\n", "\n</parameter>\n", "</function>\n</tool_call>"},
    {"<seed:tool_call>", "<seed:tool_call>\n<function=f>\n", "<parameter=", ">", "</parameter>\n", "</function>\n</seed:tool_call>"},
    {"<minimax:tool_call>", "<minimax:tool_call>\n<invoke name=\"f\">\n", "<parameter name=\"", "\">", "</parameter>\n",
     "</invoke>\n</minimax:tool_call>"},
    {"<atem:function_calls>", "<atem:function_calls>\n<atem:invoke name=\"f\">\n", "<atem:parameter name=\"", "\">", "</atem:parameter>\n",
     "</atem:invoke>\n</atem:function_calls>"},
    {"<param name=", "<function name=\"f\">", "<param name=\"", "\">", "</param>", "</function>"},
    {"<tool_call> <arg_key>", "<tool_call>f\n", "<arg_key>", "</arg_key>\n<arg_value>", "</arg_value>\n", "</tool_call>"},
    {"<tool_calls> <tool_sep>", "<tool_calls>\n<tool_call>f<tool_sep>\n", "<arg_key>", "</arg_key>\n<arg_value>", "</arg_value>\n",
     "</tool_call>\n</tool_calls>"},
};

const nlohmann::ordered_json& typedTools() {
  static const auto tools = nlohmann::ordered_json::parse(R"([{"type":"function","function":{"name":"f","parameters":{"type":"object",
    "properties":{"a":{"type":"string"},"n":{"type":"integer"},"any":{}}}}}])");
  return tools;
}

ChannelSplitter splitterOf(const ChannelFormat& format, const NamedTokens& tokens, bool tells) {
  ChannelSplitter splitter(format, tokens, {}, {"f"});
  if (tells) splitter.tellOfCalls(typedTools());
  return splitter;
}

// The arguments that were told byte by byte, before the end of the reply.
std::string argumentsBefore(const TagForm& form, const std::string& reply) {
  const NamedTokens tokens({});
  const ChannelFormat format = channelFormatFor(tokens, form.source);
  ChannelSplitter splitter = splitterOf(format, tokens, true);
  ReplyParts all;
  for (const char c : reply) all += splitter.text(std::string_view(&c, 1));
  std::string told;
  for (const CallPiece& piece : all.pieces) told += piece.arguments;
  return told;
}

TEST(GrowingTags, AreToldOfWhileTheyAreWritten) {
  for (const TagForm& form : tagForms) {
    SCOPED_TRACE(form.open);
    const std::string open = form.open, before = form.beforeName, after = form.afterName, end = form.afterValue;
    EXPECT_EQ(argumentsBefore(form, open), "") << "it may be text as well";
    EXPECT_EQ(argumentsBefore(form, open + before), "{");
    EXPECT_EQ(argumentsBefore(form, open + before + "a" + after), "{");
    const std::string first = open + before + "a" + after + "def \"é\" <b>";
    EXPECT_EQ(argumentsBefore(form, first), R"({"a":"def \"é\" <b>)");
    EXPECT_EQ(argumentsBefore(form, first.substr(0, first.size() - 6)), R"({"a":"def \")") << "half a character";
    EXPECT_EQ(argumentsBefore(form, first + end + before), R"({"a":"def \"é\" <b>")");
    const std::string second = first + end + before + "n" + after;
    EXPECT_EQ(argumentsBefore(form, second + "12"), R"({"a":"def \"é\" <b>")") << "a number may go on";
    EXPECT_EQ(argumentsBefore(form, second + "12" + end + before + "any" + after + "x y"), R"({"a":"def \"é\" <b>","n":12)")
        << "it may be no string";
    EXPECT_EQ(argumentsBefore(form, second + "12" + end + before + "any" + after + "x y" + end + before),
              R"({"a":"def \"é\" <b>","n":12,"any":"x y")");
  }
}

// DeepSeek's tags say which values are strings.
TEST(GrowingTags, OfDeepSeekTellTheTypes) {
  const TagForm form{"<｜DSML｜function_calls> ｜DSML｜",
                     "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"f\">\n",
                     "<｜DSML｜parameter name=\"",
                     "\" string=\"true\">",
                     "</｜DSML｜parameter>\n",
                     "</｜DSML｜invoke>\n</｜DSML｜function_calls>"};
  const std::string before = std::string(form.open) + form.beforeName + "k";
  EXPECT_EQ(argumentsBefore(form, before + form.afterName + "12"), R"({"k":"12)");
  EXPECT_EQ(argumentsBefore(form, before + "\" string=\"false\">12"), "{");
  EXPECT_EQ(argumentsBefore(form, before + "\" string=\"false\">12" + form.afterValue + form.close), R"({"k":12})");
}

// A text with any tags in it.
TEST(GrowingTags, OfMiniCpmHaveTexts) {
  const TagForm form{"<param name=", "<function name=\"f\">", "<param name=\"", "\">", "</param>", "</function>"};
  const std::string before = std::string(form.open) + "<param name=\"k\"><![CDATA[12</param><param name=\"x\">]";
  EXPECT_EQ(argumentsBefore(form, before), R"({"k":"12</param><param name=\"x\">)");
  EXPECT_EQ(argumentsBefore(form, before + "]>"), R"({"k":"12</param><param name=\"x\">")");
}

// Parts of what values may have, tags that belong to them included.
std::string randomValue(tests::Random& random, const TagForm& form) {
  const std::string tags = std::string(form.afterValue) + form.beforeName + form.close;
  const std::vector<std::string> parts{"\n",
                                       " ",
                                       "x",
                                       "é",
                                       "12",
                                       "true",
                                       "\"",
                                       "\\",
                                       "{\"a\": 1}",
                                       "</",
                                       "<",
                                       "<p",
                                       "None",
                                       "</parameter>",
                                       "</arg_value>",
                                       tags.substr(random.below(static_cast<std::uint32_t>(tags.size())), 1 + random.below(5)),
                                       form.afterValue};
  std::string value;
  for (std::uint32_t i = random.below(6); i > 0; --i) value += parts[random.below(static_cast<std::uint32_t>(parts.size()))];
  return value;
}

TEST(GrowingTags, AreInTheEndWhatTheCallsHave) {
  tests::Random random(11);
  const NamedTokens tokens({});
  int told = 0;
  for (int round = 0; round < 3000; ++round) {
    const TagForm& form = tagForms[random.below(std::size(tagForms))];
    const ChannelFormat format = channelFormatFor(tokens, form.source);
    std::string reply = form.open;
    for (const char* name : {"a", "n", "any", "a"})
      if (random.below(3) > 0) reply += form.beforeName + std::string(name) + form.afterName + randomValue(random, form) + form.afterValue;
    reply += form.close;
    if (random.below(4) == 0) reply.resize(random.below(static_cast<std::uint32_t>(reply.size())));
    const auto parts = [&](bool tells, std::size_t step) {
      ChannelSplitter splitter = splitterOf(format, tokens, tells);
      ReplyParts all;
      for (std::size_t at = 0; at < reply.size(); at += step) all += splitter.text(reply.substr(at, step));
      all += splitter.flush(false);
      useDeclaredTypes(all.calls, typedTools());
      return all;
    };
    const ReplyParts whole = parts(false, reply.size()), grown = parts(true, 1 + random.below(4));
    ASSERT_NO_FATAL_FAILURE(checkPieces(grown, reply.c_str()));
    told += static_cast<int>(grown.pieces.size() > 1);
    if (whole.calls.empty()) continue;  // cut off: what was told remains a call
    ASSERT_EQ(shown(grown.calls), shown(whole.calls)) << reply;
    ASSERT_EQ(grown.answer, whole.answer) << reply;
  }
  EXPECT_GT(told, 1000);
}

}  // namespace
}  // namespace minerva::text
