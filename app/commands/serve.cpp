#include "app/commands/command.h"

#include "app/commands/model_named.h"
#include "app/commands/usual_load.h"
#include "app/inference/model_loader.h"
#include "app/library/draft_choice.h"
#include "app/library/model_header.h"
#include "app/settings/settings.h"
#include "core/base/byte_text.h"
#include "core/base/resource_paths.h"
#include "core/serve/guard.h"
#include "core/serve/model_kind.h"
#include "core/serve/until_signal.h"
#include "gpu/available.h"

#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <cstdio>
#include <optional>

namespace minerva::app {
namespace {

constexpr int usualPort = 8080, usualParallel = LoadPreferences::usualSequences, mostParallel = 256, usualIdleMinutes = 10,
              mostIdleMinutes = 1 << 20;

struct ServeOrder {
  serve::Options server;
  LoadPreferences preferences;
  BackendOptions backend;
  bool several = false;  // loaded when they are named, even if it is only one
  int idleMinutes = usualIdleMinutes;
  QMap<QString, QString> kept = {};   // the window's choices of draft models, keptDrafts()
  std::optional<QString> draft = {};  // for all models instead; "": none

  [[nodiscard]] QString draftOf(const QString& model) const { return draftFor(model, draft.value_or(kept.value(placeOf(model)))); }
};

std::string filePath(const QString& path) { return QFile::encodeName(path).toStdString(); }

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

// As many for a conversation as the window gives to it.
int usualContexts(int parallel) { return (parallel + usualParallel - 1) / usualParallel; }

// As the window would load it, but for what the options say. Errors: those of wrong usage.
Result<ServeOrder> readOrder(const QCommandLineParser& parser, Settings& settings, const Places& places) {
  const QString host = QStringLiteral("host"), device = QStringLiteral("device");
  ServeOrder order;
  if (parser.isSet(host)) order.server.host = parser.value(host).toStdString();
  order.server.key = parser.value(QStringLiteral("api-key")).toStdString();
  for (const QString& origin : parser.value(QStringLiteral("origins")).split(QLatin1Char(','), Qt::SkipEmptyParts))
    order.server.origins.push_back(origin.trimmed().toStdString());
  MINERVA_ASSIGN(order.server.port, numberOption(parser, "port", usualPort, 0, 65535));
  order.preferences = usualPreferences(settings);
  MINERVA_ASSIGN(order.preferences.sequences, numberOption(parser, "parallel", usualParallel, 1, mostParallel));
  const int parallel = order.preferences.sequences;
  MINERVA_ASSIGN(order.preferences.contexts, numberOption(parser, "contexts", usualContexts(parallel), 1, parallel));
  order.several = parser.isSet(QStringLiteral("idle"));
  MINERVA_ASSIGN(order.idleMinutes, numberOption(parser, "idle", usualIdleMinutes, 0, mostIdleMinutes));
  MINERVA_ASSIGN(order.preferences.contextLength, numberOption(parser, "ctx", order.preferences.contextLength, 0, 1 << 20));
  MINERVA_TRY(serve::checkDoor(order.server));
  if (parser.isSet(device)) order.preferences.device = parser.value(device);
  if (parser.isSet(QStringLiteral("batch-invariant"))) order.preferences.batchInvariant = true;
  order.kept = keptDrafts(settings);
  order.preferences.waiting = order.server.waiting + order.preferences.sequences;
  order.backend.cacheFolder = (places.data + QStringLiteral("/gpu")).toStdString();
  return order;
}

// The draft model that the options name. Errors: notFound.
Result<void> readDraft(const QCommandLineParser& parser, const Places& places, ServeOrder& order) {
  const QString option = QStringLiteral("draft"), none = QStringLiteral("none");
  if (!parser.isSet(option)) return {};
  order.draft = QString();
  if (parser.value(option) == none) return {};
  MINERVA_ASSIGN(order.draft, modelNamed(parser.value(option), places));
  order.preferences.drafts = true;
  return {};
}

void sayDraft(const engine::ModelInfo& info, const QString& chosen, const ServeOrder& order) {
  if (!info.draftName.empty()) {
    std::fprintf(stderr, "draft model %s, %s more\n", qPrintable(shown(QString::fromStdString(info.draftName))),
                 readable(info.draftMemory.total()).c_str());
  } else if (!chosen.isEmpty() && !order.preferences.drafts) {
    std::fprintf(stderr, "no draft model: drafts are turned off in the window's settings; --draft MODEL turns them on\n");
  } else {
    std::fprintf(stderr, "no draft model\n");
  }
}

void sayHow(const LoadedEngine& loaded, const QString& draft, const ServeOrder& order) {
  const engine::ModelInfo& info = loaded.engine->info();
  sayWarnings(loaded);
  std::fprintf(stderr, "%s on %s, context %d, %d replies at once in the memory of %d whole context%s\n",
               qPrintable(shown(QString::fromStdString(info.displayName))), qPrintable(shown(QString::fromStdString(info.device.name))),
               info.contextLength, order.preferences.sequences, order.preferences.contexts, order.preferences.contexts == 1 ? "" : "s");
  sayDraft(info, draft, order);
}

Result<std::unique_ptr<serve::LoadedModel>> loadServed(const ServeOrder& order, const std::string& path,
                                                       const serve::ModelShelf::LoadHow& how) {
  MINERVA_ASSIGN(const serve::ModelHeader header, serve::readHeader(path));
  const serve::ModelKind kind = header.kind;
  auto made = std::make_unique<serve::LoadedModel>();
  if (kind == serve::ModelKind::text) {
    const QString file = QFile::decodeName(path.c_str());
    const QString draft = order.draftOf(file);
    const LoadOrder load{.serial = 0,
                         .target = {file, order.preferences, false, draft},
                         .name = {},
                         .builtIn = false,
                         .stop = how.stop,
                         .whyCpu = QString::fromStdString(how.whyCpu)};
    const Beside beside{how.beside.models, how.beside.gpuBytes, how.beside.bytes};
    LoadedEngine loaded = loadModel(load, order.backend, {}, beside, [](const engine::LoadProgress&) {});
    if (loaded.neverFits) loaded.error->kind = ErrorKind::unsupported;  // here, whatever is let go
    if (loaded.error) return fail(*loaded.error);
    sayHow(loaded, draft, order);
    made->backend = std::move(loaded.on.backend);
    made->engine = std::move(loaded.engine);
    made->driver = std::make_shared<serve::Driver>(*made->engine, static_cast<std::size_t>(order.preferences.waiting));
    return made;
  }
  const std::string device = how.whyCpu.empty() ? order.preferences.device.toStdString() : "cpu";
  if (!how.whyCpu.empty()) std::fprintf(stderr, "not on the device that was asked for: %s\n", how.whyCpu.c_str());
  MINERVA_ASSIGN(made->backend, createBackend(device, order.preferences.applied(order.backend)));
  const engine::EmbedderOptions options{.path = path, .textLength = order.preferences.contextLength};
  if (kind == serve::ModelKind::vectors) {
    MINERVA_ASSIGN(made->embedder, engine::Embedder::load(*made->backend, options, {}, how.stop));
  } else {
    MINERVA_ASSIGN(made->reranker, engine::Reranker::load(*made->backend, options, {}, how.stop));
  }
  return made;
}

Result<void> serveModels(const ServeOrder& order, std::vector<serve::ShelfItem> items) {
  const serve::EndSignals signals;
  for (serve::ShelfItem& item : items) {  // what is no model is told now
    MINERVA_ASSIGN(item.header, serve::readHeader(item.path));
  }
  const auto load = [&order](const serve::ShelfItem& item, const serve::ModelShelf::LoadHow& how) {
    return loadServed(order, item.path.string(), how);
  };
  if (items.size() == 1 && !order.several) return serve::serveOne(signals, items.front(), load, order.server);
  return serve::serveSeveral(signals, std::move(items), load, {.idle = std::chrono::minutes(order.idleMinutes)}, order.server);
}

// Under the names that were given. A model that is named twice is served once.
Result<std::vector<serve::ShelfItem>> itemsOf(const QStringList& named, const QString& last, const Places& places) {
  std::vector<serve::ShelfItem> items;
  if (named.isEmpty()) {
    MINERVA_ASSIGN(const QString path, usualPath(last));
    items.push_back({.name = nameFromPath(path).toStdString(), .path = filePath(path)});
  }
  for (const QString& one : named) {
    MINERVA_ASSIGN(const QString path, modelNamed(one, places));
    const std::string name = (QFileInfo::exists(one) ? nameFromPath(path) : one).toStdString();
    const auto same = std::ranges::find(items, name, &serve::ShelfItem::name);
    if (same == items.end()) items.push_back({.name = name, .path = filePath(path)});
    else if (same->path != filePath(path))
      return fail({.kind = ErrorKind::invalidArgument,
                   .what = "Two models have the same name",
                   .where = path.toStdString(),
                   .expected = "files or folders of different names",
                   .actual = name});
  }
  return items;
}

}  // namespace

void describeServe(QCommandLineParser& parser) {
  const auto add = [&parser](const char* name, const char* help, const char* value) {
    parser.addOption({QString::fromLatin1(name), QString::fromLatin1(help), QString::fromLatin1(value)});
  };
  add("host", "Address to listen on (default: 127.0.0.1); one that other computers reach needs --api-key.", "address");
  add("port", "Port (default: 8080); 0: a free one, shown on stdout.", "port");
  add("api-key", "Key that clients send as Authorization: Bearer KEY.", "key");
  add("origins", "Web pages that may use the server, such as https://chat.example or http://localhost:*, separated by commas.", "list");
  add("parallel", "Replies written at once (default: 4).", "number");
  add("contexts",
      "Whole contexts whose memory the replies share; one waits or is computed again later where that is too little (default: a quarter of "
      "--parallel, as in the window; as many as --parallel: one for each).",
      "number");
  add("draft",
      "A smaller model that suggests tokens to all served models of the same vocabulary, used where that makes replies faster: a name or "
      "file; none: no draft model (default: as chosen for each model in the window).",
      "model");
  parser.addOption(
      {QStringLiteral("batch-invariant"),
       QStringLiteral("Replies never depend on what else is answered: a GPU takes longer for many at once, and a conversation's "
                      "last reply is read again with the next message (default: as in the window's settings).")});
  add("ctx", "Context length in tokens (default: as in the window's settings).", "tokens");
  add("idle", "Minutes after which a model that nobody uses leaves the memory (default: 10 with several models; 0: never).", "minutes");
  add("device",
      "Run on this device: cpu, vulkan, vulkan:N, gpus, vulkan:0+vulkan:1, +cpu for layers that do not fit (default: as in the window's settings).",
      "device");
}

int runServe(const QCommandLineParser& parser, const Places& places) {
  Settings settings(places.settings + QStringLiteral("/settings.ini"));
  Result<ServeOrder> order = readOrder(parser, settings, places);
  if (!order) {
    complain(order.error());
    return 2;
  }
  const auto serveAll = [&]() -> Result<void> {
    MINERVA_TRY(readDraft(parser, places, *order));
    MINERVA_ASSIGN(std::vector<serve::ShelfItem> items, itemsOf(parser.positionalArguments().mid(1), settings.lastModel(), places));
    return serveModels(*order, std::move(items));
  };
  const Result<void> served = serveAll();
  if (served) return 0;
  complain(served.error());
  return 1;
}

}  // namespace minerva::app
