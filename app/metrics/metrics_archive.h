// The kept figures, on a thread of their own: the window never waits for the disk. Signals arrive on the GUI thread.
#pragma once

#include "app/inference/error_info.h"
#include "app/metrics/metrics_store.h"
#include "app/storage/background_store.h"

#include <QObject>

namespace minerva::app {

class MetricsArchive : public QObject {
  Q_OBJECT
 public:
  static constexpr int most = 5000;  // records that are listed

  explicit MetricsArchive(const QString& file, QObject* parent = nullptr);

  void add(const ReplyRecord& record);  // answered by added
  void read(qint64 id);                 // answered by found, as the next
  void readMessage(qint64 message);
  void removeAll();  // answered by listed

 Q_SIGNALS:
  void listed(const std::vector<minerva::app::ReplyRecord>& records);  // newest first; once at the start
  void added(const minerva::app::ReplyRecord& record);                 // with its id
  void found(const std::optional<minerva::app::ReplyRecord>& record);  // with its intervals; none: not there
  void failed(const minerva::app::ErrorInfo& error);

 private:
  [[nodiscard]] Result<void> list(MetricsStore& store);
  BackgroundStore<MetricsStore> m_kept;
};

}  // namespace minerva::app
