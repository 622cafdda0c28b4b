#include "app/shell/run_app.h"

#include "app/hub/version_swap.h"
#include "app/shell/already_open.h"
#include "app/shell/app_services.h"
#include "app/shell/language.h"
#include "app/shell/open_window.h"
#include "app/shell/single_instance.h"
#include "app/shell/start_messages.h"

#include <QDir>
#include <QFileInfo>
#include <QGuiApplication>
#include <QIcon>
#include <QQmlApplicationEngine>
#include <QQuickWindow>

#include <cstdio>
#include <cstring>
#include <optional>

namespace minerva::app {

namespace {

// True if there is a device node that a driver can render with.
bool hasGpu() {
  return !QDir(QStringLiteral("/dev/dri")).entryList({QStringLiteral("renderD*")}, QDir::System | QDir::Files).isEmpty() ||
         QFileInfo::exists(QStringLiteral("/dev/nvidiactl"));
}

bool asksForWords(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    for (const char* word : {"-h", "--help", "--help-all", "-v", "--version"})
      if (std::strcmp(argv[i], word) == 0) return true;
  return false;
}

bool hasDisplay(int argc, char** argv) {
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "QT_QPA_PLATFORM"})
    if (!qEnvironmentVariableIsEmpty(name)) return true;
  for (int i = 1; i < argc; ++i)
    for (const char* word : {"-platform", "-display", "--platform", "--display"})
      if (std::strcmp(argv[i], word) == 0) return true;
  return false;
}

}  // namespace

int runApp(int argc, char** argv, const QStringList& commands) {
  QCoreApplication::setApplicationName(QStringLiteral("Minerva"));
  QCoreApplication::setApplicationVersion(QStringLiteral(MINERVA_VERSION));
  const bool display = hasDisplay(argc, argv), words = asksForWords(argc, argv);
  if (words || !display) {  // texts and complaints about usage need no display
    const QCoreApplication application(argc, argv);
    static_cast<void>(parseOptions(QCoreApplication::arguments(), commands));  // prints them and exits
  }
  if (words) return 0;
  if (!display) {  // Qt would abort with a core dump
    std::fprintf(stderr,
                 "minerva: no display found (DISPLAY and WAYLAND_DISPLAY are not set); minerva -p \"...\" answers in the terminal\n");
    return 1;
  }
  std::optional<StartMessages> messages(std::in_place);
  QGuiApplication application(argc, argv);
  QGuiApplication::setDesktopFileName(QStringLiteral("chat.minerva.Minerva"));  // name of the .desktop file in packaging/linux
  QGuiApplication::setWindowIcon(QIcon(QStringLiteral(":/qt/qml/Minerva/Components/icons/minerva.svg")));
  const Options options = parseOptions(QGuiApplication::arguments(), commands);
  messages.reset();

  // Without a GPU, Qt's software renderer repaints only what changed; software OpenGL would take CPU cores from the model.
  const bool softwareRendering = !hasGpu();
  if (softwareRendering && qEnvironmentVariableIsEmpty("QT_QUICK_BACKEND")) QQuickWindow::setSceneGraphBackend(QStringLiteral("software"));

  SingleInstance instance(placesFor(options).data);
  const bool first = instance.claim();
  if (!first && instance.handOver(options.model)) return 0;
  QString theme = options.theme;
  {  // AppServices has its own, once unreadable files are put aside
    const Settings settings(placesFor(options).settings + QStringLiteral("/settings.ini"));
    useLanguage(options.language.isEmpty() ? settings.language() : options.language);
    if (theme.isEmpty()) theme = settings.theme();
  }
  if (!first) {
    std::fprintf(stderr, "minerva: another Minerva is running with the same conversations and does not answer; waiting for its end\n");
    if (!waitToBeFirst(instance, isDarkTheme(theme))) return 1;
  }

  finishSwaps(placesFor(options).models);  // before a half-updated model is listed or loaded
  AppServices services(options);
  QObject::connect(&instance, &SingleInstance::asked, &services, &AppServices::openFromOtherInstance);

  QQmlApplicationEngine qml;
  QQuickWindow* window = openWindow(qml, services);
  if (window == nullptr) {
    std::fprintf(stderr, "minerva: the window could not be created (see the messages above)\n");
    return 1;
  }
  services.start(window, softwareRendering);
  return QGuiApplication::exec();
}

}  // namespace minerva::app
