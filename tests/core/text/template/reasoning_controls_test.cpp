// The reasoning controls of published templates, as their texts and their makers' documentation have them.
#include "core/text/reasoning_controls.h"
#include "tests/support/reference_data.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace minerva::text {
namespace {

using Efforts = std::vector<std::string>;

struct Published {
  const char* name;
  const char* switchVariable;  // "" if the template has no switch
  bool onByDefault;
  Efforts efforts;
  const char* defaultEffort = "";
};

TEST(ReasoningControls, publishedTemplates) {
  const Published templates[] = {
      {"Qwen-Qwen3-0.6B", "enable_thinking", true, {}},
      {"Qwen3.5-4B", "enable_thinking", true, {}},
      {"GLM-4.6", "enable_thinking", true, {}},
      {"GLM-4.7-Flash", "enable_thinking", true, {}},
      {"NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "enable_thinking", true, {}},
      {"MiroThinker", "enable_thinking", true, {}},
      {"google-gemma-4-31B-it", "enable_thinking", false, {}},
      {"Bielik-11B-v3.0-Instruct", "enable_thinking", false, {}},
      {"Reka-Edge", "enable_thinking", false, {}},
      {"deepseek-ai-DeepSeek-R1-Distill-Qwen-32B", "enable_thinking", false, {}},
      {"CohereForAI-c4ai-command-r7b-12-2024-tool_use", "enable_thinking", false, {}},
      {"deepseek-ai-DeepSeek-V3.2", "enable_thinking", false, {}},
      {"deepseek-ai-DeepSeek-V4", "enable_thinking", false, {"high", "max"}},
      {"Cohere2MoE", "reasoning", true, {}},
      {"openai-gpt-oss-120b", "", true, {"low", "medium", "high"}, "medium"},
      {"Qwen-Qwen2.5-7B-Instruct", "", true, {}},
      {"Qwen3-Coder", "", true, {}},
      {"LFM2.5-Instruct", "", true, {}},
      {"Kimi-K2-Thinking", "", true, {}},
      {"mistralai-Ministral-3-14B-Reasoning-2512", "", true, {}},
      {"meta-llama-Llama-3.2-3B-Instruct", "", true, {}},
  };
  int found = 0;
  for (const Published& p : templates) {
    const auto path = tests::referenceData(std::string("tokens/chat/templates/") + p.name + ".jinja");
    if (!std::filesystem::exists(path)) continue;
    ++found;
    std::ifstream file(path, std::ios::binary);
    const std::string source{std::istreambuf_iterator<char>(file), {}};
    const ReasoningControls got = reasoningControlsOf(source);
    EXPECT_EQ(got.canSwitch, *p.switchVariable != '\0') << p.name;
    EXPECT_EQ(got.switchVariable, p.switchVariable) << p.name;
    EXPECT_EQ(got.onByDefault, p.onByDefault) << p.name;
    EXPECT_EQ(got.efforts, p.efforts) << p.name;
    EXPECT_EQ(got.effortVariable, p.efforts.empty() ? "" : "reasoning_effort") << p.name;
    EXPECT_EQ(got.defaultEffort, p.defaultEffort) << p.name;
  }
  if (found == 0) GTEST_SKIP() << "the published templates are not here (../shared/tokens/chat/templates)";
}

// The forms of templates that are not among the reference data.
TEST(ReasoningControls, otherForms) {
  const ReasoningControls granite =
      reasoningControlsOf("{%- if thinking %}{{ 'Think first. ' }}{%- endif %}{% for m in messages %}{{ m.content }}{% endfor %}");
  EXPECT_EQ(granite.switchVariable, "thinking");
  EXPECT_FALSE(granite.onByDefault);

  // Mistral Small 4's: other values are refused.
  const ReasoningControls refuses = reasoningControlsOf(
      "{%- set reasoning_effort = reasoning_effort if reasoning_effort is defined else 'none' %}"
      "{%- if reasoning_effort not in ['none', 'high'] %}{{ raise_exception('unknown') }}{%- endif %}"
      "{{ '[MODEL_SETTINGS]' + reasoning_effort + messages[0].content }}");
  EXPECT_FALSE(refuses.canSwitch);
  EXPECT_EQ(refuses.efforts, (Efforts{"none", "high"}));
  EXPECT_EQ(refuses.effortVariable, "reasoning_effort");
  EXPECT_EQ(refuses.defaultEffort, "none");

  // Hunyuan 3's: the word for no thoughts has an underscore.
  const ReasoningControls hunyuan = reasoningControlsOf(
      "{%- set HYTK = ':opensource' %}{%- set open = '<think{}>'.format(HYTK) %}{%- set close = '</think' ~ HYTK ~ '>' %}"
      "{%- if not reasoning_effort is defined %}{%- set reasoning_effort = 'no_think' %}"
      "{%- elif reasoning_effort not in ['high', 'low', 'no_think'] %}{{- raise_exception('unknown: ' + reasoning_effort) }}{%- endif %}"
      "{{- messages[0]['content'] + open }}{%- if reasoning_effort not in ['low', 'high'] %}{{- close }}{%- endif %}");
  EXPECT_FALSE(hunyuan.canSwitch);
  EXPECT_EQ(hunyuan.efforts, (Efforts{"no_think", "low", "high"}));
  EXPECT_EQ(hunyuan.effortVariable, "reasoning_effort");
  EXPECT_EQ(hunyuan.defaultEffort, "no_think");

  // Kimi K3's: levels only while it reasons, under another name.
  const ReasoningControls kimi = reasoningControlsOf(
      "{%- if thinking is undefined %}{%- set thinking = true %}{%- endif %}"
      "{%- if thinking_effort is undefined %}{%- set thinking_effort = 'max' %}{%- endif %}"
      "{%- if thinking and thinking_effort not in ['max', 'high', 'low'] %}{{ raise_exception('unknown') }}{%- endif %}"
      "{%- if thinking %}{{ 'thinking_effort=' + thinking_effort }}{%- endif %}{{ messages[0].content }}");
  EXPECT_EQ(kimi.switchVariable, "thinking");
  EXPECT_TRUE(kimi.onByDefault);
  EXPECT_EQ(kimi.efforts, (Efforts{"low", "high", "max"}));
  EXPECT_EQ(kimi.effortVariable, "thinking_effort");
  EXPECT_EQ(kimi.defaultEffort, "max");

  // Muse Glimmer's, which writes any value into the prompt.
  const ReasoningControls muse = reasoningControlsOf(
      "{%- macro render_reasoning() -%}{%- set rs = reasoning_strength if reasoning_strength is defined and reasoning_strength else 'high' -%}"
      "{{- 'Reasoning strength: ' + rs + '.' -}}{%- endmacro -%}{{ render_reasoning() }}{{ messages[0].content }}");
  EXPECT_FALSE(muse.canSwitch);
  EXPECT_EQ(muse.efforts, (Efforts{"low", "medium", "high", "xhigh"}));
  EXPECT_EQ(muse.effortVariable, "reasoning_strength");
  EXPECT_EQ(muse.defaultEffort, "high");

  const ReasoningControls own =
      reasoningControlsOf("{%- if reasoning_effort == 'turbo' %}{{ 'Fast!' }}{%- endif %}{{ messages[0]['content'] }}");
  EXPECT_EQ(own.efforts, Efforts{"turbo"});
  EXPECT_EQ(own.defaultEffort, "");
}

TEST(ReasoningControls, noneWhereTheNamesHaveNoEffect) {
  for (const char* source :
       {"", "{{ messages[0].content }}{# enable_thinking, reasoning_effort #}", "{{ messages[0].thinking }}",
        "{% if enable_thinking %}{{ raise_exception('no') }}{% endif %}{{ reasoning_effort }", "{{ enable_thinking.a.b }}"}) {
    const ReasoningControls got = reasoningControlsOf(source);
    EXPECT_FALSE(got.canSwitch) << source;
    EXPECT_TRUE(got.onByDefault) << source;
    EXPECT_TRUE(got.switchVariable.empty()) << source;
    EXPECT_TRUE(got.efforts.empty()) << source;
    EXPECT_TRUE(got.effortVariable.empty()) << source;
  }
}

// A template is a file from anywhere: after one that takes too much it is not rendered again, and there is one time for all.
TEST(ReasoningControls, noneOfATemplateThatTakesTooMuch) {
  const std::string controls = "{% if enable_thinking %}{{ 'Think' }}{% endif %}{% if reasoning_effort == 'high' %}{{ 'hard' }}{% endif %}";
  EXPECT_TRUE(reasoningControlsOf(controls).canSwitch);
  EXPECT_FALSE(reasoningControlsOf("{% if enable_thinking is undefined %}{{ 'x' * 100000000 }}{% endif %}" + controls).canSwitch);
  EXPECT_EQ(reasoningControlsOf("{% if reasoning_effort == 'max' %}{{ 'x' * 100000000 }}{% endif %}" + controls), ReasoningControls());
  EXPECT_EQ(reasoningControlsOf(controls, std::chrono::milliseconds(0)), ReasoningControls());
}

}  // namespace
}  // namespace minerva::text
