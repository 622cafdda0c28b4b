// The REST benchmark, for any server with OpenAI's interface; or the same load on an engine of this process.
#include "bench/load_engine.h"
#include "bench/load_report.h"
#include "bench/served_models.h"
#include "bench/text_source.h"
#include "bench/verb.h"
#include "core/speed/document.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace minerva::bench {
using namespace speed;
namespace {

struct LoadVerbOptions {
  LoadTask task;
  ServedModels how;  // of a model instead of a server
  std::string url, key, promptFile, markdown, svg;
  double timeoutSeconds = 300;
  bool json = false;

  [[nodiscard]] bool isServer() const { return url.find("://") != std::string::npos; }
  [[nodiscard]] std::chrono::milliseconds timeout() const {
    return std::chrono::milliseconds(static_cast<std::int64_t>(timeoutSeconds * 1e3));
  }
};

Result<LoadResult> loadServer(LoadVerbOptions& options) {
  std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to connections that may be closed
  MINERVA_ASSIGN(const LoadTarget target, parseTarget(options.url));
  if (const char* key = std::getenv("OPENAI_API_KEY"); options.key.empty() && key != nullptr) options.key = key;
  const auto connect = [&] { return std::make_unique<HttpLoadClient>(target, options.key, options.task.model, options.timeout()); };
  options.task.where = target.origin + target.chat;
  // Before the measurement, so that a server that is not there is one line, and not as many errors as requests.
  if (options.task.model.empty()) {
    MINERVA_ASSIGN(options.task.model, connect()->firstModel());
  }
  return runLoad(options.task, connect);
}

Result<LoadResult> loadEngine(LoadVerbOptions& options) {
  const int clients = clientsOf(options.task) + options.task.writers;
  if (options.how.parallel == 0) options.how.parallel = clients;
  options.how.waiting = clients;
  MINERVA_ASSIGN(const auto model, loadServed(options.how, options.url, {}));
  if (!model->driver) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "The model writes no replies",
                 .where = options.url,
                 .expected = "a model of text",
                 .actual = "one of vectors or scores"});
  }
  const engine::ModelInfo& info = model->driver->model().info();
  options.task.where = "engine on " + info.device.name;
  if (options.task.model.empty()) options.task.model = fileNameOf(options.url);
  return runLoad(options.task, [&] { return std::make_unique<EngineLoadClient>(*model->driver, options.timeout()); });
}

Result<void> load(LoadVerbOptions& options) {
  LoadTask& task = options.task;
  if (!options.promptFile.empty()) {
    MINERVA_ASSIGN(task.promptText, readFile(options.promptFile));
    if (task.promptText.empty())
      return fail({.kind = ErrorKind::invalidArgument, .what = "The prompt is empty", .where = options.promptFile, .expected = "a text"});
  }
  const Machine client = thisMachine();
  MINERVA_ASSIGN(const LoadResult result, options.isServer() ? loadServer(options) : loadEngine(options));
  const Json report = loadJson(task, result, client);
  if (options.json) print(report);
  else std::fputs(loadText(report).c_str(), stdout);
  if (!options.markdown.empty()) MINERVA_TRY(writeReport(options.markdown, loadMarkdown(report, client)));
  if (!options.svg.empty()) MINERVA_TRY(writeReport(options.svg, loadSvg(report, client)));
  if (report["requests"]["succeeded"] != 0 || report["errors"].empty()) return {};
  const Json& error = report["errors"].front();
  return fail({.kind = ErrorKind::io,
               .what = "No request succeeded",
               .where = report["url"].get<std::string>(),
               .actual = error["kind"].get<std::string>() + ": " + error["first"].get<std::string>()});
}

}  // namespace

Runner defineLoad(CLI::App& app) {
  auto options = std::make_shared<LoadVerbOptions>();
  options->how.parallel = 0;
  LoadTask& task = options->task;
  app.add_option("url", options->url, "The server: http://HOST:PORT, with /v1 or not; or a model, whose engine is then asked without HTTP")
      ->required()
      ->check([](const std::string& url) {
        if (url.find("://") == std::string::npos) return std::string();
        const auto target = parseTarget(url);
        return target || target.error().kind == ErrorKind::unsupported ? std::string() : target.error().message();
      });
  app.add_option("-c,--concurrency", task.clients, "Clients that ask at the same time (default: 20)")->check(CLI::Range(1, 1024));
  auto* requests = app.add_option("-n,--requests", task.requests, "Requests in all (default: 200; with --duration, as many as fit)")
                       ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 24));
  app.add_option("--duration", task.seconds, "Seconds after which no request starts; those that run are awaited")
      ->check(CLI::Range(0.001, 1e6));
  auto* words = app.add_option("--prompt-tokens", task.promptWords,
                               "Words of random text a prompt, about a token each (default: 128); the report has the server's count")
                    ->check(CLI::Range(1, 1 << 20));
  app.add_option("--prompt", options->promptFile, "File whose text is the prompt, after a number that makes each different")
      ->excludes(words);
  app.add_option("--beside", task.writers, "Clients beside them that write long replies all the while and are not counted")
      ->check(CLI::Range(0, 1024));
  app.add_flag("--same-prompt", task.samePrompt, "Send the same prompt each time, to measure the server's prefix cache");
  app.add_option("--max-tokens", task.maxTokens, "Tokens a reply at most (default: 128)")->check(CLI::Range(1, 1 << 24));
  app.add_flag("--ignore-eos", task.ignoreEnd, "Ask for replies of full length (Minerva, llama-server and vLLM know this)");
  app.add_option("--model", task.model, "Name of the model (default: the first that the server lists)");
  app.add_option("--api-key", options->key, "Key of the server (default: the environment's OPENAI_API_KEY)");
  app.add_option("--seed", task.seed, "Seed of the prompts");
  app.add_option("--timeout", options->timeoutSeconds, "Seconds that a request may take (default: 300)")->check(CLI::Range(0.01, 1e6));
  app.add_option("--parallel", options->how.parallel, "Of a model: replies written at once (default: as many as there are clients)")
      ->check(CLI::Range(1, 256));
  addReplyOptions(app, options->how.device);
  addDeviceOptions(app, options->how.device);
  app.add_flag("--json", options->json, "Print a JSON object");
  app.add_option("--markdown", options->markdown, "Write the report as Markdown tables to this file");
  app.add_option("--svg", options->svg, "Write a chart of the percentiles to this file");
  return [options, requests] {
    if (options->task.seconds > 0 && requests->count() == 0) options->task.requests = 0;
    return load(*options);
  };
}

}  // namespace minerva::bench
