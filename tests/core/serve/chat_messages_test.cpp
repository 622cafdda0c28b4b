// Messages of requests as templates take them.
#include "tests/core/serve/serve_test.h"

#include "core/engine/prompt_parts.h"
#include "core/serve/chat_messages.h"
#include "tests/core/format/temporary_folder.h"
#include "tests/support/reference_data.h"

#include <fstream>
#include <iterator>

namespace minerva::serve {
namespace {

TEST(ChatMessages, ArgumentsOfEarlierCallsBecomeObjectsWhereTheTemplateTakesThem) {
  const Json body = Json::parse(R"({"messages":[{"role":"assistant","content":null,"tool_calls":[
    {"id":"1","type":"function","function":{"name":"f","arguments":"{\"a\": 1}"}}]},{"role":"developer","content":"b"}]})");
  const auto objects = readMessages(body, {}), text = readMessages(body, {.callsTakeObjects = false});
  ASSERT_TRUE(objects && text);
  EXPECT_EQ((*objects)[0]["tool_calls"][0]["function"]["arguments"], Json({{"a", 1}}));
  EXPECT_EQ((*text)[0]["tool_calls"][0]["function"]["arguments"], "{\"a\": 1}");
  EXPECT_EQ((*objects)[1]["role"], "system");
  const auto joins = text::ChatTemplate::parse(
      "{% for m in messages %}{% for c in m.tool_calls %}{{ 'x' + c.function.arguments }}{% endfor %}{% endfor %}");
  const auto writes = text::ChatTemplate::parse(
      "{% for m in messages %}{% for c in m.tool_calls %}{{ c.function.arguments | tojson }}{% endfor %}{% endfor %}");
  const auto two = text::ChatTemplate::parse("{{ messages[0].content }}", joins->source());
  ASSERT_TRUE(joins && writes && two);
  EXPECT_FALSE(messageStyleOf(*joins).callsTakeObjects);
  EXPECT_FALSE(messageStyleOf(*two).callsTakeObjects) << "by the template for requests with tools";
  EXPECT_TRUE(messageStyleOf(*writes).callsTakeObjects);
}

TEST(ChatMessages, WhatIsNotThereIsLeftOut) {
  const Json body = Json::parse(R"({"messages":[
    {"role":"assistant","content":"a","tool_calls":null,"reasoning_content":null,"refusal":null,"x":{"y":null}},
    {"role":"assistant","content":null,"tool_calls":[]},
    {"role":"assistant","content":null,"tool_calls":[{"id":null,"function":{"name":"f","arguments":"{}","strict":null}}]}]})");
  const auto read = readMessages(body, {});
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(*read, Json::parse(R"([{"role":"assistant","content":"a","x":{"y":null}},{"role":"assistant","content":""},
    {"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":{}},"id":"call00001"}],"content":""}])"));
}

