// Splitting replies into reasoning, answer and tool calls: every format, every way to cut the text, and no marker is shown.
#include "core/text/channels.h"
#include "named_tokens.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace minerva::text {
namespace {

using Names = NamedTokens;

const Names& harmony() {
  static const Names made({"<|start|>", "<|channel|>", "<|message|>", "<|end|>", "<|call|>", "<|return|>", "<|constrain|>"});
  return made;
}

const Names& muse() {
  static const Names made({"<|start|>", "<|message|>", "<|eom|>", "<|eot|>"});
  return made;
}

// Splits the reply token by token; text between markers is cut at random places, or not at all if `random` is null.
ReplyParts split(const Tokenizer& tokenizer, std::string_view source, std::string_view prompt, std::string_view reply,
                 std::mt19937* random) {
  const ChannelFormat format = channelFormatFor(tokenizer, source);
  ChannelSplitter splitter(format, tokenizer, tokenizer.encode(prompt, {}));
  ReplyParts all;
  std::string text;
  for (const TokenId id : tokenizer.encode(reply, {})) {
    if (!format.isMarker(id)) {
      if (id >= 1000) text += tokenizer.piece(id);  // other control tokens have no text
      if (random == nullptr || (*random)() % 3 != 0) continue;
    }
    all += splitter.text(text);
    text.clear();
    if (format.isMarker(id)) all += splitter.marker(id);
  }
  all += splitter.text(text);
  return all += splitter.flush();
}

struct Case {
  const char *name, *prompt, *reply, *reasoning, *answer, *toolCall = "";
};

void check(const Tokenizer& tokenizer, std::string_view source, std::span<const Case> cases) {
  std::mt19937 random(3);
  for (const Case& c : cases) {
    for (int round = 0; round < 200; ++round) {
      const ReplyParts got = split(tokenizer, source, c.prompt, c.reply, round == 0 ? nullptr : &random);
      ASSERT_EQ(got.reasoning, c.reasoning) << c.name << ", round " << round;
      ASSERT_EQ(got.answer, c.answer) << c.name << ", round " << round;
      ASSERT_EQ(got.toolCall, c.toolCall) << c.name << ", round " << round;
    }
  }
}

TEST(Channels, harmony) {
  constexpr Case cases[] = {
      {"thinks, answers", "<|start|>user<|message|>Hi<|end|><|start|>assistant",
       "<|channel|>analysis<|message|>Greet back. <|end|><|start|>assistant<|channel|>final<|message|>Hello\n there!<|return|>",
       "Greet back. ", "Hello\n there!"},
      {"answer asked for by the prompt", "<|start|>assistant<|channel|>final<|message|>", "Hello<|return|>", "", "Hello"},
      {"goes on with thoughts of the prompt", "<|start|>assistant<|channel|>analysis<|message|>So far",
       " and on<|end|><|start|>assistant<|channel|>final<|message|>A", " and on", "A"},
      {"calls a tool", "<|start|>assistant",
       "<|channel|>analysis<|message|>Need it<|end|><|start|>assistant to=functions.get<|channel|>commentary <|constrain|>json<|message|>{\"a\":1}<|call|>",
       "Need it", "", "{\"a\":1}"},
      {"recipient after the channel", "<|start|>assistant", "<|channel|>commentary to=functions.f<|constrain|>json<|message|>{}<|call|>",
       "", "", "{}"},
      {"preamble is for the user", "<|start|>assistant", "<|channel|>commentary<|message|>I look it up.<|end|>", "", "I look it up."},
      {"comes back to a channel", "<|start|>assistant",
       "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>commentary<|message|>b<|end|><|start|>assistant<|channel|>analysis<|message|>c<|end|>"
       "<|start|>assistant<|channel|>final<|message|>d<|return|>",
       "a\n\nc", "b\n\nd"},
      {"cut in a header", "<|start|>assistant", "<|channel|>analysis<|message|>x<|end|><|start|>assist", "x", ""},
      {"cut in the first header", "<|start|>assistant", "<|channel|>ana", "", ""},
      {"speaks no harmony", "<|start|>assistant", "Just text.", "", "Just text."},
      {"no prompt", "", "Just text.", "", "Just text."},
      {"empty", "<|start|>assistant", "", "", ""},
      {"the last channel counts", "<|start|>assistant", "<|channel|>commentary to=assistant<|channel|>final<|message|>Hello<|return|>", "",
       "Hello"},
      {"the last channel is that of thoughts", "<|start|>assistant", "<|channel|>final<|channel|>analysis<|message|>Hm<|end|>", "Hm", ""},
      {"to the user", "<|start|>assistant", "<|channel|>final to=user<|message|>Hello<|return|>", "", "Hello"},
      {"a tool named as a channel", "<|start|>assistant to=functions.analysis", "<|channel|>commentary<|message|>{}<|call|>", "", "", "{}"},
  };
  check(harmony(), "", cases);
}

TEST(Channels, harmonyGivesUpOnAnEndlessHeader) {
  const std::string text(1000, 'x');
  EXPECT_EQ(split(harmony(), "", "<|start|>assistant", text, nullptr).answer, text);
}

// Muse Glimmer: a message to itself is reasoning, one to a tool a call.
TEST(Channels, messagesByRecipient) {
  const std::string call =
      "<atem:function_calls>\n<atem:invoke name=\"get\">\n<atem:parameter name=\"a\">1</atem:parameter>\n</atem:invoke>\n"
      "</atem:function_calls>";
  const std::string calls = " to=self<|message|>Need it.<|eom|><|start|>assistant to=get<|message|>" + call + "<|eot|>";
  const std::string unended = " to=self<|message|>Need it to=get<|message|>" + call + "<|eot|>";
  const Case cases[] = {
      {"thinks, answers", "<|start|>user<|message|>Hi<|eot|><|start|>assistant",
       " to=self<|message|>Greet to=day back.<|eom|><|start|>assistant to=user<|message|>Hello\n there!<|eot|>", "Greet to=day back.",
       "Hello\n there!"},
      {"answers at once", "<|start|>assistant", " to=user<|message|>Hello to<|eot|>", "", "Hello to"},
      {"without a recipient", "<|start|>assistant", "<|message|>Hello<|eot|>", "", "Hello"},
      {"answer asked for by the prompt", "<|start|>assistant to=user<|message|>", "Hello to=", "", "Hello to="},
      {"thinks again", "<|start|>assistant",
       " to=self<|message|>a<|eom|><|start|>assistant to=self<|message|>b<|eom|><|start|>assistant to=user<|message|>c<|eot|>", "a\n\nb",
       "c"},
      {"calls a tool", "<|start|>assistant", calls.c_str(), "Need it.", "", call.c_str()},
      {"does not end its thoughts", "<|start|>assistant", unended.c_str(), "Need it", "", call.c_str()},
      {"cut in a header", "<|start|>assistant", " to=self<|message|>x<|eom|><|start|>assist", "x", ""},
  };
  check(muse(), "", cases);
}

TEST(Channels, callsOfMuse) {
  const auto callsOf = [](const std::string& message) {
    return split(muse(), "", "<|start|>assistant", " to=get_weather<|message|>" + message + "<|eot|>", nullptr).calls;
  };
  const std::string begin = "<atem:function_calls>\n<atem:invoke name=\"", end = "</atem:invoke>\n</atem:function_calls>";
  const auto calls = callsOf(begin +
                             "get_weather.get_weather\">\n<atem:parameter name=\"city\">New York</atem:parameter>\n"
                             "<atem:parameter name=\"days\">3</atem:parameter>\n" +
                             end);
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].name, "get_weather") << "as the template names a tool without parts";
  ASSERT_EQ(calls[0].arguments.size(), 2U);
  EXPECT_EQ(calls[0].arguments[0].json, "\"New York\"");
  EXPECT_EQ(calls[0].arguments[1].json, "3");
  EXPECT_EQ(callsOf(begin + "weather.get\">\n" + end).at(0).name, "weather.get");
  const auto two = callsOf(begin + "a\">\n</atem:invoke>\n<atem:invoke name=\"b\">\n" + end);
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[1].name, "b");
  const auto unread = callsOf("what?");
  ASSERT_EQ(unread.size(), 1U);
  EXPECT_EQ(unread[0].name, "get_weather");
  EXPECT_EQ(unread[0].text, "what?");
}

