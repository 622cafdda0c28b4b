#include "core/serve/messages_request.h"

#include "core/serve/fields.h"
#include "core/serve/sampling_fields.h"
#include "core/serve/tool_parts.h"

#include <array>
#include <charconv>
#include <map>
#include <string>
#include <string_view>

namespace minerva::serve {
namespace {

// Claude Code begins its instructions with a line that is for the service's accounts and changes with every request: no prompt would share
// its beginning with the one before.
constexpr std::string_view accounting = "x-anthropic-billing-header:";

Result<std::string> blockType(const Json& block, const std::string& path) {
  if (!block.is_object()) return wrongField(path, "a block with a type", block.type_name());
  return textMember(block, "type", path);
}

Result<std::string> textOfBlocks(const Json& value, const std::string& path, bool ofTool = false, std::string_view leftOut = {});

// Of a block of text, or of a document that is plain text. ofTool: others are only named.
Result<std::string> textOfBlock(const Json& block, const std::string& type, const std::string& path, bool ofTool = false) {
  if (type == "text") return textMember(block, "text", path);
  const Json* source = type == "document" ? present(block, "source") : nullptr;
  if (source != nullptr && source->is_object() && source->value("type", Json()) == "text")
    return textMember(*source, "data", path + ".source");
  if (!ofTool) return notServed(path + ".type", "text: this server takes text only", type);
  const Json* found = type == "search_result" ? present(block, "content") : nullptr;
  return found != nullptr ? textOfBlocks(*found, path + ".content", true) : lineForPart(block, type);
}

// Text, or blocks of it.
Result<std::string> textOfBlocks(const Json& value, const std::string& path, bool ofTool, std::string_view leftOut) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return wrongField(path, "text or an array of blocks", value.type_name());
  std::string joined;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::string at = path + "[" + std::to_string(i) + "]";
    MINERVA_ASSIGN(const std::string type, blockType(value[i], at));
    MINERVA_ASSIGN(const std::string text, textOfBlock(value[i], type, at, ofTool));
    if (!leftOut.empty() && text.starts_with(leftOut)) continue;
    if (!joined.empty()) joined += '\n';
    joined += text;
  }
  return joined;
}

// Turns messages of blocks into those of chats: results of tools are messages of their own there.
class ChatTurns {
 public:
  Result<void> addSystem(const Json& system) {
    MINERVA_ASSIGN(std::string text, textOfBlocks(system, "system", false, accounting));
    if (!text.empty()) m_messages.push_back({{"role", "system"}, {"content", std::move(text)}});
    return {};
  }
  Result<void> add(const Json& message, const std::string& path) {
    if (!message.is_object()) return wrongField(path, "a message", message.type_name());
    MINERVA_ASSIGN(const std::string role, textMember(message, "role", path));
    if (role != "user" && role != "assistant" && role != "system")
      return wrongField(path + ".role", "user, assistant or system", role.substr(0, 60));
    const Json* content = present(message, "content");
    if (content == nullptr) return wrongField(path + ".content", "text or an array of blocks", "none");
    if (content->is_array() && role == "user") return addUser(*content, path + ".content");
    if (content->is_array() && role == "assistant") return addAssistant(*content, path + ".content");
    MINERVA_ASSIGN(std::string text, textOfBlocks(*content, path + ".content"));
    m_messages.push_back({{"role", role}, {"content", std::move(text)}});
    return {};
  }
  [[nodiscard]] Json take() { return std::move(m_messages); }

