#include "app/shell/run_app.h"

#include "app/shell/app_services.h"
#include "app/shell/single_instance.h"

#include <QDir>
#include <QFileInfo>
#include <QGuiApplication>
#include <QQmlApplicationEngine>
#include <QQuickStyle>
#include <QQuickWindow>

#include <cstdio>

extern void qml_register_types_Minerva_App();

namespace minerva::app {

namespace {

// A device node that a driver can render with.
bool hasGpu() {
  return !QDir(QStringLiteral("/dev/dri")).entryList({QStringLiteral("renderD*")}, QDir::System | QDir::Files).isEmpty() ||
         QFileInfo::exists(QStringLiteral("/dev/nvidiactl"));
}

}  // namespace

int runApp(int argc, char** argv) {
  QGuiApplication application(argc, argv);
  QGuiApplication::setApplicationName(QStringLiteral("Minerva"));
  QGuiApplication::setApplicationVersion(QStringLiteral(MINERVA_VERSION));
  QGuiApplication::setDesktopFileName(QStringLiteral("minerva"));
  const Options options = parseOptions(QGuiApplication::arguments());

  SingleInstance instance(placesFor(options).data);
  if (!instance.claim()) {
    if (instance.handOver(options.model)) return 0;
    std::fprintf(stderr, "minerva: another Minerva is running with the same conversations and does not answer\n");
    return 1;
  }

  // Without a GPU, Qt's own rasterizer repaints only what changed; OpenGL in software would take the cores from the model.
  const bool softwareRendering = !hasGpu();
  if (softwareRendering && qEnvironmentVariableIsEmpty("QT_QUICK_BACKEND"))
    QQuickWindow::setSceneGraphBackend(QStringLiteral("software"));
  QQuickStyle::setStyle(QStringLiteral("Basic"));
  qml_register_types_Minerva_App();  // keeps the registration in a static link
  AppServices services(options);
  QObject::connect(&instance, &SingleInstance::asked, &services, &AppServices::openFromOtherInstance);

  QQmlApplicationEngine qml;
  qml.addImportPath(QStringLiteral("qrc:/qt/qml"));
  qml.setInitialProperties({{QStringLiteral("app"), QVariant::fromValue(&services)}});
  qml.load(QUrl(QStringLiteral("qrc:/qt/qml/Minerva/Shell/Main.qml")));
  auto* window = qml.rootObjects().isEmpty() ? nullptr : qobject_cast<QQuickWindow*>(qml.rootObjects().first());
  if (window == nullptr) {
    std::fprintf(stderr, "minerva: the window could not be made (see the messages above)\n");
    return 1;
  }
  services.start(window, softwareRendering);
  return QGuiApplication::exec();
}

}  // namespace minerva::app
