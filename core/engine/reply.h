// Runs a request to completion on the driving thread, step by step, so that several engines can take turns.
#pragma once

#include "core/engine/engine.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace minerva::engine {

struct Reply {
  std::vector<TokenId> tokens;
  std::vector<std::string> pieces;    // new text of each token, all channels; the last one includes the tail
  std::string text;                   // the answer
  std::string reasoning, toolCall;    // text of the other channels
  std::vector<text::ToolCall> calls;  // places are those in `text`
  FinishReason reason = FinishReason::endOfTurn;
  Timings timings;
  std::uint64_t seed = 0;
  std::vector<double> intervals;  // ms between consecutive tokens
  // The same, counting only time in this engine's steps and excluding other engines in between.
  double ownTtftMs = 0;
  std::vector<double> ownIntervals;
};

class ReplyRun {
 public:
  using Watch = std::function<void(const Event&)>;

  // Takes over the engine's sink and clears it on destruction. The engine must outlive it and run nothing else meanwhile.
  ReplyRun(Engine& engine, Request request, Watch watch = {});
  ~ReplyRun();
  ReplyRun(const ReplyRun&) = delete;
  ReplyRun& operator=(const ReplyRun&) = delete;

  void setWatch(Watch watch) { m_watch = std::move(watch); }  // called after soFar() has been updated

  // Runs one step of the engine. Returns false if the reply is finished.
  bool step();
  void cancel();  // takes effect in the next step
  [[nodiscard]] const Reply& soFar() const { return m_reply; }
  // Call after the last step. Errors: the engine's error.
  [[nodiscard]] Result<Reply> take();

 private:
  void hear(const Event& event);
  void hearToken(const TokenEvent& token);
  void add(const std::string& reasoning, const std::string& toolCall, const std::string& answer, const std::vector<text::ToolCall>& calls);

  Engine& m_engine;
  Watch m_watch;
  RequestId m_id = 0;
  Reply m_reply;
  std::optional<Error> m_error;
  TimePoint m_stepBegan{};
  double m_ownMs = 0;  // time in steps since the last token
  bool m_ended = false;
};

}  // namespace minerva::engine