 private:
  Result<void> addUser(const Json& blocks, const std::string& path) {
    Json texts = Json::array();
    const auto addTexts = [&] {
      if (!texts.empty()) m_messages.push_back({{"role", "user"}, {"content", std::exchange(texts, Json::array())}});
    };
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const std::string at = path + "[" + std::to_string(i) + "]";
      MINERVA_ASSIGN(const std::string type, blockType(blocks[i], at));
      if (type == "tool_result") {
        addTexts();
        MINERVA_TRY(addResult(blocks[i], at));
      } else {
        MINERVA_ASSIGN(std::string text, textOfBlock(blocks[i], type, at));
        texts.push_back({{"type", "text"}, {"text", std::move(text)}});
      }
    }
    if (blocks.empty()) m_messages.push_back({{"role", "user"}, {"content", ""}});
    addTexts();
    return {};
  }
  Result<void> addResult(const Json& block, const std::string& path) {
    MINERVA_ASSIGN(const std::string id, textMember(block, "tool_use_id", path));
    const auto name = m_names.find(id);
    if (name == m_names.end()) return wrongField(path + ".tool_use_id", "the id of a tool_use before it", id.substr(0, 60));
    const Json* content = present(block, "content");
    std::string text;
    if (content != nullptr) {
      MINERVA_ASSIGN(text, textOfBlocks(*content, path + ".content", true));
    }
    m_messages.push_back({{"role", "tool"}, {"tool_call_id", id}, {"name", name->second}, {"content", std::move(text)}});
    return {};
  }
  Result<void> addAssistant(const Json& blocks, const std::string& path) {
    Json message{{"role", "assistant"}, {"content", Json::array()}};
    std::string reasoning;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const std::string at = path + "[" + std::to_string(i) + "]";
      MINERVA_ASSIGN(const std::string type, blockType(blocks[i], at));
      if (type == "redacted_thinking") continue;  // only the service that wrote it can read it
      if (type == "thinking") {
        MINERVA_ASSIGN(const std::string thought, textMember(blocks[i], "thinking", at));
        reasoning += thought;
      } else if (type == "tool_use") {
        MINERVA_ASSIGN(Json call, callOf(blocks[i], at));
        message["tool_calls"].push_back(std::move(call));
      } else {
        MINERVA_ASSIGN(std::string text, textOfBlock(blocks[i], type, at));
        message["content"].push_back({{"type", "text"}, {"text", std::move(text)}});
      }
    }
    if (!reasoning.empty()) message["reasoning_content"] = std::move(reasoning);
    m_messages.push_back(std::move(message));
    return {};
  }
  Result<Json> callOf(const Json& block, const std::string& path) {
    MINERVA_ASSIGN(const std::string id, textMember(block, "id", path));
    MINERVA_ASSIGN(const std::string name, textMember(block, "name", path));
    const Json* input = present(block, "input");
    if (input != nullptr && !input->is_object()) return wrongField(path + ".input", "an object", input->type_name());
    m_names[id] = name;
    return Json{
        {"id", id}, {"type", "function"}, {"function", {{"name", name}, {"arguments", input != nullptr ? *input : Json::object()}}}};
  }

  Json m_messages = Json::array();
  std::map<std::string, std::string> m_names;  // of tools, by call
};

Result<Json> turnsOf(const Json& body) {
  const Json* messages = present(body, "messages");
  if (messages == nullptr || !messages->is_array() || messages->empty())
    return wrongField("messages", "an array of messages, not empty", messages == nullptr ? "none" : messages->type_name());
  ChatTurns out;
  if (const Json* system = present(body, "system")) MINERVA_TRY(out.addSystem(*system));
  for (std::size_t i = 0; i < messages->size(); ++i) MINERVA_TRY(out.add((*messages)[i], "messages[" + std::to_string(i) + "]"));
  return out.take();
}

// The service takes it and checks nothing: whether items differ is not a matter of grammar.
Json withoutUniqueItems(const Json& schema) {
  if (schema.is_array()) {
    Json out = Json::array();
    for (const Json& one : schema) out.push_back(withoutUniqueItems(one));
    return out;
  }
  if (!schema.is_object()) return schema;
  Json out = Json::object();
  for (const auto& [name, value] : schema.items()) {
    const bool isNames = (name == "properties" || name == "$defs" || name == "definitions") && value.is_object();
    if (name == "uniqueItems" && value.is_boolean()) continue;
    Json& own = out[name] = value;
    if (name == "enum" || name == "const" || name == "default") continue;
    if (!isNames) own = withoutUniqueItems(value);
    else
      for (Json& property : own) property = withoutUniqueItems(property);
  }
  return out;
}

// Run by the service; clients offer such tools to any model.
bool runsInService(const Json& tool) {
  const Json* type = present(tool, "type");
  return type != nullptr && *type != "custom";
}

// Where the function of this number is in the request.
std::size_t placeOfFunction(std::size_t number, const Json& tools) {
  for (std::size_t i = 0; i < tools.size(); ++i)
    if (tools[i].is_object() && !runsInService(tools[i]) && number-- == 0) return i;
  return tools.size();
}

Result<Json> functionsOf(const Json& tools) {
  if (!tools.is_array()) return wrongField("tools", "an array of tools", tools.type_name());
  Json out = Json::array();
  for (std::size_t i = 0; i < tools.size(); ++i) {
    const std::string path = "tools[" + std::to_string(i) + "]";
    if (!tools[i].is_object()) return wrongField(path, "a tool", tools[i].type_name());
    if (runsInService(tools[i])) continue;
    MINERVA_ASSIGN(const std::string name, textMember(tools[i], "name", path));
    Json function{{"name", name}};
    if (const Json* description = present(tools[i], "description")) function["description"] = *description;
    const Json* strict = present(tools[i], "strict");
    const bool isStrict = strict != nullptr && *strict == true;
    if (const Json* schema = present(tools[i], "input_schema")) function["parameters"] = isStrict ? withoutUniqueItems(*schema) : *schema;
    if (strict != nullptr) function["strict"] = *strict;
    out.push_back({{"type", "function"}, {"function", std::move(function)}});
  }
  return out;
}

