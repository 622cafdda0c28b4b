// Events that the engine emits, with monotonic timestamps taken in the engine. Value types, copied between threads.
//
// Order within a request: Started, PrefillProgress..., TokenEvent..., Finished or Failed. Requests that never start only
// get Finished or Failed.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/text/tokenizer.h"
#include "core/text/tool_calls.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace minerva::engine {

using RequestId = std::uint64_t;
using text::TokenId;

enum class FinishReason { endOfTurn, stopString, length, contextFull, cancelled };
[[nodiscard]] const char* name(FinishReason reason);  // "stop", "stop_string", "length", "context", "cancelled"

// Breakdown of a request's time in milliseconds. The phases do not overlap; wallMs minus their sum is unmeasured time
// between them.
struct Phases {
  double queueMs = 0;  // arrival to the start of the first step, without template and tokenization
  double templateMs = 0;
  double tokenizeMs = 0;
  double prefillMs = 0;     // in steps that computed the prompt
  double firstTokenMs = 0;  // end of the last prompt step to the first sampled token
  double decodeMs = 0;      // in later steps, including sampling
  double detokenizeMs = 0;  // converting tokens to text and delivering it

  [[nodiscard]] double sum() const { return queueMs + templateMs + tokenizeMs + prefillMs + firstTokenMs + decodeMs + detokenizeMs; }
};

// Times in milliseconds, speeds in tokens per second. Terms as in design.md part 4.
struct Timings {
  TimePoint arrival{};  // in the engine, on the clock of the events
  Phases phases{};
  double queueMs = 0;     // arrival in the engine to the start of the first step
  double templateMs = 0;  // rendering the chat template
  double tokenizeMs = 0;
  double prefillMs = 0;                          // start of the first step to the end of the last prompt step
  double ttftMs = 0;                             // arrival to the first sampled token
  double decodeMs = 0;                           // first sampled token to the last
  double wallMs = 0;                             // arrival to the end
  int promptTokens = 0;                          // total
  int reusedTokens = 0;                          // of these, not computed again
  int generatedTokens = 0;                       // sampled, including the end-of-turn token
  double prefillTokensPerSecond = 0;             // computed prompt tokens / prefillMs
  double decodeTokensPerSecond = 0;              // tokens after the first / decodeMs
  double tpotP50 = 0, tpotP95 = 0, tpotP99 = 0;  // ms between consecutive tokens
  int reasoningTokens = 0;                       // of the generated tokens, those of reasoning
  int draftedTokens = 0;                         // drafted and checked
  int acceptedTokens = 0;                        // of these, part of the reply
};

struct PrefillProgress {
  int done = 0, total = 0;     // prompt tokens to compute (without reused ones)
  double tokensPerSecond = 0;  // so far
};

// Natural logarithms of probabilities, before sampling options and constraints change them.
struct TokenLogprob {
  TokenId token = 0;
  float logprob = 0;
};
struct Logprobs {
  float chosen = 0;               // of the sampled token
  std::vector<TokenLogprob> top;  // the likeliest, best first
};

struct TokenEvent {
  TokenId token = 0;
  std::string text;                        // complete characters of the answer that became available with this token; may be empty
  int index = 0;                           // 0: the first sampled token
  double millisecondsSinceLast = 0;        // for index 0: since arrival (TTFT); tokens of one step share the time of the step
  int contextUsed = 0;                     // context positions used, including this token
  std::string reasoning = {};              // like text, for reasoning (chats only; core/text/channels.h)
  std::string toolCall = {};               // like text, for tool calls, as the model wrote them
  std::vector<text::ToolCall> calls = {};  // the calls that this token completed
  int drafted = 0, accepted = 0;           // so far: tokens that were drafted and checked, and those of them in the reply
  std::optional<Logprobs> logprobs = {};   // if the request asks for them
  // Of calls that are not complete, and of those in `calls` before they were, if the request asks for them.
  std::vector<text::CallPiece> callPieces = {};
};

struct Started {
  int promptTokens = 0, reusedTokens = 0;
  std::uint64_t seed = 0;  // the seed in use: the request's, or a new one if that was 0
};

struct Finished {
  FinishReason reason = FinishReason::endOfTurn;
  std::string tail;  // text held back until the end (possible stop strings, incomplete characters)
  Timings timings;
  int contextUsed = 0;
  std::string reasoningTail = {}, toolCallTail = {};  // like tail, for the other channels
  std::vector<text::ToolCall> callsTail = {};
  std::string stopString = {};  // that ended it, if one did
  std::vector<text::CallPiece> callPiecesTail = {};
};

struct Failed {
  Error error;
  Timings timings;
};

struct Event {
  RequestId request = 0;
  TimePoint time;
  std::variant<Started, PrefillProgress, TokenEvent, Finished, Failed> body;
  std::uint64_t kvHeld = 0;  // bytes of states that all sequences and checkpoints hold then (backend::MemoryUse::kvHeld)
};

}  // namespace minerva::engine
