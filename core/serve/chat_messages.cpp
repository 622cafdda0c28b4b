#include "core/serve/chat_messages.h"

#include "core/serve/call_ids.h"
#include "core/serve/fields.h"
#include "core/serve/tool_parts.h"

#include <algorithm>
#include <map>
#include <utility>

namespace minerva::serve {
namespace {

std::string place(std::size_t message, const char* field) { return "messages[" + std::to_string(message) + "]." + field; }

// Clients write null for what there is not, and templates ask whether a member is there. Names are not compared with each other again.
Json withoutNulls(const Json& object) {
  Json out = Json::object();
  auto& members = out.get_ref<Json::object_t&>();
  for (const auto& [name, value] : object.get_ref<const Json::object_t&>())
    if (!value.is_null()) members.emplace_back(name, value);
  return out;
}

// ofTool: parts that are not text are only named.
Result<Json> readContent(const Json& content, std::size_t index, bool ofTool) {
  if (content.is_string()) return content;
  if (!content.is_array()) return wrongField(place(index, "content"), "text or an array of parts", content.type_name());
  std::string joined;
  for (const Json& part : content) {
    const auto type = part.is_object() ? part.find("type") : part.end();
    if (!part.is_object() || type == part.end() || !type->is_string())
      return wrongField(place(index, "content"), "parts with a type", part.type_name());
    if (!joined.empty()) joined += '\n';
    if (*type != "text" && ofTool) {
      joined += lineForPart(part, type->get<std::string>());
      continue;
    }
    if (*type != "text") {
      return fail({.kind = ErrorKind::unsupported,
                   .what = "This server takes text only",
                   .where = place(index, "content"),
                   .expected = "parts of type text",
                   .actual = written(*type).substr(0, 60)});
    }
    const auto text = part.find("text");
    if (text == part.end() || !text->is_string()) return wrongField(place(index, "content"), "a part's text", "none");
    joined += text->get_ref<const std::string&>();
  }
  return Json(joined);
}

// Clients send JSON text, or an object. Text that is none, such as a call that was cut off, must not end the conversation: where the
// template takes objects, it becomes the one member of an object.
Result<Json> readArguments(const Json* given, std::size_t index, bool objects) {
  if (given != nullptr && given->is_object()) return objects ? *given : Json(written(*given));
  if (given != nullptr && !given->is_string()) return wrongField(place(index, "tool_calls"), "arguments as JSON text", given->type_name());
  const std::string text = given != nullptr ? given->get<std::string>() : std::string();
  const bool blank = text.find_first_not_of(" \t\r\n") == std::string::npos;
  if (!objects) return Json(blank ? "{}" : text);
  if (blank) return Json::object();
  if (Result<Json> parsed = parseJson(text, Limits{})) return parsed;
  return Json{{"arguments", text}};
}

Result<Json> readCalls(const Json& calls, std::size_t index, bool objects) {
  if (!calls.is_array()) return wrongField(place(index, "tool_calls"), "an array", calls.type_name());
  Json out = Json::array();
  for (const Json& call : calls) {
    const Json* given = call.is_object() ? present(call, "function") : nullptr;
    if (given == nullptr || !given->is_object()) return wrongField(place(index, "tool_calls"), "calls of functions", call.type_name());
    const Json* name = present(*given, "name");
    if (name == nullptr || !name->is_string()) return wrongField(place(index, "tool_calls"), "a function's name", "none");
    Json function = withoutNulls(*given);
    MINERVA_ASSIGN(function["arguments"], readArguments(present(*given, "arguments"), index, objects));
    Json made = withoutNulls(call);
    made["function"] = std::move(function);
    out.push_back(std::move(made));
  }
  return out;
}

// Servers and clients have three names for it, templates two of them.
Result<void> readReasoning(const Json& message, std::size_t index, Json& out) {
  std::string reasoning;
  for (const char* field : {"reasoning_content", "thinking", "reasoning"}) {
    Result<std::optional<std::string>> text = stringField(message, field);
    if (!text) return wrongField(place(index, field), text.error().expected, text.error().actual);
    if (reasoning.empty()) reasoning = std::move(*text).value_or("");
    out.erase(field);
  }
  if (reasoning.empty()) return {};
  out["reasoning_content"] = reasoning;
  out["thinking"] = std::move(reasoning);
  return {};
}

Result<Json> readMessage(const Json& message, std::size_t index, bool objects) {
  if (!message.is_object()) return wrongField("messages[" + std::to_string(index) + "]", "an object", message.type_name());
  const auto role = message.find("role");
  if (role == message.end() || !role->is_string() || role->get_ref<const std::string&>().empty())
    return wrongField(place(index, "role"), "a role such as user", role == message.end() ? "none" : role->type_name());
  Json out = withoutNulls(message);
  if (*role == "developer") out["role"] = "system";
  const Json* calls = present(message, "tool_calls");
  if (const Json* content = present(message, "content")) {
    MINERVA_ASSIGN(out["content"], readContent(*content, index, *role == "tool"));
  } else if (calls != nullptr || *role == "assistant") {  // a reply may have been nothing but reasoning
    out["content"] = "";                                  // templates take the length of it, or join it
  } else {
    return wrongField(place(index, "content"), "text", "none");
  }
  if (calls != nullptr) {
    MINERVA_ASSIGN(Json read, readCalls(*calls, index, objects));
    if (read.empty()) out.erase("tool_calls");  // clients write an empty list for none
    else out["tool_calls"] = std::move(read);
  }
  for (const char* field : {"name", "tool_call_id"}) {
    const Result<std::optional<std::string>> text = stringField(message, field);
    if (!text) return wrongField(place(index, field), text.error().expected, text.error().actual);
  }
  MINERVA_TRY(readReasoning(message, index, out));
  if (Result<void> images = refuseField(message, "images"); !images && *role == "tool") {  // Ollama's place for them
    out.erase("images");
    out["content"] = out["content"].get<std::string>() + "\n" + lineForPart({}, "image");
  } else if (!images) {
    images.error().where = place(index, "images");
    return fail(std::move(images.error()));
  }
  if (const auto open = boolField(message, "reasoning_open"); !open)
    return wrongField(place(index, "reasoning_open"), open.error().expected, open.error().actual);
  return out;
}

// What the model wrote before a call is in both.
void moveTextToReasoning(Json& message) {
  if (!message.contains("tool_calls") || !message.contains("thinking") || message["content"] == "") return;
  const std::string text = message["thinking"].get<std::string>() + "\n\n" + message["content"].get<std::string>();
  message["reasoning_content"] = message["thinking"] = text;
  message["content"] = "";
}

// Those at the beginning become one.
void joinSystems(Json& messages) {
  const auto isSystem = [](const Json& message) { return message["role"] == "system"; };
  const auto end = std::ranges::find_if_not(messages, isSystem);
  if (end - messages.begin() < 2) return;
  std::string text;
  for (auto one = messages.begin(); one != end; ++one)
    text += (one == messages.begin() ? "" : "\n\n") + (*one)["content"].get<std::string>();
  messages[0]["content"] = std::move(text);
  messages.erase(messages.begin() + 1, end);
}

// Each call in a turn of its own, with its results behind it. What the model thought and wrote before them stays with the first one.
Json withOneCallEach(Json messages) {
  Json out = Json::array();
  for (std::size_t i = 0; i < messages.size(); ++i) {
    Json& turn = messages[i];
    if (turn.is_null()) continue;  // a result that stands elsewhere now
    if (!turn.contains("tool_calls") || turn["tool_calls"].size() < 2) {
      out.push_back(std::move(turn));
      continue;
    }
    std::map<std::string, std::vector<std::size_t>> results;  // by the id of their call
    for (std::size_t k = i + 1; k < messages.size() && (messages[k].is_null() || messages[k]["role"] == "tool"); ++k)
      if (!messages[k].is_null()) results[written(messages[k]["tool_call_id"])].push_back(k);
    for (const Json& call : Json(turn["tool_calls"])) {
      turn["tool_calls"] = Json::array({call});
      out.push_back(turn);
      turn["content"] = "";
      turn.erase("reasoning_content");
      turn.erase("thinking");
      if (const auto own = results.extract(written(call["id"])))
        for (const std::size_t k : own.mapped()) out.push_back(std::exchange(messages[k], {}));
    }
  }
  return out;
}

}  // namespace

Result<Json> readMessages(const Json& body, const MessageStyle& style) {
  const Json* messages = present(body, "messages");
  if (messages == nullptr || !messages->is_array() || messages->empty())
    return wrongField("messages", "an array of messages, not empty", messages == nullptr ? "none" : messages->type_name());
  Json out = Json::array();
  std::string thoughts;  // Continue's messages of the role "thinking", which come before the turn that they are of
  for (std::size_t i = 0; i < messages->size(); ++i) {
    MINERVA_ASSIGN(Json message, readMessage((*messages)[i], i, style.callsTakeObjects));
    if (message["role"] == "thinking") {
      thoughts += message["content"].get<std::string>();
      continue;
    }
    const std::string before = std::exchange(thoughts, {});
    if (message["role"] == "assistant" && !before.empty() && !message.contains("thinking"))
      message["reasoning_content"] = message["thinking"] = before;
    if (!style.textBesideThought) moveTextToReasoning(message);
    out.push_back(std::move(message));
  }
  if (out.empty()) return wrongField("messages", "a message beside those of the role thinking", "none");
  if (!style.severalSystems) joinSystems(out);
  giveCallIds(out, style.callIds);
  return style.severalCalls ? out : withOneCallEach(std::move(out));
}

Result<bool> continuesFinalMessage(const Json& body, const Json& messages) {
  MINERVA_ASSIGN(const auto asked, boolField(body, "continue_final_message"));
  MINERVA_ASSIGN(const auto newTurn, boolField(body, "add_generation_prompt"));
  const Json& last = messages.back();
  return asked.value_or(!newTurn.value_or(false) && last["role"] == "assistant" && last["content"] != "" && !last.contains("tool_calls"));
}

Result<Json> readTools(const Json& body) {
  const Json* tools = present(body, "tools");
  if (tools != nullptr && !tools->is_array()) return wrongField("tools", "an array of tools", tools->type_name());
  if (tools == nullptr || tools->empty()) return Json();
  for (const Json& tool : *tools) {
    const bool function = tool.is_object() && tool.contains("function") && tool["function"].is_object() &&
                          tool["function"].contains("name") && tool["function"]["name"].is_string();
    if (!function)
      return wrongField("tools", "tools of the form {\"type\": \"function\", \"function\": {\"name\": ...}}", tool.type_name());
  }
  return *tools;
}

}  // namespace minerva::serve
