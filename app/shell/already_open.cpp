#include "app/shell/already_open.h"

#include "app/shell/closed_network.h"
#include "app/shell/single_instance.h"

#include <QCoreApplication>
#include <QEventLoop>
#include <QGuiApplication>
#include <QQmlApplicationEngine>
#include <QQuickStyle>
#include <QQuickWindow>
#include <QTimer>

namespace minerva::app {
namespace {

constexpr int lookAgainMs = 500;

}  // namespace

bool waitToBeFirst(SingleInstance& instance, bool dark) {
  const qint64 process = instance.holder();
  const QString holder = process > 0 ? QCoreApplication::translate("AlreadyOpen", "Process %1").arg(process) : QString();
  QQuickStyle::setStyle(QStringLiteral("Basic"));
  QQmlApplicationEngine engine;
  closeNetwork(engine);
  engine.addImportPath(QStringLiteral("qrc:/qt/qml"));
  engine.setInitialProperties(
      {{QStringLiteral("lockFile"), instance.lockFile()}, {QStringLiteral("holder"), holder}, {QStringLiteral("dark"), dark}});
  engine.load(QUrl(QStringLiteral("qrc:/qt/qml/Minerva/Shell/AlreadyOpen.qml")));
  auto* window = engine.rootObjects().isEmpty() ? nullptr : qobject_cast<QQuickWindow*>(engine.rootObjects().first());
  if (window == nullptr) return false;
  // Closing the last window ends the application, which has not begun yet.
  const bool quits = QGuiApplication::quitOnLastWindowClosed();
  QGuiApplication::setQuitOnLastWindowClosed(false);
  bool isFirst = false;
  QEventLoop loop;
  QTimer timer;
  QObject::connect(&timer, &QTimer::timeout, &loop, [&] {
    isFirst = instance.claim();
    if (isFirst) loop.quit();
  });
  QObject::connect(window, &QWindow::visibleChanged, &loop, [&loop](bool visible) {
    if (!visible) loop.quit();
  });
  timer.start(lookAgainMs);
  loop.exec();
  QGuiApplication::setQuitOnLastWindowClosed(quits);
  return isFirst;
}

}  // namespace minerva::app
