#include "core/text/growing_calls.h"

#include "core/text/tool_calls/growing_json.h"
#include "core/text/tool_calls/growing_tags.h"

#include <nlohmann/json.hpp>

#include <utility>

namespace minerva::text {
namespace {

constexpr std::size_t longestOpening = 512;  // bytes before the arguments; a longer one is no call that is told of early

}  // namespace

std::string argumentsText(const ToolCall& call) {
  if (!call.text.empty()) return call.text;
  std::string out = "{";
  for (const ToolArgument& argument : call.arguments)
    out += (out.size() > 1 ? "," : "") + calls::jsonString(argument.name) + ":" + argument.json;
  return out + "}";
}

GrowingCalls::GrowingCalls(const nlohmann::ordered_json& tools)
    : m_tools(std::make_shared<const nlohmann::ordered_json>(tools)), m_names(toolNames(tools)) {}

bool GrowingCalls::isTool(std::string_view name) const { return std::ranges::find(m_names, name) != m_names.end(); }

void GrowingCalls::read(std::string_view text, std::span<const ToolCallFormat* const> rows, std::vector<CallPiece>& out) {
  do {
    if ((m_told.empty() || m_told.back().growing->isComplete()) && !begin(text, rows, out)) return;
    goOn(text, out);
  } while (m_told.back().growing->isComplete());
}

void GrowingCalls::readMessage(const std::string& name, std::string_view text, std::vector<CallPiece>& out) {
  if (m_told.empty()) {
    const std::size_t from = std::min(text.find_first_not_of(calls::whiteSpaceOfCalls), text.size());
    if (!text.substr(from).starts_with('{') || !isTool(name)) return;
    begin({.name = name}, from, out);
  }
  goOn(text, out);
}

// Looks for a call after those that were told of. False if there is none yet.
bool GrowingCalls::begin(std::string_view text, std::span<const ToolCallFormat* const> rows, std::vector<CallPiece>& out) {
  const std::size_t after = m_told.empty() ? 0 : m_told.back().from + m_told.back().growing->told();
  const std::string_view rest = text.substr(after, longestOpening);
  for (const ToolCallFormat* row : rows) {
    const auto found = row->opening != nullptr ? row->opening(rest, m_told.empty()) : std::nullopt;
    if (!found || !isTool(found->name)) continue;
    begin(*found, after + found->arguments, out);
    return true;
  }
  return false;
}

void GrowingCalls::begin(const CallOpening& opening, std::size_t from, std::vector<CallPiece>& out) {
  Told& told = m_told.emplace_back();
  told.name = opening.name;
  if (opening.tags != nullptr) told.growing = std::make_unique<calls::GrowingTags>(*opening.tags, told.name, *m_tools);
  else told.growing = std::make_unique<calls::GrowingJson>();
  told.from = from;
  out.push_back({.call = m_before + m_told.size() - 1, .name = told.name, .begins = true, .arguments = {}});
}

void GrowingCalls::goOn(std::string_view text, std::vector<CallPiece>& out) {
  Told& told = m_told.back();
  std::string more;
  told.growing->read(text.substr(told.from), more);
  if (more.empty()) return;
  told.arguments += more;
  const std::size_t number = m_before + m_told.size() - 1;
  if (out.empty() || out.back().call != number) out.push_back({.call = number, .name = told.name, .begins = false, .arguments = {}});
  out.back().arguments += more;
}

void GrowingCalls::finish(std::string_view text, std::vector<ToolCall>& calls) {
  useDeclaredTypes(calls, *m_tools);
  for (std::size_t i = 0; i < m_told.size(); ++i) {
    const Told& told = m_told[i];
    if (i == calls.size()) calls.emplace_back();
    ToolCall& call = calls[i];
    const std::string whole = argumentsText(call);
    if (call.name != told.name || (told.growing->isComplete() ? whole != told.arguments : !whole.starts_with(told.arguments))) {
      call = {};
      call.name = told.name;
      if (told.growing->isComplete()) setArguments(call, told.arguments);
      else call.text = told.arguments + std::string(text.substr(std::min(told.from + told.growing->told(), text.size())));
    }
    call.told = told.arguments.size();
  }
  m_before += calls.size();
  m_told.clear();
}

}  // namespace minerva::text
