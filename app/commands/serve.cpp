#include "app/commands/command.h"

#include "app/inference/model_loader.h"
#include "app/library/models_folder.h"
#include "app/settings/settings.h"
#include "core/base/resource_paths.h"
#include "core/engine/embedder.h"
#include "core/serve/guard.h"
#include "core/serve/until_signal.h"
#include "gpu/available.h"

#include <QFile>
#include <QFileInfo>

#include <cstdio>

namespace minerva::app {
namespace {

constexpr int usualPort = 8080, usualParallel = 4;

struct ServeOrder {
  serve::Options server;
  LoadPreferences preferences;
  BackendOptions backend;
  QString path;
};

// A name that `minerva list` shows, or a file or folder.
Result<QString> pathOf(const QString& named, const QString& folder) {
  QStringList names;
  for (const FolderModel& model : modelsIn(folder)) {
    if (!model.complete()) continue;
    if (model.name.compare(named, Qt::CaseInsensitive) == 0) return model.path;
    names << model.name;
  }
  if (QFileInfo::exists(named)) return QFileInfo(named).absoluteFilePath();
  return fail({.kind = ErrorKind::notFound,
               .what = "there is no model of that name, and no file",
               .where = folder.toStdString(),
               .expected = names.isEmpty() ? "a file or folder" : "a file, a folder, or " + names.join(QStringLiteral(", ")).toStdString(),
               .actual = named.toStdString(),
               .hint = "minerva get ORG/REPO downloads one"});
}

// The last one used in the window, or the built-in one.
Result<QString> usualPath(const QString& last) {
  if (!last.isEmpty() && QFileInfo::exists(last)) return last;
  if (const auto builtIn = builtInModelPath()) return QFile::decodeName(builtIn->c_str());
  return fail({.kind = ErrorKind::notFound,
               .what = "the built-in model is not installed",
               .where = "builtin-model",
               .hint = "name a model: minerva serve MODEL"});
}

Result<int> numberOption(const QCommandLineParser& parser, const char* name, int usual, int from, int to) {
  const QString option = QString::fromLatin1(name);
  if (!parser.isSet(option)) return usual;
  bool isNumber = false;
  const int value = parser.value(option).toInt(&isNumber);
  if (isNumber && value >= from && value <= to) return value;
  return fail({.kind = ErrorKind::invalidArgument,
               .what = "the option takes a number",
               .where = "--" + std::string(name),
               .expected = std::to_string(from) + " to " + std::to_string(to),
               .actual = parser.value(option).toStdString()});
}

// As the window would load it, but for what the options say. Errors: those of wrong usage.
Result<ServeOrder> readOrder(const QCommandLineParser& parser, const Settings& settings, const Places& places) {
  const QString host = QStringLiteral("host"), device = QStringLiteral("device");
  ServeOrder order;
  if (parser.isSet(host)) order.server.host = parser.value(host).toStdString();
  order.server.key = parser.value(QStringLiteral("api-key")).toStdString();
  MINERVA_ASSIGN(order.server.port, numberOption(parser, "port", usualPort, 0, 65535));
  MINERVA_ASSIGN(order.preferences.sequences, numberOption(parser, "parallel", usualParallel, 1, 256));
  MINERVA_ASSIGN(order.preferences.contextLength, numberOption(parser, "ctx", settings.contextLength(), 0, 1 << 20));
  MINERVA_TRY(serve::checkDoor(order.server));
  order.preferences.device = parser.isSet(device) ? parser.value(device) : settings.device();
  order.preferences.setMemory(settings.gpuMemory(), settings.kvType());
  order.preferences.threads = settings.threads();
  order.preferences.drafts = settings.drafts();
  order.preferences.contexts = order.preferences.sequences;
  order.preferences.waiting = order.server.waiting + order.preferences.sequences;
  order.backend.cacheFolder = (places.data + QStringLiteral("/gpu")).toStdString();
  return order;
}

Result<void> serveVectors(const ServeOrder& order, const serve::EndSignals& signals) {
  MINERVA_ASSIGN(const auto backend, createBackend(order.preferences.device.toStdString(), order.preferences.applied(order.backend)));
  const engine::EmbedderOptions options{.path = QFile::encodeName(order.path).toStdString(), .textLength = order.preferences.contextLength};
  MINERVA_ASSIGN(const auto embedder, engine::Embedder::load(*backend, options, {}, {}));
  return serve::serveUntilSignal(signals, {.engine = nullptr, .slots = 0, .embedder = embedder.get()}, order.server);
}

Result<void> serveModel(const ServeOrder& order) {
  const serve::EndSignals signals;
  MINERVA_ASSIGN(const bool vectors, serve::makesVectors(QFile::encodeName(order.path).toStdString()));
  if (vectors) return serveVectors(order, signals);
  const LoadOrder load{.serial = 0, .target = {order.path, order.preferences, false}, .name = {}, .builtIn = false, .stop = {}};
  const LoadedEngine loaded = loadModel(load, order.backend, {}, {}, [](const engine::LoadProgress&) {});
  if (loaded.error) return fail(*loaded.error);
  const engine::ModelInfo& info = loaded.engine->info();
  for (const std::string& warning : info.warnings) std::fprintf(stderr, "%s\n", qPrintable(shown(QString::fromStdString(warning))));
  if (!loaded.whyNot.isEmpty()) std::fprintf(stderr, "not on the device of the settings: %s\n", qPrintable(shown(loaded.whyNot)));
  std::fprintf(stderr, "%s on %s, context %d, %d replies at once\n", qPrintable(shown(QString::fromStdString(info.displayName))),
               qPrintable(shown(QString::fromStdString(info.device.name))), info.contextLength, order.preferences.sequences);
  return serve::serveUntilSignal(signals, {.engine = loaded.engine.get(), .slots = order.preferences.sequences, .embedder = nullptr},
                                 order.server);
}

}  // namespace

void describeServe(QCommandLineParser& parser) {
  const auto add = [&parser](const char* name, const char* help, const char* value) {
    parser.addOption({QString::fromLatin1(name), QString::fromLatin1(help), QString::fromLatin1(value)});
  };
  add("host", "Address to listen on (default: 127.0.0.1); one that other computers reach needs --api-key.", "address");
  add("port", "Port (default: 8080); 0: a free one, shown on stdout.", "port");
  add("api-key", "Key that clients send as Authorization: Bearer KEY.", "key");
  add("parallel", "Replies written at once (default: 4).", "number");
  add("ctx", "Context length in tokens (default: as in the window's settings).", "tokens");
  add("device", "Run on this device: cpu, vulkan, vulkan:N (default: as in the window's settings).", "device");
}

int runServe(const QCommandLineParser& parser, const Places& places) {
  const Settings settings(places.settings + QStringLiteral("/settings.ini"));
  Result<ServeOrder> order = readOrder(parser, settings, places);
  if (!order) {
    complain(order.error());
    return 2;
  }
  const QString named = parser.positionalArguments().value(1);
  const Result<QString> path = named.isEmpty() ? usualPath(settings.lastModel()) : pathOf(named, places.models);
  if (path) order->path = *path;
  const Result<void> served = path ? serveModel(*order) : fail(path.error());
  if (served) return 0;
  complain(served.error());
  return 1;
}

}  // namespace minerva::app