// Markers as single tokens and spelled out as text give the same result.
TEST(Channels, thinkBlocks) {
  constexpr Case cases[] = {
      {"thinks, answers", "<|user|>Hi<|assistant|>", "<think>\nGreet back.\n</think>\n\nHello\n there! ", "Greet back.", "Hello\n there! "},
      {"opened by the prompt", "<|assistant|><think>\n", "Greet\n\nback.\n</think>\n\nHello", "Greet\n\nback.", "Hello"},
      {"opened twice", "<|assistant|><think>\n", "<think>\nGreet</think>Hello", "Greet", "Hello"},
      {"closed by the prompt", "<|assistant|><think>\n\n</think>\n\n", "Hello", "", "Hello"},
      {"thinks nothing", "<|assistant|>", "<think>\n\n</think>\n\nHello", "", "Hello"},
      {"never answers", "<|assistant|><think>\n", "Hm, a < b, </thin", "Hm, a < b, </thin", ""},
      {"does not think", "<|assistant|>", "\n <b>bold</b> answer \n", "", "\n <b>bold</b> answer \n"},
      {"begins like a marker", "<|assistant|>", "<thin ice", "", "<thin ice"},
      {"ends like a marker", "<|assistant|>", "<thi", "", "<thi"},
      {"the user wrote the marker", "<|user|>what is <think>\n<|assistant|>", "A tag.", "", "A tag."},
      {"white space before", "<|assistant|>", "\n<think>a</think>b", "a", "b"},
      {"empty", "<|assistant|>", "", "", ""},
  };
  check(Names({"<|user|>", "<|assistant|>", "<think>", "</think>"}), "", cases);
  constexpr Case again[] = {
      {"thinks again", "<|assistant|>", "<think>a</think>b\n<think>\nc\n</think>\nd", "a\n\nc", "b\n\n\nd"},
      {"about the tags", "<|assistant|>", "Between <think> and </think> a model thinks.", "",
       "Between <think> and </think> a model thinks."},
      {"about the tags, after it thought", "<|assistant|><think>\n", "Hm.</think>The tag </think> ends it.", "Hm.",
       "The tag </think> ends it."},
      {"thinks about the tags", "<|assistant|>", "<think>The tag <think> begins it.</think>Yes.", "The tag <think> begins it.", "Yes."},
      {"closes what it did not open", "<|assistant|>", "\n</think>\n\nHello", "", "Hello"},
  };
  check(Names({"<|assistant|>", "<think>", "</think>"}), "", again);
  check(Names({"<|user|>", "<|assistant|>"}), "", cases);
}

