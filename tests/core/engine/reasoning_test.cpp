// Whether the model reasons, and how much, reaches its chat template: the golden model with templates that take it.
#include "core/engine/engine.h"
#include "core/engine/prompt.h"
#include "core/engine/prompt_parts.h"

#include "core/backend/reference/reference_backend.h"
#include "tests/core/format/temporary_folder.h"
#include "tests/support/oracle.h"

#include <gtest/gtest.h>

#include <optional>

namespace minerva::engine {
namespace {

// The end of a prompt as Qwen 3 has it: no reasoning is an empty one.
constexpr const char* switched =
    "{% for m in messages %}[{{ m.role }}]{{ m.content }}\n{% endfor %}{% if add_generation_prompt %}[assistant]"
    "{% if enable_thinking is defined and enable_thinking is false %}<think>\n\n</think>\n\n{% endif %}{% endif %}";
// As gpt-oss has it: any word goes into the first lines.
constexpr const char* measured =
    "{% if reasoning_effort is not defined %}{% set reasoning_effort = 'medium' %}{% endif %}Reasoning: {{ reasoning_effort }}\n"
    "{% for m in messages %}[{{ m.role }}]{{ m.content }}\n{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}";
constexpr const char* neither =
    "{% for m in messages %}[{{ m.role }}]{{ m.content }}\n{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}";

class Reasoning : public ::testing::Test {
 protected:
  // The golden model with this chat template.
  void load(const char* chatTemplate) {
    const auto golden = tests::oracleCases(std::filesystem::path(MINERVA_TEST_DATA) / "golden").front().model;
    for (const auto& entry : std::filesystem::directory_iterator(golden))
      std::filesystem::copy(entry.path(), m_folder.path() / entry.path().filename());
    std::filesystem::remove(m_folder.path() / "chat_template.jinja");
    m_folder.write("chat_template.jinja", chatTemplate);
    auto loaded = Engine::load(*m_backend, {.path = m_folder.path()}, {}, {});
    ASSERT_TRUE(loaded) << loaded.error().message();
    m_engine = std::move(*loaded);
  }
  [[nodiscard]] static Request asking(const text::ReasoningChoice& reasoning) {
    Request request;
    request.chat.messages.push_back({{"role", "user"}, {"content", "Hi"}});
    request.chat.reasoning = reasoning;
    return request;
  }
  [[nodiscard]] std::string promptOf(const Request& request) const {
    const Result<Preview> preview = m_engine->preview(request);
    return preview ? preview->text : preview.error().message();
  }

  TemporaryFolder m_folder;
  std::unique_ptr<backend::Backend> m_backend = backend::reference::createReferenceBackend();
  std::unique_ptr<Engine> m_engine;
};

TEST_F(Reasoning, IsSwitchedByTheTemplatesVariable) {
  load(switched);
  EXPECT_TRUE(m_engine->info().reasoning.canSwitch);
  EXPECT_TRUE(m_engine->info().reasoning.efforts.empty());
  EXPECT_EQ(promptOf(asking({})), "[user]Hi\n[assistant]");
  EXPECT_EQ(promptOf(asking({true, ""})), "[user]Hi\n[assistant]");
  EXPECT_EQ(promptOf(asking({false, "high"})), "[user]Hi\n[assistant]<think>\n\n</think>\n\n");
  Request own = asking({false, ""});
  own.chat.variables["enable_thinking"] = true;
  EXPECT_EQ(promptOf(own), "[user]Hi\n[assistant]") << "the request's own variables come first";
}

TEST_F(Reasoning, HasTheEffortThatIsAskedFor) {
  load(measured);
  EXPECT_FALSE(m_engine->info().reasoning.canSwitch);
  EXPECT_EQ(m_engine->info().reasoning.defaultEffort, "medium");
  EXPECT_EQ(promptOf(asking({})), "Reasoning: medium\n[user]Hi\n[assistant]");
  EXPECT_EQ(promptOf(asking({false, "high"})), "Reasoning: high\n[user]Hi\n[assistant]");
  EXPECT_EQ(promptOf(asking({std::nullopt, "boundless"})), "Reasoning: medium\n[user]Hi\n[assistant]");
}

TEST_F(Reasoning, IsNotAskedOfATemplateThatDoesNotKnowIt) {
  load(neither);
  EXPECT_EQ(m_engine->info().reasoning, text::ReasoningControls());
  EXPECT_EQ(promptOf(asking({false, "high"})), "[user]Hi\n[assistant]");
}

// The reply's own count of its prompt, and the parts that are shown, are those of the same prompt.
TEST_F(Reasoning, EveryUseOfARequestHasTheSamePrompt) {
  load(switched);
  for (const bool on : {true, false}) {
    Request request = asking({on, ""});
    request.maxTokens = 1;
    const Result<Preview> preview = m_engine->preview(request);
    ASSERT_TRUE(preview);
    const Result<Prompt> prompt = m_engine->promptMaker().make(request);
    ASSERT_TRUE(prompt);
    int tokens = 0;
    const auto parts = promptParts(request, *prompt, *m_engine->tokenizer(), *m_engine->chatTemplate());
    for (const PromptPart& part : parts) tokens += part.tokens;
    EXPECT_EQ(tokens, static_cast<int>(preview->tokens.size()));
    EXPECT_EQ(parts.size(), 3U) << "before, the message, after";
    std::optional<Finished> finished;
    m_engine->setSink([&](const Event& event) {
      if (const auto* ended = std::get_if<Finished>(&event.body)) finished = *ended;
    });
    m_engine->submit(request);
    while (m_engine->step()) {
    }
    ASSERT_TRUE(finished);
    EXPECT_EQ(finished->timings.promptTokens, static_cast<int>(preview->tokens.size()));
  }
}

TEST_F(Reasoning, AReplyThatThoughtGoesOnAfterItsThoughts) {
  load(switched);
  Request request = asking({false, ""});
  request.chat.continueFinalMessage = true;
  request.chat.messages.push_back({{"role", "assistant"}, {"content", "Hello"}, {"reasoning_content", "A greeting."}});
  EXPECT_EQ(promptOf(request), "[user]Hi\n[assistant]<think>\nA greeting.\n</think>\n\nHello");
  request.chat.messages.back() = {{"role", "assistant"}, {"content", "Hello"}, {"reasoning_content", ""}};
  EXPECT_EQ(promptOf(request), "[user]Hi\n[assistant]<think>\n\n</think>\n\nHello");
  const nlohmann::ordered_json plain = request.chat.messages.back();
  for (const char* member : {"reasoning_content", "reasoning_open"}) {
    for (const char* value : {"null", "1", "{}", "[]", R"(["A greeting."])"}) {
      request.chat.messages.back() = plain;
      request.chat.messages.back()[member] = nlohmann::ordered_json::parse(value);
      EXPECT_EQ(promptOf(request), "[user]Hi\n[assistant]<think>\n\n</think>\n\nHello") << member << " " << value << " counts as none";
    }
  }
}

}  // namespace
}  // namespace minerva::engine
