#include "app/shell/options.h"

#include "app/actions/page_table.h"
#include "app/shell/own_folders.h"
#include "core/base/utf8.h"

#include <QCommandLineParser>
#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace minerva::app {
namespace {

[[noreturn]] void wrongUsage(const QString& reason) {
  std::fprintf(stderr, "minerva: %s\n", utf8::printable(reason.toStdString()).c_str());
  std::exit(2);
}

// The command that other programs call so.
QString likelyCommand(const QString& word) {
  constexpr std::array<std::array<const char*, 2>, 13> others{{{"pull", "get"},
                                                               {"download", "get"},
                                                               {"rm", "remove"},
                                                               {"delete", "remove"},
                                                               {"uninstall", "remove"},
                                                               {"ls", "list"},
                                                               {"ps", "list"},
                                                               {"run", "ask"},
                                                               {"chat", "ask"},
                                                               {"prompt", "ask"},
                                                               {"server", "serve"},
                                                               {"help", "--help"},
                                                               {"version", "--version"}}};
  const auto* found = std::ranges::find_if(others, [&](const auto& other) { return word == QLatin1String(other[0]); });
  return found == others.end() ? QString() : QLatin1String((*found)[1]);
}

// The file or folder to open, which need not be there: the window says so. A single word is more likely a command that is misspelt, or
// one with an option that is not its own.
QString modelToOpen(const QStringList& positional, const QStringList& commands) {
  if (positional.isEmpty()) return {};
  const QString& named = positional.first();
  const QFileInfo file(named);
  if (file.exists() || named.contains(QLatin1Char('/')) || named.contains(QLatin1Char('.'))) {
    if (positional.size() == 1) return file.absoluteFilePath();
    wrongUsage(QStringLiteral("the window opens one MODEL, found %1").arg(positional.join(QStringLiteral(", "))));
  }
  if (commands.contains(named))
    wrongUsage(QStringLiteral("the options before '%1' are not all its own; minerva %1 --help lists them").arg(named));
  const QString likely = likelyCommand(named);
  wrongUsage(QStringLiteral("there is no file or folder '%1'; the commands are %2%3")
                 .arg(named, commands.join(QStringLiteral(", ")),
                      likely.isEmpty() ? QString() : QStringLiteral(" (you may mean minerva %1)").arg(likely)));
}

}  // namespace

Options parseOptions(const QStringList& arguments, const QStringList& commands) {
  QCommandLineParser parser;
  parser.setApplicationDescription(
      QStringLiteral("Chat with language models on this computer.\nIn a terminal, without a window: minerva %1 (each has --help).")
          .arg(commands.join(QStringLiteral(" | "))));
  parser.addHelpOption();
  parser.addVersionOption();
  parser.addPositionalArgument(QStringLiteral("MODEL"), QStringLiteral("A .gguf file, a .safetensors file, or a model folder."),
                               QStringLiteral("[MODEL]"));
  const auto add = [&parser](const char* name, const char* help, const char* value, const char* fallback = "") {
    parser.addOption({QString::fromLatin1(name), QString::fromLatin1(help), QString::fromLatin1(value), QString::fromLatin1(fallback)});
  };
  add("device", "Run models on this device: cpu, vulkan, vulkan:N, gpus, vulkan:0+vulkan:1.", "device");
  add("data-dir", "Keep conversations and settings in this folder.", "folder");
  add("models", "Keep downloaded models in this folder.", "folder");
  add("theme", "For testing: light or dark, regardless of the settings.", "theme");
  add("language", "For testing: en or de, regardless of the settings.", "language");
  parser.addOption({QStringLiteral("page"), QStringLiteral("The page to show first: %1.").arg(pageKeys().join(QStringLiteral(", "))),
                    QStringLiteral("page")});
  parser.addOption({{QStringLiteral("p"), QStringLiteral("prompt")},
                    QStringLiteral("No window: answer this text in the terminal, as minerva ask does."),
                    QStringLiteral("text")});
  add("send", "For testing: send this text as soon as a model is loaded.", "text");
  add("frame-log", "For testing: write the times of all frames to this JSON file.", "file");
  add("grab", "For testing: save a screenshot of the window to this PNG file.", "file");
  add("grab-after", "For testing: when to take it, in milliseconds after the start.", "ms", "1000");
  parser.addOption({QStringLiteral("exit-after-reply"), QStringLiteral("For testing: exit when the reply to --send is complete.")});
  if (!parser.parse(arguments)) wrongUsage(parser.errorText());
  parser.process(arguments);  // help and version

  if (parser.isSet(QStringLiteral("prompt")))  // otherwise it were the command
    wrongUsage(QStringLiteral("what stands beside -p is not all that of 'ask'; minerva ask --help lists its options"));

  Options options;
  options.model = modelToOpen(parser.positionalArguments(), commands);
  options.device = parser.value(QStringLiteral("device"));
  options.dataDir = parser.value(QStringLiteral("data-dir"));
  options.models = parser.value(QStringLiteral("models"));
  options.theme = parser.value(QStringLiteral("theme"));
  options.language = parser.value(QStringLiteral("language"));
  options.page = parser.value(QStringLiteral("page"));
  if (!options.page.isEmpty() && !pageKeys().contains(options.page))
    wrongUsage(QStringLiteral("there is no page '%1', expected one of: %2").arg(options.page, pageKeys().join(QStringLiteral(", "))));
  options.prompt = parser.value(QStringLiteral("send"));
  options.frameLog = parser.value(QStringLiteral("frame-log"));
  options.grab = parser.value(QStringLiteral("grab"));
  bool isNumber = false;
  options.grabAfterMs = parser.value(QStringLiteral("grab-after")).toInt(&isNumber);
  if (!isNumber || options.grabAfterMs < 0)
    wrongUsage(QStringLiteral("--grab-after takes milliseconds, found '%1'").arg(parser.value(QStringLiteral("grab-after"))));
  options.exitAfterReply = parser.isSet(QStringLiteral("exit-after-reply"));
  return options;
}

Places placesFor(const Options& options) {
  if (options.dataDir.isEmpty() && !hasHome()) {
    std::fprintf(stderr, "minerva: your account has no home folder; --data-dir FOLDER says where models and settings are\n");
    std::exit(1);
  }
  Places places{QStandardPaths::writableLocation(QStandardPaths::AppDataLocation),
                QStandardPaths::writableLocation(QStandardPaths::AppConfigLocation),
                {},
                QStandardPaths::writableLocation(QStandardPaths::CacheLocation)};
  if (!options.dataDir.isEmpty()) {
    places.data = places.settings = QDir(options.dataDir).absolutePath();
    places.cache = places.data + QStringLiteral("/cache");
  }
  places.models = options.models.isEmpty() ? places.data + QStringLiteral("/models") : QDir::cleanPath(QDir(options.models).absolutePath());
  return places;
}

}  // namespace minerva::app
