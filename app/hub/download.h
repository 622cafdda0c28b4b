// One item on its way to the disk: file after file, each verified, into a staging folder beside the version that is in
// use; when all are there they take its place (version_swap). Paused and resumed, also by another start of the program.
// One thread's.
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
  qint64 bytesDone = 0, bytesTotal = 0;  // bytesDone never falls
  qint64 received = 0;                   // over the network, since the start of the program
  double bytesPerSecond = 0;             // 0: not known
  double secondsLeft = -1;               // -1: not known
  QString note{};                        // why it waits, or that it is fetched again
  double secondsToRetry = 0;             // of Retrying
  int waits = 0;                         // how often it had to wait
  std::optional<Error> error{};          // of Failed
  Replaced replaced{};                   // of Done: the version that was there before
};

class Download : public QObject {
  Q_OBJECT
 public:
  // models: the folder for models. Nothing is done before start().
  Download(HubNetwork* network, DownloadItem item, const QString& models, QObject* parent = nullptr);
  ~Download() override;

  void start();  // or go on
  void pause();
  void cancel();  // and remove what has arrived of it; a version that is installed stays
  [[nodiscard]] const DownloadItem& item() const { return m_item; }
  [[nodiscard]] const DownloadStatus& status() const { return m_status; }
  [[nodiscard]] QString modelPath() const { return m_item.modelPath(m_models); }

  // The items of this folder that are not complete. unreadable: as of stagedItems().
  [[nodiscard]] static QList<DownloadItem> unfinished(const QString& models, QList<Error>* unreadable = nullptr);
  [[nodiscard]] static qint64 bytesThere(const DownloadItem& item, const QString& models);
  // The installed version. missing: something of it is not there; other: all of it is, and the hub has another version.
  [[nodiscard]] static OnDisk onDisk(const DownloadItem& item, const QString& models);
  // Removes what has arrived of an item that is not complete. Errors: limit (it is being downloaded), io.
  [[nodiscard]] static Result<void> discard(const DownloadItem& item, const QString& models);
  // The installed version as well, and folders that are empty then. Errors: the same.
  [[nodiscard]] static Result<void> remove(const DownloadItem& item, const QString& models);

 Q_SIGNALS:
  void changed();  // the status; at most ten times a second while bytes come

 private:
  [[nodiscard]] QString staged(const HubFile& file) const { return m_item.stagedPath(file, m_models); }
  [[nodiscard]] QString used(const HubFile& file) const { return m_item.folder(m_models) + QLatin1Char('/') + file.path; }
  [[nodiscard]] Result<void> prepare();
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
  qint64 m_before = 0;    // bytes of the files that are done
  qint64 m_received = 0;  // of earlier files
  qint64 m_counted = 0;
  TransferRate m_rate;
  QTimer m_ticks, m_waiting;
};

}  // namespace minerva::app
