#include "app/shell/options.h"

#include "app/actions/page_table.h"

#include <QCommandLineParser>
#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

#include <cstdio>
#include <cstdlib>

namespace minerva::app {

Options parseOptions(const QStringList& arguments) {
  QCommandLineParser parser;
  parser.setApplicationDescription(
      QStringLiteral("Chat with language models on this computer.\n"
                     "In a terminal, without a window: minerva ask | get | list | remove | serve (each has --help)."));
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
  add("prompt", "For testing: send this text as soon as a model is loaded.", "text");
  add("frame-log", "For testing: write the times of all frames to this JSON file.", "file");
  add("grab", "For testing: save a screenshot of the window to this PNG file.", "file");
  add("grab-after", "For testing: when to take it, in milliseconds after the start.", "ms", "1000");
  parser.addOption({QStringLiteral("exit-after-reply"), QStringLiteral("For testing: exit when the reply to --prompt is complete.")});
  parser.process(arguments);

  Options options;
  const QStringList positional = parser.positionalArguments();
  if (!positional.isEmpty()) options.model = QFileInfo(positional.first()).absoluteFilePath();
  options.device = parser.value(QStringLiteral("device"));
  options.dataDir = parser.value(QStringLiteral("data-dir"));
  options.models = parser.value(QStringLiteral("models"));
  options.theme = parser.value(QStringLiteral("theme"));
  options.language = parser.value(QStringLiteral("language"));
  options.page = parser.value(QStringLiteral("page"));
  if (!options.page.isEmpty() && !pageKeys().contains(options.page)) {
    std::fprintf(stderr, "minerva: there is no page '%s', expected one of: %s\n", qPrintable(options.page),
                 qPrintable(pageKeys().join(QStringLiteral(", "))));
    std::exit(2);
  }
  options.prompt = parser.value(QStringLiteral("prompt"));
  options.frameLog = parser.value(QStringLiteral("frame-log"));
  options.grab = parser.value(QStringLiteral("grab"));
  options.grabAfterMs = parser.value(QStringLiteral("grab-after")).toInt();
  options.exitAfterReply = parser.isSet(QStringLiteral("exit-after-reply"));
  return options;
}

Places placesFor(const Options& options) {
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
