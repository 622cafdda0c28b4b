// How far a download is, on stderr: one line that is drawn over on a terminal, else a line now and then. One thread's.
#pragma once

#include "app/hub/download.h"

#include <QElapsedTimer>

namespace minerva::app {

class ProgressLine {
 public:
  explicit ProgressLine(QString name);
  void show(const DownloadStatus& status);
  void end();  // the line is left as it is

 private:
  QString m_name, m_lastNote;
  bool m_terminal, m_open = false;
  int m_lastTenth = -1, m_lastWaits = 0;
  QElapsedTimer m_sinceLine;
};

}  // namespace minerva::app
