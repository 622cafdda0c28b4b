#include "bench/drive.h"

#include <optional>

namespace minerva::bench {

Result<Reply> drive(engine::Engine& engine, engine::Request request, const std::function<void(std::string_view)>& shown,
                    const std::function<bool()>& interrupted) {
  Reply reply;
  bool ended = false;
  std::optional<Error> error;
  const auto show = [&](const std::string& text) {
    reply.text += text;
    if (shown && !text.empty()) shown(text);
  };
  engine.setSink([&](const engine::Event& event) {
    if (const auto* started = std::get_if<engine::Started>(&event.body)) reply.seed = started->seed;
    if (const auto* token = std::get_if<engine::TokenEvent>(&event.body)) {
      reply.tokens.push_back(token->token);
      show(token->text);
    }
    if (const auto* finished = std::get_if<engine::Finished>(&event.body)) {
      show(finished->tail);
      reply.reason = finished->reason;
      reply.timings = finished->timings;
      ended = true;
    }
    if (const auto* failed = std::get_if<engine::Failed>(&event.body)) {
      error = failed->error;
      ended = true;
    }
  });
  const engine::RequestId id = engine.submit(std::move(request));
  bool cancelled = false;
  while (!ended && engine.step()) {
    if (cancelled || !interrupted || !interrupted()) continue;
    engine.cancel(id);
    cancelled = true;
  }
  engine.setSink({});
  if (error) return fail(std::move(*error));
  if (!ended) return fail({.what = "The engine stopped before the reply was finished", .where = "request"});
  return reply;
}

}  // namespace minerva::bench