TEST(Channels, markersOfOtherFamilies) {
  constexpr Case magistral[] = {{"", "[/INST]", "[THINK]a[/THINK]b", "a", "b"}, {"opened", "[/INST][THINK]", "a [/THINK] b", "a", "b"}};
  check(Names({"[/INST]", "[THINK]", "[/THINK]"}), "", magistral);
  constexpr Case seed[] = {{"", "<seed:bos>assistant\n", "<seed:think>a</seed:think>b", "a", "b"}};
  check(Names({"<seed:bos>"}), "{{ '<seed:think>' }}{{ '</seed:think>' }}", seed);
  constexpr Case cohere[] = {{"", "", "<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>b<|END_RESPONSE|>", "a", "b"}};
  check(Names({"<|START_THINKING|>", "<|END_THINKING|>", "<|START_RESPONSE|>", "<|END_RESPONSE|>"}), "", cohere);
  constexpr Case cohereText[] = {
      {"", "", "<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>b\n<|END_RESPONSE|>", "a", "b"},
      {"does not think", "", "<|START_RESPONSE|>b <|END_RESPONSE|> c<|END_RESPONSE|>\n", "", "b <|END_RESPONSE|> c"},
      {"without tags", "", "b", "", "b"},
  };
  check(Names({}), "<|END_THINKING|><|START_RESPONSE|><|END_RESPONSE|>", cohereText);
  constexpr Case northText[] = {{"", "<|START_THINKING|>", "a<|END_THINKING|><|START_TEXT|>b<|END_TEXT|>", "a", "b"}};
  check(Names({}), "<|START_THINKING|><|END_THINKING|><|START_TEXT|><|END_TEXT|>", northText);
  constexpr Case solar[] = {
      {"", "<|begin|>assistant", "<|think|>a<|end|><|begin|>assistant<|content|>b", "a", "b"},
      {"prefilled", "<|begin|>assistant<|think|><|end|><|begin|>assistant", "<|content|>b<|end|>", "", "b"},
      {"never answers", "<|begin|>assistant", "<|think|>a assistant", "a assistant", ""},
  };
  check(Names({"<|think|>", "<|begin|>", "<|end|>", "<|content|>"}), "", solar);
  constexpr Case gemma4[] = {
      {"", "<|turn>model\n", "<|channel>thought\nI think.\n<channel|>Hello", "I think.", "Hello"},
      {"opened", "<|turn>model\n<|channel>thought\n", "I think.<channel|>Hello", "I think.", "Hello"},
      {"closed", "<|turn>model\n<|channel>thought\n<channel|>", "Hello", "", "Hello"},
      {"closed again", "<|turn>model\n", "Hello<channel|>", "", "Hello"},
      {"closed within the answer", "<|turn>model\n", "<|channel>thought\nHm.<channel|>Hel<channel|>lo", "Hm.", "Hello"},
      {"only the title", "<|turn>model\n", "<|channel>thought<channel|>Hello", "", "Hello"},
      {"a word like the title", "<|turn>model\n", "<|channel>thoughts<channel|>Hello", "thoughts", "Hello"},
      {"an empty block", "<|turn>model\n", "Hello<|channel>thought\n<channel|>", "", "Hello"},
      {"an empty block between", "<|turn>model\n", "Hello<|channel>thought\n<channel|>there", "", "Hello\n\nthere"},
      {"thinks in a line", "<|turn>model\n", "Hello<|channel>thought\nHm.<channel|>there", "Hm.", "Hello\n\nthere"}};
  check(Names({"<|turn>", "<|channel>", "<channel|>"}), "", gemma4);
  constexpr Case hunyuan3[] = {
      {"", "<｜hy_Assistant:opensource｜>", "<think:opensource>a</think:opensource>b", "a", "b"},
      {"opened", "<｜hy_Assistant:opensource｜><think:opensource>", "a\n</think:opensource>b", "a", "b"},
      {"does not think", "<｜hy_Assistant:opensource｜><think:opensource></think:opensource>", "b </think>", "", "b </think>"}};
  const std::string openTag = "<think:opensource>", closeTag = "</think:opensource>", speaker = "<｜hy_Assistant:opensource｜>";
  constexpr const char* hunyuan3Source = "{% set HYTK = ':opensource' %}{{ '<think{}>'.format(HYTK) + '</think{}>'.format(HYTK) }}";
  check(Names({speaker, openTag, closeTag}), hunyuan3Source, hunyuan3);
  check(Names({speaker, openTag, closeTag, "<think>", "</think>"}), hunyuan3Source, std::span(hunyuan3).first(2));
  constexpr Case exaoneDeep[] = {{"opened", "[|assistant|]<thought>\n", "a < b\n</thought>\n\nc", "a < b", "c"},
                                 {"opens it itself", "[|assistant|]", "<thought>\na</thought>b", "a", "b"},
                                 {"not asked for", "[|assistant|]", "a </thought>", "", "a </thought>"}};
  const char* exaoneDeepSource = "{{ content.split('</thought>')[-1] }}{{ '[|assistant|]<thought>\\n' }}";
  check(Names({"[|assistant|]"}), exaoneDeepSource, exaoneDeep);
  constexpr Case apriel[] = {
      {"", "<|begin_assistant|>\nHere are my reasoning steps:\n", "a, b.\n[BEGIN FINAL RESPONSE]\nc", "a, b.", "c"},
      {"never answers", "<|begin_assistant|>\nHere are my reasoning steps:\n", "a\n[BEGIN FINAL", "a\n[BEGIN FINAL", ""},
      {"not asked for", "<|begin_assistant|>\n", "a", "", "a"}};
  check(Names({"<|begin_assistant|>"}), "'Here are my reasoning steps:\\n' '\\n[BEGIN FINAL RESPONSE]\\n'", apriel);
  constexpr Case granite32[] = {{"", "<|end_of_role|>", "Here is my thought process:\n\na, b.\n\nHere is my response:\n\nc", "a, b.", "c"},
                                {"not asked for", "<|end_of_role|>", "Here is my answer.", "", "Here is my answer."}};
  check(Names({"<|end_of_role|>"}), "starting with 'Here is my thought process:' ... starting with 'Here is my response:'", granite32);
}

