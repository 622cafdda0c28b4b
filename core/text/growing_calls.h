// Tells of calls before they are complete (implemented in tool_calls/), where their arguments are JSON or tags: the name once the arguments
// begin, then the arguments as they grow.
//
// What was told cannot be taken back. So only calls of tools that there are are told of, and of their arguments what the end of the call
// cannot change; what was told and what argumentsText() has in the end are the same, up to where that was told. If text that was told as a
// call turns out to be none, because it was cut off or is no JSON, it remains a call, with its arguments as the model wrote them
// (ToolCall::text).
#pragma once

#include "core/text/tool_calls.h"
#include "core/text/growing_arguments.h"

#include <nlohmann/json_fwd.hpp>

#include <memory>

namespace minerva::text {

class GrowingCalls {
 public:
  // tools: as in useDeclaredTypes().
  explicit GrowingCalls(const nlohmann::ordered_json& tools);

  // text: what follows the marker that calls of these formats open with, as much of it as there is, without what may be part of a marker.
  void read(std::string_view text, std::span<const ToolCallFormat* const> rows, std::vector<CallPiece>& out);
  // Of a message that is one call of this name: the arguments.
  void readMessage(const std::string& name, std::string_view text, std::vector<CallPiece>& out);
  // Calls of this text were told of.
  [[nodiscard]] bool hasTold() const { return !m_told.empty(); }
  // The text is over, and these are its calls: gives them the declared types, and makes them what was told. The next text begins.
  void finish(std::string_view text, std::vector<ToolCall>& calls);

 private:
  struct Told {
    std::string name, arguments;
    std::unique_ptr<calls::GrowingArguments> growing;
    std::size_t from = 0;  // where the arguments begin
  };
  bool begin(std::string_view text, std::span<const ToolCallFormat* const> rows, std::vector<CallPiece>& out);
  void begin(const CallOpening& opening, std::size_t from, std::vector<CallPiece>& out);
  void goOn(std::string_view text, std::vector<CallPiece>& out);
  [[nodiscard]] bool isTool(std::string_view name) const;

  const std::shared_ptr<const nlohmann::ordered_json> m_tools;
  const std::vector<std::string> m_names;
  std::vector<Told> m_told;
  std::size_t m_before = 0;  // number of calls of the reply in earlier texts
};

}  // namespace minerva::text
