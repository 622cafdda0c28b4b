// The kept figures, on a thread of their own: the window never waits for the disk. Signals arrive on the GUI thread.
#pragma once

#include "app/inference/error_info.h"
#include "app/metrics/metrics_store.h"

#include <QObject>
#include <QThread>

#include <functional>

namespace minerva::app {

class MetricsArchive : public QObject {
  Q_OBJECT
 public:
  static constexpr int most = 5000;  // records that are listed

  explicit MetricsArchive(const QString& file, QObject* parent = nullptr);
  ~MetricsArchive() override;  // what was asked before is done first

  void add(const ReplyRecord& record);  // answered by added
  void read(qint64 id);                 // answered by found, as the next
  void readMessage(qint64 message);
  void removeAll();                     // answered by listed

 Q_SIGNALS:
  void listed(const std::vector<minerva::app::ReplyRecord>& records);  // newest first; once at the start
  void added(const minerva::app::ReplyRecord& record);                 // with its id
  void found(const std::optional<minerva::app::ReplyRecord>& record);  // with its intervals; none: not there
  void failed(const minerva::app::ErrorInfo& error);

 private:
  using Work = std::function<Result<void>(MetricsStore&)>;
  void post(Work work);
  void answer(std::function<void()> call);
  [[nodiscard]] Result<void> list(MetricsStore& store);
  QThread m_thread;
  QObject* m_worker;  // lives on the thread
  QString m_file;
  std::unique_ptr<MetricsStore> m_store;  // used on the thread alone
};

}  // namespace minerva::app
