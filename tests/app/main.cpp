// Runs one test, or names them all.
#include "app_test.h"

#include <QCoreApplication>
#include <QtQml/QQmlExtensionPlugin>

#include <algorithm>
#include <cstdio>
#include <string_view>

Q_IMPORT_QML_PLUGIN(Minerva_AppPlugin)

int main(int argc, char** argv) {
  auto& tests = minerva::app::appTests();
  const auto named = [&](const minerva::app::AppTest& test) { return argc > 1 && std::string_view(argv[1]) == test.name; };
  if (const auto test = std::ranges::find_if(tests, named); test != tests.end()) {
    // Folders that Qt names after the program are a test's own, because several run at the same time.
    QCoreApplication::setApplicationName(QStringLiteral("test_app_") + QLatin1String(test->name));
    argv[1] = argv[0];
    return test->run(argc - 1, argv + 1);
  }
  std::fprintf(stderr, "%s: expected the name of a test and QtTest's arguments, got %s; one of:\n", argv[0], argc > 1 ? argv[1] : "none");
  std::ranges::sort(tests, {}, [](const minerva::app::AppTest& test) { return std::string_view(test.name); });
  for (const minerva::app::AppTest& test : tests) std::fprintf(stderr, "%s\n", test.name);
  return 2;
}
