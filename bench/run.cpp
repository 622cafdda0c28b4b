#include "bench/constraint_options.h"
#include "bench/device_options.h"
#include "bench/drive.h"
#include "bench/reasoning_options.h"
#include "bench/report.h"
#include "bench/sampling_options.h"

#include <cstdio>

namespace minerva::bench {
namespace {

struct RunOptions {
  DeviceOptions device;
  SamplingChoice sampling;
  ReasoningAsked reasoning;
  ConstraintChoice constraint;
  std::string model, prompt, system;
  std::vector<engine::TokenId> tokens;
  std::vector<std::string> stop;
  int maxTokens = 0;
  bool chat = false, json = false, ignoreEndOfTurn = false, showSpecial = false, drafts = false;
};

Result<engine::Request> runRequest(const RunOptions& options, const engine::Engine& engine) {
  engine::Request request;
  if (options.chat) {
    if (!options.system.empty()) request.chat.messages.push_back({{"role", "system"}, {"content", options.system}});
    request.chat.messages.push_back({{"role", "user"}, {"content", options.prompt}});
    MINERVA_ASSIGN(request.chat.reasoning, options.reasoning.of(engine.info()));
  } else {
    request.prompt = options.prompt;
    request.tokens = options.tokens;
  }
  request.sampling = options.sampling.over(engine.recommendedSampling());
  request.maxTokens = options.maxTokens;
  request.stop = options.stop;
  request.ignoreEndOfTurn = options.ignoreEndOfTurn;
  request.showSpecial = options.showSpecial;
  MINERVA_ASSIGN(request.constraint, options.constraint.read());
  return request;
}

// Values are put into the document as the model wrote them, not parsed: their nesting has no limit.
Json callAsJson(const text::ToolCall& call) {
  Json out{{"name", call.name}, {"arguments", Json::object()}};
  for (const text::ToolArgument& argument : call.arguments) out["arguments"][argument.name] = argument.json;
  if (!call.text.empty()) out["text"] = call.text;
  return out;
}

Result<void> runOnce(const RunOptions& options) {
  MINERVA_ASSIGN(const std::string path, modelOrBuiltIn(options.model));
  MINERVA_ASSIGN(const OpenModel model, openModel(options.device, {.path = path, .drafts = options.drafts}));
  MINERVA_ASSIGN(engine::Request request, runRequest(options, *model.engine));
  MINERVA_ASSIGN(const Reply reply, drive(*model.engine, std::move(request), options.json ? Show() : showOnTerminal()));
  if (!options.json) {
    std::printf("\n");
    std::fflush(stdout);  // keeps the order relative to stderr
    std::fprintf(stderr, "%d tokens, %.1f tok/s; prompt of %d, %.1f tok/s, first token after %.0f ms (%s)\n", reply.timings.generatedTokens,
                 reply.timings.decodeTokensPerSecond, reply.timings.promptTokens, reply.timings.prefillTokensPerSecond,
                 reply.timings.ttftMs, engine::name(reply.reason));
    if (reply.timings.draftedTokens > 0)
      std::fprintf(stderr, "%d of %d drafted tokens accepted\n", reply.timings.acceptedTokens, reply.timings.draftedTokens);
    return {};
  }
  Json out{{"tokens", reply.tokens}, {"text", reply.text}, {"finish_reason", engine::name(reply.reason)}, {"seed", reply.seed}};
  if (!reply.reasoning.empty()) out["reasoning"] = reply.reasoning;
  if (!reply.toolCall.empty()) out["tool_call"] = reply.toolCall;
  for (const text::ToolCall& call : reply.calls) out["tool_calls"].push_back(callAsJson(call));
  out["model"] = model.engine->info().displayName;
  addDraft(out, model.engine->info());
  out["device"] = model.engine->info().device.id;
  out["load_ms"] = model.engine->info().loadMs;
  addTimings(out, reply.timings);
  out["intervals_ms"] = reply.intervals;
  print(out);
  return {};
}

}  // namespace

Runner defineRun(CLI::App& app) {
  auto options = std::make_shared<RunOptions>();
  app.add_option("model", options->model, "A model file or folder (default: the built-in model)");
  CLI::Option_group* prompt = app.add_option_group("prompt");
  prompt->add_option("-p,--prompt", options->prompt, "Text to continue (with --chat: the user's message)");
  prompt->add_option("--tokens", options->tokens, "Token ids to continue, separated by commas")->delimiter(',')->allow_extra_args(false);
  prompt->require_option(1);
  app.add_option("-n,--max-tokens", options->maxTokens, "Maximum number of tokens to generate (default: until the context is full)")
      ->check(CLI::Range(0, 1 << 30));
  app.add_option("--stop", options->stop, "Stop before this text; may be repeated")->take_all()->allow_extra_args(false);
  app.add_option("--system", options->system, "System message, with --chat");
  CLI::Option* chat = app.add_flag("--chat", options->chat, "Use the model's chat template");
  app.add_flag("--ignore-eos", options->ignoreEndOfTurn, "Continue past the end of the turn");
  app.add_flag("--drafts", options->drafts, "Check tokens that the text suggests several at a time, where that is faster");
  addReplyOptions(app, options->device);
  app.add_flag("--show-special", options->showSpecial, "Keep control tokens in the text");
  app.add_flag("--json", options->json, "Print a JSON object instead of text");
  addSamplingOptions(app, options->sampling);
  addConstraintOptions(app, options->constraint);
  for (CLI::Option* option : addReasoningOptions(app, options->reasoning)) option->needs(chat);
  addDeviceOptions(app, options->device);
  return [options] { return runOnce(*options); };
}

}  // namespace minerva::bench
