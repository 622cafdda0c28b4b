// A model over HTTP, until SIGTERM or Control-C.
#include "core/serve/until_signal.h"

#include "bench/device_options.h"
#include "core/engine/embedder.h"
#include "core/serve/guard.h"

namespace minerva::bench {
namespace {

struct ServeOptions {
  DeviceOptions device;
  serve::Options server{.port = 8080};
  std::string model;
  int parallel = 4;
};

Result<void> serveVectors(const ServeOptions& options, const serve::EndSignals& signals) {
  MINERVA_ASSIGN(const auto backend, openDevice(options.device));
  MINERVA_ASSIGN(const auto embedder, engine::Embedder::load(*backend, embedderOptions(options.device, options.model), {}, {}));
  printWarnings(embedder->info().warnings);
  return serve::serveUntilSignal(signals, {.engine = nullptr, .slots = 0, .embedder = embedder.get()}, options.server);
}

Result<void> runServe(const ServeOptions& options) {
  MINERVA_TRY(serve::checkDoor(options.server));  // before a long load
  const serve::EndSignals signals;
  MINERVA_ASSIGN(const bool vectors, serve::makesVectors(options.model));
  if (vectors) return serveVectors(options, signals);
  engine::LoadOptions load;
  load.path = options.model;
  load.sequences = options.parallel;
  load.drafts = true;
  load.queue = options.server.waiting + options.parallel;
  MINERVA_ASSIGN(const OpenModel model, openModel(options.device, load));
  return serve::serveUntilSignal(signals, {.engine = model.engine.get(), .slots = options.parallel, .embedder = nullptr}, options.server);
}

}  // namespace

Runner defineServe(CLI::App& app) {
  auto options = std::make_shared<ServeOptions>();
  app.add_option("model", options->model, "A language model or an embedding model: a file or folder")->required();
  app.add_option("--host", options->server.host, "Address to listen on (default: 127.0.0.1); one that others reach needs --api-key");
  app.add_option("--port", options->server.port, "Port (default: 8080); 0: a free one, shown on stdout")->check(CLI::Range(0, 65535));
  app.add_option("--api-key", options->server.key, "Key that clients send as Authorization: Bearer KEY");
  app.add_option("--alias", options->server.model, "Name of the model for clients (default: its own)");
  app.add_option("--parallel", options->parallel, "Replies written at once (default: 4)")->check(CLI::Range(1, 256));
  app.add_option("--queue", options->server.waiting, "Requests that may wait; further ones are refused (default: 64)")
      ->check(CLI::Range(1, 1 << 16));
  addDeviceOptions(app, options->device);
  return [options] { return runServe(*options); };
}

}  // namespace minerva::bench
