// The whole window in a test: Minerva's composition root and Main.qml, with a separate data folder.
#pragma once

#include "app/shell/app_services.h"
#include "app/shell/open_window.h"
#include "long_winded.h"
#include "patience.h"

#include <QQmlApplicationEngine>
#include <QQuickItem>
#include <QQuickWindow>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <optional>

namespace minerva::app {

class MainWindow {
 public:
  explicit MainWindow(const QString& page = QStringLiteral("chat"), QSize size = QSize(1280, 800),
                      const QString& theme = QStringLiteral("light"))
      : m_theme(theme) {
    open(page);
    if (window != nullptr) window->resize(size);
  }

  // Restarts the application on the same data folder.
  void open(const QString& page) {
    m_qml.reset();  // first, because QML objects refer to the services
    services.reset();
    window = nullptr;
    Options options;
    options.dataDir = m_folder.path();
    options.page = page;
    options.theme = m_theme;
    options.device = QStringLiteral("cpu");
    services.emplace(options);
    services->settings()->set_otherApps(false);  // tests must not depend on models of other applications on this machine
    m_qml.emplace();
    window = openWindow(*m_qml, *services);
  }

  // Shows and activates the window and waits until the built-in model is loaded and the conversations are read.
  [[nodiscard]] bool start(bool softwareRendering = false) {
    if (window == nullptr) return false;
    services->start(window, softwareRendering);
    window->requestActivate();
    return QTest::qWaitForWindowActive(window, patienceMs) &&
           QTest::qWaitFor([this] { return services->inference()->isReady() && services->chat()->canSend(); }, patienceMs);
  }
  // Loads a model whose replies go on until they are stopped.
  [[nodiscard]] bool loadLongWinded() {
    services->settings()->set_contextLength(longWindedContext);
    services->settings()->set_temperature(0);
    services->settings()->set_maxTokens(0);
    services->inference()->load(longWindedModel(m_folder.path()));
    return QTest::qWaitFor(
        [&] { return services->inference()->model().contextLength == longWindedContext && services->inference()->isReady(); }, patienceMs);
  }
  // Items that a change shows have their places from the next frame on.
  void waitForFrame() const {
    QSignalSpy frames(window, &QQuickWindow::frameSwapped);
    window->update();
    QVERIFY(frames.wait(patienceMs));
  }
  [[nodiscard]] QString page() const { return window->property("page").toString(); }
  void show(const QString& page) { window->setProperty("page", page); }
  [[nodiscard]] QQuickItem* focused() const { return window->activeFocusItem(); }
  [[nodiscard]] QString folder() const { return m_folder.path(); }
  template <class T>
  [[nodiscard]] T* singleton(const char* name) {
    return m_qml->singletonInstance<T*>(qmlTypeId("Minerva.App", 1, 0, name));
  }

  std::optional<AppServices> services;
  QQuickWindow* window = nullptr;

 private:
  QTemporaryDir m_folder;
  QString m_theme;
  std::optional<QQmlApplicationEngine> m_qml;
};

}  // namespace minerva::app
