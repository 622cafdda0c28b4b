// Chooses a model's template: its own, or else the built-in one that fits its vocabulary.
#include "core/format/model_file.h"
#include "core/text/template/chat_template.h"
#include "core/text/tokenizer.h"

namespace minerva::text {
namespace {

struct Fallback {
  const char* name;
  const char* token;  // must be in the vocabulary; null: fits any
  const char* source;
};

// The first that fits is used. None writes BOS: the tokenizer adds it, if the model wants it.
constexpr Fallback fallbacks[] = {
    // Qwen 1's code says who it is where the user does not; its names of the other tokens tell it from later models.
    {"qwen", "<|extra_204|>",
     "{% if messages[0].role != 'system' %}{{ '<|im_start|>system\\nYou are a helpful assistant.<|im_end|>\\n' }}{% endif %}"
     "{% for message in messages %}{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}{% endfor %}"
     "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"},
    {"chatml", "<|im_start|>",
     "{% for message in messages %}{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}{% endfor %}"
     "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"},
    {"llama3", "<|start_header_id|>",
     "{% for message in messages %}{{ '<|start_header_id|>' + message.role + '<|end_header_id|>\\n\\n' + "
     "message.content | trim + '<|eot_id|>' }}{% endfor %}"
     "{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{% endif %}"},
    {"harmony", "<|channel|>",
     "{{ '<|start|>system<|message|>You are ChatGPT, a large language model trained by OpenAI.\\nKnowledge cutoff: 2024-06\\n"
     "Current date: ' + strftime_now('%Y-%m-%d') + '\\n\\nReasoning: ' + (reasoning_effort | default('medium')) + '\\n\\n"
     "# Valid channels: analysis, commentary, final. Channel must be included for every message.<|end|>' }}"
     "{% for message in messages %}{% if message.role == 'assistant' %}"
     "{{ '<|start|>assistant<|channel|>final<|message|>' + message.content + '<|end|>' }}"
     "{% elif message.role in ['system', 'developer'] %}"
     "{{ '<|start|>developer<|message|># Instructions\\n\\n' + message.content + '\\n\\n<|end|>' }}"
     "{% else %}{{ '<|start|>user<|message|>' + message.content + '<|end|>' }}{% endif %}{% endfor %}"
     "{% if add_generation_prompt %}{{ '<|start|>assistant' }}{% endif %}"},
    {"gemma", "<start_of_turn>",
     "{% for message in messages %}{{ '<start_of_turn>' + ('model' if message.role == 'assistant' else 'user') + '\\n' + "
     "message.content | trim + '<end_of_turn>\\n' }}{% endfor %}"
     "{% if add_generation_prompt %}{{ '<start_of_turn>model\\n' }}{% endif %}"},
    {"mistral", "[SYSTEM_PROMPT]",
     "{% for message in messages %}{% if message.role == 'assistant' %}{{ message.content + eos_token }}"
     "{% elif message.role == 'system' %}{{ '[SYSTEM_PROMPT]' + message.content + '[/SYSTEM_PROMPT]' }}"
     "{% else %}{{ '[INST]' + message.content + '[/INST]' }}{% endif %}{% endfor %}"},
    {"llama2", "[INST]",
     "{% for message in messages %}{% if message.role == 'assistant' %}{{ ' ' + message.content + eos_token }}"
     "{% else %}{{ '[INST] ' + message.content + ' [/INST]' }}{% endif %}{% endfor %}"},
    // ChatGLM3's code encodes what a role and its message are apart, and so begins both with a space.
    {"chatglm3", "<|observation|>",
     "{% for message in messages %}{{ '<|' + message.role + '|>\\n ' + message.content }}{% endfor %}"
     "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"},
    {"chatglm2", "[sMASK]",
     "{% set round = namespace(number=0) %}{% for message in messages %}{% if message.role != 'user' %}{{ message.content + '\\n\\n' }}"
     "{% else %}{% set round.number = round.number + 1 %}{{ '[Round ' + round.number|string + ']\\n\\n问：' + message.content + '\\n\\n答：' }}"
     "{% endif %}{% endfor %}"},
    {"plain", nullptr,
     "{% for message in messages %}{{ message.role | capitalize + ': ' + message.content + '\\n\\n' }}{% endfor %}"
     "{% if add_generation_prompt %}{{ 'Assistant:' }}{% endif %}"},
};

}  // namespace

Result<TemplateSources> templateSourcesOf(const format::ModelFile& file) {
  TemplateSources sources{file.huggingFace().chatTemplate, file.huggingFace().toolTemplate};
  if (!sources.source.empty()) return sources;
  MINERVA_ASSIGN(const auto stored, file.metadata().string("tokenizer.chat_template"));
  MINERVA_ASSIGN(const auto forTools, file.metadata().string("tokenizer.chat_template.tool_use"));
  return TemplateSources{std::string(stored.value_or("")), std::string(forTools.value_or(""))};
}

Result<ChatTemplate> chatTemplateFor(const format::ModelFile& file, const Tokenizer& tokenizer) {
  MINERVA_ASSIGN(const TemplateSources stored, templateSourcesOf(file));
  if (!stored.source.empty()) {
    auto own = stored.forTools.empty() ? ChatTemplate::parse(stored.source) : ChatTemplate::parse(stored.source, stored.forTools);
    if (!own) {
      own.error().where = file.path().string() + (own.error().where.empty() ? "" : ", chat template, " + own.error().where);
    } else {
      own->m_reasoning = reasoningControlsOf(stored.source);
      own->m_roles = messageRolesOf(*own);
      own->m_tools = toolStyleOf(*own);
    }
    return own;
  }
  for (const Fallback& fallback : fallbacks) {
    if (fallback.token && !tokenizer.find(fallback.token)) continue;
    MINERVA_ASSIGN(ChatTemplate built, ChatTemplate::parse(fallback.source));
    built.m_fallbackName = fallback.name;
    built.m_reasoning = reasoningControlsOf(fallback.source);
    if (built.m_fallbackName != "harmony") built.m_tools = toolStyleOf(built);  // whose calls have channels, not this form
    return built;
  }
  return fail({ErrorKind::internal, "no built-in chat template fits", file.path().string(), "", "", ""});
}

}  // namespace minerva::text
