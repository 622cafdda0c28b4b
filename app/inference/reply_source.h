// Where replies come from: the seam between chat/metrics and the engine's thread (and a script, in tests).
//
// GUI thread only. Between submit() and an update with `finished`, updates of that request arrive at most once a frame,
// each carrying everything new since the last.
#pragma once

#include "app/inference/error_info.h"
#include "app/inference/model_facts.h"
#include "app/inference/prompt_question.h"
#include "core/engine/events.h"
#include "core/engine/engine.h"

#include <QObject>

#include <memory>
#include <optional>
#include <vector>

namespace minerva::app {

struct TokenMark {
  TimePoint time;     // the engine's clock
  float sinceLastMs;  // for the first token: TTFT
};

// How a request came to the engine, on the engine's clock, and what it ran on.
struct RequestSpan {
  TimePoint sent{};                        // by the window
  double loadMs = 0;                       // of the wait since: a model was being loaded
  std::shared_ptr<const Subject> subject;  // null: the request never reached an engine
};

// What happened to one request since the last update. A value; crosses threads by copy.
struct ReplyUpdate {
  quint64 request = 0;
  std::optional<engine::Started> started;
  std::optional<engine::PrefillProgress> prefill;  // the newest
  QString text;                                    // to append
  std::vector<TokenMark> tokens;
  int contextUsed = 0;                       // 0: no token yet
  std::optional<engine::Finished> finished;  // its tail is already part of `text`
  std::optional<engine::Failed> failed;

  RequestSpan span;   // with the last update
  TimePoint ended{};  // with the last update: when the engine was through

  [[nodiscard]] bool isLast() const { return finished || failed; }
};

class ReplySource : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;
  [[nodiscard]] virtual bool isReady() const = 0;                         // a model is loaded
  [[nodiscard]] virtual QString modelName() const = 0;                    // as it is shown
  [[nodiscard]] virtual QString modelKey() const { return modelName(); }  // what is remembered of it is kept under this
  // 0: not ready. The answer comes by updated().
  virtual quint64 submit(engine::Request request) = 0;
  // Answered by an update whose finish reason is `cancelled`, within one token.
  virtual void cancel(quint64 request) = 0;
  // What a prompt would be: nothing is run. 0: no answer will come; else it comes by examined(), replies go on meanwhile.
  virtual quint64 examine(PromptQuestion) { return 0; }

 Q_SIGNALS:
  void examined(quint64 question, const minerva::app::PromptAnswer& answer);
  void submitted(quint64 request);
  void updated(const minerva::app::ReplyUpdate& update);
  void readyChanged();
};

}  // namespace minerva::app
