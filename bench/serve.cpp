// Models over HTTP, until SIGTERM or Control-C.
#include "core/serve/until_signal.h"

#include "bench/served_models.h"
#include "core/serve/guard.h"

#include <cmath>

namespace minerva::bench {
namespace {

constexpr double usualIdleMinutes = 10;

struct ServeOptions {
  ServedModels how;
  serve::Options server{.port = 8080};
  std::vector<std::string> models;
  std::optional<double> idleMinutes;
};

Result<void> runServe(ServeOptions& options) {
  MINERVA_TRY(serve::checkDoor(options.server));  // before a long load
  const serve::EndSignals signals;
  options.how.waiting = options.server.waiting;
  MINERVA_ASSIGN(std::vector<serve::ShelfItem> items, itemsOf(options.models));
  const auto load = [&how = options.how](const serve::ShelfItem& item, const serve::ModelShelf::LoadHow& asked) {
    return loadServed(how, item.path.string(), asked);
  };
  if (items.size() == 1 && items.front().path == options.models.front() && !options.idleMinutes)
    return serve::serveOne(signals, items.front(), load, options.server);
  if (!options.server.model.empty())
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = "A name is for one model",
                 .where = "--alias",
                 .expected = "one model, and no --idle",
                 .actual = std::to_string(items.size()) + " models"});
  if (!options.how.device.draft.empty())
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = "A draft model is for one model",
                 .where = "--draft",
                 .expected = "one model, and no --idle",
                 .actual = std::to_string(items.size()) + " models"});
  const auto idle = std::chrono::milliseconds(std::llround(options.idleMinutes.value_or(usualIdleMinutes) * 60e3));
  return serve::serveSeveral(signals, std::move(items), load, {.idle = idle}, options.server);
}

}  // namespace

Runner defineServe(CLI::App& app) {
  auto options = std::make_shared<ServeOptions>();
  app.add_option("models", options->models,
                 "Models (of text, embeddings or scores): files or folders, NAME=PATH, or a folder of models. Several are loaded when a "
                 "request names them")
      ->required();
  app.add_option("--host", options->server.host, "Address to listen on (default: 127.0.0.1); one that others reach needs --api-key");
  app.add_option("--port", options->server.port, "Port (default: 8080); 0: a free one, shown on stdout")->check(CLI::Range(0, 65535));
  app.add_option("--api-key", options->server.key, "Key that clients send as Authorization: Bearer KEY");
  app.add_option("--origins", options->server.origins,
                 "Web pages that may use the server, such as https://chat.example or http://localhost:*, separated by commas")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--alias", options->server.model, "Name of the model for clients (default: its own)");
  app.add_option("--parallel", options->how.parallel, "Replies written at once (default: 4)")->check(CLI::Range(1, 256));
  app.add_option("--queue", options->server.waiting, "Requests that may wait; further ones are refused (default: 64)")
      ->check(CLI::Range(1, 1 << 16));
  app.add_option("--idle", options->idleMinutes,
                 "Minutes after which a model that nobody uses leaves the memory (default: 10 with several models; 0: never)")
      ->check(CLI::Range(0.0, 1e6));
  app.add_flag("--rerank", options->how.reranks, "Language models rank documents by their answer, as Qwen3-Reranker does");
  addReplyOptions(app, options->how.device);
  addDeviceOptions(app, options->how.device);
  return [options] { return runServe(*options); };
}

}  // namespace minerva::bench
