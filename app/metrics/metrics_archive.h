// Asynchronous access to the stored figures on a background thread, so that the window never waits for the disk. Signals are
// emitted on the GUI thread.
#pragma once

#include "app/inference/error_info.h"
#include "app/metrics/metrics_store.h"
#include "app/storage/background_store.h"

#include <QObject>

namespace minerva::app {

class MetricsArchive : public QObject {
  Q_OBJECT
 public:
  static constexpr int most = 5000;  // maximum records in `listed`

  explicit MetricsArchive(const QString& file, QObject* parent = nullptr);

  void add(const ReplyRecord& record);  // answered by added
  void read(qint64 id);                 // answered by found; so is readMessage()
  void readMessage(qint64 message);

 Q_SIGNALS:
  void listed(const std::vector<minerva::app::ReplyRecord>& records);  // newest first; at the start
  void added(const minerva::app::ReplyRecord& record);                 // with its id
  void found(const std::optional<minerva::app::ReplyRecord>& record);  // with its intervals; nullopt if not found
  void failed(const minerva::app::ErrorInfo& error);

 private:
  [[nodiscard]] Result<void> list(MetricsStore& store);
  BackgroundStore<MetricsStore> m_kept;
};

}  // namespace minerva::app
