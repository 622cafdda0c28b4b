// A download's progress on stderr: a line redrawn in place on a terminal, otherwise a new line now and then. Not
// synchronized.
#pragma once

#include "app/hub/download.h"

#include <QElapsedTimer>

namespace minerva::app {

class ProgressLine {
 public:
  explicit ProgressLine(QString name);
  void show(const DownloadStatus& status);
  void end();  // ends the line, leaving its last content

 private:
  QString m_name, m_lastNote;
  bool m_terminal, m_open = false;
  int m_lastTenth = -1, m_lastWaits = 0;
  QElapsedTimer m_sinceLine;
};

}  // namespace minerva::app
