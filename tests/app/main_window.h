// The whole window in a test: Minerva's own composition root and Main.qml, in a data folder of its own.
#pragma once

#include "app/shell/app_services.h"
#include "app/shell/open_window.h"

#include <QQmlApplicationEngine>
#include <QQuickItem>
#include <QQuickWindow>
#include <QTemporaryDir>
#include <QTest>

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

  // The program again, on the same data folder.
  void open(const QString& page) {
    m_qml.reset();  // first: what QML shows belongs to the services
    services.reset();
    window = nullptr;
    Options options;
    options.dataDir = m_folder.path();
    options.page = page;
    options.theme = m_theme;
    options.device = QStringLiteral("cpu");
    services.emplace(options);
    services->settings()->set_otherApps(false);  // what this machine has is not the test's business
    m_qml.emplace();
    window = openWindow(*m_qml, *services);
  }

  // Shown, active, and with the built-in model loaded.
  [[nodiscard]] bool start(bool softwareRendering = false) {
    if (window == nullptr) return false;
    services->start(window, softwareRendering);
    window->requestActivate();
    return QTest::qWaitForWindowActive(window, 60000) && QTest::qWaitFor([this] { return services->inference()->isReady(); }, 60000);
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
