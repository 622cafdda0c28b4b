#include "bench/device_options.h"
#include "bench/drive.h"
#include "bench/reasoning_options.h"
#include "bench/sampling_options.h"

#include <csignal>
#include <cstdio>
#include <iostream>
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
  messages.push_back(text::assistantMessage(reply.text, reply.reasoning));
  return {};
}

Result<void> runChat(const ChatOptions& options) {
  MINERVA_ASSIGN(const std::string path, modelOrBuiltIn(options.model));
  MINERVA_ASSIGN(const OpenModel model, openModel(options.device, {.path = path, .drafts = true}));
  const engine::ModelInfo& info = model.engine->info();
  MINERVA_TRY(options.reasoning.of(info));  // before a message is typed
  const bool terminal = isatty(STDIN_FILENO) != 0;
  if (terminal) {
    std::printf("%s on %s. An empty line or Ctrl+D ends the chat.\n", info.displayName.c_str(), info.device.name.c_str());
  }
  nlohmann::ordered_json messages = nlohmann::ordered_json::array();
  if (!options.system.empty()) messages.push_back({{"role", "system"}, {"content", options.system}});
  for (std::string line;;) {
    if (terminal) std::printf("> ");
    std::fflush(stdout);
    if (!std::getline(std::cin, line) || line.empty()) return {};
    messages.push_back({{"role", "user"}, {"content", line}});
    MINERVA_TRY(answerTurn(options, *model.engine, messages));
  }
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
