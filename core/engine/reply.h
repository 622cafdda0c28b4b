// A request run to its end on the driving thread, a step at a time, so that several engines can take turns.
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
  std::vector<std::string> pieces;  // what became certain with each token, all channels; the last: with the end as well
  std::string text;                 // the answer
  std::string reasoning, toolCall;  // what came on the other channels
  FinishReason reason = FinishReason::endOfTurn;
  Timings timings;
  std::uint64_t seed = 0;
  std::vector<double> intervals;  // ms between consecutive tokens
  // The same counted in this engine's own steps alone: what others do in between is left out.
  double ownTtftMs = 0;
  std::vector<double> ownIntervals;
};

class ReplyRun {
 public:
  using Watch = std::function<void(const Event&)>;

  // Has the engine's sink until it is gone; the engine must outlive it and run nothing else.
  ReplyRun(Engine& engine, Request request, Watch watch = {});
  ~ReplyRun();
  ReplyRun(const ReplyRun&) = delete;
  ReplyRun& operator=(const ReplyRun&) = delete;

  void setWatch(Watch watch) { m_watch = std::move(watch); }  // told after the reply so far has it

  // One step of the engine. False: the reply is over.
  bool step();
  void cancel();  // the next step ends it
  [[nodiscard]] const Reply& soFar() const { return m_reply; }
  // After the last step. Errors: what the engine said.
  [[nodiscard]] Result<Reply> take();

 private:
  void hear(const Event& event);
  void hearToken(const TokenEvent& token);
  void add(const std::string& reasoning, const std::string& toolCall, const std::string& answer);

  Engine& m_engine;
  Watch m_watch;
  RequestId m_id = 0;
  Reply m_reply;
  std::optional<Error> m_error;
  TimePoint m_stepBegan{};
  double m_ownMs = 0;  // in steps since the last token
  bool m_ended = false;
};

}  // namespace minerva::engine
