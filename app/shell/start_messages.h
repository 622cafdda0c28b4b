// What Qt says on stderr while the application of the window is made.
#pragma once

#include <QString>
#include <QtGlobal>

#include <vector>

namespace minerva::app {

// Holds messages back until it is destroyed, so that a complaint about usage, which ends the program, is the only line. Where no display
// can be opened, Qt would abort with a core dump: the program says so in one line and exits with 1. One at a time.
class StartMessages {
 public:
  StartMessages();
  ~StartMessages();
  StartMessages(const StartMessages&) = delete;
  StartMessages& operator=(const StartMessages&) = delete;

 private:
  struct Held {
    QtMsgType type;
    const char* category;
    QString text;
  };
  static void hold(QtMsgType type, const QMessageLogContext& context, const QString& text);
  [[noreturn]] void endWithoutDisplay(const QString& text) const;

  static StartMessages* one;
  QtMessageHandler m_before;
  std::vector<Held> m_held;
};

}  // namespace minerva::app
