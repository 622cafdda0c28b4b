// The model's own chat template (a Jinja subset), rendered as Hugging Face Transformers does it.
//
// Environment: trim_blocks, lstrip_blocks, loop controls, generation blocks, tojson without HTML escapes,
// raise_exception, strftime_now. Rendering has limits on time, output size, steps and nesting; every error carries line and
// column. Immutable after parse(), thread-safe.
#pragma once

#include "core/base/error.h"
#include "core/format/model_file.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace minerva::text {

struct RenderLimits {
  std::chrono::milliseconds time{2000};
  std::size_t outputBytes = 16u << 20;
  std::size_t memoryBytes = 64u << 20;  // values made while rendering
  int depth = 64;                       // nesting of calls, expressions and includes
};

// What a template sees. messages / tools / documents as in Transformers' apply_chat_template (absent tools are none).
struct RenderRequest {
  nlohmann::ordered_json messages = nlohmann::ordered_json::array();
  nlohmann::ordered_json tools;                                         // null: none
  nlohmann::ordered_json documents;                                     // null: none
  nlohmann::ordered_json variables = nlohmann::ordered_json::object();  // bos_token, eos_token, enable_thinking, ...
  bool addGenerationPrompt = true;
  bool continueFinalMessage = false;
  std::chrono::system_clock::time_point now = std::chrono::system_clock::now();  // for strftime_now (local time)
};

// A finished reply as a message of the next request. Reasoning goes under the names templates look for ("reasoning_content",
// "thinking"); whether an earlier turn's is rendered or dropped is the template's own decision. Empty reasoning: no such fields.
[[nodiscard]] nlohmann::ordered_json assistantMessage(std::string_view answer, std::string_view reasoning);

class ChatTemplate {
 public:
  // Errors: corrupt with "line L, column C".
  [[nodiscard]] static Result<ChatTemplate> parse(std::string_view source);

  ChatTemplate(ChatTemplate&&) noexcept;
  ChatTemplate& operator=(ChatTemplate&&) noexcept;
  ~ChatTemplate();

  // Errors: invalidArgument (raise_exception: `what` is the template's own message), corrupt (line, column), limit.
  [[nodiscard]] Result<std::string> render(const RenderRequest& request, const RenderLimits& limits = {}) const;
  // A bare template with top-level variables only (what the Jinja unit cases use).
  [[nodiscard]] Result<std::string> render(const nlohmann::ordered_json& variables, const RenderLimits& limits = {}) const;

  // Empty for the model's own template; else the name of the built-in one that stands in ("chatml", "plain").
  [[nodiscard]] const std::string& fallbackName() const { return m_fallbackName; }
  [[nodiscard]] const std::string& source() const { return m_source; }

 private:
  friend Result<ChatTemplate> chatTemplateFor(const format::ModelFile&, const class Tokenizer&);
  struct Program;
  ChatTemplate();
  std::string m_source;
  std::string m_fallbackName;
  std::unique_ptr<Program> m_program;
};

// The template of a model: GGUF tokenizer.chat_template, tokenizer_config.json or chat_template.jinja. A file without one
// gets the named fallback that fits its vocabulary (chatml when it has <|im_start|>, else plain); a broken one is an error.
[[nodiscard]] Result<ChatTemplate> chatTemplateFor(const format::ModelFile& file, const class Tokenizer& tokenizer);

}  // namespace minerva::text
