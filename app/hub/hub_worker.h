// Runs on the hub thread: sends queries, probes headers, and downloads one item at a time. Called through queued
// invocations; results are returned by signals, with all values copied.
#pragma once

#include "app/hub/download.h"
#include "app/hub/header_probe.h"
#include "app/hub/hub_client.h"
#include "app/inference/fit_check.h"

#include <QHash>

#include <memory>
#include <vector>

namespace minerva::app {

class HubWorker : public QObject {
  Q_OBJECT
 public:
  HubWorker(HubAccess access, RequestLog* log, QString models, BackendOptions backend);
  ~HubWorker() override;

  void setPreferences(const HubPreferences& preferences);
  void setToken(const QByteArray& token, const QString& source);
  void search(quint64 asked, const QString& text);
  void openRepository(quint64 asked, const QString& name, const QString& revision);
  // held: FitQuestion::held.
  void probe(quint64 asked, const DownloadItem& item, const LoadPreferences& loading, quint64 held);
  void stopAsking();

  void findUnfinished();  // reported as paused downloads
  void start(const DownloadItem& item);
  // Starts it if its header says that it can run here; otherwise it is reported as failed, and start() downloads it all the same.
  void startIfItRuns(const DownloadItem& item, const LoadPreferences& loading, quint64 held);
  void pause(const QString& name);
  void cancel(const QString& name);  // and deletes an incomplete download; as Download::cancel()

 Q_SIGNALS:
  void found(quint64 asked, const QList<minerva::app::SearchHit>& hits, const std::optional<minerva::Error>& error);
  // here: the items that are complete on this disk, by name, and whether they are the hub's version.
  void opened(quint64 asked, const minerva::app::Repository& repository, const QHash<QString, minerva::app::OnDisk>& here,
              const std::optional<minerva::Error>& error);
  void probed(quint64 asked, const minerva::app::FitVerdict& verdict, const std::optional<minerva::Error>& error);
  void checked(const minerva::app::DownloadItem& item, const minerva::app::FitVerdict& verdict);  // for startIfItRuns()
  void downloadChanged(const minerva::app::DownloadItem& item, const minerva::app::DownloadStatus& status);
  void waiting(const QString& reason, const QString& hint, int milliseconds);  // for queries and probes; as HubStream::waiting
  void answered();
  void downloadRemoved(const QString& name);
  void downloadUnreadable(const minerva::Error& error);

 private:
  struct Entry {
    std::unique_ptr<Download> download;
    bool wanted = false;                   // started by the user and not paused since
    std::unique_ptr<HeaderProbe> probe{};  // while its header is read, before it is started
  };
  Entry& entry(const DownloadItem& item);
  Entry& freshEntry(const DownloadItem& item);
  void tell(const Entry& entry, DownloadStatus::State state, const std::optional<Error>& error = {});
  void takeHeader(Entry& entry, const LoadPreferences& loading, quint64 held, const std::optional<Error>& error);
  const Entry* startNext();  // what it started; null: nothing

  HubNetwork m_network;
  HubClient m_client;
  BackendOptions m_backend;
  QString m_models;
  std::unique_ptr<HeaderProbe> m_probe;
  std::vector<std::unique_ptr<Entry>> m_downloads;
};

}  // namespace minerva::app
