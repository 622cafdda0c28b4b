#include "core/serve/responses_request.h"

#include "core/serve/fields.h"

#include <array>
#include <map>
#include <string_view>

namespace minerva::serve {
namespace {

// Text, or parts that are text.
Result<std::string> contentOfItem(const Json& value, const std::string& path) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return wrongField(path, "text or an array of parts", value.type_name());
  std::string joined;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::string at = path + "[" + std::to_string(i) + "]";
    if (!value[i].is_object()) return wrongField(at, "a part with a type", value[i].type_name());
    MINERVA_ASSIGN(const std::string type, textMember(value[i], "type", at));
    if (type != "input_text" && type != "output_text" && type != "text" && type != "refusal")
      return notServed(at + ".type", "input_text or output_text: this server takes text only", type);
    MINERVA_ASSIGN(const std::string text, textMember(value[i], type == "refusal" ? "refusal" : "text", at));
    if (i > 0) joined += '\n';
    joined += text;
  }
  return joined;
}

// Turns the items of a conversation into messages.
class Items {
 public:
  explicit Items(const Json& instructions) {
    if (!instructions.is_null()) m_messages.push_back({{"role", "system"}, {"content", instructions}});
  }

  Result<void> add(const Json& item, const std::string& path) {
    if (!item.is_object()) return wrongField(path, "an item", item.type_name());
    std::string type = "message";
    if (item.contains("type") || !item.contains("role")) {
      MINERVA_ASSIGN(type, textMember(item, "type", path));
    }
    if (type == "message") return addMessage(item, path);
    if (type == "function_call") return addCall(item, path);
    if (type == "function_call_output") return addOutput(item, path);
    if (type == "reasoning") return addReasoning(item, path);
    if (type == "item_reference") return notServed(path + ".type", "the item itself: this server keeps none", type);
    return notServed(path + ".type", "message, function_call, function_call_output or reasoning", type);
  }
  [[nodiscard]] Json take() { return std::move(m_messages); }

 private:
  Result<void> addMessage(const Json& item, const std::string& path) {
    MINERVA_ASSIGN(const std::string role, textMember(item, "role", path));
    if (role != "user" && role != "assistant" && role != "system" && role != "developer")
      return wrongField(path + ".role", "user, assistant, system or developer", role.substr(0, 60));
    const Json* content = present(item, "content");
    if (content == nullptr) return wrongField(path + ".content", "text or an array of parts", "none");
    MINERVA_ASSIGN(std::string text, contentOfItem(*content, path + ".content"));
    Json message{{"role", role == "developer" ? "system" : role}, {"content", std::move(text)}};
    if (role == "assistant") addHeldReasoning(message);
    m_messages.push_back(std::move(message));
    return {};
  }
  // Calls that follow one another, or a message of the assistant, are of one turn.
  Result<void> addCall(const Json& item, const std::string& path) {
    MINERVA_ASSIGN(const std::string id, textMember(item, "call_id", path));
    MINERVA_ASSIGN(const std::string name, textMember(item, "name", path));
    MINERVA_ASSIGN(const std::string arguments, textMember(item, "arguments", path));
    m_names[id] = name;
    if (m_messages.empty() || m_messages.back()["role"] != "assistant" || !m_reasoning.empty()) {
      Json message{{"role", "assistant"}, {"content", ""}};
      addHeldReasoning(message);
      m_messages.push_back(std::move(message));
    }
    m_messages.back()["tool_calls"].push_back({{"id", id}, {"type", "function"}, {"function", {{"name", name}, {"arguments", arguments}}}});
    return {};
  }
  Result<void> addOutput(const Json& item, const std::string& path) {
    MINERVA_ASSIGN(const std::string id, textMember(item, "call_id", path));
    const Json* output = present(item, "output");
    if (output == nullptr) return wrongField(path + ".output", "text or an array of parts", "none");
    MINERVA_ASSIGN(std::string text, contentOfItem(*output, path + ".output"));
    const auto name = m_names.find(id);
    if (name == m_names.end()) return wrongField(path + ".call_id", "the call_id of a function_call before it", id.substr(0, 60));
    m_messages.push_back({{"role", "tool"}, {"tool_call_id", id}, {"name", name->second}, {"content", std::move(text)}});
    return {};
  }
  Result<void> addReasoning(const Json& item, const std::string& path) {
    const Json* content = present(item, "content");
    if (content == nullptr) return {};  // only its summary, which no model wrote
    if (!content->is_array()) return wrongField(path + ".content", "an array of parts", content->type_name());
    for (std::size_t i = 0; i < content->size(); ++i) {
      const std::string at = path + ".content[" + std::to_string(i) + "]";
      if (!(*content)[i].is_object()) return wrongField(at, "a part with a text", (*content)[i].type_name());
      MINERVA_ASSIGN(const std::string text, textMember((*content)[i], "text", at));
      m_reasoning += text;
    }
    return {};
  }
  void addHeldReasoning(Json& message) {
    if (!m_reasoning.empty()) message["reasoning_content"] = std::exchange(m_reasoning, {});
  }

