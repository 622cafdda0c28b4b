// Which roles of messages a chat template takes, and in which order: many refuse, or lose, what clients send.
#pragma once

#include <nlohmann/json.hpp>

namespace minerva::text {

class ChatTemplate;

struct MessageRoles {
  bool system = true;      // a system message at the beginning; otherwise its text begins what the user says next
  bool lateSystem = true;  // a system message after others; otherwise the user says it
  bool repeated = true;    // two turns of one role, one after the other; otherwise they are one

  [[nodiscard]] bool takeAll() const { return system && lateSystem && repeated; }
};

// Found by rendering small conversations. What would be refused in any form counts as taken.
[[nodiscard]] MessageRoles messageRolesOf(const ChatTemplate& chatTemplate);
// The same texts in roles that the template takes. Calls of tools and their results stay as they are.
[[nodiscard]] nlohmann::ordered_json inRoles(const nlohmann::ordered_json& messages, const MessageRoles& roles);

}  // namespace minerva::text
