// Loads the window's QML into an engine; shared by the program and tests of the whole window.
#pragma once

class QQmlApplicationEngine;
class QQuickWindow;

namespace minerva::app {

class AppServices;

// Loads Main.qml. Call `services.start(window)` before the event loop runs and renders the first frame. `services` must
// outlive the engine. Returns null if the QML is broken; Qt has printed the reason.
[[nodiscard]] QQuickWindow* openWindow(QQmlApplicationEngine& engine, AppServices& services);

}  // namespace minerva::app
