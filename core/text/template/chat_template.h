// The model's own chat template (a Jinja subset), rendered like Hugging Face Transformers does.
//
// Environment: trim_blocks, lstrip_blocks, loop controls, generation blocks, tojson without HTML escapes, raise_exception,
// strftime_now. Rendering has limits on time, output size, memory and nesting; every error carries line and column.
// Immutable after parse(), thread-safe.
#pragma once

#include "core/base/error.h"
#include "core/format/model_file.h"
#include "core/text/reasoning_choice.h"
#include "core/text/template/message_roles.h"
#include "core/text/template/tool_style.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace minerva::text {

struct RenderLimits {
  std::chrono::milliseconds time{2000};
  std::size_t outputBytes = 16u << 20;
  std::size_t memoryBytes = 64u << 20;  // of the values created while rendering
  int depth = 64;                       // nesting of macro calls, recursive loops and blocks
};

// Variables of a template. messages, tools and documents as in Transformers' apply_chat_template (null is passed as none).
struct RenderRequest {
  nlohmann::ordered_json messages = nlohmann::ordered_json::array();
  nlohmann::ordered_json tools;                                         // null: none
  nlohmann::ordered_json documents;                                     // null: none
  nlohmann::ordered_json variables = nlohmann::ordered_json::object();  // bos_token, eos_token, ...
  ReasoningChoice reasoning;  // becomes further variables, if the template has controls for it; `variables` come first
  bool addGenerationPrompt = true;
  bool continueFinalMessage = false;
  std::chrono::system_clock::time_point now = std::chrono::system_clock::now();  // for strftime_now (local time)
};

// Converts a finished reply to a message of the next request. Reasoning is stored under the names that templates use
// ("reasoning_content", "thinking"); the template decides whether reasoning of earlier turns is rendered. These fields are
// omitted if reasoning is empty.
[[nodiscard]] nlohmann::ordered_json assistantMessage(std::string_view answer, std::string_view reasoning);

class ChatTemplate {
 public:
  // Errors: corrupt with "line L, column C", outOfMemory.
  [[nodiscard]] static Result<ChatTemplate> parse(std::string_view source);
  // Requests with tools are rendered by a template of their own.
  [[nodiscard]] static Result<ChatTemplate> parse(std::string_view source, std::string_view forTools);

  ChatTemplate(ChatTemplate&&) noexcept;
  ChatTemplate& operator=(ChatTemplate&&) noexcept;
  ~ChatTemplate();

  // Messages whose roles the template would refuse, or lose, are rewritten, as far as chatTemplateFor() found which (message_roles.h);
  // after parse() alone they are rendered as they are. So are tools and calls that the template does not show (tool_style.h). Errors:
  // invalidArgument (raise_exception, where `what` is the template's message, or the final message cannot be continued), corrupt (with line
  // and column), limit, outOfMemory.
  [[nodiscard]] Result<std::string> render(const RenderRequest& request, const RenderLimits& limits = {}) const;
  // Renders with top-level variables only (used by the Jinja test cases).
  [[nodiscard]] Result<std::string> render(const nlohmann::ordered_json& variables, const RenderLimits& limits = {}) const;

  // Empty for the model's own template; otherwise the name of the built-in fallback, such as "chatml" or "plain".
  [[nodiscard]] const std::string& fallbackName() const { return m_fallbackName; }
  // Of two templates, a text that has both.
  [[nodiscard]] const std::string& source() const { return m_source; }
  [[nodiscard]] bool hasOwnForTools() const { return m_hasOwnForTools; }
  // What requests may ask of it: found by chatTemplateFor(), none after parse() alone.
  [[nodiscard]] const ReasoningControls& reasoning() const { return m_reasoning; }
  // Of its own, rather than as text of the system message.
  [[nodiscard]] bool showsTools() const { return m_tools.tools != ToolStyle::Tools::systemText; }

 private:
  friend Result<ChatTemplate> chatTemplateFor(const format::ModelFile&, const class Tokenizer&);
  struct Program;
  ChatTemplate();
  std::string m_source;
  std::string m_fallbackName;
  bool m_hasOwnForTools = false;
  ReasoningControls m_reasoning;
  MessageRoles m_roles;
  ToolStyle m_tools;
  std::unique_ptr<Program> m_program;
};

// The templates that a model's files hold; empty if they hold none.
struct TemplateSources {
  std::string source, forTools;
};
// Errors: corrupt (a key of another type).
[[nodiscard]] Result<TemplateSources> templateSourcesOf(const format::ModelFile& file);

// The template of a model, from chat_template.jinja, tokenizer_config.json or tokenizer.chat_template of GGUF. A model
// without one gets the first built-in fallback that fits its vocabulary (chatml if it has <|im_start|>, ..., else plain); a
// template that cannot be parsed is an error.
[[nodiscard]] Result<ChatTemplate> chatTemplateFor(const format::ModelFile& file, const class Tokenizer& tokenizer);

}  // namespace minerva::text
