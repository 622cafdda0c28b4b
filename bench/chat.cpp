#include "bench/device_options.h"
#include "bench/drive.h"
#include "bench/reasoning_options.h"
#include "bench/sampling_options.h"
#include "core/base/standard_output.h"
#include "core/engine/prompt.h"

#include <csignal>
#include <cstdio>
#include <iostream>
#include <optional>
#include <string_view>
#include <unistd.h>

namespace minerva::bench {
namespace {

struct ChatOptions {
  DeviceOptions device;
  SamplingChoice sampling;
  ReasoningAsked reasoning;
  std::string model, system;
  int maxTokens = 0;
};

volatile std::sig_atomic_t interruptions = 0;

// While a reply is running, Control-C cancels it; otherwise it ends the program as usual.
class InterruptGuard {
 public:
  InterruptGuard() {
    interruptions = 0;
    m_before = std::signal(SIGINT, [](int) { interruptions = 1; });
  }
  ~InterruptGuard() { std::signal(SIGINT, m_before); }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  void (*m_before)(int) = SIG_DFL;
};

Result<void> answerTurn(const ChatOptions& options, engine::Engine& engine, nlohmann::ordered_json& messages) {
  engine::Request request;
  request.chat.messages = messages;
  MINERVA_ASSIGN(request.chat.reasoning, options.reasoning.of(engine.info()));
  request.sampling = options.sampling.over(engine.recommendedSampling());
  request.maxTokens = options.maxTokens;
  request.conversation = 1;
  const InterruptGuard guard;
  MINERVA_ASSIGN(const Reply reply, drive(engine, std::move(request), showOnTerminal(), [] { return interruptions != 0; }));
  std::printf("\n");
  if (isatty(STDOUT_FILENO) != 0) {
    std::printf("[%d tokens, %.1f tok/s, first after %.0f ms, %d of %d prompt tokens reused]\n", reply.timings.generatedTokens,
                reply.timings.decodeTokensPerSecond, reply.timings.ttftMs, reply.timings.reusedTokens, reply.timings.promptTokens);
  }
  MINERVA_TRY(flushStandardOutput());  // before what is said on stderr
  if (reply.reason == engine::FinishReason::contextFull) std::fprintf(stderr, "The reply ends here: the context is full.\n");
  messages.push_back(text::assistantMessage(reply.text, reply.reasoning));
  return {};
}

// False if there is nothing before the last question.
bool dropOldestPair(nlohmann::ordered_json& messages) {
  const std::size_t first = messages[0]["role"] == "system" ? 1 : 0;
  if (messages.size() < first + 3) return false;
  messages.erase(first);
  messages.erase(first);
  return true;
}

// Answers the question, with as many of the earlier ones as the context has room for. Errors: the question is not kept.
Result<void> answer(const ChatOptions& options, engine::Engine& engine, const std::string& question, nlohmann::ordered_json& messages) {
  messages.push_back({{"role", "user"}, {"content", question}});
  for (int dropped = 0;; ++dropped) {
    const Result<void> answered = answerTurn(options, engine, messages);
    if (answered && dropped > 0)
      std::fprintf(stderr, "The context is full: without the oldest %d question%s and answer%s.\n", dropped, dropped == 1 ? "" : "s",
                   dropped == 1 ? "" : "s");
    if (answered || std::ferror(stdout) != 0) return answered;
    if (answered.error().where == engine::contextField && dropOldestPair(messages)) continue;
    messages.erase(messages.size() - 1);
    return answered;
  }
}

// The next question: a line, or several between """. Empty lines are none. Nothing at the end of the input.
std::optional<std::string> nextQuestion(bool terminal) {
  constexpr std::string_view quotes = "\"\"\"", blanks = " \t\r";
  for (std::string line;;) {
    if (terminal) std::printf("> ");
    std::fflush(stdout);
    if (!std::getline(std::cin, line) || line == "/bye") return {};
    line.erase(line.find_last_not_of(blanks) + 1);
    if (line.empty()) continue;
    if (!line.starts_with(quotes)) return line;
    std::string text = line.substr(quotes.size());
    while (!text.ends_with(quotes) && std::getline(std::cin, line)) {
      line.erase(line.find_last_not_of(blanks) + 1);
      text += (text.empty() ? "" : "\n") + line;
    }
    if (text.ends_with(quotes)) text.resize(text.size() - quotes.size());
    if (text.find_first_not_of(" \t\r\n") != std::string::npos) return text;
  }
}

Result<void> runChat(const ChatOptions& options) {
  MINERVA_ASSIGN(const std::string path, modelOrBuiltIn(options.model));
  MINERVA_ASSIGN(const OpenModel model, openModel(options.device, {.path = path, .drafts = true}));
  const engine::ModelInfo& info = model.engine->info();
  MINERVA_TRY(options.reasoning.of(info));  // before a message is typed
  const bool terminal = isatty(STDIN_FILENO) != 0;
  if (terminal) {
    std::printf("%s on %s. /bye or Ctrl+D ends the chat; a question of several lines stands between two \"\"\".\n",
                info.displayName.c_str(), info.device.name.c_str());
  }
  nlohmann::ordered_json messages = nlohmann::ordered_json::array();
  if (!options.system.empty()) messages.push_back({{"role", "system"}, {"content", options.system}});
  while (const std::optional<std::string> question = nextQuestion(terminal)) {
    const Result<void> answered = answer(options, *model.engine, *question, messages);
    if (answered) continue;
    if (!terminal || std::ferror(stdout) != 0) return answered;  // a script learns of it; a person can ask something else
    std::fprintf(stderr, "%s\n", answered.error().message().c_str());
  }
  return {};
}

}  // namespace

Runner defineChat(CLI::App& app) {
  auto options = std::make_shared<ChatOptions>();
  app.add_option("model", options->model, "A model file or folder (default: the built-in model)");
  app.add_option("--system", options->system, "System message");
  app.add_option("-n,--max-tokens", options->maxTokens, "Maximum number of tokens per reply")->check(CLI::Range(0, 1 << 30));
  addSamplingOptions(app, options->sampling);
  addReasoningOptions(app, options->reasoning);
  addReplyOptions(app, options->device);
  addDeviceOptions(app, options->device);
  return [options] { return runChat(*options); };
}

}  // namespace minerva::bench
