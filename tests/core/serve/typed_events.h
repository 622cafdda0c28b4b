// Server-sent events that have a type: those of /v1/responses and /v1/messages.
#pragma once

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace minerva::serve {

struct TypedEvent {
  std::string type;
  nlohmann::ordered_json data;
};

inline std::vector<TypedEvent> typedEventsOf(const std::string& body) {
  std::vector<TypedEvent> events;
  for (std::size_t at = 0; at < body.size();) {
    const std::size_t line = body.find('\n', at), end = body.find("\n\n", at);
    if (end == std::string::npos || body.substr(at, 7) != "event: " || body.substr(line + 1, 6) != "data: ") {
      ADD_FAILURE() << body.substr(at, 200);
      break;
    }
    events.push_back(
        {body.substr(at + 7, line - at - 7), nlohmann::ordered_json::parse(body.substr(line + 7, end - line - 7), nullptr, false)});
    at = end + 2;
  }
  return events;
}

// Sorted.
inline std::vector<std::string> namesOf(const nlohmann::ordered_json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  std::ranges::sort(names);
  return names;
}

}  // namespace minerva::serve
