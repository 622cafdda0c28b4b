// Downloads one item: fetches and verifies its files one after the other into a staging folder next to the installed
// version, then replaces that version (version_swap.h). Can be paused and resumed, also after a restart of the program. Not
// thread-safe: use on one thread.
#pragma once

#include "app/hub/download_item.h"
#include "app/hub/file_fetch.h"
#include "app/hub/kept_version.h"
#include "app/hub/transfer_rate.h"
#include "app/hub/version_swap.h"

#include <QTimer>

namespace minerva::app {

struct DownloadStatus {
  enum State { Waiting, Checking, Running, Retrying, Paused, Failed, Done };
  State state = Paused;
  qint64 bytesDone = 0, bytesTotal = 0;  // bytesDone never decreases
  qint64 received = 0;                   // over the network, since the program was started
  double bytesPerSecond = 0;             // 0: unknown
  double secondsLeft = -1;               // -1: unknown
  QString note{};                        // reason for waiting, or that a damaged file is fetched again
  double secondsToRetry = 0;             // if Retrying
  int waits = 0;                         // number of retries that had to wait
  std::optional<Error> error{};          // if Failed
  Replaced replaced{};                   // if Done: the previously installed version
};

class Download : public QObject {
  Q_OBJECT
 public:
  // models: root folder for models. The constructor starts nothing; call start().
  Download(HubNetwork* network, DownloadItem item, const QString& models, QObject* parent = nullptr);
  ~Download() override;

  void start();  // or resumes
  void pause();
  // Ends as Paused, with the partial download deleted and an installed version kept; Failed, with nothing deleted; or Done, if the
  // swap had begun already and was finished instead.
  void cancel();
  [[nodiscard]] const DownloadItem& item() const { return m_item; }
  [[nodiscard]] const DownloadStatus& status() const { return m_status; }
  [[nodiscard]] QString modelPath() const { return m_item.modelPath(m_models); }

  // The incomplete downloads in this folder. unreadable: see stagedItems().
  [[nodiscard]] static QList<DownloadItem> unfinished(const QString& models, QList<Error>* unreadable = nullptr);
  [[nodiscard]] static qint64 bytesThere(const DownloadItem& item, const QString& models);
  // State of the installed version. missing: at least one file is missing; other: all files are present, but the hub has a
  // different version.
  [[nodiscard]] static OnDisk onDisk(const DownloadItem& item, const QString& models);
  // Deletes an incomplete download. If its swap has begun, it is too late for that: the swap is finished and returned. Errors: limit
  // (the item is being downloaded), io.
  [[nodiscard]] static Result<std::optional<FinishedSwap>> discard(const DownloadItem& item, const QString& models);
  // Deletes the installed version as well, and folders that become empty. Errors: as discard().
  [[nodiscard]] static Result<void> remove(const DownloadItem& item, const QString& models);

 Q_SIGNALS:
  void changed();  // of status(); at most ten times a second during the transfer

 private:
  [[nodiscard]] QString staged(const HubFile& file) const { return m_item.stagedPath(file, m_models); }
  [[nodiscard]] QString used(const HubFile& file) const { return m_item.folder(m_models) + QLatin1Char('/') + file.path; }
  [[nodiscard]] Result<void> openJournal();
  [[nodiscard]] Result<bool> prepare();  // false: nothing to download, only a swap of an earlier attempt was left to finish
  void next();
  void fileEnded(const std::optional<Error>& error);
  void complete();
  void update();
  void halt(DownloadStatus::State state);

  HubNetwork* m_network;
  DownloadItem m_item;
  QString m_models;
  DownloadStatus m_status;
  Journal m_journal;
  std::unique_ptr<FileFetch> m_fetch;
  qsizetype m_file = 0;
  qint64 m_before = 0;    // bytes of the completed files
  qint64 m_received = 0;  // over the network, for the completed files
  qint64 m_counted = 0;
  TransferRate m_rate;
  QTimer m_ticks, m_waiting;
};

}  // namespace minerva::app
