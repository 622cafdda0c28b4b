#include "core/serve/call_ids.h"

#include "core/serve/fields.h"

#include <map>
#include <string>
#include <vector>

namespace minerva::serve {
namespace {

using Form = MessageStyle::CallIds;

std::string textOf(const Json& object, const char* field) {
  const Json* value = present(object, field);
  return value == nullptr ? std::string() : value->is_string() ? value->get<std::string>() : written(*value);
}

class CallIds {
 public:
  explicit CallIds(Form form) : m_form(form) {}

  std::string ofCall(const std::string& given, const std::string& function, std::size_t inTurn) {
    const std::string made = m_form == Form::any && !given.empty() ? given : numbered(function, inTurn);
    if (!given.empty()) m_latest[given] = m_calls.size();
    m_calls.push_back({made, false});
    return made;
  }
  std::string ofResult(const std::string& given, const std::string& function) {
    while (m_open < m_calls.size() && m_calls[m_open].answered) ++m_open;
    std::size_t call = m_calls.size();
    if (given.empty()) call = m_open;
    else if (const auto found = m_latest.find(given); found != m_latest.end()) call = found->second;
    if (call == m_calls.size()) (void)ofCall(given, function, 0);  // the call is not part of the conversation
    m_calls[call].answered = true;
    return m_calls[call].id;
  }
  void closeTurn() { m_open = m_calls.size(); }

 private:
  struct Call {
    std::string id;
    bool answered = false;
  };
  [[nodiscard]] std::string numbered(const std::string& function, std::size_t inTurn) const {
    if (m_form == Form::numbered) return "functions." + function + ":" + std::to_string(m_calls.size());
    if (m_form == Form::numberedByTurn) return "functions." + function + ":" + std::to_string(inTurn);
    const std::string digits = std::to_string(m_calls.size() + 1);
    return std::string("call00000").substr(0, 9 - digits.size()) + digits;
  }

  const Form m_form;
  std::vector<Call> m_calls;
  std::map<std::string, std::size_t> m_latest;  // the call that had this id last
  std::size_t m_open = 0;                       // no earlier call waits for its result
};

}  // namespace

void giveCallIds(Json& messages, Form form) {
  CallIds ids(form);
  for (Json& message : messages) {
    if (message["role"] == "user") ids.closeTurn();
    if (message.contains("tool_calls")) {
      std::size_t inTurn = 0;
      for (Json& call : message["tool_calls"]) call["id"] = ids.ofCall(textOf(call, "id"), textOf(call["function"], "name"), inTurn++);
    }
    if (message["role"] == "tool")
      message["tool_call_id"] =
          ids.ofResult(textOf(message, "tool_call_id"), textOf(message, message.contains("name") ? "name" : "tool_name"));
  }
}

}  // namespace minerva::serve
