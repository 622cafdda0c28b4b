#include "bench/drive.h"

#include <cstdio>
#include <optional>
#include <unistd.h>

namespace minerva::bench {

Show showOnTerminal() {
  return [last = text::Channel::answer](text::Channel channel, std::string_view text) mutable {
    const bool dim = isatty(STDERR_FILENO) != 0;
    if (last != text::Channel::answer && channel != last) std::fputs(dim ? "\033[0m\n\n" : "\n\n", stderr);
    if (last == text::Channel::answer && channel != last && dim) std::fputs("\033[2m", stderr);
    last = channel;
    std::FILE* out = channel == text::Channel::answer ? stdout : stderr;
    std::fwrite(text.data(), 1, text.size(), out);
    std::fflush(out);
  };
}

Result<Reply> drive(engine::Engine& engine, engine::Request request, const Show& shown,
                    const std::function<bool()>& interrupted) {
  Reply reply;
  bool ended = false;
  std::optional<Error> error;
  const auto show = [&](text::Channel channel, std::string& whole, const std::string& text) {
    whole += text;
    if (shown && !text.empty()) shown(channel, text);
  };
  const auto showAll = [&](const std::string& reasoning, const std::string& toolCall, const std::string& answer) {
    show(text::Channel::reasoning, reply.reasoning, reasoning);
    show(text::Channel::toolCall, reply.toolCall, toolCall);
    show(text::Channel::answer, reply.text, answer);
  };
  engine.setSink([&](const engine::Event& event) {
    if (const auto* started = std::get_if<engine::Started>(&event.body)) reply.seed = started->seed;
    if (const auto* token = std::get_if<engine::TokenEvent>(&event.body)) {
      reply.tokens.push_back(token->token);
      showAll(token->reasoning, token->toolCall, token->text);
    }
    if (const auto* finished = std::get_if<engine::Finished>(&event.body)) {
      showAll(finished->reasoningTail, finished->toolCallTail, finished->tail);
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
  if (shown) shown(text::Channel::answer, {});  // leaves the terminal as it was
  if (error) return fail(std::move(*error));
  if (!ended) return fail({.what = "The engine stopped before the reply was finished", .where = "request"});
  return reply;
}

}  // namespace minerva::bench
