// The window's QML on its engine: the same for the program and for tests that drive the whole window.
#pragma once

class QQmlApplicationEngine;
class QQuickWindow;

namespace minerva::app {

class AppServices;

// Loads Main.qml, which is not shown before `services.start(window)`. `services` must outlive the engine. Null if the QML is
// broken; Qt has printed why.
[[nodiscard]] QQuickWindow* openWindow(QQmlApplicationEngine& engine, AppServices& services);

}  // namespace minerva::app
