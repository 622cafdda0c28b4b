#include "app/shell/open_window.h"

#include "app/shell/app_services.h"
#include "app/shell/closed_network.h"

#include <QQmlApplicationEngine>
#include <QQuickStyle>
#include <QQuickWindow>

extern void qml_register_types_Minerva_App();

namespace minerva::app {

QQuickWindow* openWindow(QQmlApplicationEngine& engine, AppServices& services) {
  QQuickStyle::setStyle(QStringLiteral("Basic"));
  qml_register_types_Minerva_App();  // forces the registration to be linked from a static library
  closeNetwork(engine);
  engine.addImportPath(QStringLiteral("qrc:/qt/qml"));
  engine.setInitialProperties({{QStringLiteral("app"), QVariant::fromValue(&services)}});
  engine.load(QUrl(QStringLiteral("qrc:/qt/qml/Minerva/Shell/Main.qml")));
  // Loading installs a URL interceptor that looks for platform-specific variants of files whenever an icon or text is
  // created, which takes 5 % of the time to create a message.
  for (QQmlAbstractUrlInterceptor* interceptor : engine.urlInterceptors()) engine.removeUrlInterceptor(interceptor);
  return engine.rootObjects().isEmpty() ? nullptr : qobject_cast<QQuickWindow*>(engine.rootObjects().first());
}

}  // namespace minerva::app
