#include "core/serve/chat_request.h"

#include "core/serve/chat_messages.h"
#include "core/serve/effort_field.h"
#include "core/serve/fields.h"
#include "core/serve/forced_call.h"
#include "core/serve/tool_schemas.h"

namespace minerva::serve {
namespace {

Result<void> readEffort(const Json& body, const text::ReasoningControls& controls, text::ReasoningChoice& choice) {
  MINERVA_ASSIGN(const auto effort, stringField(body, "reasoning_effort"));
  if (!effort) return {};
  if (chooseEffort(*effort, controls, choice)) return {};
  return wrongField("reasoning_effort", "none, minimal, low, medium, high, or an effort of the model", effort->substr(0, 60));
}

Result<void> readTemplateVariables(const Json& body, const text::ReasoningControls& controls, text::RenderRequest& chat) {
  const Json* variables = present(body, "chat_template_kwargs");
  if (variables == nullptr) return {};
  if (!variables->is_object()) return wrongField("chat_template_kwargs", "an object", variables->type_name());
  for (const auto& [name, value] : variables->items()) {
    // The switch has this name in requests, whatever the template calls it.
    if (name == "enable_thinking" && controls.canSwitch) {
      if (!value.is_boolean()) return wrongField("chat_template_kwargs.enable_thinking", "true or false", value.type_name());
      chat.reasoning.on = value.get<bool>();
    } else if (name != "messages" && name != "tools" && name != "add_generation_prompt") {
      chat.variables[name] = value;
    }
  }
  return {};
}

}  // namespace

Result<void> readChat(const Json& body, Context& context, Completion& completion, engine::Request& request) {
  MINERVA_TRY(readCompletion(body, context, completion, request));
  for (const char* field : {"functions", "audio", "web_search_options"}) MINERVA_TRY(refuseField(body, field));
  const Json* called = present(body, "function_call");
  if (called != nullptr && *called != "none" && *called != "auto") MINERVA_TRY(refuseField(body, "function_call"));
  MINERVA_ASSIGN(request.chat.messages, readMessages(body, context.engine->messageStyle()));
  MINERVA_ASSIGN(const Json tools, readTools(body));
  MINERVA_TRY(checkToolSchemas(tools, context.grammars));
  MINERVA_ASSIGN(const ToolChoice choice, readToolChoice(body));
  MINERVA_ASSIGN(const auto parallel, boolField(body, "parallel_tool_calls"));
  MINERVA_TRY(forceCall(choice, tools, parallel.value_or(true), context, request));
  MINERVA_TRY(guideCalls(choice, tools, parallel.value_or(true), context, request));
  request.chat.tools = toolsToShow(tools, choice);
  completion.callsAsText = request.chat.tools.is_null();
  request.callPieces = !completion.callsAsText;  // also of replies that come as a whole: so both have the same calls
  completion.oneCall = !parallel.value_or(true);
  const text::ReasoningControls& controls = context.engine->info().reasoning;
  MINERVA_TRY(readEffort(body, controls, request.chat.reasoning));
  MINERVA_TRY(readTemplateVariables(body, controls, request.chat));
  MINERVA_ASSIGN(request.chat.continueFinalMessage, continuesFinalMessage(body, request.chat.messages));
  return {};
}

}  // namespace minerva::serve
