#include "core/text/template/message_roles.h"

#include "core/text/template/render_budget.h"

#include <algorithm>
#include <string>

namespace minerva::text {
namespace {

using Messages = nlohmann::ordered_json;

// Messages come from clients: a member of another type counts as none.
const std::string* textMember(const Messages& message, const char* name) {
  const auto found = message.is_object() ? message.find(name) : message.end();
  return message.is_object() && found != message.end() && found->is_string() ? found->get_ptr<const std::string*>() : nullptr;
}

bool hasRole(const Messages& message, const char* role) {
  const std::string* own = textMember(message, "role");
  return own != nullptr && *own == role;
}

// A turn of nothing but text, which is finished, and may have reasoning.
bool isPlainTurn(const Messages& message) {
  return (hasRole(message, "user") || hasRole(message, "assistant")) && textMember(message, "content") != nullptr &&
         !message.contains("tool_calls") && !message.contains("reasoning_open");
}

void joinTurns(Messages& turn, const Messages& next) {
  for (const char* name : {"content", "reasoning_content", "thinking"}) {
    const std::string* before = textMember(turn, name);
    const std::string* after = textMember(next, name);
    if (after == nullptr) continue;
    const bool both = before != nullptr && !before->empty() && !after->empty();
    turn[name] = (before != nullptr ? *before : std::string()) + (both ? "\n\n" : "") + *after;
  }
}

Messages told(const char* role, const char* text) { return {{"role", role}, {"content", text}}; }

// Whether the prompt has the texts of all messages.
bool keepsAll(RenderBudget& renders, const Messages& messages, const MessageRoles& roles) {
  RenderRequest request;
  request.messages = inRoles(messages, roles);
  request.variables = {{"bos_token", ""}, {"eos_token", ""}};
  const Result<std::string> prompt = renders.render(request);
  return prompt && std::ranges::all_of(messages, [&](const Messages& message) {
           return prompt->find(message["content"].get_ref<const std::string&>()) != std::string::npos;
         });
}

}  // namespace

MessageRoles messageRolesOf(const ChatTemplate& chatTemplate) {
  RenderBudget renders(chatTemplate);
  MessageRoles roles;
  const auto find = [&](bool MessageRoles::*taken, const Messages& messages) {
    if (keepsAll(renders, messages, roles)) return;
    roles.*taken = false;
    if (!keepsAll(renders, messages, roles)) roles.*taken = true;
  };
  const Messages rule = told("system", "The first rule."), question = told("user", "A question."), answer = told("assistant", "An answer."),
                 more = told("user", "One more question.");
  find(&MessageRoles::repeated, Messages::array({question, more, answer, told("assistant", "More of it."), told("user", "Thanks.")}));
  find(&MessageRoles::system, Messages::array({rule, question}));
  find(&MessageRoles::lateSystem, Messages::array({rule, question, answer, told("system", "A later rule."), more}));
  find(&MessageRoles::lateSystem, Messages::array({rule, question, answer, more, told("system", "The last rule.")}));
  return roles;
}

nlohmann::ordered_json inRoles(const nlohmann::ordered_json& messages, const MessageRoles& roles) {
  if (roles.takeAll() || !messages.is_array()) return messages;
  Messages out = Messages::array();
  bool begun = false;      // after a message that is no system message
  bool afterRule = false;  // after a system message at the beginning that the user says now
  for (const Messages& message : messages) {
    const bool isSystem = hasRole(message, "system");
    begun = begun || !isSystem;
    Messages turn = message;
    const bool rewritten = isSystem && !(begun ? roles.lateSystem : roles.system);
    if (rewritten) turn["role"] = "user";
    const bool joins = !out.empty() && (!roles.repeated || afterRule) && isPlainTurn(out.back()) && isPlainTurn(turn) &&
                       out.back()["role"] == turn["role"];
    if (joins) joinTurns(out.back(), turn);
    else out.push_back(std::move(turn));
    afterRule = rewritten && !begun;
  }
  return out;
}

}  // namespace minerva::text
