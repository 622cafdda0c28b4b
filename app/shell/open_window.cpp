#include "app/shell/open_window.h"

#include "app/shell/app_services.h"
#include "app/shell/closed_network.h"

#include <QKeyEvent>
#include <QQmlApplicationEngine>
#include <QQuickItem>
#include <QQuickStyle>
#include <QQuickWindow>

extern void qml_register_types_Minerva_App();

namespace minerva::app {
namespace {

// Qt 6.4's TextEdit claims every key before the shortcuts, even if it is read-only and has no use for it. Keys that no shortcut
// takes, like Ctrl+C, reach it all the same.
class ReadOnlyTextKeys : public QObject {
 public:
  explicit ReadOnlyTextKeys(QQuickWindow* window) : QObject(window), m_window(window) { window->installEventFilter(this); }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (watched != m_window || event->type() != QEvent::ShortcutOverride) return false;
    const QQuickItem* item = m_window->activeFocusItem();
    if (item == nullptr || !item->inherits("QQuickTextEdit") || !item->property("readOnly").toBool()) return false;
    event->ignore();
    return true;
  }

 private:
  QQuickWindow* m_window;
};

}  // namespace

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
  auto* window = engine.rootObjects().isEmpty() ? nullptr : qobject_cast<QQuickWindow*>(engine.rootObjects().first());
  if (window != nullptr) new ReadOnlyTextKeys(window);
  return window;
}

}  // namespace minerva::app