Result<void> addChoice(const Json& choice, Json& chat) {
  if (!choice.is_object()) return wrongField("tool_choice", "an object with a type", choice.type_name());
  MINERVA_ASSIGN(const std::string type, textMember(choice, "type", "tool_choice"));
  if (type == "tool") {
    MINERVA_ASSIGN(std::string name, textMember(choice, "name", "tool_choice"));
    chat["tool_choice"] = {{"type", "function"}, {"function", {{"name", std::move(name)}}}};
  } else if (type == "auto" || type == "any" || type == "none") {
    chat["tool_choice"] = type == "any" ? "required" : type;
  } else {
    return wrongField("tool_choice.type", "auto, any, tool or none", type.substr(0, 60));
  }
  MINERVA_ASSIGN(const auto one, boolField(choice, "disable_parallel_tool_use"));
  if (one.value_or(false)) chat["parallel_tool_calls"] = false;
  return {};
}

// A budget is not kept: the length of a reply includes its reasoning.
Result<void> addThinking(const Json& thinking, Json& chat) {
  if (!thinking.is_object()) return wrongField("thinking", "an object with a type", thinking.type_name());
  MINERVA_ASSIGN(const std::string type, textMember(thinking, "type", "thinking"));
  if (type != "disabled" && type != "enabled" && type != "adaptive" && type != "between_tools")
    return wrongField("thinking.type", "enabled, adaptive or disabled", type.substr(0, 60));
  if (!chat.contains("chat_template_kwargs")) chat["chat_template_kwargs"] = Json::object();
  if (chat["chat_template_kwargs"].is_object()) chat["chat_template_kwargs"]["enable_thinking"] = type != "disabled";
  return {};
}

Result<void> addOutputConfig(const Json& config, Json& chat) {
  if (!config.is_object()) return wrongField("output_config", "an object", config.type_name());
  if (const Json* effort = present(config, "effort")) chat["reasoning_effort"] = *effort;
  const Json* format = present(config, "format");
  if (format == nullptr) return {};
  if (!format->is_object()) return wrongField("output_config.format", "an object with a type", format->type_name());
  MINERVA_ASSIGN(const std::string type, textMember(*format, "type", "output_config.format"));
  if (type != "json_schema") return notServed("output_config.format.type", "json_schema", type);
  const Json* schema = present(*format, "schema");
  if (schema == nullptr) return wrongField("output_config.format.schema", "a JSON schema", "none");
  chat["response_format"] = {{"type", "json_schema"}, {"json_schema", {{"schema", withoutUniqueItems(*schema)}, {"strict", true}}}};
  return {};
}

}  // namespace

Result<Json> chatOfMessages(const Json& body) {
  for (const char* field : {"container", "mcp_servers"}) MINERVA_TRY(refuseField(body, field));
  Json chat = Json::object();
  // The latter ones are not Anthropic's, but of servers such as this one.
  for (const char* field : {"model", "stream", "temperature", "top_p", "seed", "chat_template_kwargs"})
    if (const Json* value = present(body, field)) chat[field] = *value;
  for (const char* field : samplingExtensions)
    if (const Json* value = present(body, field)) chat[field] = *value;
  MINERVA_ASSIGN(const auto length, integerField(body, "max_tokens", 1, 0x7fffffff));
  if (length) chat["max_tokens"] = *length;
  if (const Json* stop = present(body, "stop_sequences")) chat["stop"] = *stop;
  MINERVA_ASSIGN(chat["messages"], turnsOf(body));
  if (const Json* tools = present(body, "tools")) {
    MINERVA_ASSIGN(chat["tools"], functionsOf(*tools));
  }
  if (const Json* choice = present(body, "tool_choice")) MINERVA_TRY(addChoice(*choice, chat));
  if (const Json* thinking = present(body, "thinking")) MINERVA_TRY(addThinking(*thinking, chat));
  if (const Json* config = present(body, "output_config")) MINERVA_TRY(addOutputConfig(*config, chat));
  return chat;
}

Error inMessagesFields(Error error, const Json& body) {
  static constexpr std::array<SentAs, 4> names{{{"response_format.json_schema", "output_config.format"},
                                                {"response_format", "output_config.format"},
                                                {"reasoning_effort", "output_config.effort"},
                                                {"stop", "stop_sequences"}}};
  error = asSent(std::move(error), names);
  // tools[0].function.parameters
  const std::string_view begin = "tools[", nested = "].function", schema = ".parameters";
  const std::size_t at = error.where.find(nested);
  const Json* tools = present(body, "tools");
  std::size_t number = 0;
  if (!error.where.starts_with(begin) || at == std::string::npos || tools == nullptr) return error;
  if (std::from_chars(error.where.data() + begin.size(), error.where.data() + at, number).ec != std::errc{}) return error;
  std::string rest = error.where.substr(at + nested.size());
  if (rest.starts_with(schema)) rest.replace(0, schema.size(), ".input_schema");
  error.where = std::string(begin) + std::to_string(placeOfFunction(number, *tools)) + "]" + rest;
  return error;
}

}  // namespace minerva::serve
