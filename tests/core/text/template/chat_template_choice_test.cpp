// Which chat template a model gets: its own, else a named fallback that matches its vocabulary.
#include "core/format/model_file.h"
#include "core/text/template/chat_template.h"
#include "core/text/tokenizer.h"
#include "tests/support/reference_data.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace minerva::text {
namespace {

// A tokenizer that knows a single token.
class OneToken final : public Tokenizer {
 public:
  explicit OneToken(std::string token) : m_token(std::move(token)) {}
  std::vector<TokenId> encode(std::string_view, EncodeOptions) const override { return {}; }
  std::string decode(std::span<const TokenId>, DecodeOptions) const override { return {}; }
  std::string piece(TokenId) const override { return {}; }
  std::size_t vocabularySize() const override { return 1; }
  bool isControl(TokenId) const override { return true; }
  std::optional<TokenId> find(std::string_view token) const override { return token == m_token ? std::optional<TokenId>(0) : std::nullopt; }
  const SpecialTokens& special() const override { return m_special; }
  bool addsBos() const override { return false; }
  std::string description() const override { return "one token"; }

 private:
  std::string m_token;
  SpecialTokens m_special;
};

void put(std::string& bytes, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i));
}
void putText(std::string& bytes, const std::string& text) {
  put(bytes, text.size(), 8);
  bytes += text;
}

// A GGUF file without tensors and with these string keys.
std::unique_ptr<const format::ModelFile> modelWith(const std::vector<std::pair<std::string, std::string>>& keys) {
  std::string bytes = "GGUF";
  put(bytes, 3, 4);
  put(bytes, 0, 8);
  put(bytes, keys.size(), 8);
  for (const auto& [key, value] : keys) {
    putText(bytes, key);
    put(bytes, 8, 4);
    putText(bytes, value);
  }
  const auto path = std::filesystem::temp_directory_path() / ("minerva-template-" + std::to_string(::getpid()) + ".gguf");
  std::ofstream(path, std::ios::binary) << bytes;
  auto file = format::ModelFile::open(path);
  std::filesystem::remove(path);
  EXPECT_TRUE(file) << file.error().message();
  return file ? std::move(*file) : nullptr;
}

std::string renderHello(const ChatTemplate& chat) {
  RenderRequest request;
  request.messages = nlohmann::ordered_json::parse(R"([{"role": "user", "content": "Hello"}])");
  request.variables = nlohmann::ordered_json::parse(R"({"bos_token": "<s>", "eos_token": "</s>"})");
  request.now = std::chrono::sys_days{std::chrono::November / 15 / 2026} + std::chrono::hours(12);
  const auto text = chat.render(request);
  EXPECT_TRUE(text) << text.error().message();
  return text.value_or("");
}

TEST(ChatTemplateFor, TheModelsOwn) {
  const auto file = modelWith({{"general.architecture", "llama"}, {"tokenizer.chat_template", "{{ messages[0].content }}!"}});
  ASSERT_TRUE(file);
  const auto chat = chatTemplateFor(*file, OneToken("<|im_start|>"));
  ASSERT_TRUE(chat) << chat.error().message();
  EXPECT_EQ(chat->fallbackName(), "");
  EXPECT_EQ(renderHello(*chat), "Hello!");
}

// The model hears of tools, of its calls and of their results, whether its template shows them or not.
TEST(ChatTemplateFor, ToolsThatTheTemplateDoesNotShow) {
  constexpr const char* gemma =
      "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}{% for message in messages %}"
      "{% if (message.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('alternate') }}{% endif %}"
      "{{ '<' + message.role + '>' + message.content }}{% endfor %}";
  RenderRequest request;
  request.messages = nlohmann::ordered_json::parse(R"([{"role": "user", "content": "Time?"},
    {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": {"name": "get_time", "arguments": {"zone": "UTC"}}}]},
    {"role": "tool", "name": "get_time", "content": "noon"}])");
  request.tools = nlohmann::ordered_json::parse(R"([{"type": "function", "function": {"name": "get_time"}}])");
  for (const char* source : {gemma, ""}) {
    const auto file = modelWith({{"general.architecture", "llama"}, {"tokenizer.chat_template", source}});
    ASSERT_TRUE(file);
    const auto chat = chatTemplateFor(*file, OneToken("<start_of_turn>"));
    ASSERT_TRUE(chat) << chat.error().message();
    EXPECT_FALSE(chat->showsTools());
    const auto prompt = chat->render(request);
    ASSERT_TRUE(prompt) << prompt.error().message();
    for (const char* said : {R"({"name":"get_time"})", "Time?", R"({"name": "get_time", "parameters": {"zone":"UTC"}})", "noon"})
      EXPECT_NE(prompt->find(said), std::string::npos) << *prompt;
  }
}

