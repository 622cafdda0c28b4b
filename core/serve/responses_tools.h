// Tools of /v1/responses that a chat has no form for, as functions: those of a namespace, and custom ones, which take a text in place of
// arguments. Calls come back under the names, and in the form, in which the client sent the tools.
#pragma once

#include "core/serve/parse_json.h"
#include "core/text/tool_calls.h"

#include <map>
#include <string>
#include <vector>

namespace minerva::serve {

struct ResponsesTool {
  std::string space{};  // its namespace; empty: none
  std::string name{};
  bool isCustom = false;
};

class ResponsesTools {
 public:
  // tools: of the request. Those of other types, which the service itself would run, are left out: clients offer them to any model. Errors:
  // invalidArgument.
  [[nodiscard]] static Result<ResponsesTools> read(const Json& tools);

  [[nodiscard]] const Json& functions() const { return m_functions; }  // in the form of a chat
  // The name under which the model knows the tool. One that is not among the tools, such as of an earlier turn, gets one in the same way.
  [[nodiscard]] std::string nameFor(const std::string& space, const std::string& name) const;
  [[nodiscard]] const std::string& pathOf(std::size_t function) const { return m_paths.at(function); }  // in the request
  // Of a call's function. One that is not among the tools stands for itself.
  [[nodiscard]] ResponsesTool toolOf(const std::string& function) const;

 private:
  Result<void> add(const Json& tool, const std::string& space, const std::string& path);
  Result<void> addAll(const Json& tools, const std::string& space, const std::string& path);

  Json m_functions = Json::array();
  std::vector<std::string> m_paths;  // of these
  std::map<std::string, ResponsesTool> m_byFunction;
};

// What a call hands to a custom tool.
[[nodiscard]] std::string customInput(const text::ToolCall& call);
// The arguments of a call that hands it this.
[[nodiscard]] std::string customArguments(const std::string& input);

}  // namespace minerva::serve
