#include "app/commands/command.h"

#include "app/commands/asked_text.h"
#include "app/commands/model_named.h"
#include "app/commands/usual_load.h"
#include "app/library/draft_choice.h"
#include "app/library/model_header.h"
#include "app/settings/settings.h"
#include "core/base/resource_paths.h"
#include "core/base/standard_output.h"
#include "core/base/utf8.h"
#include "core/engine/reply.h"
#include "gpu/available.h"

#include <QFile>

#include <cstdio>
#include <unistd.h>
#include <utility>

namespace minerva::app {
namespace {

// A file or a pipe gets the exact text; a terminal must not be steered by it.
std::string forReader(int reader, const std::string& text) {
  return isatty(reader) != 0 ? utf8::printable(text, utf8::LineFeeds::kept) : text;
}

// The answer goes to stdout, the reasoning before it to stderr. Errors: io, of the answer.
Result<void> show(const std::string& reasoning, const std::string& answer) {
  const std::string thought = forReader(STDERR_FILENO, reasoning);
  std::fwrite(thought.data(), 1, thought.size(), stderr);
  return writeStandardOutput(forReader(STDOUT_FILENO, answer));
}

Result<void> show(const engine::Event& event) {
  if (const auto* token = std::get_if<engine::TokenEvent>(&event.body)) return show(token->reasoning, token->text);
  if (const auto* finished = std::get_if<engine::Finished>(&event.body)) return show(finished->reasoningTail, finished->tail + '\n');
  return {};
}

Result<QString> modelPath(const QString& named, const Places& places) {
  if (!named.isEmpty()) return modelNamed(named, places);
  if (const auto builtIn = builtInModelPath()) return QFile::decodeName(builtIn->c_str());
  return fail({.kind = ErrorKind::notFound,
               .what = "the built-in model is not installed",
               .where = "builtin-model",
               .expected = {},
               .actual = {},
               .hint = "name a model: --model FILE"});
}

// On a terminal, one line, which is gone in the end.
void showLoading(const engine::LoadProgress& progress) {
  if (isatty(STDERR_FILENO) == 0) return;
  using Phase = engine::LoadProgress::Phase;
  if (progress.phase == Phase::done) std::fprintf(stderr, "\r\033[K");
  else if (progress.phase == Phase::weights && progress.total > 0)
    std::fprintf(stderr, "\r\033[Kloading the model: %d %%",
                 static_cast<int>(static_cast<double>(progress.done) / static_cast<double>(progress.total) * 100));
  else std::fprintf(stderr, "\r\033[Kloading the model");
}

Result<LoadedEngine> load(const QCommandLineParser& parser, const Places& places) {
  MINERVA_ASSIGN(const QString path, modelPath(parser.value(QStringLiteral("model")), places));
  Settings settings(places.settings + QStringLiteral("/settings.ini"));
  LoadPreferences preferences = usualPreferences(settings);
  preferences.sequences = 1;
  if (parser.isSet(QStringLiteral("device"))) preferences.device = parser.value(QStringLiteral("device"));
  const LoadOrder order{.serial = 0,
                        .target = {path, preferences, false, draftFor(path, keptDrafts(settings).value(placeOf(path)))},
                        .name = {},
                        .builtIn = false,
                        .stop = {}};
  BackendOptions options;
  options.cacheFolder = (places.data + QStringLiteral("/gpu")).toStdString();
  OpenDevice named;
  if (parser.isSet(QStringLiteral("device"))) {  // whoever names one that is not there is told, and gets no other
    named.device = preferences.device;
    named.options = preferences.applied(options);
    MINERVA_ASSIGN(named.backend, createBackend(named.device.toStdString(), named.options));
  }
  LoadedEngine loaded = loadModel(order, options, std::move(named), {}, showLoading);
  showLoading({.phase = engine::LoadProgress::Phase::done});
  if (loaded.error) return fail(*loaded.error);
  sayWarnings(loaded);
  return loaded;
}

Result<void> ask(const QCommandLineParser& parser, const Places& places, const std::string& text) {
  MINERVA_ASSIGN(const LoadedEngine loaded, load(parser, places));
  engine::Engine& engine = *loaded.engine;
  engine::Request request;
  request.chat.messages.push_back({{"role", "user"}, {"content", text}});
  request.sampling = engine.recommendedSampling();
  Result<void> written;
  engine::ReplyRun run(engine, std::move(request), [&](const engine::Event& event) {
    if (written) written = show(event);
  });
  while (run.step())
    if (!written) run.cancel();
  MINERVA_TRY(written);
  MINERVA_ASSIGN(const engine::Reply reply, run.take());
  std::fprintf(stderr, "%d tokens, %.1f tok/s; first token after %.0f ms (%s, %s)\n", reply.timings.generatedTokens,
               reply.timings.decodeTokensPerSecond, reply.timings.ttftMs, engine.info().displayName.c_str(),
               engine.info().device.name.c_str());
  return {};
}

}  // namespace

void describeAsk(QCommandLineParser& parser) {
  parser.addOption({QStringLiteral("model"),
                    QStringLiteral("Instead of the built-in model: a name that `minerva list` shows, a file or a folder."),
                    QStringLiteral("model")});
  parser.addOption({QStringLiteral("device"),
                    QStringLiteral("Run on this device: cpu, vulkan, vulkan:N, gpus, vulkan:0+vulkan:1, +cpu for layers that do not fit "
                                   "(default: as in the window's settings)."),
                    QStringLiteral("device")});
}

int runAsk(const QCommandLineParser& parser, const Places& places) {
  const Result<std::string> text = askedText(parser.positionalArguments().value(1));
  if (text && text->empty()) {
    std::fprintf(stderr, "minerva ask: usage: minerva ask [options] TEXT (or a text on standard input)\n");
    return 2;
  }
  const Result<void> asked = text ? ask(parser, places, *text) : fail(text.error());
  if (asked) return 0;
  complain(asked.error());
  return 1;
}

}  // namespace minerva::app