  Json m_messages = Json::array();
  std::string m_reasoning;                     // of the next turn of the assistant
  std::map<std::string, std::string> m_names;  // of functions, by call
};

Result<Json> messagesOf(const Json& body) {
  MINERVA_ASSIGN(const auto instructions, stringField(body, "instructions"));
  const Json* input = present(body, "input");
  if (input == nullptr || (!input->is_string() && !input->is_array()) || (input->is_array() && input->empty()))
    return wrongField("input", "text or an array of items, not empty", input == nullptr ? "none" : input->type_name());
  Items items(instructions && !instructions->empty() ? Json(*instructions) : Json());
  if (input->is_string()) {
    MINERVA_TRY(items.add({{"role", "user"}, {"content", *input}}, "input"));
  } else {
    for (std::size_t i = 0; i < input->size(); ++i) MINERVA_TRY(items.add((*input)[i], "input[" + std::to_string(i) + "]"));
  }
  return items.take();
}

Result<Json> toolsOf(const Json& tools) {
  if (!tools.is_array()) return wrongField("tools", "an array of tools", tools.type_name());
  Json out = Json::array();
  for (std::size_t i = 0; i < tools.size(); ++i) {
    const std::string path = "tools[" + std::to_string(i) + "]";
    if (!tools[i].is_object()) return wrongField(path, "a tool", tools[i].type_name());
    MINERVA_ASSIGN(const std::string type, textMember(tools[i], "type", path));
    if (type != "function") continue;  // web_search, custom and others, which clients offer to any model
    MINERVA_TRY(textMember(tools[i], "name", path));
    Json function = Json::object();
    for (const char* field : {"name", "description", "parameters", "strict"})
      if (const Json* value = present(tools[i], field)) function[field] = *value;
    out.push_back({{"type", "function"}, {"function", std::move(function)}});
  }
  return out;
}

// {"type": "function", "name": ...}; the words are the same as in chats.
Result<Json> choiceOf(const Json& choice) {
  if (!choice.is_object()) return choice;
  MINERVA_ASSIGN(const std::string type, textMember(choice, "type", "tool_choice"));
  if (type != "function") return notServed("tool_choice.type", "function", type);
  MINERVA_ASSIGN(std::string name, textMember(choice, "name", "tool_choice"));
  return Json{{"type", "function"}, {"function", {{"name", std::move(name)}}}};
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

Result<void> refuseWhatNeedsKeeping(const Json& body) {
  for (const char* field : {"background", "conversation", "previous_response_id"}) {
    if (refuseField(body, field)) continue;
    return notServed(field, "none, or false: this server keeps no replies", written(body[field]), "Send the whole conversation as input");
  }
  MINERVA_TRY(refuseField(body, "prompt"));
  // Clients send the others to any server; the response says what holds: store false, truncation disabled.
  MINERVA_TRY(boolField(body, "store"));
  const Json* truncation = present(body, "truncation");
  if (truncation != nullptr && *truncation != "disabled" && *truncation != "auto")
    return notServed("truncation", "disabled or auto", written(*truncation));
  return {};
}

}  // namespace

Result<Json> chatOfResponses(const Json& body) {
  MINERVA_TRY(refuseWhatNeedsKeeping(body));
  Json chat = Json::object();
  // The latter ones are not OpenAI's, but of servers such as this one.
  for (const char* field : {"model", "stream", "temperature", "top_p", "seed", "stop", "top_k", "min_p", "presence_penalty",
                            "frequency_penalty", "repeat_penalty", "ignore_eos", "chat_template_kwargs", "parallel_tool_calls"})
    if (const Json* value = present(body, field)) chat[field] = *value;
  MINERVA_ASSIGN(const auto length, integerField(body, "max_output_tokens", 1, 0x7fffffff));
  if (length) chat["max_tokens"] = *length;
  MINERVA_ASSIGN(chat["messages"], messagesOf(body));
  if (const Json* tools = present(body, "tools")) {
    MINERVA_ASSIGN(chat["tools"], toolsOf(*tools));
  }
  if (const Json* choice = present(body, "tool_choice")) {
    MINERVA_ASSIGN(chat["tool_choice"], choiceOf(*choice));
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
  if (include != nullptr)
    for (const Json& one : *include) logprobs = logprobs || one == "message.output_text.logprobs";
  if (logprobs) chat.update({{"logprobs", true}, {"top_logprobs", top.value_or(0)}});
  return chat;
}

Error inResponsesFields(Error error) {
  static constexpr std::array<SentAs, 4> names{{{"response_format.json_schema", "text.format"},
                                                {"response_format", "text.format"},
                                                {"reasoning_effort", "reasoning.effort"},
                                                {"messages", "input"}}};
  error = asSent(std::move(error), names);
  // tools[0].function.parameters
  const std::string_view nested = ".function";
  const std::size_t at = error.where.find(nested);
  if (error.where.starts_with("tools[") && at != std::string::npos) error.where.erase(at, nested.size());
  return error;
}

}  // namespace minerva::serve
