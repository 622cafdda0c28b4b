// How a chat template takes tools, and calls of earlier turns: many do not look at them, so that the model would never hear of a tool.
#pragma once

#include <nlohmann/json.hpp>

namespace minerva::text {

class ChatTemplate;

struct ToolStyle {
  // variable: tools; systemMember: "tools" of the system message, as text; systemText: nothing, so that the system message has to tell.
  enum class Tools { variable, systemMember, systemText } tools = Tools::variable;
  bool calls = true, results = true;  // of earlier turns; otherwise they are told as text

  [[nodiscard]] bool takesAll() const { return tools == Tools::variable; }
};

// Found by rendering small conversations. What would be refused in any form counts as taken, and of a template with the variable, all does.
[[nodiscard]] ToolStyle toolStyleOf(const ChatTemplate& chatTemplate);
// The same messages with what the template does not show in their texts. tools: null: none.
[[nodiscard]] nlohmann::ordered_json inStyle(const nlohmann::ordered_json& messages, const nlohmann::ordered_json& tools,
                                             const ToolStyle& style);

}  // namespace minerva::text
