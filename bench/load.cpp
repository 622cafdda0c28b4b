// The REST benchmark, for any server with OpenAI's interface.
#include "bench/load_report.h"
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
  std::string url, promptFile, markdown, svg;
  double timeoutSeconds = 300;
  bool json = false;
};

// Before the measurement, so that a server that is not there is one line, and not as many errors as requests.
Result<void> findModel(LoadTask& task) {
  if (!task.model.empty()) return {};
  LoadClient client(task.target, task.key, task.timeout);
  MINERVA_ASSIGN(task.model, client.firstModel());
  return {};
}

Result<void> loadServer(LoadVerbOptions& options) {
  std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to connections that may be closed
  LoadTask& task = options.task;
  MINERVA_ASSIGN(task.target, parseTarget(options.url));
  task.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(options.timeoutSeconds * 1e3));
  if (const char* key = std::getenv("OPENAI_API_KEY"); task.key.empty() && key != nullptr) task.key = key;
  if (!options.promptFile.empty()) {
    MINERVA_ASSIGN(task.promptText, readFile(options.promptFile));
    if (task.promptText.empty())
      return fail({.kind = ErrorKind::invalidArgument, .what = "The prompt is empty", .where = options.promptFile, .expected = "a text"});
  }
  MINERVA_TRY(findModel(task));
  const Machine client = thisMachine();
  const LoadResult result = runLoad(task);
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
  LoadTask& task = options->task;
  app.add_option("url", options->url, "The server: http://HOST:PORT, with /v1 or not")->required()->check([](const std::string& url) {
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
  app.add_option("--api-key", task.key, "Key of the server (default: the environment's OPENAI_API_KEY)");
  app.add_option("--seed", task.seed, "Seed of the prompts");
  app.add_option("--timeout", options->timeoutSeconds, "Seconds that a request may take (default: 300)")->check(CLI::Range(0.01, 1e6));
  app.add_flag("--json", options->json, "Print a JSON object");
  app.add_option("--markdown", options->markdown, "Write the report as Markdown tables to this file");
  app.add_option("--svg", options->svg, "Write a chart of the percentiles to this file");
  return [options, requests] {
    if (options->task.seconds > 0 && requests->count() == 0) options->task.requests = 0;
    return loadServer(*options);
  };
}

}  // namespace minerva::bench
