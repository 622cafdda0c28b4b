// The hub for QML: recommended models, search, one open repository with its choices, and the downloads. GUI thread only; the
// work is done on a worker thread. No request is made before the user asks for something.
#pragma once

#include "app/hub/downloads_model.h"
#include "app/hub/hub_access.h"
#include "app/hub/kept_version.h"
#include "app/hub/proxy_password.h"
#include "app/hub/repository.h"
#include "app/hub/token_store.h"
#include "app/inference/error_info.h"
#include "app/inference/fit_check.h"

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
  Q_PROPERTY(QVariantList catalogue READ catalogue CONSTANT)        // [{name, repository, choice, format, why}]
  Q_PROPERTY(bool busy READ isBusy NOTIFY changed)                  // a query is pending
  Q_PROPERTY(QString waiting READ waiting NOTIFY waitingChanged)    // why the hub does not respond, and the time to the next attempt
  Q_PROPERTY(QString waitHint READ waitHint NOTIFY waitingChanged)  // what can be done about it; may be empty
  Q_PROPERTY(QString query READ query NOTIFY changed)               // the latest search, answered or not; empty: none
  Q_PROPERTY(QString searched READ searched NOTIFY changed)         // the query that `hits` belong to; empty: none
  Q_PROPERTY(QVariantList hits READ hits NOTIFY changed)            // [{name, owner, title, formats, downloads, gated}]
  Q_PROPERTY(QString repository READ repository NOTIFY changed)     // the open repository; empty: none
  Q_PROPERTY(QUrl page READ page NOTIFY changed)                    // the repository's web page
  Q_PROPERTY(bool gated READ isGated NOTIFY changed)
  // [{label, format, bytes, files, fit, reason, recommended, expected, here, path}]. fit: as fitName(); expected: upper bound in
  // tok/s, 0: unknown; reason: why the choice does not fit or run, empty if that is `problem`; here: "", "running" (its download), "done"
  // (installed, open `path`), "other" (not the hub's version).
  Q_PROPERTY(QVariantList choices READ choices NOTIFY changed)
  Q_PROPERTY(QString notice READ notice NOTIFY changed)    // of the open repository: what was asked for or is there, but cannot be chosen
  Q_PROPERTY(bool reading READ isReading NOTIFY changed)   // fetching the header of the recommended choice
  Q_PROPERTY(QString about READ about NOTIFY changed)      // "llama · 1.2 B parameters", from the header
  Q_PROPERTY(QString problem READ problem NOTIFY changed)  // why the model cannot run, from the header
  Q_PROPERTY(minerva::app::ErrorInfo error READ error NOTIFY changed)
  // Where the token in use is from: "HF_TOKEN", a file's path, "the keyring"; empty: no token.
  Q_PROPERTY(QString tokenSource READ tokenSource NOTIFY tokenChanged)
  Q_PROPERTY(bool tokenKept READ isTokenKept NOTIFY tokenChanged)  // the token is in the keyring and can be removed from it
  Q_PROPERTY(minerva::app::ErrorInfo proxyError READ proxyError NOTIFY proxyErrorChanged)  // the password could not be stored
  Q_PROPERTY(minerva::app::ErrorInfo tokenError READ tokenError NOTIFY tokenChanged)
 public:
  HubService(const HubAccess& access, const QString& logFile, const QString& models, BackendOptions backend, QObject* parent = nullptr);
  ~HubService() override;

  [[nodiscard]] DownloadsModel* downloads() { return &m_downloads; }
  [[nodiscard]] QVariantList catalogue() const { return m_catalogue; }
  [[nodiscard]] bool isBusy() const { return m_busy; }
  [[nodiscard]] QString waiting() const;
  [[nodiscard]] QString waitHint() const { return waiting().isEmpty() ? QString() : m_waitHint; }
  [[nodiscard]] QString query() const { return m_query; }
  [[nodiscard]] QString searched() const { return m_searched; }
  [[nodiscard]] QVariantList hits() const { return m_hits; }
  [[nodiscard]] QString repository() const { return m_name; }
  [[nodiscard]] QUrl page() const { return m_access.page(m_name); }
  [[nodiscard]] bool isGated() const { return m_repository.gated; }
  [[nodiscard]] QVariantList choices() const { return m_choices; }
  [[nodiscard]] QString notice() const { return m_notice; }
  [[nodiscard]] bool isReading() const { return m_reading; }
  [[nodiscard]] QString about() const { return m_about; }
  [[nodiscard]] QString problem() const { return m_verdict.kind == FitVerdict::CannotRun ? m_verdict.reason : QString(); }
  [[nodiscard]] ErrorInfo error() const { return m_error; }

  [[nodiscard]] QString tokenSource() const { return m_access.tokenSource; }
  [[nodiscard]] bool isTokenKept() const { return m_tokenKept; }
  [[nodiscard]] ErrorInfo tokenError() const { return m_tokenError; }
  [[nodiscard]] ErrorInfo proxyError() const { return m_proxy.error(); }
  [[nodiscard]] ProxyPassword& proxyPassword() { return m_proxy; }

  void setTokenStore(std::unique_ptr<TokenStore> store);       // for tests; the default is the system's keyring
  Q_INVOKABLE void keepToken(const QString& token);            // stores the token in the keyring; empty: removes it
  void setBandwidth(const backend::BandwidthCurve& measured);  // of the current device
  void setPreferences(const HubPreferences& preferences, const LoadPreferences& loading);
  // Says how many bytes of host memory loaded models hold, which loading another one would free.
  void setHeld(std::function<quint64()> held) { m_held = std::move(held); }
  // For requests that others send (app/remote): calls `then` when the proxy's password has been read, if one is needed.
  void withProxy(std::function<void()> then);
  [[nodiscard]] RequestLog* log() { return m_log.get(); }

  Q_INVOKABLE void search(const QString& text);  // a model link or ORG/REPO opens that repository instead
  Q_INVOKABLE void open(const QString& repository);
  // The repository that the file or folder was downloaded from; empty if it is not a download of this program.
  Q_INVOKABLE [[nodiscard]] QString repositoryOf(const QString& path) const;
  Q_INVOKABLE void back();  // to the search results, or the catalogue
  // Reads its header first if that was not read yet. One that cannot run is not downloaded; its row then says why.
  Q_INVOKABLE void download(int choice);
  void checkInstalled();                                   // after a model was deleted or restored
  Q_INVOKABLE void retry();                                // repeats the query that failed or is waiting
  Q_INVOKABLE void cancel();                               // the pending query; back to what was shown before
  Q_INVOKABLE [[nodiscard]] QStringList requests() const;  // the latest requests, newest first
  Q_INVOKABLE [[nodiscard]] QString requestsFile() const;

 Q_SIGNALS:
  void networkChanged(bool offline, const QString& proxy);  // proxy: with its password, if that is known
  void changed();
  void tokenChanged();
  void waitingChanged();
  void proxyErrorChanged();
  void downloadUnreadable(const minerva::Error& error);  // the journal of an earlier run's download

 private:
  void openReference(const ModelReference& reference);
  void takeRepository(const Repository& repository);
  [[nodiscard]] QString noticeOf(const Repository& repository) const;
  void takeVerdict(const FitVerdict& verdict);
  void listChoices();
  void listIfOpen();
  void setWaiting(const QString& reason, const QString& hint, int milliseconds);
  void stopWaiting() { setWaiting({}, {}, 0); }
  void withToken(std::function<void()> ask);  // and with the proxy's password
  void askWithToken(std::function<void()> ask);
  void readToken();  // from the keyring, once; not if the environment provides one
  void useToken(const QByteArray& token);
  void tellPreferences();
  void onWorker(std::function<void(HubWorker& worker)> work);

  HubAccess m_access;
  std::unique_ptr<TokenStore> m_store;
  std::vector<std::function<void()>> m_waiting;  // callbacks that wait for the keyring
  enum class TokenRead { notYet, asked, done } m_tokenRead = TokenRead::notYet;
  bool m_tokenKept = false;
  ErrorInfo m_tokenError;
  std::unique_ptr<RequestLog> m_log;
  QString m_models;
  DownloadsModel m_downloads;
  QVariantList m_catalogue, m_hits, m_choices;
  QString m_query, m_searched, m_name, m_revision, m_wanted, m_notice, m_about;
  LoadPreferences m_loading;
  std::function<quint64()> m_held = [] { return quint64{0}; };
  HubPreferences m_preferences;
  ProxyPassword m_proxy;
  Repository m_repository;
  QList<DownloadItem> m_items;
  FitVerdict m_verdict;                   // of the recommended choice; estimates for the others are made from it
  QHash<QString, FitVerdict> m_verdicts;  // of other choices whose headers were read, by name
  QString m_probed;                       // name of the recommended choice
  QHash<QString, OnDisk> m_here;          // complete items of the open repository on the disk, by name
  backend::BandwidthCurve m_bandwidth;
  qint64 m_room = 0;  // bytes available for a model, used until a header was read
  ErrorInfo m_error;
  bool m_busy = false, m_reading = false;
  QString m_waitReason;  // empty: not waiting
  QString m_waitHint;
  QDeadlineTimer m_waitEnd;
  QTimer m_waitTick;
  quint64 m_asked = 0;  // id of the latest query; answers to older ones are dropped
  std::unique_ptr<HubWorker> m_worker;
  QThread m_thread;
};

// The recommended models that ship with Minerva (resources/catalogue.json).
[[nodiscard]] QVariantList readCatalogue(const QString& file);

}  // namespace minerva::app
