// What the engine tells the world, with monotonic timestamps taken in the engine. Values, copied across threads.
//
// The order of one request: Queued, Started, PrefillProgress..., FirstToken + Token..., Finished | Failed.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/text/tokenizer.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace minerva::engine {

using RequestId = std::uint64_t;
using text::TokenId;

enum class FinishReason { endOfTurn, stopString, length, contextFull, cancelled };
[[nodiscard]] const char* name(FinishReason reason);  // "stop", "stop_string", "length", "context", "cancelled"

// Where the time of a request went, in milliseconds. No moment is counted twice: wallMs less their sum is what happened
// between them, and nothing here measures it.
struct Phases {
  double queueMs = 0;  // arrival to the start of its first step, but for the next two
  double templateMs = 0;
  double tokenizeMs = 0;
  double prefillMs = 0;     // in steps that computed the prompt
  double firstTokenMs = 0;  // end of the last of these to the first sampled token
  double decodeMs = 0;      // in steps after that, and sampling from them
  double detokenizeMs = 0;  // making text of tokens and handing it over

  [[nodiscard]] double sum() const { return queueMs + templateMs + tokenizeMs + prefillMs + firstTokenMs + decodeMs + detokenizeMs; }
};

// All times in milliseconds, all speeds in tokens per second. Words as in design.md part 4.
struct Timings {
  TimePoint arrival{};  // in the engine, on the clock of the events
  Phases phases{};
  double queueMs = 0;     // arrival in the engine to the start of its first step
  double templateMs = 0;  // rendering the chat template
  double tokenizeMs = 0;
  double prefillMs = 0;                          // start of the first step to the end of the last prompt step
  double ttftMs = 0;                             // arrival to the first sampled token
  double decodeMs = 0;                           // first sampled token to the last
  double wallMs = 0;                             // arrival to the end
  int promptTokens = 0;                          // in all
  int reusedTokens = 0;                          // of these: already in the KV cache
  int generatedTokens = 0;                       // sampled, the end-of-turn token included
  double prefillTokensPerSecond = 0;             // computed prompt tokens / prefillMs
  double decodeTokensPerSecond = 0;              // tokens after the first / decodeMs
  double tpotP50 = 0, tpotP95 = 0, tpotP99 = 0;  // ms between consecutive tokens
  int reasoningTokens = 0;                       // of the generated ones: reasoning
};

struct PrefillProgress {
  int done = 0, total = 0;     // prompt tokens to compute (the reused ones not counted)
  double tokensPerSecond = 0;  // so far
};

struct TokenEvent {
  TokenId token = 0;
  std::string text;                  // whole characters of the answer that became certain with this token; may be empty
  int index = 0;                     // 0: the first sampled token
  double millisecondsSinceLast = 0;  // for index 0: since arrival (TTFT)
  int contextUsed = 0;               // positions of the slot filled after this token
  std::string reasoning = {};        // the same of what the model thinks before it answers (chats only; core/text/channels.h)
  std::string toolCall = {};         // the same of what it says to a tool
};

struct Started {
  int promptTokens = 0, reusedTokens = 0;
  std::uint64_t seed = 0;  // the one used: the request's own, or a new one where that was 0
};

struct Finished {
  FinishReason reason = FinishReason::endOfTurn;
  std::string tail;  // text held back until the end (stop strings, incomplete characters)
  Timings timings;
  int contextUsed = 0;
  std::string reasoningTail = {}, toolCallTail = {};  // as tail, of the other channels
};

struct Failed {
  Error error;
  Timings timings;
};

struct Event {
  RequestId request = 0;
  TimePoint time;
  std::variant<Started, PrefillProgress, TokenEvent, Finished, Failed> body;
};

}  // namespace minerva::engine
