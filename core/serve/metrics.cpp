// GET /metrics, in the text format of Prometheus.
#include "core/serve/route.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace minerva::serve {
namespace {

class Exposition {
 public:
  template <class T>
  void add(const char* name, const char* kind, const char* help, T value) {
    m_out << "# HELP minerva_" << name << ' ' << help << "\n# TYPE minerva_" << name << ' ' << kind << "\nminerva_" << name << ' '
          << std::setprecision(15) << value << '\n';
  }
  [[nodiscard]] std::string text() const { return m_out.str(); }

 private:
  std::ostringstream m_out;
};

}  // namespace

Result<Reply> answerMetrics(Context& context, const Call&) {
  const Figures f = context.counts != nullptr   ? context.counts->figures()
                    : context.driver == nullptr ? Figures()
                                                : context.driver->figures();
  Exposition out;
  out.add("requests_accepted_total", "counter", "Requests taken by the engine.", f.accepted);
  out.add("requests_refused_total", "counter", "Requests refused because the queue was full.", f.refused);
  out.add("requests_finished_total", "counter", "Replies written to their end.", f.finished);
  out.add("requests_cancelled_total", "counter", "Replies whose client went away.", f.cancelled);
  out.add("requests_failed_total", "counter", "Requests that ended with an error.", f.failed);
  out.add("requests_underway", "gauge", "Requests running or waiting now.", f.underway);
  out.add("prompt_tokens_total", "counter", "Tokens of prompts.", f.promptTokens);
  out.add("prompt_tokens_reused_total", "counter", "Tokens of prompts that were not computed again.", f.reusedTokens);
  out.add("generated_tokens_total", "counter", "Tokens sampled.", f.generatedTokens);
  out.add("prefill_seconds_total", "counter", "Time of prompts.", f.prefillSeconds);
  out.add("decode_seconds_total", "counter", "Time from the first to the last token of replies.", f.decodeSeconds);
  out.add("time_to_first_token_seconds_total", "counter", "Time from arrival to the first token.", f.ttftSeconds);
  out.add("state_bytes", "gauge", "Memory of the states of conversations at the last event.", f.kvHeld);
  const auto models = modelsOf(context);
  out.add("models_loaded", "gauge", "Models in memory.",
          std::ranges::count(models, ModelShelf::Listed::State::here, &ModelShelf::Listed::state));
  return Reply{.body = out.text(), .type = "text/plain; version=0.0.4"};
}

}  // namespace minerva::serve
