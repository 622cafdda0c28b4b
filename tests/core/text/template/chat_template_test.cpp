// The template engine against texts rendered by Jinja and Transformers, its limits and its errors.
#include "core/text/template/chat_template.h"

#include "tests/support/reference_data.h"

#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

namespace minerva::text {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

std::string readFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<Json> readLines(const fs::path& path) {
  std::vector<Json> rows;
  std::ifstream file(path, std::ios::binary);
  for (std::string line; std::getline(file, line);)
    if (!line.empty()) rows.push_back(Json::parse(line));
  return rows;
}

// The time at which all expected texts were made: 2026-07-26 12:34:56, local time.
std::chrono::system_clock::time_point clockOfCases() {
  std::tm time{};
  time.tm_year = 126;
  time.tm_mon = 6;
  time.tm_mday = 26;
  time.tm_hour = 12;
  time.tm_min = 34;
  time.tm_sec = 56;
  time.tm_isdst = -1;
  return std::chrono::system_clock::from_time_t(std::mktime(&time));
}

RenderRequest requestOf(const Json& row) {
  RenderRequest request;
  request.messages = row.value("messages", Json::array());
  request.tools = row.value("tools", Json());
  request.documents = row.value("documents", Json());
  request.variables = row.value("variables", Json::object());
  request.addGenerationPrompt = row.value("add_generation_prompt", false);
  request.continueFinalMessage = row.value("continue_final_message", false);
  request.now = clockOfCases();
  return request;
}

// Returns an empty string if the result is as expected, else the difference.
std::string compare(const Result<std::string>& result, const Json& expected) {
  if (expected.is_string()) {
    if (!result) return "failed: " + result.error().message();
    const auto& text = expected.get_ref<const std::string&>();
    return *result == text
               ? ""
               : "expected " + Json(text).dump() + "\n     got " + Json(*result).dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  if (result) return "expected an error " + expected.dump() + ", got " + result->substr(0, 200);
  if (expected.value("type", "") == "TemplateError") {
    if (result.error().kind != ErrorKind::invalidArgument || result.error().what != expected["error"].get<std::string>())
      return "expected the message " + expected["error"].dump() + ", got " + result.error().message();
  }
  return "";
}

struct Score {
  int passed = 0;
  int total = 0;
  std::vector<std::string> failures;
  void count(const std::string& name, const std::string& difference) {
    ++total;
    if (difference.empty()) ++passed;
    else failures.push_back(name + ": " + difference);
  }
  void report(const std::string& what) const {
    std::cout << what << ": " << passed << "/" << total << " passed\n";
    EXPECT_GT(total, 0) << what;
    EXPECT_EQ(passed, total);
    for (std::size_t i = 0; i < failures.size() && i < 40; ++i) ADD_FAILURE() << failures[i];
  }
};

// Renders a template with these variables only, and with the time of the cases.
Result<std::string> renderBare(const std::string& source, const Json& variables) {
  auto parsed = ChatTemplate::parse(source);
  if (!parsed) return fail(parsed.error());
  RenderRequest request;
  request.messages = Json::array();
  request.variables = variables;
  request.now = clockOfCases();
  return parsed->render(request);
}

Score runUnits(const fs::path& units, const Json& common) {
  Score score;
  for (const Json& row : readLines(units)) {
    const Json variables = row["vars"].is_string() ? common : row["vars"].is_object() ? row["vars"] : common;
    const auto start = std::chrono::steady_clock::now();
    const auto result = renderBare(row["template"].get<std::string>(), variables);
    const auto took = std::chrono::steady_clock::now() - start;
    std::string difference = compare(result, row["expected"]);
    if (!difference.empty() && result && row.contains("also_ok") && *result == row["also_ok"].get<std::string>()) difference = "";
    if (row["group"] == "limit" && took > std::chrono::seconds(10)) difference = "took too long";
    score.count(row["id"].get<std::string>() + " " + row["template"].get<std::string>().substr(0, 300), difference);
  }
  return score;
}

TEST(ChatTemplate, OwnTemplatesAsJinjaRendersThem) {
  const fs::path folder = fs::path(MINERVA_TEST_DATA) / "template";
  runUnits(folder / "units.jsonl", Json::parse(readFile(folder / "variables.json"))).report("own units");
  Score score;
  for (const Json& row : readLines(folder / "chats.jsonl")) {
    auto parsed = ChatTemplate::parse(readFile(folder / (row["template"].get<std::string>() + ".jinja")));
    ASSERT_TRUE(parsed) << parsed.error().message();
    score.count(row["template"].get<std::string>() + " " + row["id"].get<std::string>(),
                compare(parsed->render(requestOf(row["request"])), row["expected"]));
  }
  score.report("own chats");
}

TEST(ChatTemplate, JinjaUnits) {
  const fs::path folder = tests::referenceData("tokens/jinja");
  runUnits(folder / "units.jsonl", Json::parse(readFile(folder / "common-vars.json"))).report("shared units");
}

TEST(ChatTemplate, SharedChatTemplates) {
  const fs::path folder = fs::path(MINERVA_SHARED_DIR) / "tokens" / "chat";
  if (!fs::exists(folder / "cases.jsonl")) GTEST_SKIP() << "skipped: no shared data";
  std::map<std::string, ChatTemplate> templates;
  Score score;
  for (const Json& row : readLines(folder / "cases.jsonl")) {
    const auto name = row["template"].get<std::string>();
    if (!templates.contains(name)) {
      auto parsed = ChatTemplate::parse(readFile(folder / "templates" / (name + ".jinja")));
      ASSERT_TRUE(parsed) << name << ": " << parsed.error().message();
      templates.emplace(name, std::move(*parsed));
    }
    score.count(name + " " + row["id"].get<std::string>(), compare(templates.at(name).render(requestOf(row["request"])), row["expected"]));
  }
  score.report("shared chats");
}

// The values of a text in JSON may need many times its memory, and its brackets no stack.
TEST(ChatTemplate, TextsInJsonAreReadWithinTheLimits) {
  const auto errorOf = [](const char* source) {
    const auto result = renderBare(source, Json::object());
    return result ? Error{.what = "none: " + result->substr(0, 60)} : result.error();
  };
  const Error broken = errorOf("{{ '{\"a\": 1, }'|fromjson }}");
  EXPECT_EQ(broken.kind, ErrorKind::corrupt);
  EXPECT_NE(broken.message().find("the text is not JSON: it goes wrong at byte 10"), std::string::npos) << broken.message();
  EXPECT_EQ(errorOf("{{ ('[' ~ '1,' * 5000000 ~ '1]')|fromjson|length }}").kind, ErrorKind::limit);
  EXPECT_EQ(errorOf("{{ ('[' * 1000000 ~ ']' * 1000000)|fromjson }}").kind, ErrorKind::limit);
  EXPECT_EQ(errorOf("{{ ('[' * 100000 ~ ']' * 100000)|fromjson|length }}").what, "none: 1");
}

TEST(ChatTemplate, AssistantMessagesCarryReasoningUnderEveryName) {
  EXPECT_EQ(assistantMessage("b", "").dump(), R"({"role":"assistant","content":"b"})");
  const Json message = assistantMessage("b", "a");
  EXPECT_EQ(message["content"], "b");
  EXPECT_EQ(message["reasoning_content"], "a");
  EXPECT_EQ(message["thinking"], "a");
}

// Renders a conversation with `reply` as the earlier reply.
Result<std::string> renderWithReply(const ChatTemplate& chatTemplate, const Json& reply, const Json& variables = Json::object()) {
  RenderRequest request;
  request.messages = Json::array({{{"role", "user"}, {"content", "Q1"}}, reply, {{"role", "user"}, {"content", "Q2"}}});
  request.variables = {{"bos_token", "<s>"}, {"eos_token", "</s>"}};
  request.variables.update(variables);
  return chatTemplate.render(request);
}

TEST(ChatTemplate, FinishedRepliesAreTakenBackWithTheReasoningTheTemplateWants) {
  const auto parsed = ChatTemplate::parse(readFile(fs::path(MINERVA_TEST_DATA) / "template/thinking.jinja"));
  ASSERT_TRUE(parsed) << parsed.error().message();
  const Json reply = assistantMessage("the answer", "secret thoughts");
  const auto dropped = renderWithReply(*parsed, reply), kept = renderWithReply(*parsed, reply, {{"keep_thinking", true}});
  ASSERT_TRUE(dropped) << dropped.error().message();
  ASSERT_TRUE(kept) << kept.error().message();
  EXPECT_EQ(*dropped, "<|user|>Q1</s><|assistant|>the answer</s><|user|>Q2</s>");
  EXPECT_EQ(*kept, "<|user|>Q1</s><|assistant|><think>secret thoughts</think>the answer</s><|user|>Q2</s>");
}

// The same with published templates: each accepts the reply and drops earlier reasoning if it is meant to.
TEST(ChatTemplate, SharedTemplatesTakeFinishedRepliesBack) {
  const fs::path folder = fs::path(MINERVA_SHARED_DIR) / "tokens" / "chat" / "templates";
  if (!fs::exists(folder)) GTEST_SKIP() << "skipped: no shared data";
  std::map<std::string, bool> keeps;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const auto parsed = ChatTemplate::parse(readFile(entry.path()));
    ASSERT_TRUE(parsed) << entry.path();
    const auto with = renderWithReply(*parsed, assistantMessage("the answer", "secret thoughts"));
    if (!renderWithReply(*parsed, assistantMessage("the answer", ""))) continue;  // needs more than messages
    ASSERT_TRUE(with) << entry.path() << ": " << with.error().message();
    EXPECT_NE(with->find("the answer"), std::string::npos) << entry.path();
    keeps[entry.path().stem().string()] = with->find("secret thoughts") != std::string::npos;
  }
  EXPECT_GT(keeps.size(), 25u);
  for (const char* name : {"openai-gpt-oss-120b", "Qwen-Qwen3-0.6B", "GLM-4.6", "llama-cpp-deepseek-r1"})
    EXPECT_FALSE(keeps.at(name)) << name;
}

TEST(ChatTemplate, ErrorsNameLineAndColumn) {
  const auto syntax = ChatTemplate::parse("line one\n  {{ x y }}");
  ASSERT_FALSE(syntax);
  EXPECT_EQ(syntax.error().kind, ErrorKind::corrupt);
  EXPECT_EQ(syntax.error().where, "line 2, column 8");

  const auto runtime = renderBare("é{{ 'ü' ~ missing.attribute }}", Json::object());
  ASSERT_FALSE(runtime);
  EXPECT_EQ(runtime.error().kind, ErrorKind::corrupt);
  EXPECT_EQ(runtime.error().where, "line 1, column 18");
  EXPECT_NE(runtime.error().what.find("'missing' is undefined"), std::string::npos);

  const auto raised = renderBare("\n\n{{ raise_exception('no such role') }}", Json::object());
  ASSERT_FALSE(raised);
  EXPECT_EQ(raised.error().kind, ErrorKind::invalidArgument);
  EXPECT_EQ(raised.error().what, "no such role");
  EXPECT_EQ(raised.error().where, "line 3, column 19");
}

// Without a limit, each would run forever or use up all memory or stack.
TEST(ChatTemplate, LimitsStopWhatWouldNotEnd) {
  const std::string deep = std::string(5000, '(') + "1" + std::string(5000, ')');
  std::string nestedBlocks;
  for (int i = 0; i < 5000; ++i) nestedBlocks += "{% if true %}";
  std::string sum = "1";
  for (int i = 0; i < 100000; ++i) sum += "+1";
  const std::string templates[] = {
      "{{ " + deep + " }}",
      nestedBlocks,
      "{{ " + sum + " }}",
      "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
      "{% set ns = namespace(s='ab') %}{% for i in range(99) %}{% set ns.s = ns.s * 9 %}{% endfor %}",
      "{% set ns = namespace(l=[1]) %}{% for i in range(99) %}{% set ns.l = ns.l + ns.l %}{% endfor %}",
      "{% for a in range(99999) %}{% for b in range(99999) %}{{ a * b }}{% endfor %}{% endfor %}",
      "{% for a in range(99999) %}{% for b in range(99999) %}{% set c = a %}{% endfor %}{% endfor %}",
      "{% set ns = namespace(l=[]) %}{% for i in range(99999) %}{% set ns.l = [ns.l] %}{% endfor %}{{ ns.l }}",
      "{% set ns = namespace(l=[]) %}{% for i in range(99999) %}{% set ns.l = [ns.l] %}{% endfor %}{{ ns.l|tojson }}",
      "{% set ns = namespace(g=[1]) %}{% for i in range(99999) %}{% set ns.g = ns.g|map('string') %}{% endfor %}{{ ns.g|list }}",
      "{% set ns = namespace() %}{% set ns.a = {'ns': ns} %}{{ ns }}",
      "{{ 'x'.ljust(10 ** 15) }}",
      "{{ '%999999999d' % 1 }}",
      "{{ '{:999999999}'.format(1) }}",
      "{{ range(10 ** 9)|list }}",
      "{% for i in [1] recursive %}{{ loop([1]) }}{% endfor %}",
      "{{ 2 ** 200 }}",
      "{% set a = 'a' * 4000000 %}{% for i in range(99999) %}{% set b = a.count('aaaaaaaaab') %}{% endfor %}",
      "{% block b %}{{ self.b() }}{% endblock %}",
  };
  for (const std::string& source : templates) {
    const auto start = std::chrono::steady_clock::now();
    const auto result = renderBare(source, Json::object());
    const auto took = std::chrono::steady_clock::now() - start;
    EXPECT_FALSE(result) << source.substr(0, 100);
    if (!result) {
      EXPECT_EQ(result.error().kind, ErrorKind::limit) << source.substr(0, 100) << " " << result.error().message();
    }
    EXPECT_LT(took, std::chrono::seconds(10)) << source.substr(0, 100);
  }
}

TEST(ChatTemplate, LimitsAreTheCallers) {
  auto parsed = ChatTemplate::parse("{% for i in range(1000) %}0123456789{% endfor %}");
  ASSERT_TRUE(parsed);
  EXPECT_TRUE(parsed->render(Json::object()));
  RenderLimits small;
  small.outputBytes = 9999;
  const auto cut = parsed->render(Json::object(), small);
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().kind, ErrorKind::limit);
}

// Values in reference cycles are freed (checked by the address sanitizer).
TEST(ChatTemplate, CyclesAreFreed) {
  const auto result = renderBare(
      "{% set ns = namespace() %}{% set ns.me = ns %}{% macro f() %}{{ ns.x }}{% endmacro %}{% set ns.f = f %}"
      "{% for i in range(3) %}{% macro g() %}{{ loop }}{% endmacro %}{% set ns.g = g %}{% set ns.l = loop %}{% endfor %}"
      "{% set ns.c = cycler(ns, f).next %}{% set ns.v = {'ns': ns}.items() %}{% set ns.it = [ns]|map('string') %}ok",
      Json::object());
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(*result, "ok");
}

}  // namespace
}  // namespace minerva::text
