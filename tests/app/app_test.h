// The tests of this folder are one program, so that their headers are compiled and their libraries linked once. Each is a class of its
// own in a tst_NAME.cpp, and a process of its own, chosen by its name: bin/test_app NAME, then QtTest's own arguments.
#pragma once

#include "patience.h"

#include <QTest>

#include <vector>

namespace minerva::app {

struct AppTest {
  const char* name;
  int (*run)(int argc, char** argv);
};

inline std::vector<AppTest>& appTests() {
  static std::vector<AppTest> all;
  return all;
}

inline bool addAppTest(const char* name, int (*run)(int argc, char** argv)) {
  appTests().push_back({name, run});
  return true;
}

// What QTEST_MAIN and QTEST_GUILESS_MAIN do.
template <class Test, class Application>
int runAppTest(int argc, char** argv) {
  QTest::Internal::callInitMain<Test>();
  Application application(argc, argv);
  application.setAttribute(Qt::AA_Use96Dpi, true);
  Test test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace minerva::app

// Where QTEST_MAIN stands in a program of its own. Application: the one that the test needs, QCoreApplication or QGuiApplication.
#define APP_TEST(Test, name, Application) APP_TEST_WITH_MAIN(Test, name, (minerva::app::runAppTest<Test, Application>))

// For a test that also starts this program in other ways: `main` sees the arguments as if the test were the program.
#define APP_TEST_WITH_MAIN(Test, name, main)                                                                    \
  [[maybe_unused]] static const bool isThere##Test = minerva::app::addAppTest(name, [](int argc, char** argv) { \
    QTEST_SET_MAIN_SOURCE_PATH                                                                                  \
    return main(argc, argv);                                                                                    \
  });
