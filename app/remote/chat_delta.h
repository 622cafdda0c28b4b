// One event of a streamed chat completion, or a whole one that was not streamed. Pure functions.
#pragma once

#include "core/base/error.h"
#include "core/text/tool_calls.h"

#include <QByteArray>
#include <QList>
#include <QString>

#include <optional>
#include <string>
#include <vector>

namespace minerva::app {

// What the server says about a reply; -1: it does not.
struct ServerFigures {
  int promptTokens = -1, cachedTokens = -1, generatedTokens = -1, reasoningTokens = -1;
  double prefillTokensPerSecond = -1, prefillMs = -1;  // llama-server's and Minerva's `timings`
};

struct CallPart {  // of a call of a tool, whose arguments arrive in pieces
  int index = -1;  // -1: the server does not tell
  std::string id, name, arguments;
};

struct ChatDelta {
  std::string content, reasoning;
  std::vector<CallPart> calls;
  QString finish;        // "stop", "length", ...; empty: the reply goes on
  QString error;         // the server's message, instead of a piece
  bool isOther = false;  // an event of another kind, such as the sources that Open WebUI names before the text
  [[nodiscard]] bool says() const { return !content.empty() || !reasoning.empty() || !calls.empty(); }
};

// Adds to `figures` what the event says. Errors: corrupt (not a JSON object).
[[nodiscard]] Result<ChatDelta> readDelta(const QByteArray& json, ServerFigures& figures);

// The message in a server's refusal: {"error": {"message": ...}} and the forms that other servers use; otherwise the text's beginning.
[[nodiscard]] QString refusalIn(const QByteArray& body);

// Collects the parts of calls. Some servers give all calls the same index, or none: another id, or without an index a name, begins another
// call.
class CallCollector {
 public:
  void add(const CallPart& part);
  // The calls, once the reply has ended or text follows them.
  [[nodiscard]] std::vector<text::ToolCall> take();

 private:
  std::vector<CallPart> m_parts;  // in the order of their beginnings
};

}  // namespace minerva::app