constexpr const char* hunyuan = "{{ '<think>' }}</think>{{ content.split('<answer>')[-1].strip('</answer>') }}<tool_call>";

// Tags around the answer are removed where the model's template names them; elsewhere, and within the answer, they are text.
TEST(Channels, tagsAroundTheAnswer) {
  const Names plain({"<|assistant|>"}), tokens({"<|assistant|>", "<think>", "</think>"});
  constexpr const char* call = "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>";
  const std::string answerAndCall = std::string("<answer>\nI look.\n</answer>\n") + call;
  const std::string callInAnswer = std::string("<think>a</think><answer>\n") + call + "\n</answer>";
  const Case cases[] = {
      {"thinks, answers", "<|assistant|>", "<think>\nHm.\n</think>\n<answer>\nYes, <b>.\n</answer>", "Hm.", "Yes, <b>."},
      {"closed by the prompt", "<|assistant|><think>\n\n</think>\n", "<answer>\nYes\n</answer>\n", "", "Yes"},
      {"about the tags", "<|assistant|>", "<think>a</think><answer>Between <answer> and </answer> it\n</answer>\n\nis. </answe", "a",
       "Between <answer> and </answer> it\n</answer>\n\nis. </answe"},
      {"cut off", "<|assistant|>", "<answer>\nYes \n", "", "Yes \n"},
      {"without the tags", "<|assistant|>", " Yes </answer>", "", " Yes </answer>"},
      {"begins like a tag", "<|assistant|>", "\n<answ", "", "\n<answ"},
      {"calls after the answer", "<|assistant|>", answerAndCall.c_str(), "", "I look.", call},
      {"calls in the answer", "<|assistant|>", callInAnswer.c_str(), "a", "", call},
  };
  check(plain, hunyuan, cases);
  check(tokens, hunyuan, cases);
  constexpr Case granite[] = {
      {"thinks, answers", "<|assistant|>", "<think>a</think>\n\n<response>b</response>", "a", "b"},
      {"does not think", "<|assistant|>", "<response>b</response>", "", "<response>b</response>"},
      {"another model's", "<|assistant|>", "<think>a</think><answer>b</answer>", "a", "<answer>b</answer>"},
  };
  check(plain, "Write your thoughts between <think></think> and your response between <response></response>", granite);
  constexpr Case others[] = {{"", "<|assistant|>", "<think>a</think>\n<answer>b</answer>", "a", "<answer>b</answer>"}};
  check(plain, "{{ '<think>' }}</think> about <answer>", others);
}

