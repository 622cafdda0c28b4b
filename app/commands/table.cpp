#include "app/commands/command.h"

#include "app/hub/version_swap.h"
#include "core/base/standard_output.h"
#include "core/base/utf8.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

namespace minerva::app {
namespace {

constexpr std::array commands{
    Command{"ask", "TEXT", "Answer once in the terminal, as minerva -p TEXT does.", &describeAsk, &runAsk},
    Command{"get", "ORG/REPO[:CHOICE]",
            "Download a model from the hub; CHOICE is a quantization (Q4_K_M) or a file. Run it again to resume.", &describeGet, &runGet},
    Command{"list", "", "List the models in the folder for models, and unfinished downloads.", &describeList, &runList},
    Command{"remove", "NAME", "Delete a model (or an unfinished download) from the disk; NAME as `minerva list` shows it.", &describeRemove,
            &runRemove},
    Command{"serve", "[MODEL...]",
            "Serve models over HTTP, for clients of OpenAI and Ollama, until SIGTERM or Control-C. MODEL as `minerva list` shows it, or a "
            "file or folder; without it, the one used last in the window. Several are loaded when a client names them.",
            &describeServe, &runServe},
};

void describe(const Command& command, QCommandLineParser& parser) {
  parser.setApplicationDescription(QString::fromLatin1(command.help));
  parser.addHelpOption();
  parser.addPositionalArgument(QString::fromLatin1(command.name), QString());
  if (*command.arguments != '\0') parser.addPositionalArgument(QString::fromLatin1(command.arguments), QString());
  parser.addOption({QStringLiteral("models"), QStringLiteral("The folder for models."), QStringLiteral("folder")});
  parser.addOption({QStringLiteral("data-dir"),
                    QStringLiteral("Settings, the request log and (unless --models is given) models are in this folder."),
                    QStringLiteral("folder")});
  command.describe(parser);
}

// With "ask" instead of "-p".
QStringList argumentsOf(int argc, char** argv) {
  QStringList arguments;
  for (int i = 0; i < argc; ++i) arguments << QString::fromLocal8Bit(argv[i]);
  const qsizetype asked = arguments.indexOf(QStringLiteral("-p")), end = arguments.indexOf(QStringLiteral("--"));
  if (asked > 0 && (end < 0 || asked < end)) arguments[asked] = QStringLiteral("ask");
  return arguments;
}

// Options may come before a command if all of them are its own.
bool isCalled(const Command& command, const QStringList& arguments) {
  const QString name = QString::fromLatin1(command.name);
  if (arguments.size() > 1 && arguments[1] == name) return true;
  QCommandLineParser parser;
  describe(command, parser);
  return parser.parse(arguments) && !parser.positionalArguments().isEmpty() && parser.positionalArguments().first() == name;
}

int runParsed(const Command& command, const QCommandLineParser& parser) {
  if (parser.isSet(QStringLiteral("help")) || parser.isSet(QStringLiteral("help-all"))) {
    std::printf("%s", qPrintable(parser.helpText()));
    return 0;
  }
  const bool mayBeLeftOut = *command.arguments == '\0' || *command.arguments == '[';
  const bool mayBeSeveral = std::strstr(command.arguments, "...") != nullptr;
  const qsizetype given = parser.positionalArguments().size();
  if ((given > (*command.arguments == '\0' ? 1 : 2) && !mayBeSeveral) || (given < 2 && !mayBeLeftOut)) {
    std::fprintf(stderr, "minerva %s: usage: minerva %s [options]%s%s\n", command.name, command.name, *command.arguments == '\0' ? "" : " ",
                 command.arguments);
    return 2;
  }
  Options options;
  options.dataDir = parser.value(QStringLiteral("data-dir"));
  options.models = parser.value(QStringLiteral("models"));
  const Places places = placesFor(options);
  finishSwaps(places.models);
  return command.run(parser, places);
}

}  // namespace

QStringList commandNames() {
  QStringList names;
  for (const Command& command : commands) names << QString::fromLatin1(command.name);
  return names;
}

const Command* commandOf(int argc, char** argv) {
  const QStringList arguments = argumentsOf(argc, argv);
  const auto* found = std::ranges::find_if(commands, [&](const Command& command) { return isCalled(command, arguments); });
  return found == commands.end() ? nullptr : found;
}

int runCommand(const Command& command, int argc, char** argv) {
  QLocale::setDefault(QLocale::English);  // like the messages
  const QStringList arguments = argumentsOf(argc, argv);
  const QCoreApplication application(argc, argv);
  QCoreApplication::setApplicationName(QStringLiteral("Minerva"));
  QCoreApplication::setApplicationVersion(QStringLiteral(MINERVA_VERSION));
  QCommandLineParser parser;
  describe(command, parser);
  if (!parser.parse(arguments)) {
    std::fprintf(stderr, "minerva %s: %s\n", command.name, qPrintable(parser.errorText()));
    return 2;
  }
  const int status = runParsed(command, parser);
  const Result<void> written = flushStandardOutput();
  if (written || status != 0) return status;
  complain(written.error());
  return 1;
}

QString shown(const QString& text) { return QString::fromStdString(utf8::printable(text.toStdString())); }

void complain(const Error& error) { std::fprintf(stderr, "minerva: %s\n", error.message().c_str()); }

}  // namespace minerva::app
