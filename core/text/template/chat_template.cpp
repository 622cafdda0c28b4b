#include "core/text/template/chat_template.h"

#include "core/text/template/interpreter/interpreter.h"
#include "core/text/template/syntax/parser.h"
#include "core/text/template/value/python_text.h"
#include "core/text/template/value/unicode.h"

namespace minerva::text {
namespace {

constexpr std::string_view continueTag = "CONTINUE_FINAL_MESSAGE_TAG ";  // the same tag as in Transformers

Error toError(const jinja::TemplateError& error, jinja::Position position, const char* doing) {
  const jinja::Position at = error.position.line > 0 ? error.position : position;
  Error result;
  result.kind = error.kind;
  result.what = error.kind == ErrorKind::invalidArgument ? error.message : std::string(doing) + ": " + error.message;
  if (at.line > 0) result.where = "line " + std::to_string(at.line) + ", column " + std::to_string(at.column);
  return result;
}

Error outOfMemory() { return {ErrorKind::outOfMemory, "not enough memory to render the chat template", "", "", "", ""}; }
Error badContinue(std::string why) { return {ErrorKind::invalidArgument, "continue_final_message: " + std::move(why), "", "", "", ""}; }

// Appends the tag to the text that is to be continued, and returns the original text.
Result<std::string> markFinalMessage(nlohmann::ordered_json& messages, std::string_view source) {
  if (!messages.is_array() || messages.empty() || !messages.back().is_object()) return fail(badContinue("there is no final message"));
  auto& message = messages.back();
  if (!message.contains("content") || message["content"].is_null())
    return fail(badContinue("the final message has no \"content\" to continue"));
  if (source.find("content") == source.npos) return fail(badContinue("the template does not use \"content\""));
  auto& content = message["content"];
  nlohmann::ordered_json* text = nullptr;
  if (content.is_array()) {
    for (auto block = content.rbegin(); block != content.rend() && !text; ++block)
      if (block->is_object() && block->contains("text")) text = &(*block)["text"];
  } else {
    text = &content;
  }
  if (!text || !text->is_string()) return fail(badContinue("the final message has no text to continue"));
  std::string original = text->get<std::string>();
  *text = original + std::string(continueTag);
  return original;
}

// Cuts the prompt at the tag. If the template trimmed the tag's trailing space, white space before the tag is trimmed as
// well.
Result<std::string> cutAtTag(std::string prompt, const std::string& message) {
  const std::string_view tag = jinja::unicode::trim(continueTag);
  const std::size_t at = prompt.rfind(tag);
  if (at == std::string::npos || prompt.find(jinja::unicode::trim(message)) == std::string::npos)
    return fail(badContinue("the final message does not appear in the prompt that the template generates"));
  const bool kept = std::string_view(prompt).substr(at).starts_with(continueTag);
  prompt.resize(at);
  if (!kept) prompt.resize(jinja::unicode::trimRight(prompt).size());
  return prompt;
}

}  // namespace

nlohmann::ordered_json assistantMessage(std::string_view answer, std::string_view reasoning) {
  nlohmann::ordered_json message = {{"role", "assistant"}, {"content", answer}};
  if (!reasoning.empty()) message["reasoning_content"] = message["thinking"] = reasoning;
  return message;
}

struct ChatTemplate::Program : jinja::Program {};

ChatTemplate::ChatTemplate() = default;
ChatTemplate::ChatTemplate(ChatTemplate&&) noexcept = default;
ChatTemplate& ChatTemplate::operator=(ChatTemplate&&) noexcept = default;
ChatTemplate::~ChatTemplate() = default;

Result<ChatTemplate> ChatTemplate::parse(std::string_view source) {
  try {
    ChatTemplate result;
    result.m_source = source;
    result.m_program = std::make_unique<Program>();
    jinja::internSpecialNames(*result.m_program);
    jinja::parseTemplate(source, *result.m_program);
    return result;
  } catch (const jinja::TemplateError& error) {
    return fail(toError(error, {}, "the chat template cannot be read"));
  } catch (const std::bad_alloc&) {
    return fail(outOfMemory());
  }
}

namespace {

// As a template is read, the newline at its end does not count.
std::string_view withoutLastNewline(std::string_view source) {
  if (source.ends_with('\n')) source.remove_suffix(1);
  if (source.ends_with('\r')) source.remove_suffix(1);
  return source;
}

}  // namespace

// The newline after each tag is skipped, so that both begin as if at the beginning of a text; '+' leaves alone what is before it.
Result<ChatTemplate> ChatTemplate::parse(std::string_view source, std::string_view forTools) {
  MINERVA_TRY(parse(source));
  if (auto own = parse(forTools); !own) {
    own.error().where = "tool_use, " + own.error().where;
    return own;
  }
  std::string both = "{% if tools is defined and tools is not none %}\n";
  both.append(withoutLastNewline(forTools)).append("{%+ else %}\n").append(withoutLastNewline(source)).append("{%+ endif %}");
  auto joined = parse(both);
  if (joined) joined->m_hasOwnForTools = true;
  return joined;
}

namespace {

Result<std::string> renderWith(const jinja::Program& program, const RenderLimits& limits, std::chrono::system_clock::time_point now,
                               std::initializer_list<std::pair<const char*, const nlohmann::ordered_json*>> named,
                               const nlohmann::ordered_json& variables) {
  jinja::Heap heap({std::chrono::steady_clock::now() + limits.time, std::size_t{1} << 40});
  jinja::Position position;
  try {
    jinja::Interpreter interpreter(heap, program, limits, now);
    try {
      for (const auto& [name, json] : named) interpreter.define(name, jinja::fromJson(heap, *json));
      if (variables.is_object())
        for (const auto& [name, json] : variables.items()) interpreter.define(name, jinja::fromJson(heap, json));
      heap.limitTo(heap.live() + limits.memoryBytes);  // the request itself does not count
      return interpreter.run();
    } catch (...) {
      position = interpreter.position();
      throw;
    }
  } catch (const jinja::TemplateError& error) {
    return fail(toError(error, position, "the chat template failed"));
  } catch (const std::bad_alloc&) {
    return fail(outOfMemory());
  } catch (const std::length_error&) {
    return fail(outOfMemory());
  }
}

}  // namespace

Result<std::string> ChatTemplate::render(const RenderRequest& request, const RenderLimits& limits) const {
  const nlohmann::ordered_json generate = request.addGenerationPrompt;
  nlohmann::ordered_json variables = reasoningVariables(request.reasoning, m_reasoning);
  if (request.variables.is_object()) variables.update(request.variables);
  const auto run = [&](const nlohmann::ordered_json& messages) {
    return renderWith(
        *m_program, limits, request.now,
        {{"messages", &messages}, {"tools", &request.tools}, {"documents", &request.documents}, {"add_generation_prompt", &generate}},
        variables);
  };
  if (!request.continueFinalMessage && m_roles.takeAll() && m_tools.takesAll()) return run(request.messages);
  nlohmann::ordered_json messages =
      m_tools.takesAll() ? inRoles(request.messages, m_roles) : inRoles(inStyle(request.messages, request.tools, m_tools), m_roles);
  if (!request.continueFinalMessage) return run(messages);
  MINERVA_ASSIGN(const std::string final, markFinalMessage(messages, m_source));
  MINERVA_ASSIGN(std::string prompt, run(messages));
  return cutAtTag(std::move(prompt), final);
}

Result<std::string> ChatTemplate::render(const nlohmann::ordered_json& variables, const RenderLimits& limits) const {
  return renderWith(*m_program, limits, std::chrono::system_clock::now(), {}, variables);
}

}  // namespace minerva::text
