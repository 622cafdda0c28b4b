// Interface between chat/metrics and the engine's thread (or a scripted fake in tests).
//
// GUI thread only. Between submit() and the last update (finished or failed), updates of a request arrive at most once per
// frame, each with everything new since the previous one.
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

// When a request was sent (the engine's clock), and what it ran on.
struct RequestSpan {
  TimePoint sent{};                        // by the window
  double loadMs = 0;                       // part of the wait since then that was spent loading a model
  std::shared_ptr<const Subject> subject;  // null if the request never reached an engine
  // A server that does not count tokens: generatedTokens is the number of pieces of text, and speeds are of pieces.
  bool pieces = false;
};

// Progress of one request since its previous update. A value type, copied between threads.
struct ReplyUpdate {
  quint64 request = 0;
  std::optional<engine::Started> started;
  std::optional<engine::PrefillProgress> prefill;  // the latest
  QString text;                                    // to append
  std::vector<TokenMark> tokens;
  int contextUsed = 0;                       // 0: no token yet
  int drafted = 0, accepted = 0;             // of the reply so far; as in engine::TokenEvent
  double kvHeld = 0;                         // bytes of states that all conversations hold, checkpoints included; 0: not heard of
  std::optional<engine::Finished> finished;  // its tail is already included in `text`
  std::optional<engine::Failed> failed;

  RequestSpan span;   // set in the last update
  TimePoint ended{};  // set in the last update: when the engine finished

  [[nodiscard]] bool isLast() const { return finished || failed; }
};

class ReplySource : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;
  [[nodiscard]] virtual bool isReady() const = 0;                         // a model is loaded
  [[nodiscard]] virtual QString modelName() const = 0;                    // display name
  [[nodiscard]] virtual QString modelKey() const { return modelName(); }  // key for data stored per model
  // The server that runs the model; empty: this program does. Prompts for a server cannot be examined.
  [[nodiscard]] virtual QString serverName() const { return {}; }
  [[nodiscard]] virtual text::ReasoningControls reasoning() const { return {}; }  // of the model's chat template
  // Returns the request's id, or 0 if not ready. The reply arrives through updated().
  virtual quint64 submit(engine::Request request) = 0;
  // Takes effect after the present step: one token, or a chunk of the prompt, which may take seconds (LoadOptions::chunkMs).
  // The last update then has finish reason `cancelled`.
  virtual void cancel(quint64 request) = 0;
  // Analyses a prompt without running it. Returns the question's id, or 0 if there will be no answer. The answer arrives
  // through examined(); replies are not delayed.
  virtual quint64 examine(PromptQuestion) { return 0; }

 Q_SIGNALS:
  void examined(quint64 question, const minerva::app::PromptAnswer& answer);
  void submitted(quint64 request);
  void updated(const minerva::app::ReplyUpdate& update);
  void readyChanged();
};

}  // namespace minerva::app
