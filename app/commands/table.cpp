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
#include <optional>

namespace minerva::app {
namespace {

constexpr std::array commands{
    Command{"ask", "[TEXT]", "What to answer; without it, or -, the text comes from standard input. A pipe or file there is added to TEXT.",
            "Answer once in the terminal, as minerva -p TEXT does.", &describeAsk, &runAsk},
    Command{"get", "ORG/REPO[:CHOICE]", "A model on the hub, and which one of its files.",
            "Download a model from the hub; CHOICE is a quantization (Q4_K_M) or a file. Run it again to resume.", &describeGet, &runGet},
    Command{"list", "", "", "List the models in the folder for models, unfinished downloads, and models of other programs, used in place.",
            &describeList, &runList},
    Command{"remove", "NAME", "As `minerva list` shows it.", "Delete a model (or an unfinished download) from the disk.", &describeRemove,
            &runRemove},
    Command{"serve", "[MODEL...]", "As `minerva list` shows it, or a file or folder; without it, the one used last in the window.",
            "Serve models over HTTP, for clients of OpenAI and Ollama, until SIGTERM or Control-C. Several are loaded when a client names "
            "them.",
            &describeServe, &runServe},
};

void describe(const Command& command, QCommandLineParser& parser) {
  parser.setApplicationDescription(QString::fromLatin1(command.help));
  parser.addHelpOption();
  parser.addPositionalArgument(QString::fromLatin1(command.name), QStringLiteral("The command."));
  if (*command.arguments != '\0')
    parser.addPositionalArgument(QString::fromLatin1(command.arguments), QString::fromLatin1(command.argumentsHelp));
  parser.addOption({QStringLiteral("models"), QStringLiteral("The folder for models."), QStringLiteral("folder")});
  parser.addOption({QStringLiteral("data-dir"),
                    QStringLiteral("Settings, the request log and (unless --models is given) models are in this folder."),
                    QStringLiteral("folder")});
  command.describe(parser);
}

// Where a text is asked for in an argument: after -p or --prompt, or behind it (-pTEXT, --prompt=TEXT). Qt's own options are none.
std::optional<QString> promptIn(const QString& argument) {
  static const QStringList ofQt{QStringLiteral("-platform"), QStringLiteral("-platformpluginpath"), QStringLiteral("-platformtheme"),
                                QStringLiteral("-plugin")};
  const QString with = QStringLiteral("--prompt="), brief = QStringLiteral("-p");
  if (argument == brief || argument == QLatin1String("--prompt")) return QString();
  if (argument.startsWith(with)) return argument.mid(with.size());
  if (!argument.startsWith(brief) || ofQt.contains(argument.section(QLatin1Char('='), 0, 0))) return {};
  return argument.mid(brief.size());
}

// With "ask" instead of "-p".
QStringList argumentsOf(int argc, char** argv) {
  QStringList arguments;
  for (int i = 0; i < argc; ++i) arguments << QString::fromLocal8Bit(argv[i]);
  if (commandNames().contains(arguments.value(1))) return arguments;
  for (qsizetype i = 1; i < arguments.size() && arguments[i] != QLatin1String("--"); ++i) {
    const std::optional<QString> prompt = promptIn(arguments[i]);
    if (!prompt) continue;
    arguments[i] = QStringLiteral("ask");
    if (!prompt->isEmpty()) arguments.insert(i + 1, *prompt);
    break;
  }
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
