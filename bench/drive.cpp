#include "bench/drive.h"

#include "core/base/standard_output.h"
#include "core/base/utf8.h"

#include <cstdio>
#include <optional>
#include <string>
#include <unistd.h>

namespace minerva::bench {

Show showOnTerminal() {
  return [last = text::Channel::answer](text::Channel channel, std::string_view text) mutable {
    const bool dim = isatty(STDERR_FILENO) != 0;
    if (last != text::Channel::answer && channel != last) std::fputs(dim ? "\033[0m\n\n" : "\n\n", stderr);
    if (last == text::Channel::answer && channel != last && dim) std::fputs("\033[2m", stderr);
    last = channel;
    const bool answer = channel == text::Channel::answer;
    const bool terminal = isatty(answer ? STDOUT_FILENO : STDERR_FILENO) != 0;  // a file or a pipe gets the exact text
    const std::string shown = terminal ? utf8::printable(text, utf8::LineFeeds::kept) : std::string(text);
    if (!answer) std::fwrite(shown.data(), 1, shown.size(), stderr);
    else if (!shown.empty()) static_cast<void>(writeStandardOutput(shown));  // drive() looks whether it could
  };
}

Result<Reply> drive(engine::Engine& engine, engine::Request request, const Show& shown, const std::function<bool()>& interrupted) {
  const auto show = [&](text::Channel channel, const std::string& text) {
    if (shown && !text.empty()) shown(channel, text);
  };
  const auto showAll = [&](const std::string& reasoning, const std::string& toolCall, const std::string& answer) {
    show(text::Channel::reasoning, reasoning);
    show(text::Channel::toolCall, toolCall);
    show(text::Channel::answer, answer);
  };
  engine::ReplyRun run(engine, std::move(request), [&](const engine::Event& event) {
    if (const auto* token = std::get_if<engine::TokenEvent>(&event.body)) showAll(token->reasoning, token->toolCall, token->text);
    if (const auto* finished = std::get_if<engine::Finished>(&event.body))
      showAll(finished->reasoningTail, finished->toolCallTail, finished->tail);
  });
  bool cancelled = false;
  while (run.step()) {
    const bool unread = shown && std::ferror(stdout) != 0;
    if (cancelled || (!unread && (!interrupted || !interrupted()))) continue;
    run.cancel();
    cancelled = true;
  }
  if (shown) shown(text::Channel::answer, {});  // lets the callback reset the terminal
  if (shown) MINERVA_TRY(flushStandardOutput());
  return run.take();
}

}  // namespace minerva::bench