TEST(ChatTemplateFor, NamedFallbacks) {
  const auto file = modelWith({{"general.architecture", "llama"}});
  ASSERT_TRUE(file);
  const std::vector<std::array<std::string, 3>> expected = {
      {"<|im_start|>", "chatml", "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n"},
      {"<|start_header_id|>", "llama3",
       "<|start_header_id|>user<|end_header_id|>\n\nHello<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n"},
      {"<|channel|>", "harmony",
       "<|start|>system<|message|>You are ChatGPT, a large language model trained by OpenAI.\nKnowledge cutoff: 2024-06\nCurrent date: "
       "2026-11-15\n\nReasoning: medium\n\n# Valid channels: analysis, commentary, final. Channel must be included for every "
       "message.<|end|><|start|>user<|message|>Hello<|end|><|start|>assistant"},
      {"<start_of_turn>", "gemma", "<start_of_turn>user\nHello<end_of_turn>\n<start_of_turn>model\n"},
      {"[SYSTEM_PROMPT]", "mistral", "[INST]Hello[/INST]"},
      {"[INST]", "llama2", "[INST] Hello [/INST]"},
      {"nothing", "plain", "User: Hello\n\nAssistant:"},
  };
  for (const auto& [token, name, prompt] : expected) {
    const auto chat = chatTemplateFor(*file, OneToken(token));
    ASSERT_TRUE(chat) << chat.error().message();
    EXPECT_EQ(chat->fallbackName(), name);
    EXPECT_EQ(renderHello(*chat), prompt);
  }
}

// The tokenizer adds BOS to the prompts of fallbacks: once.
TEST(ChatTemplateFor, FallbacksLeaveBosToTheTokenizer) {
  const auto file = modelWith({{"general.architecture", "llama"}});
  ASSERT_TRUE(file);
  std::ifstream in(std::filesystem::path(MINERVA_TEST_DATA) / "text/sentencepiece-like.json", std::ios::binary);
  const auto base = nlohmann::ordered_json::parse(in);
  for (const char* name : {"<|start_header_id|>", "<start_of_turn>", "[INST]", "nothing"}) {
    auto json = base;
    json["added_tokens"].push_back({{"id", 1000}, {"content", name}, {"special", true}, {"normalized", false}});
    const auto tokenizer = createTokenizerFromJson(json.dump(), {{"bos_token", "<s>"}, {"add_bos_token", true}});
    ASSERT_TRUE(tokenizer) << tokenizer.error().message();
    const auto chat = chatTemplateFor(*file, **tokenizer);
    ASSERT_TRUE(chat) << chat.error().message();
    const std::vector<TokenId> ids = (*tokenizer)->encode(renderHello(*chat), {.addSpecial = true, .parseSpecial = true});
    ASSERT_TRUE((*tokenizer)->special().bos);
    EXPECT_EQ(std::ranges::count(ids, *(*tokenizer)->special().bos), 1) << name;
    EXPECT_EQ(ids.front(), *(*tokenizer)->special().bos) << name;
  }
}

// As Transformers chooses: by whether the request has tools, even if there are none among them.
TEST(ChatTemplateFor, ARequestWithToolsIsRenderedByTheTemplateForThem) {
  RenderRequest plain;
  plain.messages = nlohmann::ordered_json::parse(R"([{"role": "user", "content": "Hello"}])");
  plain.variables = {{"bos_token", "<s>"}, {"eos_token", "</s>"}};
  RenderRequest withTools = plain, withNone = plain;
  withTools.tools = nlohmann::ordered_json::parse(R"([{"type": "function", "function": {"name": "f"}}])");
  withNone.tools = nlohmann::ordered_json::array();
  // What stands at the beginning and the end of a template, where tags of another one beside it could change it.
  const std::string templates[] = {
      "{{ messages[0].content }}!",
      "\n{{ messages[0].content }}\n",
      "\n\n  {{ tools | tojson }}\n\n",
      "  {% if true %}\n  x\n  {% endif %}\n   ",
      "  {%- set a = 1 %}\n{{ a }}{# end #}\n",
      "{% macro f(x) %}<{{ x }}>{% endmacro %}\r\n{% set a = 2 %}{% for m in messages %}{{ f(m.content) }}{% set a = 3 %}{% endfor %}{{ a }}\r\n",
      "{% macro f(x) %}[{{ x }}]{% endmacro %}{{ f(bos_token) }}\t{% if add_generation_prompt %}\n  go{% endif %}\n",
      "{#- note -#}\n\n{{- bos_token }} \n {%- if tools %}t{% else %}n{% endif -%}\n",
  };
  for (const std::string& other : templates) {
    for (const std::string& forTools : templates) {
      const auto file = modelWith(
          {{"general.architecture", "llama"}, {"tokenizer.chat_template", other}, {"tokenizer.chat_template.tool_use", forTools}});
      const auto chat = chatTemplateFor(*file, OneToken("nothing"));
      ASSERT_TRUE(chat) << chat.error().message();
      EXPECT_EQ(chat->render(plain).value(), ChatTemplate::parse(other)->render(plain).value()) << other;
      for (const RenderRequest& request : {withTools, withNone})
        EXPECT_EQ(chat->render(request).value(), ChatTemplate::parse(forTools)->render(request).value()) << forTools;
    }
  }
}

