// The hub, seen from the window: recommended models, a search, one repository with what it offers, and the downloads.
// GUI thread only; the work is done on a thread of its own. Nobody is asked for anything before the user asks for
// something.
#pragma once

#include "app/hub/downloads_model.h"
#include "app/hub/fit_check.h"
#include "app/hub/hub_access.h"
#include "app/hub/kept_version.h"
#include "app/hub/proxy_password.h"
#include "app/hub/repository.h"
#include "app/hub/token_store.h"
#include "app/inference/error_info.h"

#include <QDeadlineTimer>
#include <QHash>
#include <QThread>
#include <QTimer>
#include <QUrl>
#include <QVariantList>

#include <functional>
#include <memory>
#include <vector>

namespace minerva::app {

class HubWorker;
class RequestLog;

class HubService : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with AppServices")
  Q_PROPERTY(minerva::app::DownloadsModel* downloads READ downloads CONSTANT)
  Q_PROPERTY(QVariantList catalogue READ catalogue CONSTANT)      // [{name, repository, choice, format, why}]
  Q_PROPERTY(bool busy READ isBusy NOTIFY changed)                // the hub is asked
  Q_PROPERTY(QString waiting READ waiting NOTIFY waitingChanged)  // while it does not answer: why, and when it is asked again
  Q_PROPERTY(QString searched READ searched NOTIFY changed)       // what `hits` are for; empty: nothing was searched for
  Q_PROPERTY(QVariantList hits READ hits NOTIFY changed)          // [{name, owner, title, formats, downloads, gated}]
  Q_PROPERTY(QString repository READ repository NOTIFY changed)   // that is open; empty: none
  Q_PROPERTY(QUrl page READ page NOTIFY changed)                  // of the repository, for a browser
  Q_PROPERTY(bool gated READ isGated NOTIFY changed)
  Q_PROPERTY(QVariantList choices READ choices NOTIFY changed)  // [{label, format, bytes, files, fit, reason,
                                                                // recommended, expected, here, path}]; fit: as fitName();
                                                                // expected: tok/s at most, 0 not known; here: "" "running"
                                                                // (its download) "done" (path is what to open) "other"
                                                                // (another version than the hub's)
  Q_PROPERTY(bool reading READ isReading NOTIFY changed)        // the header of the recommended choice
  Q_PROPERTY(QString about READ about NOTIFY changed)           // "llama · 1.2 B parameters", from the header
  Q_PROPERTY(QString problem READ problem NOTIFY changed)       // why it cannot run, from the header
  Q_PROPERTY(minerva::app::ErrorInfo error READ error NOTIFY changed)
  Q_PROPERTY(QString tokenSource READ tokenSource NOTIFY tokenChanged)  // of the token in use: "HF_TOKEN", a file's path,
                                                                        // "the keyring"; empty: none
  Q_PROPERTY(bool tokenKept READ isTokenKept NOTIFY tokenChanged)       // in the keyring: it can be removed
  Q_PROPERTY(minerva::app::ErrorInfo proxyError READ proxyError NOTIFY proxyErrorChanged)  // its password was not kept
  Q_PROPERTY(minerva::app::ErrorInfo tokenError READ tokenError NOTIFY tokenChanged)
 public:
  HubService(const HubAccess& access, const QString& logFile, const QString& models, BackendOptions backend, QObject* parent = nullptr);
  ~HubService() override;

  [[nodiscard]] DownloadsModel* downloads() { return &m_downloads; }
  [[nodiscard]] QVariantList catalogue() const { return m_catalogue; }
  [[nodiscard]] bool isBusy() const { return m_busy; }
  [[nodiscard]] QString waiting() const;
  [[nodiscard]] QString searched() const { return m_searched; }
  [[nodiscard]] QVariantList hits() const { return m_hits; }
  [[nodiscard]] QString repository() const { return m_name; }
  [[nodiscard]] QUrl page() const { return m_access.page(m_name); }
  [[nodiscard]] bool isGated() const { return m_repository.gated; }
  [[nodiscard]] QVariantList choices() const { return m_choices; }
  [[nodiscard]] bool isReading() const { return m_reading; }
  [[nodiscard]] QString about() const { return m_about; }
  [[nodiscard]] QString problem() const { return m_verdict.kind == FitVerdict::CannotRun ? m_verdict.reason : QString(); }
  [[nodiscard]] ErrorInfo error() const { return m_error; }

