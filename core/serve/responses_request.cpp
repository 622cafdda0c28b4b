#include "core/serve/responses_request.h"

#include "core/serve/fields.h"
#include "core/serve/responses_items.h"
#include "core/serve/sampling_fields.h"

#include <array>
#include <charconv>
#include <string_view>

namespace minerva::serve {
namespace {

// {"type": "function", "name": ...}
Result<Json> functionOf(const Json& tool, const std::string& path, const ResponsesTools& tools) {
  if (!tool.is_object()) return wrongField(path, "an object with a type", tool.type_name());
  MINERVA_ASSIGN(const std::string type, textMember(tool, "type", path));
  if (type != "function" && type != "custom") return notServed(path + ".type", "function or custom", type);
  MINERVA_ASSIGN(const std::string name, textMember(tool, "name", path));
  MINERVA_ASSIGN(const auto space, stringField(tool, "namespace"));
  return Json{{"type", "function"}, {"function", {{"name", tools.nameFor(space.value_or(""), name)}}}};
}

// The words are the same as in chats; {"type": "allowed_tools", "mode": ..., "tools": [...]} has there an object of its own.
Result<Json> choiceOf(const Json& choice, const ResponsesTools& tools) {
  if (!choice.is_object() || choice.value("type", Json()) != "allowed_tools")
    return choice.is_object() ? functionOf(choice, "tool_choice", tools) : choice;
  Json allowed{{"tools", Json::array()}};
  if (const Json* mode = present(choice, "mode")) allowed["mode"] = *mode;
  const Json* list = present(choice, "tools");
  for (std::size_t i = 0; list != nullptr && list->is_array() && i < list->size(); ++i) {
    MINERVA_ASSIGN(Json function, functionOf((*list)[i], "tool_choice.tools[" + std::to_string(i) + "]", tools));
    allowed["tools"].push_back(std::move(function));
  }
  return Json{{"type", "allowed_tools"}, {"allowed_tools", std::move(allowed)}};
}

Result<Json> formatOf(const Json& text) {
  if (!text.is_object()) return wrongField("text", "an object", text.type_name());
  const Json* format = present(text, "format");
  if (format == nullptr) return Json();
  if (!format->is_object() || !format->contains("type")) return wrongField("text.format", "an object with a type", format->type_name());
  if ((*format)["type"] != "json_schema") return *format;
  Json inner = *format;
  inner.erase("type");
  return Json{{"type", "json_schema"}, {"json_schema", std::move(inner)}};
}

Result<void> refuseWhatIsNotServed(const Json& body) {
  for (const char* field : {"background", "conversation"}) {
    if (refuseField(body, field)) continue;
    return notServed(field, "none, or false: this server keeps none", written(body[field]), "Send the whole conversation as input");
  }
  MINERVA_TRY(refuseField(body, "prompt"));
  // Clients send it to any server; the response says what holds: disabled.
  const Json* truncation = present(body, "truncation");
  if (truncation != nullptr && *truncation != "disabled" && *truncation != "auto")
    return notServed("truncation", "disabled or auto", written(*truncation));
  return {};
}

}  // namespace

Result<ResponsesChat> chatOfResponses(const Json& body, const KeptResponses* kept) {
  MINERVA_TRY(refuseWhatIsNotServed(body));
  ResponsesChat out;
  MINERVA_ASSIGN(const auto keeps, boolField(body, "store"));
  out.keeps = kept != nullptr && keeps.value_or(true);
  Json& chat = out.chat;
  // The latter ones are not OpenAI's, but of servers such as this one.
  for (const char* field :
       {"model", "stream", "temperature", "top_p", "seed", "stop", "ignore_eos", "chat_template_kwargs", "parallel_tool_calls"})
    if (const Json* value = present(body, field)) chat[field] = *value;
  for (const char* field : samplingExtensions)
    if (const Json* value = present(body, field)) chat[field] = *value;
  MINERVA_ASSIGN(const auto length, integerField(body, "max_output_tokens", 1, 0x7fffffff));
  if (length) chat["max_tokens"] = *length;
  if (const Json* tools = present(body, "tools")) {
    MINERVA_ASSIGN(out.tools, ResponsesTools::read(*tools));
  }
  std::size_t before = 0;
  MINERVA_ASSIGN(out.items, wholeConversation(body, kept, before));
  MINERVA_ASSIGN(const auto told, stringField(body, "instructions"));
  const Json instructions = told && !told->empty() ? Json(*told) : Json();
  MINERVA_ASSIGN(chat["messages"], messagesOfItems(out.items, before, instructions, out.tools));
  if (present(body, "tools") != nullptr) chat["tools"] = out.tools.functions();
  if (const Json* choice = present(body, "tool_choice")) {
    MINERVA_ASSIGN(chat["tool_choice"], choiceOf(*choice, out.tools));
  }
  if (const Json* text = present(body, "text")) {
    MINERVA_ASSIGN(chat["response_format"], formatOf(*text));
  }
  if (const Json* reasoning = present(body, "reasoning")) {
    if (!reasoning->is_object()) return wrongField("reasoning", "an object", reasoning->type_name());
    if (const Json* effort = present(*reasoning, "effort")) chat["reasoning_effort"] = *effort;
  }
  MINERVA_ASSIGN(const auto top, integerField(body, "top_logprobs", 0, 20));
  const Json* include = present(body, "include");
  if (include != nullptr && !include->is_array()) return wrongField("include", "an array of strings", include->type_name());
  bool logprobs = top.value_or(0) > 0;
  for (const Json& one : include != nullptr ? *include : Json::array()) {
    logprobs = logprobs || one == "message.output_text.logprobs";
    out.sealsReasoning = out.sealsReasoning || one == "reasoning.encrypted_content";
  }
  if (logprobs) chat.update({{"logprobs", true}, {"top_logprobs", top.value_or(0)}});
  return out;
}

Error inResponsesFields(Error error, const ResponsesTools& tools) {
  static constexpr std::array<SentAs, 4> names{{{"response_format.json_schema", "text.format"},
                                                {"response_format", "text.format"},
                                                {"reasoning_effort", "reasoning.effort"},
                                                {"messages", "input"}}};
  error = asSent(std::move(error), names);
  // tools[0].function.parameters
  const std::string_view begin = "tools[", nested = "].function";
  const std::size_t at = error.where.find(nested);
  std::size_t index = 0;
  if (!error.where.starts_with(begin) || at == std::string::npos) return error;
  const auto [end, wrong] = std::from_chars(error.where.data() + begin.size(), error.where.data() + at, index);
  if (wrong == std::errc{} && index < tools.functions().size()) error.where = tools.pathOf(index) + error.where.substr(at + nested.size());
  return error;
}

}  // namespace minerva::serve
