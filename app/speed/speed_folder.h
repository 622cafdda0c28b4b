// The folder of kept reports: one JSON file each, as `minerva-bench speed --json` has the rows, with the machine. All work is done on one
// worker thread, in order; signals are emitted on the GUI thread.
#pragma once

#include "app/inference/error_info.h"
#include "core/speed/saved_report.h"

#include <QDateTime>
#include <QObject>
#include <QThreadPool>

#include <functional>
#include <vector>

namespace minerva::app {

struct KeptReport {
  QString file;  // path
  QDateTime time;
  speed::SpeedReport report;
};

class SpeedFolder : public QObject {
  Q_OBJECT
 public:
  static constexpr int most = 100;  // reports that are listed: the latest ones

  explicit SpeedFolder(QString folder, QObject* parent = nullptr);
  ~SpeedFolder() override;  // finishes what was asked

  void list();                                  // answered by listed
  void keep(const speed::SpeedReport& report);  // answered by listed; so is remove()
  void remove(const QString& file);

 Q_SIGNALS:
  void listed(const std::vector<minerva::app::KeptReport>& reports);  // newest first
  void failed(const minerva::app::ErrorInfo& error);

 private:
  void post(std::function<Result<void>()> work, const QString& headline);
  QString m_folder;
  QThreadPool m_thread;
};

}  // namespace minerva::app