  [[nodiscard]] QString tokenSource() const { return m_access.tokenSource; }
  [[nodiscard]] bool isTokenKept() const { return m_tokenKept; }
  [[nodiscard]] ErrorInfo tokenError() const { return m_tokenError; }
  [[nodiscard]] ErrorInfo proxyError() const { return m_proxy.error(); }
  [[nodiscard]] ProxyPassword& proxyPassword() { return m_proxy; }

  void setTokenStore(std::unique_ptr<TokenStore> store);       // tests; else the system's keyring
  Q_INVOKABLE void readToken();                                // from the keyring; once, and not where the environment names one
  Q_INVOKABLE void keepToken(const QString& token);            // empty: removes it
  void setBandwidth(const backend::BandwidthCurve& measured);  // of the device in use
  void setPreferences(const HubPreferences& preferences, const LoadPreferences& loading);

  Q_INVOKABLE void search(const QString& text);  // a link or ORG/REPO opens the repository instead
  Q_INVOKABLE void open(const QString& repository);
  // Where what lies at the path was downloaded from; empty: not here, or not from the hub.
  Q_INVOKABLE [[nodiscard]] QString repositoryOf(const QString& path) const;
  Q_INVOKABLE void back();  // to the hits, or the catalogue
  Q_INVOKABLE void download(int choice);
  Q_INVOKABLE void retry();                                // what failed
  Q_INVOKABLE [[nodiscard]] QStringList requests() const;  // the last ones, newest first
  Q_INVOKABLE [[nodiscard]] QString requestsFile() const;

 Q_SIGNALS:
  void changed();
  void tokenChanged();
  void waitingChanged();
  void proxyErrorChanged();
  void downloadUnreadable(const minerva::Error& error);  // one that an earlier run left

 private:
  void openReference(const ModelReference& reference);
  void takeRepository(const Repository& repository);
  void takeVerdict(const FitVerdict& verdict);
  void listChoices();
  void listIfOpen();
  void setWaiting(const QString& reason, int milliseconds);
  void withToken(std::function<void()> ask);
  void useToken(const QByteArray& token);
  void tellPreferences();
  template <class Work>
  void onWorker(Work work);

  HubAccess m_access;
  std::unique_ptr<TokenStore> m_store;
  std::vector<std::function<void()>> m_waiting;  // for the keyring's answer
  enum class TokenRead { notYet, asked, done } m_tokenRead = TokenRead::notYet;
  bool m_tokenKept = false;
  ErrorInfo m_tokenError;
  std::unique_ptr<RequestLog> m_log;
  QString m_models;
  DownloadsModel m_downloads;
  QVariantList m_catalogue, m_hits, m_choices;
  QString m_searched, m_name, m_revision, m_wanted, m_about;
  LoadPreferences m_loading;
  HubPreferences m_preferences;
  ProxyPassword m_proxy;
  Repository m_repository;
  QList<DownloadItem> m_items;
  FitVerdict m_verdict;
  QHash<QString, OnDisk> m_here;  // the open repository's items that are complete on the disk, by name
  backend::BandwidthCurve m_bandwidth;
  qint64 m_room = 0;  // bytes for a model, before a header says more
  ErrorInfo m_error;
  bool m_busy = false, m_reading = false;
  QString m_waitReason;  // empty: it has not been waited for
  QDeadlineTimer m_waitEnd;
  QTimer m_waitTick;
  quint64 m_asked = 0;  // answers to older questions are dropped
  std::unique_ptr<HubWorker> m_worker;
  QThread m_thread;
};

// What ships with the app: resources/catalogue.json.
[[nodiscard]] QVariantList readCatalogue(const QString& file);

}  // namespace minerva::app
