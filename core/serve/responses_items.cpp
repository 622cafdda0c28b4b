#include "core/serve/responses_items.h"

#include "core/serve/fields.h"
#include "core/serve/refusal.h"
#include "core/serve/tool_parts.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

namespace minerva::serve {
namespace {

// Before the text of reasoning that we handed out; a service's own, of a conversation begun elsewhere, has no such mark.
constexpr std::string_view seal = "minerva:";

// What a service does for itself, and writes down so that it can go on.
constexpr std::array<std::string_view, 12> notes{
    "web_search_call",      "file_search_call",  "code_interpreter_call", "image_generation_call", "mcp_list_tools",
    "mcp_approval_request", "mcp_call",          "tool_search_call",      "tool_search_output",    "compaction",
    "compaction_summary",   "context_compaction"};

// A user's image cannot be read. Codex knows by these words that images are to be left out of the conversation.
std::unexpected<Error> notText(const std::string& path, const std::string& type) {
  return notServed(path + ".type", "input_text or output_text: this server takes text only", type,
                   type == "input_image" ? "The image data you provided does not represent a valid image" : "");
}

// Text, or parts that are text; ofTool: others are only named.
Result<std::string> contentOfItem(const Json& value, const std::string& path, bool ofTool = false) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return wrongField(path, "text or an array of parts", value.type_name());
  std::string joined;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::string at = path + "[" + std::to_string(i) + "]";
    if (!value[i].is_object()) return wrongField(at, "a part with a type", value[i].type_name());
    MINERVA_ASSIGN(const std::string type, textMember(value[i], "type", at));
    if (i > 0) joined += '\n';
    if (type == "input_text" || type == "output_text" || type == "text" || type == "refusal") {
      MINERVA_ASSIGN(const std::string text, textMember(value[i], type == "refusal" ? "refusal" : "text", at));
      joined += text;
    } else if (ofTool) {
      joined += lineForPart(value[i], type);
    } else {
      return notText(at, type);
    }
  }
  return joined;
}

// Turns the items of a conversation into messages.
class Items {
 public:
  Items(const Json& instructions, const ResponsesTools& tools) : m_tools(tools) {
    if (!instructions.is_null()) m_messages.push_back({{"role", "system"}, {"content", instructions}});
  }

  Result<void> add(const Json& item, const std::string& path) {
    if (!item.is_object()) return wrongField(path, "an item", item.type_name());
    std::string type = "message";
    if (item.contains("type") || !item.contains("role")) {
      MINERVA_ASSIGN(type, textMember(item, "type", path));
    }
    if (type == "message") return addMessage(item, path);
    if (type == "function_call" || type == "custom_tool_call" || type == "local_shell_call") return addCall(item, type, path);
    if (type == "function_call_output" || type == "custom_tool_call_output") return addOutput(item, path);
    if (type == "reasoning") return addReasoning(item, path);
    if (std::ranges::find(notes, type) != notes.end()) return {};
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
  Result<void> addCall(const Json& item, const std::string& type, const std::string& path) {
    MINERVA_ASSIGN(const std::string id, textMember(item, "call_id", path));
    std::string name = "local_shell", arguments;
    if (type == "local_shell_call") {
      arguments = written(item.value("action", Json::object()));
    } else {
      MINERVA_ASSIGN(name, textMember(item, "name", path));
      MINERVA_ASSIGN(arguments, textMember(item, type == "function_call" ? "arguments" : "input", path));
      if (type == "custom_tool_call") arguments = customArguments(arguments);
      const Json* space = present(item, "namespace");
      name = m_tools.nameFor(space != nullptr && space->is_string() ? space->get<std::string>() : std::string(), name);
    }
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
    MINERVA_ASSIGN(std::string text, contentOfItem(*output, path + ".output", true));
    const auto name = m_names.find(id);
    if (name == m_names.end()) return wrongField(path + ".call_id", "the call_id of a function_call before it", id.substr(0, 60));
    m_messages.push_back({{"role", "tool"}, {"tool_call_id", id}, {"name", name->second}, {"content", std::move(text)}});
    return {};
  }
  Result<void> addReasoning(const Json& item, const std::string& path) {
    const Json* content = present(item, "content");
    if (content == nullptr || (content->is_array() && content->empty())) return addSealed(item);
    if (!content->is_array()) return wrongField(path + ".content", "an array of parts", content->type_name());
    for (std::size_t i = 0; i < content->size(); ++i) {
      const std::string at = path + ".content[" + std::to_string(i) + "]";
      if (!(*content)[i].is_object()) return wrongField(at, "a part with a text", (*content)[i].type_name());
      MINERVA_ASSIGN(const std::string text, textMember((*content)[i], "text", at));
      m_reasoning += text;
    }
    return {};
  }
  // Without it there is only the summary, which no model wrote.
  Result<void> addSealed(const Json& item) {
    const Json* sealed = present(item, "encrypted_content");
    if (sealed == nullptr || !sealed->is_string()) return {};
    const auto& text = sealed->get_ref<const std::string&>();
    if (text.starts_with(seal)) m_reasoning += text.substr(seal.size());
    return {};
  }
  void addHeldReasoning(Json& message) {
    if (!m_reasoning.empty()) message["reasoning_content"] = std::exchange(m_reasoning, {});
  }

  const ResponsesTools& m_tools;
  Json m_messages = Json::array();
  std::string m_reasoning;                     // of the next turn of the assistant
  std::map<std::string, std::string> m_names;  // of functions, by call
};

}  // namespace

Result<Json> messagesOfItems(const Json& items, std::size_t before, const Json& instructions, const ResponsesTools& tools) {
  Items out(instructions, tools);
  for (std::size_t i = 0; i < items.size(); ++i)
    MINERVA_TRY(out.add(items[i], i < before ? previousField : "input[" + std::to_string(i - before) + "]"));
  return out.take();
}

std::string sealedReasoning(const std::string& text) { return std::string(seal) + text; }

}  // namespace minerva::serve
