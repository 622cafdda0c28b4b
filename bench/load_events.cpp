#include "bench/load_events.h"

#include "core/base/utf8.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <utility>

namespace minerva::bench {
namespace {

using Chunk = nlohmann::json;
constexpr std::size_t longestEvent = 1u << 20;

const Chunk* member(const Chunk& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

void readCount(const Chunk* object, const char* name, std::optional<int>& count) {
  const Chunk* value = object != nullptr ? member(*object, name) : nullptr;
  if (value == nullptr || !value->is_number_integer()) return;
  const auto number = value->get<std::int64_t>();
  if (number >= 0 && std::in_range<int>(number)) count = static_cast<int>(number);
}

bool hasText(const Chunk& choice) {
  const Chunk* delta = member(choice, "delta");
  if (delta == nullptr) return false;
  for (const char* field : {"content", "reasoning_content", "reasoning"}) {
    const Chunk* text = member(*delta, field);
    if (text != nullptr && text->is_string() && !text->get_ref<const std::string&>().empty()) return true;
  }
  const Chunk* calls = member(*delta, "tool_calls");
  return calls != nullptr && calls->is_array() && !calls->empty();
}

// The words of an object's error; `raw`: the object as it came, because writing a nested value anew would recurse as deep as the server
// pleases.
std::optional<std::string> errorText(const Chunk& object, std::string_view raw) {
  const Chunk* error = member(object, "error");
  if (error == nullptr) return std::nullopt;
  if (error->is_string()) return excerpt(error->get_ref<const std::string&>());
  const Chunk* message = member(*error, "message");
  return excerpt(message != nullptr && message->is_string() ? message->get_ref<const std::string&>() : raw);
}

}  // namespace

bool EventReader::feed(std::string_view bytes) {
  while (!m_broken && !bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    m_line += bytes.substr(0, end);
    if (m_line.size() + m_data.size() > longestEvent) m_broken = true;
    if (end == std::string_view::npos) break;
    bytes.remove_prefix(end + 1);
    m_broken = m_broken || !endLine();
  }
  return !m_broken;
}

bool EventReader::endLine() {
  std::string line = std::exchange(m_line, {});
  if (line.ends_with('\r')) line.pop_back();
  if (line.empty()) dispatch();
  if (!line.starts_with("data:")) return true;  // a comment, or a field that chat completions do not use
  std::string_view data = std::string_view(line).substr(5);
  if (data.starts_with(' ')) data.remove_prefix(1);
  if (m_hasData) m_data += '\n';
  m_data += data;
  m_hasData = true;
  return m_data.size() <= longestEvent;
}

void EventReader::dispatch() {
  if (std::exchange(m_hasData, false)) m_take(m_data);
  m_data.clear();
}

void EventReader::finish() {
  if (m_broken) return;
  if (!m_line.empty()) (void)endLine();
  dispatch();
}

std::string excerpt(std::string_view text) {
  constexpr std::size_t most = 160;
  const bool cut = text.size() > most;
  return utf8::printable(text.substr(0, most)) + (cut ? "..." : "");
}

std::string messageOf(std::string_view body) {
  const Chunk parsed = Chunk::parse(body, nullptr, false);
  if (const auto text = errorText(parsed, body)) return *text;
  return body.empty() ? "no body" : excerpt(body);
}

void takeChunk(ChatProgress& progress, std::string_view data, TimePoint now) {
  if (progress.error || progress.done) return;
  if (data == "[DONE]") {
    progress.done = true;
    return;
  }
  const Chunk chunk = Chunk::parse(data, nullptr, false);
  if (!chunk.is_object()) {
    progress.error = LoadError{"nonsense", "an event is not a JSON object: " + excerpt(data)};
    return;
  }
  if (const auto text = errorText(chunk, data)) {
    progress.error = LoadError{"error_event", *text};
    return;
  }
  if (const Chunk* usage = member(chunk, "usage")) {
    readCount(usage, "prompt_tokens", progress.promptTokens);
    readCount(usage, "completion_tokens", progress.completionTokens);
    readCount(member(*usage, "prompt_tokens_details"), "cached_tokens", progress.cachedTokens);
  }
  const Chunk* choices = member(chunk, "choices");
  if (choices == nullptr || !choices->is_array()) return;
  for (const Chunk& choice : *choices) {
    if (hasText(choice)) {
      if (progress.pieces++ == 0) progress.first = now;
      progress.last = now;
    }
    const Chunk* reason = member(choice, "finish_reason");
    if (reason != nullptr && reason->is_string()) progress.finishReason = excerpt(reason->get_ref<const std::string&>());
  }
}

void checkComplete(ChatProgress& progress) {
  if (progress.error || !progress.finishReason.empty()) return;
  if (progress.pieces == 0) {
    progress.error = LoadError{"nonsense", "the reply has no event of a chat completion"};
  } else if (!progress.done) {
    progress.error = LoadError{"cut_off", "the stream ended without a finish reason after " + std::to_string(progress.pieces) + " pieces"};
  } else {
    progress.finishReason = "none given";
  }
}

}  // namespace minerva::bench
