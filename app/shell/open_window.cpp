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
  qml_register_types_Minerva_App();  // keeps the registration in a static link
  closeNetwork(engine);
  engine.addImportPath(QStringLiteral("qrc:/qt/qml"));
  engine.setInitialProperties({{QStringLiteral("app"), QVariant::fromValue(&services)}});
  engine.load(QUrl(QStringLiteral("qrc:/qt/qml/Minerva/Shell/Main.qml")));
  // Loading adds one that looks for files of other platforms with every icon and every text that is made: 5 % of a message.
  for (QQmlAbstractUrlInterceptor* interceptor : engine.urlInterceptors()) engine.removeUrlInterceptor(interceptor);
  return engine.rootObjects().isEmpty() ? nullptr : qobject_cast<QQuickWindow*>(engine.rootObjects().first());
}

}  // namespace minerva::app