// Continuing a truncated reply: its beginning is written with the format's markers, splits into the same parts again, and
// the continuation goes to the right channel.
TEST(Channels, aBeginningIsWrittenAndGoneOnWith) {
  struct Format {
    const Names tokenizer;
    const char *source, *prompt, *thinks, *closes;  // text that opens the reasoning, and text between the reasoning and the answer
  };
  const Format formats[] = {
      {Names({"<|user|>", "<|assistant|>", "<think>", "</think>"}), "", "<|assistant|>", "<think>\n", "\n</think>\n\n"},
      {Names({"<|user|>", "<|assistant|>"}), "", "<|assistant|>", "<think>\n", "\n</think>\n\n"},
      {Names({"<|assistant|>", "<think>", "</think>"}), "", "<|assistant|><think>\n", "", "\n</think>\n\n"},
      {Names({"<|assistant|>", "<think>", "</think>"}), "", "<|assistant|><think>", "\n", "\n</think>\n\n"},
      {Names({"[/INST]", "[THINK]", "[/THINK]"}), "", "[/INST]", "[THINK]", "[/THINK]"},
      {Names({"<|think|>", "<|begin|>", "<|end|>", "<|content|>"}), "", "<|begin|>assistant", "<|think|>",
       "<|end|><|begin|>assistant<|content|>"},
      {Names({"<|turn>", "<|channel>", "<channel|>"}), "", "<|turn>model\n", "<|channel>thought\n", "<channel|>"},
      {Names({"<｜hy_Assistant:opensource｜>", "<think:opensource>", "</think:opensource>"}), "",
       "<｜hy_Assistant:opensource｜><think:opensource>", "", "</think:opensource>"},
      {Names({"[|assistant|]"}), "{{ '<thought>' }}</thought>", "[|assistant|]<thought>\n", "", "\n</thought>\n\n"},
      {Names({"<|assistant|>"}), hunyuan, "<|assistant|>", "<think>\n", "\n</think>\n<answer>\n"},
      {harmony(), "", "<|start|>assistant", "<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"},
      {muse(), "", "<|start|>assistant", " to=self<|message|>", "<|eom|><|start|>assistant to=user<|message|>"},
  };
  for (const Format& f : formats) {
    const ChannelFormat format = channelFormatFor(f.tokenizer, f.source);
    EXPECT_EQ(written({"Hm, a.", " A b", false}, format, f.prompt), std::string(f.thinks) + "Hm, a." + f.closes + " A b") << f.prompt;
    EXPECT_EQ(written({"Hm, ", "", true}, format, f.prompt), std::string(f.thinks) + "Hm, ") << f.prompt;
    const auto goOn = [&](const ReplyStart& start, std::string_view rest) {
      ChannelSplitter splitter(format, f.tokenizer, f.tokenizer.encode(f.prompt + written(start, format, f.prompt), {}));
      splitter.goOn(start);
      ReplyParts all{start.answer, start.reasoning, "", {}};
      for (const TokenId id : f.tokenizer.encode(rest, {}))
        if (format.isMarker(id)) all += splitter.marker(id);
        else if (!f.tokenizer.isControl(id)) all += splitter.text(f.tokenizer.piece(id));
      return all += splitter.flush();
    };
    const ReplyParts inThoughts = goOn({"So", "", true}, std::string(" it is.") + f.closes + "Yes <b>.");
    EXPECT_EQ(inThoughts.reasoning, "So it is.") << f.prompt;
    EXPECT_EQ(inThoughts.answer, "Yes <b>.") << f.prompt;
    const ReplyParts inAnswer = goOn({"So it is.", "Yes", false}, " and\nno <thin");
    EXPECT_EQ(inAnswer.reasoning, "So it is.") << f.prompt;
    EXPECT_EQ(inAnswer.answer, "Yes and\nno <thin") << f.prompt;
    EXPECT_EQ(goOn({"So it is.", "", false}, "Yes").answer, "Yes") << f.prompt;
  }
  const Names plain({"<|assistant|>"});
  const ChannelFormat tagged = channelFormatFor(plain, hunyuan);
  EXPECT_EQ(written({"", "Yes", false}, tagged, "<|assistant|><think>\n\n</think>\n"), "<answer>\nYes");
  ChannelSplitter splitter(tagged, plain, {});
  splitter.goOn({"", "Yes", false});
  ReplyParts rest = splitter.text(", it is.\n</ans");
  rest += splitter.text("wer>");
  rest += splitter.flush();
  EXPECT_EQ(rest.answer, ", it is.");
  EXPECT_EQ(written({"", "\n To the letter ", false}, channelFormatFor(plain, ""), "<|assistant|>"), "\n To the letter ");
  // Reasoning that the prompt opened and the user removed is closed.
  EXPECT_EQ(written({"", "Yes", false}, channelFormatFor(plain, ""), "<|assistant|><think>\n"), "\n</think>\n\nYes");
}

TEST(Channels, tellsWhereTextGoes) {
  const ChannelFormat format = channelFormatFor(harmony(), "");
  ChannelSplitter splitter(format, harmony(), harmony().encode("<|start|>assistant<|channel|>analysis<|message|>", {}));
  EXPECT_EQ(splitter.channel(), Channel::reasoning);
  (void)splitter.marker(*harmony().find("<|end|>"));
  (void)splitter.marker(*harmony().find("<|start|>"));
  (void)splitter.text("assistant");
  (void)splitter.marker(*harmony().find("<|channel|>"));
  (void)splitter.text("final");
  (void)splitter.marker(*harmony().find("<|message|>"));
  EXPECT_EQ(splitter.channel(), Channel::answer);
}

}  // namespace
}  // namespace minerva::text
