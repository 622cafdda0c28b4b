#include "app/commands/command.h"

#include "app/commands/model_named.h"
#include "core/base/resource_paths.h"
#include "core/base/utf8.h"
#include "core/engine/reply.h"
#include "gpu/available.h"

#include <QFile>

#include <cstdio>
#include <unistd.h>

namespace minerva::app {
namespace {

// A file or a pipe gets the exact text; a terminal must not be steered by it.
void print(std::FILE* out, const std::string& text) {
  const std::string shown = isatty(fileno(out)) != 0 ? utf8::printable(text, utf8::LineFeeds::kept) : text;
  std::fwrite(shown.data(), 1, shown.size(), out);
  std::fflush(out);
}

// The answer goes to stdout, the reasoning before it to stderr.
void show(const engine::Event& event) {
  if (const auto* token = std::get_if<engine::TokenEvent>(&event.body)) {
    print(stderr, token->reasoning);
    print(stdout, token->text);
  }
  if (const auto* finished = std::get_if<engine::Finished>(&event.body)) {
    print(stderr, finished->reasoningTail);
    print(stdout, finished->tail + '\n');
  }
}

Result<std::filesystem::path> modelPath(const QString& named, const QString& folder) {
  if (!named.isEmpty()) {
    MINERVA_ASSIGN(const QString path, modelNamed(named, folder));
    return std::filesystem::path(QFile::encodeName(path).toStdString());
  }
  if (auto builtIn = builtInModelPath()) return *builtIn;
  return fail({.kind = ErrorKind::notFound,
               .what = "the built-in model is not installed",
               .where = "builtin-model",
               .expected = {},
               .actual = {},
               .hint = "name a model: --model FILE"});
}

Result<void> ask(const QCommandLineParser& parser, const Places& places) {
  MINERVA_ASSIGN(const std::filesystem::path path, modelPath(parser.value(QStringLiteral("model")), places.models));
  MINERVA_ASSIGN(const auto backend, createBackend(parser.value(QStringLiteral("device")).toStdString()));
  MINERVA_ASSIGN(const auto engine, engine::Engine::load(*backend, {.path = path}, {}, {}));
  engine::Request request;
  request.chat.messages.push_back({{"role", "user"}, {"content", parser.positionalArguments()[1].toStdString()}});
  request.sampling = engine->recommendedSampling();
  engine::ReplyRun run(*engine, std::move(request), show);
  while (run.step()) {
  }
  MINERVA_ASSIGN(const engine::Reply reply, run.take());
  std::fprintf(stderr, "%d tokens, %.1f tok/s; first token after %.0f ms (%s, %s)\n", reply.timings.generatedTokens,
               reply.timings.decodeTokensPerSecond, reply.timings.ttftMs, engine->info().displayName.c_str(),
               engine->info().device.name.c_str());
  return {};
}

}  // namespace

void describeAsk(QCommandLineParser& parser) {
  parser.addOption({QStringLiteral("model"),
                    QStringLiteral("Instead of the built-in model: a name that `minerva list` shows, a file or a folder."),
                    QStringLiteral("model")});
  parser.addOption({QStringLiteral("device"), QStringLiteral("Run on this device: cpu, vulkan, vulkan:N, gpus, vulkan:0+vulkan:1."),
                    QStringLiteral("device")});
}

int runAsk(const QCommandLineParser& parser, const Places& places) {
  const Result<void> asked = ask(parser, places);
  if (asked) return 0;
  complain(asked.error());
  return 1;
}

}  // namespace minerva::app