TEST(ChatMessages, ArgumentsOfEveryKindLetAConversationGoOn) {
  const auto argumentsAs = [](const Json& function, bool objects) {
    const Json call{{"id", "1"}, {"type", "function"}, {"function", function}};
    const Json body{{"messages", Json::array({{{"role", "assistant"}, {"content", ""}, {"tool_calls", Json::array({call})}}})}};
    const auto read = readMessages(body, {.callsTakeObjects = objects});
    return read ? (*read)[0]["tool_calls"][0]["function"]["arguments"] : Json(read.error().message());
  };
  struct Given {
    const char* arguments;  // of the function, as the client sends them
    const char *object, *text;
  };
  for (const auto& [given, object, text] : {
           Given{R"({"arguments":""})", "{}", R"("{}")"},
           Given{R"({"arguments":" \n"})", "{}", R"("{}")"},
           Given{R"({"arguments":null})", "{}", R"("{}")"},
           Given{"{}", "{}", R"("{}")"},
           Given{R"({"arguments":{"a":1}})", R"({"a":1})", R"("{\"a\":1}")"},
           Given{R"({"arguments":"{\"a\": 1}"})", R"({"a":1})", R"("{\"a\": 1}")"},
           Given{R"({"arguments":"{\"a\": "})", R"({"arguments":"{\"a\": "})", R"("{\"a\": ")"},
           Given{R"({"arguments":"[1]"})", R"({"arguments":"[1]"})", R"("[1]")"},
       }) {
    Json function{{"name", "f"}};
    function.update(Json::parse(given));
    EXPECT_EQ(argumentsAs(function, true), Json::parse(object)) << given;
    EXPECT_EQ(argumentsAs(function, false), Json::parse(text)) << given;
  }
}

// A template that refuses ids that are not nine letters or digits, as Mistral's do.
const char* const nineSigns =
    "{% for m in messages %}{% for c in m.tool_calls %}{% if not c.id is defined or c.id|length != 9 %}{{ raise_exception('length 9!') }}"
    "{% endif %}{{ c.function.name }} {{ c.id }};{% endfor %}{% if m.role == 'tool' %}{% if not m.tool_call_id is defined or "
    "m.tool_call_id|length != 9 %}{{ raise_exception('length 9!') }}{% endif %}{{ m.content }} {{ m.tool_call_id }};{% endif %}{% endfor %}";

std::string promptOf(const std::string& source, const Json& messages) {
  const auto made = text::ChatTemplate::parse(source);
  EXPECT_TRUE(made) << made.error().message();
  const auto read = readMessages({{"messages", messages}}, messageStyleOf(*made));
  EXPECT_TRUE(read) << read.error().message();
  text::RenderRequest request;
  request.messages = *read;
  request.variables = {{"bos_token", ""}, {"eos_token", ""}};
  const auto text = made->render(request);
  return text ? *text : text.error().message();
}

Json callOf(const char* id, const char* name) {
  Json call{{"type", "function"}, {"function", {{"name", name}, {"arguments", "{}"}}}};
  if (*id != 0) call["id"] = id;
  return call;
}
Json resultOf(const char* id, const char* content) {
  Json result{{"role", "tool"}, {"content", content}};
  if (*id != 0) result["tool_call_id"] = id;
  return result;
}
Json callingTurn(const std::vector<Json>& calls) { return {{"role", "assistant"}, {"content", ""}, {"tool_calls", calls}}; }
const Json question{{"role", "user"}, {"content", "a"}};

TEST(ChatMessages, IdsOfCallsHaveTheFormThatTheTemplateDemands) {
  const Json ours = Json::array({question, callingTurn({callOf("call_0123456789abcdefghijklmn", "f"), callOf("call_x", "g")}),
                                 resultOf("call_x", "of g"), resultOf("call_0123456789abcdefghijklmn", "of f"), question,
                                 callingTurn({callOf("call_x", "h")}), resultOf("call_x", "of h")});
  EXPECT_EQ(promptOf(nineSigns, ours), "f call00001;g call00002;of g call00002;of f call00001;h call00003;of h call00003;");
  // Without ids, as Ollama's clients write them; the first call of all has no result.
  const Json none = Json::array({question, callingTurn({callOf("", "e")}), question, callingTurn({callOf("", "f"), callOf("", "g")}),
                                 resultOf("", "of f"), resultOf("", "of g")});
  EXPECT_EQ(promptOf(nineSigns, none), "e call00001;f call00002;g call00003;of f call00002;of g call00003;");
  EXPECT_EQ(promptOf(nineSigns, Json::array({question, resultOf("lost", "of another"), resultOf("", "of none")})),
            "of another call00001;of none call00002;");
}

TEST(ChatMessages, IdsOfCallsStayWhereTheTemplateTakesThem) {
  const auto read = readMessages(
      {{"messages", {question, callingTurn({callOf("call_x", "f"), callOf("", "g")}), resultOf("call_x", "r"), resultOf("", "s")}}}, {});
  ASSERT_TRUE(read);
  EXPECT_EQ((*read)[1]["tool_calls"][0]["id"], "call_x");
  EXPECT_EQ((*read)[1]["tool_calls"][1]["id"], "call00002");
  EXPECT_EQ((*read)[2]["tool_call_id"], "call_x");
  EXPECT_EQ((*read)[3]["tool_call_id"], "call00002");
}

// Kimi K2's calls have the names of their functions in them, and so must have their results.
TEST(ChatMessages, IdsOfKimiAreNumberedNames) {
  const std::string call = "<|tool_call_argument_begin|>{% endfor %}{% if m.role == 'tool' %}{{ m.tool_call_id }};{% endif %}{% endfor %}";
  const Json messages = Json::array({question, callingTurn({callOf("call_x", "f"), callOf("", "g")}), resultOf("call_x", "r"),
                                     resultOf("", "s"), callingTurn({callOf("", "h")}), resultOf("", "t")});
  const auto idsIn = [&](const std::string& source) {
    const std::string prompt = promptOf(source, messages);
    std::string ids;
    for (std::size_t at = 0; at < prompt.size();) {
      const std::size_t end = std::min(prompt.find_first_of(";<", at), prompt.size());
      if (end > at && prompt[at] == 'f') ids += prompt.substr(at, end - at) + " ";
      at = prompt.find_first_of(";>", end) == std::string::npos ? prompt.size() : prompt.find_first_of(";>", end) + 1;
    }
    return ids;
  };
  EXPECT_EQ(idsIn("{% for m in messages %}{% for c in m.tool_calls %}{{ c.id }}" + call),
            "functions.f:0 functions.g:1 functions.f:0 functions.g:1 functions.h:2 functions.h:2 ");
  EXPECT_EQ(
      idsIn("{% for m in messages %}{% for c in m.tool_calls %}{{ 'functions.' + c.function.name + ':' + loop.index0|string }}" + call),
      "functions.f:0 functions.g:1 functions.f:0 functions.g:1 functions.h:0 functions.h:0 ");
}

TEST(ChatMessages, ReasoningHasTheNamesThatTemplatesKnow) {
  for (const char* field : {"reasoning_content", "thinking", "reasoning"}) {
    Json message{{"role", "assistant"}, {"content", "a"}, {"reasoning_content", ""}};
    message[field] = "because";
    const auto read = readMessages({{"messages", Json::array({message})}}, {});
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ((*read)[0], (Json{{"role", "assistant"}, {"content", "a"}, {"reasoning_content", "because"}, {"thinking", "because"}}));
    message[field] = 1;
    const auto refused = readMessages({{"messages", Json::array({message})}}, {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().where, std::string("messages[0].") + field);
  }
}

// Continue writes it as a message of its own, before the turn that it is of.
TEST(ChatMessages, AMessageOfReasoningIsThatOfTheNextTurn) {
  const Json thinking{{"role", "thinking"}, {"content", "Rain?"}}, answer{{"role", "assistant"}, {"content", "Yes."}};
  Json own = answer;
  own["reasoning_content"] = "Rain?";
  const auto expectSame = [&](const std::string& source) {
    EXPECT_EQ(promptOf(source, Json::array({question, thinking, answer, question})),
              promptOf(source, Json::array({question, own, question})));
    EXPECT_EQ(promptOf(source, Json::array({question, thinking, question, answer, thinking})),
              promptOf(source, Json::array({question, question, answer})))
        << "without a turn it is dropped";
  };
  expectSame(
      "{% for m in messages %}{% if m.role not in ['user', 'assistant'] %}{{ raise_exception('role') }}{% endif %}"
      "{{ m.role }}|{{ m.thinking }}|{{ m.content }};{% endfor %}");
  const auto published = tests::referenceData("tokens/chat/templates/Qwen3.5-4B.jinja");
  if (std::filesystem::exists(published)) {
    std::ifstream file(published);
    expectSame({std::istreambuf_iterator<char>(file), {}});
  }
  EXPECT_FALSE(readMessages({{"messages", Json::array({thinking})}}, {}));
}

TEST(ChatMessages, WhatIsNoTextInAResultIsNamed) {
  const char* const note = "[image: this model reads text only]";
  const Json parts = Json::parse(R"([{"type":"text","text":"a.png"},{"type":"image_url","image_url":{"url":"x"}}])");
  const auto contentOfResult = [](const Json& more, const char* role) {
    Json message{{"role", role}, {"tool_call_id", "c"}};
    message.update(more);
    const auto read = readMessages({{"messages", Json::array({question, callingTurn({callOf("c", "look")}), message})}}, {});
    return read ? (*read)[2]["content"].get<std::string>() : read.error().where;
  };
  EXPECT_EQ(contentOfResult({{"content", parts}}, "tool"), std::string("a.png\n") + note);
  EXPECT_EQ(contentOfResult({{"content", "a.png"}, {"images", Json::array({"aGk="})}}, "tool"), std::string("a.png\n") + note)
      << "Ollama's place for them";
  EXPECT_EQ(contentOfResult({{"content", parts}}, "user"), "messages[2].content") << "an image of the user's is refused";
}

// gpt-oss has one place for both in a turn with calls.
TEST(ChatMessages, ATextBesideReasoningIsPartOfItWhereTheTemplateRefusesBoth) {
  const char* const source =
      "{% for m in messages %}{% if m.tool_calls and m.content and m.thinking %}{{ raise_exception('one') }}{% endif %}"
      "{{ m.thinking }}|{{ m.content }};{% endfor %}";
  Json turn = callingTurn({callOf("1", "f")});
  turn.update({{"content", "Let me look."}, {"reasoning", "Rain?"}});
  EXPECT_EQ(promptOf(source, Json::array({question, turn, resultOf("1", "r")})), "|a;Rain?\n\nLet me look.|;|r;");
}

// Llama's templates refuse several calls in one turn, that of gpt-oss keeps the first one alone.
TEST(ChatMessages, SeveralCallsOfATurnAreTurnsOfTheirOwnWhereTheTemplateTakesOne) {
  Json turn = callingTurn({callOf("1", "f"), callOf("", "g"), callOf("3", "h")});
  turn.update({{"content", "Let me look."}, {"reasoning", "Rain?"}});
  const Json messages = Json::array({question, turn, resultOf("3", "of h"), resultOf("1", "of f"), resultOf("", "of g"), question});
  const std::string first =
      "{% if m.tool_calls %}{{ m.thinking }}{{ m.content }}{{ m.tool_calls[0].function.name }}"
      "{{ m.tool_calls[0].function.arguments.city }}{% else %}{{ m.content }}{% endif %};{% endfor %}";
  EXPECT_EQ(promptOf("{% for m in messages %}" + first, messages), "a;Rain?Let me look.f;of f;g;of g;h;of h;a;");
  EXPECT_EQ(
      promptOf("{% for m in messages %}{% if m.tool_calls and m.tool_calls|length != 1 %}{{ raise_exception('one') }}{% endif %}" + first,
               messages),
      "a;Rain?Let me look.f;of f;g;of g;h;of h;a;");
  EXPECT_EQ(promptOf("{% for m in messages %}{% for c in m.tool_calls %}{{ c.function.name }}{{ c.function.arguments.city }},{% endfor %}"
                     "{{ m.content }};{% endfor %}",
                     messages),
            "a;f,g,h,Let me look.;of h;of f;of g;a;");
  // Without its result, and a result that is none of the turn's.
  const Json lost =
      Json::array({question, callingTurn({callOf("1", "f"), callOf("2", "g")}), resultOf("2", "of g"), resultOf("9", "of x")});
  EXPECT_EQ(promptOf("{% for m in messages %}" + first, lost), "a;f;g;of g;of x;");
}

TEST(ChatMessages, SystemMessagesAtTheBeginningAreOneWhereTheTemplateTakesOne) {
  const Json messages = Json::array({{{"role", "system"}, {"content", "One."}},
                                     {{"role", "developer"}, {"content", "Two."}},
                                     question,
                                     {{"role", "system"}, {"content", "Three."}}});
  const std::string writes = "{{ m.role }} {{ m.content }};{% endfor %}";
  EXPECT_EQ(promptOf("{% for m in messages %}" + writes, messages), "system One.;system Two.;user a;system Three.;");
  EXPECT_EQ(
      promptOf("{% for m in messages %}{% if m.role == 'system' and loop.index0 == 1 %}{{ raise_exception('one') }}{% endif %}" + writes,
               messages),
      "system One.\n\nTwo.;user a;system Three.;");
  EXPECT_EQ(promptOf("{% set ns = namespace() %}{% for m in messages %}{% if m.role == 'system' %}{% set ns.s = m.content %}{% endif %}"
                     "{% endfor %}{{ ns.s }}",
                     Json::array({messages[0], messages[1], question})),
            "One.\n\nTwo.");
}

// Whoever asks: a client, or the window, which also counts the tokens of each message.
TEST(ChatMessages, ASystemMessageThatTheTemplateRefusesBeginsWhatTheUserSays) {
  const TemporaryFolder folder;
  for (const char* name : {"config.json", "generation_config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"})
    std::filesystem::copy_file(builtInModel / name, folder.path() / name);
  folder.write("chat_template.jinja",
               "{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('alternate') }}{% endif %}"
               "<|{{ m.role }}|>{{ m.content }}<|end|>{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}");
  const Running running = Running::start(1, {}, folder.path());
  engine::Request request;
  request.chat.messages = Json::array({{{"role", "system"}, {"content", "Be brief."}}, {{"role", "user"}, {"content", "Hello"}}});
  const engine::PromptMaker maker = running.engine->promptMaker();
  const auto prompt = maker.make(request);
  ASSERT_TRUE(prompt) << prompt.error().message();
  EXPECT_EQ(prompt->text, "<|user|>Be brief.\n\nHello<|end|><|assistant|>");
  std::vector<int> messages;
  for (const engine::PromptPart& part : engine::promptParts(request, *prompt, *maker.tokenizer, *maker.chatTemplate))
    if (part.tokens > 0) messages.push_back(part.message);
  EXPECT_EQ(messages, (std::vector{0, 1, -1}));

  const Json chat{{"messages", request.chat.messages}, {"max_tokens", 1}};
  EXPECT_EQ(post(running, "/v1/chat/completions", chat.dump()).json()["usage"]["prompt_tokens"], prompt->tokens.size());
  const Json generate{{"system", "Be brief."}, {"prompt", "Hello"}, {"stream", false}, {"options", {{"num_predict", 1}}}};
  EXPECT_EQ(post(running, "/api/generate", generate.dump()).json()["prompt_eval_count"], prompt->tokens.size());
}

// The same with published templates: each accepts a turn with calls and what follows it.
TEST(ChatMessages, PublishedTemplatesTakeTheConversationAfterACall) {
  std::size_t found = 0;
  for (const char* name : {"mistralai-Mistral-Nemo-Instruct-2407", "moonshotai-Kimi-K2", "openai-gpt-oss-120b", "google-gemma-4-31B-it",
                           "Qwen3.5-4B", "meta-llama-Llama-3.2-3B-Instruct"}) {
    const auto path = tests::referenceData(std::string("tokens/chat/templates/") + name + ".jinja");
    if (!std::filesystem::exists(path)) continue;
    ++found;
    std::ifstream file(path);
    const std::string source(std::istreambuf_iterator<char>(file), {});
    for (const char* id : {"call_0123456789abcdefghijklmn", ""}) {
      Json turn = callingTurn({callOf(id, "get_rain"), callOf("", "get_snow")});
      turn.update({{"content", "Let me look."}, {"reasoning", "Rain?"}});
      const Json system{{"role", "system"}, {"content", "One."}}, developer{{"role", "developer"}, {"content", "Two."}};
      const std::string prompt =
          promptOf(source, Json::array({system, developer, question, turn, resultOf(id, "much rain"), resultOf("", "no snow")}));
      for (const char* words : {"get_rain", "get_snow", "much rain", "no snow"})
        EXPECT_NE(prompt.find(words), std::string::npos) << name << ": " << prompt;
    }
  }
  if (found == 0) GTEST_SKIP() << "the published templates are not here (../shared/tokens/chat/templates)";
}

}  // namespace
}  // namespace minerva::serve