TEST(ChatTemplateFor, AnErrorOfTheTemplateForToolsHasItsPlace) {
  const auto file = modelWith({{"general.architecture", "llama"},
                               {"tokenizer.chat_template", "{{ messages[0].content }}"},
                               {"tokenizer.chat_template.tool_use", "\n{% if %}"}});
  const auto chat = chatTemplateFor(*file, OneToken("nothing"));
  ASSERT_FALSE(chat);
  EXPECT_NE(chat.error().where.find("chat template, tool_use, line 2"), std::string::npos) << chat.error().where;
}

// What a model with this template is given of a conversation: s, u and a are the roles.
std::string promptOf(const std::string& source, const std::vector<std::pair<char, const char*>>& turns) {
  const auto file = modelWith({{"general.architecture", "llama"}, {"tokenizer.chat_template", source}});
  const auto chat = chatTemplateFor(*file, OneToken("nothing"));
  EXPECT_TRUE(chat) << chat.error().message();
  RenderRequest request;
  for (const auto& [role, content] : turns)
    request.messages.push_back({{"role", role == 's' ? "system" : role == 'u' ? "user" : "assistant"}, {"content", content}});
  request.variables = {{"bos_token", ""}, {"eos_token", ""}};
  request.addGenerationPrompt = false;
  const auto text = chat->render(request);
  return text ? *text : text.error().what;
}

const std::string writesRoles = "{{ m.role[0] }} {{ m.content }};{% endfor %}";
const std::string alternates =
    "{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('alternate') }}{% endif %}";

TEST(ChatTemplateFor, TakesEveryOrderOfRoles) {
  const std::string any = "{% for m in messages %}" + writesRoles;
  // As Gemma 2's: neither a system message nor two turns of one role.
  const std::string strict =
      "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}" + alternates + writesRoles;
  // As Qwen 3.5's.
  const std::string first =
      "{% for m in messages %}{% if m.role == 'system' and not loop.first %}{{ raise_exception('first') }}{% endif %}" + writesRoles;
  // As Mistral's.
  const std::string alternatesAfterSystem =
      "{% if messages[0].role == 'system' %}s {{ messages[0].content }};{% set messages = messages[1:] %}{% endif %}" + alternates +
      writesRoles;
  // As that of gpt-oss, which loses what it does not know.
  const std::string loses = "{% for m in messages %}{% if loop.first or m.role != 'system' %}" +
                            std::string("{{ m.role[0] }} {{ m.content }};{% endif %}{% endfor %}");

  const std::vector<std::pair<char, const char*>> plain{{'s', "S"}, {'u', "1"}, {'a', "2"}, {'u', "3"}};
  for (const std::string& source : {any, first, alternatesAfterSystem, loses}) EXPECT_EQ(promptOf(source, plain), "s S;u 1;a 2;u 3;");
  EXPECT_EQ(promptOf(strict, plain), "u S\n\n1;a 2;u 3;");

  const std::vector<std::pair<char, const char*>> late{{'s', "S"}, {'u', "1"}, {'a', "2"}, {'s', "T"}, {'u', "3"}, {'s', "V"}};
  EXPECT_EQ(promptOf(any, late), "s S;u 1;a 2;s T;u 3;s V;");
  EXPECT_EQ(promptOf(strict, late), "u S\n\n1;a 2;u T\n\n3\n\nV;");
  EXPECT_EQ(promptOf(alternatesAfterSystem, late), "s S;u 1;a 2;u T\n\n3\n\nV;");
  for (const std::string& source : {first, loses}) EXPECT_EQ(promptOf(source, late), "s S;u 1;a 2;u T;u 3;u V;");

  const std::vector<std::pair<char, const char*>> twice{{'u', "1"}, {'u', "2"}, {'a', "3"}, {'a', ""}, {'a', "4"}, {'u', "5"}};
  for (const std::string& source : {any, first, loses}) EXPECT_EQ(promptOf(source, twice), "u 1;u 2;a 3;a ;a 4;u 5;");
  for (const std::string& source : {strict, alternatesAfterSystem}) EXPECT_EQ(promptOf(source, twice), "u 1\n\n2;a 3\n\n4;u 5;");

  EXPECT_EQ(promptOf(strict, {{'s', "S"}}), "u S;");
  EXPECT_EQ(promptOf(strict, {{'s', "S"}, {'a', "1"}, {'u', "2"}}), "u S;a 1;u 2;") << "a greeting";
}

TEST(ChatTemplateFor, CallsAndTheirResultsStayInPlace) {
  const auto file =
      modelWith({{"general.architecture", "llama"},
                 {"tokenizer.chat_template",
                  "{% for m in messages %}{% if m.content and not loop.first and m.role == messages[loop.index0 - 1].role and "
                  "m.role != 'tool' %}{{ raise_exception('twice') }}{% endif %}" +
                      writesRoles}});
  const auto chat = chatTemplateFor(*file, OneToken("nothing"));
  ASSERT_TRUE(chat) << chat.error().message();
  RenderRequest request;
  request.messages = nlohmann::ordered_json::parse(R"([{"role":"user","content":"1"},{"role":"user","content":"2"},
    {"role":"assistant","content":"3","tool_calls":[{}]},{"role":"tool","content":"4"},{"role":"tool","content":"5"},
    {"role":"assistant","content":"6","thinking":"x"},{"role":"assistant","content":"","tool_calls":[{}]},
    {"role":"tool","content":"7"}])");
  const auto text = chat->render(request);
  ASSERT_TRUE(text) << text.error().message();
  EXPECT_EQ(*text, "u 1\n\n2;a 3;t 4;t 5;a 6;a ;t 7;");
  request.messages = {{{"role", "user"}, {"content", "1"}}, {{"role", "user"}, {"content", "2"}}};
  EXPECT_EQ(chat->render(request).value_or(""), "u 1\n\n2;");
  for (const char* odd : {R"([])", R"([1, null])", R"([{"role":1,"content":"x"},{"role":"user"},{"role":"user","content":[]}])", R"({})"}) {
    request.messages = nlohmann::ordered_json::parse(odd);
    (void)chat->render(request);  // what it is, is the template's matter
  }
}

// Published templates take a conversation in any order, and lose nothing of it.
TEST(ChatTemplateFor, PublishedTemplatesTakeEveryOrderOfRoles) {
  const auto folder = tests::referenceData("tokens/chat/templates");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "the published templates are not here (../shared/tokens/chat/templates)";
  int usable = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string source(std::istreambuf_iterator<char>(in), {});
    // Some need tools, or variables of their own, for any conversation.
    if (promptOf(source, {{'u', "Say two."}, {'a', "Said four."}, {'u', "Say five."}}).find("Said four.") == std::string::npos) continue;
    ++usable;
    const std::vector<std::pair<char, const char*>> turns{{'s', "Rule one."},  {'u', "Say two."},  {'u', "Say three."},
                                                          {'a', "Said four."}, {'u', "Say five."}, {'s', "Rule six."}};
    const std::string prompt = promptOf(source, turns);
    for (const auto& [role, words] : turns)
      EXPECT_NE(prompt.find(words), std::string::npos) << entry.path() << "\n" << prompt.substr(0, 400);
  }
  EXPECT_GE(usable, 25);
}

TEST(ChatTemplateFor, ABrokenOneIsAnError) {
  const auto file = modelWith({{"general.architecture", "llama"}, {"tokenizer.chat_template", "{% if %}"}});
  ASSERT_TRUE(file);
  const auto chat = chatTemplateFor(*file, OneToken("<|im_start|>"));
  ASSERT_FALSE(chat);
  EXPECT_NE(chat.error().where.find("line 1, column 7"), std::string::npos) << chat.error().where;
}

}  // namespace
}  // namespace minerva::text
