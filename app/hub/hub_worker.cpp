#include "app/hub/hub_worker.h"

#include "app/hub/choices.h"

#include <algorithm>

namespace minerva::app {
namespace {

bool isActive(const DownloadStatus& status) {
  return status.state == DownloadStatus::Checking || status.state == DownloadStatus::Running || status.state == DownloadStatus::Retrying;
}

FitVerdict verdictOf(const HeaderProbe& probe, FitQuestion question) {
  question.path = probe.modelPath();
  FitVerdict verdict = checkFit(question);
  verdict.reason = probe.named(verdict.reason);
  return verdict;
}

}  // namespace

HubWorker::HubWorker(HubAccess access, RequestLog* log, QString models, BackendOptions backend)
    : m_network(std::move(access), log, this), m_client(&m_network, this), m_backend(std::move(backend)), m_models(std::move(models)) {
  connect(&m_client, &HubClient::waiting, this, &HubWorker::waiting);
  connect(&m_client, &HubClient::answered, this, &HubWorker::answered);
}

HubWorker::~HubWorker() = default;

void HubWorker::setPreferences(const HubPreferences& preferences) {
  m_network.access.offline = preferences.offline;
  m_network.limit.set(preferences.bytesPerSecond, m_network.now());
  m_network.setProxy(preferences.proxy);
  if (!preferences.offline) return;
  stopAsking();
  for (const auto& entry : m_downloads) pause(entry->download->item().name());
}

void HubWorker::setToken(const QByteArray& token, const QString& source) {
  m_network.access.token = token;
  m_network.access.tokenSource = source;
}

void HubWorker::stopAsking() {
  m_client.stop();
  m_probe.reset();
}

void HubWorker::search(quint64 asked, const QString& text) {
  stopAsking();
  m_client.search(text, [this, asked](const Result<QList<SearchHit>>& hits) {
    Q_EMIT found(asked, hits.value_or(QList<SearchHit>()), hits ? std::nullopt : std::optional(hits.error()));
  });
}

void HubWorker::openRepository(quint64 asked, const QString& name, const QString& revision) {
  stopAsking();
  m_client.repository(name, revision, [this, asked](const Result<Repository>& repository) {
    QHash<QString, OnDisk> here;
    if (repository)
      for (const DownloadItem& item : choicesOf(*repository))
        if (const OnDisk there = Download::onDisk(item, m_models); there != OnDisk::missing) here.insert(item.name(), there);
    Q_EMIT opened(asked, repository.value_or(Repository()), here, repository ? std::nullopt : std::optional(repository.error()));
  });
}

void HubWorker::probe(quint64 asked, const DownloadItem& item, const LoadPreferences& loading, quint64 held) {
  m_probe = std::make_unique<HeaderProbe>(&m_network, item);
  connect(m_probe.get(), &HeaderProbe::ended, this, [this, asked, loading, held](const std::optional<Error>& error) {
    const FitVerdict verdict =
        error ? FitVerdict() : verdictOf(*m_probe, {.path = {}, .preferences = loading, .backend = m_backend, .held = held});
    Q_EMIT probed(asked, verdict, error);
    m_probe.release()->deleteLater();
  });
  connect(m_probe.get(), &HeaderProbe::waiting, this, &HubWorker::waiting);
  connect(m_probe.get(), &HeaderProbe::answered, this, &HubWorker::answered);
  m_probe->start();
}

HubWorker::Entry& HubWorker::entry(const DownloadItem& item) {
  for (const auto& entry : m_downloads)
    if (entry->download->item().name() == item.name()) return *entry;
  auto made = std::make_unique<Entry>();
  made->download = std::make_unique<Download>(&m_network, item, m_models);
  Entry* raw = made.get();
  connect(made->download.get(), &Download::changed, this, [this, raw] {
    const DownloadStatus& status = raw->download->status();
    Q_EMIT downloadChanged(raw->download->item(), status);
    if (status.state != DownloadStatus::Done && status.state != DownloadStatus::Failed) return;
    raw->wanted = false;
    QMetaObject::invokeMethod(this, &HubWorker::startNext, Qt::QueuedConnection);
  });
  m_downloads.push_back(std::move(made));
  return *raw;
}

void HubWorker::findUnfinished() {
  QList<Error> unreadable;
  for (const DownloadItem& item : Download::unfinished(m_models, &unreadable)) Q_EMIT downloadChanged(item, entry(item).download->status());
  for (const Error& error : unreadable) Q_EMIT downloadUnreadable(error);
}

// Without an idle download of a version that the hub has replaced, or a finished one whose files were deleted since.
HubWorker::Entry& HubWorker::freshEntry(const DownloadItem& item) {
  std::erase_if(m_downloads, [&](const auto& entry) {
    const DownloadItem& known = entry->download->item();
    const DownloadStatus& status = entry->download->status();
    return known.name() == item.name() && (known != item ? !isActive(status) : status.state == DownloadStatus::Done);
  });
  return entry(item);
}

void HubWorker::tell(const Entry& entry, DownloadStatus::State state, const std::optional<Error>& error) {
  DownloadStatus status = entry.download->status();
  status.state = state;
  status.error = error;
  Q_EMIT downloadChanged(entry.download->item(), status);
}

void HubWorker::start(const DownloadItem& item) {
  Entry& one = freshEntry(item);
  one.probe.reset();
  one.wanted = true;
  if (!isActive(one.download->status()) && startNext() != &one) tell(one, DownloadStatus::Waiting);
}

void HubWorker::startIfItRuns(const DownloadItem& item, const LoadPreferences& loading, quint64 held) {
  Entry& one = freshEntry(item);
  if (one.wanted || one.probe) return;
  one.probe = std::make_unique<HeaderProbe>(&m_network, item);
  connect(one.probe.get(), &HeaderProbe::ended, this,
          [this, &one, loading, held](const std::optional<Error>& error) { takeHeader(one, loading, held, error); });
  connect(one.probe.get(), &HeaderProbe::answered, this, [this, &one] { tell(one, DownloadStatus::Waiting); });
  connect(one.probe.get(), &HeaderProbe::waiting, this, [this, &one](const QString& reason, const QString&, int milliseconds) {
    DownloadStatus status = one.download->status();
    status.state = DownloadStatus::Retrying;
    status.note = reason;
    status.secondsToRetry = milliseconds / 1000.0;
    Q_EMIT downloadChanged(one.download->item(), status);
  });
  tell(one, DownloadStatus::Waiting);
  one.probe->start();
}

void HubWorker::takeHeader(Entry& entry, const LoadPreferences& loading, quint64 held, const std::optional<Error>& error) {
  const DownloadItem item = entry.download->item();
  const FitVerdict verdict =
      error ? FitVerdict() : verdictOf(*entry.probe, {.path = {}, .preferences = loading, .backend = m_backend, .held = held});
  entry.probe.release()->deleteLater();
  Q_EMIT checked(item, verdict);
  if (error) return tell(entry, DownloadStatus::Failed, error);
  if (verdict.kind != FitVerdict::CannotRun) return start(item);
  tell(entry, DownloadStatus::Failed,
       Error{.kind = ErrorKind::unsupported,
             .what = "this build cannot run this model",
             .where = item.name().toStdString(),
             .expected = {},
             .actual = verdict.reason.toStdString(),
             .hint = "start it again to download it regardless"});
}

// One download at a time: two in parallel would only share the bandwidth.
const HubWorker::Entry* HubWorker::startNext() {
  if (std::ranges::any_of(m_downloads, [](const auto& entry) { return isActive(entry->download->status()); })) return nullptr;
  const auto next = std::ranges::find_if(m_downloads, [](const auto& entry) { return entry->wanted; });
  if (next == m_downloads.end()) return nullptr;
  const Entry* started = next->get();
  started->download->start();
  return started;
}

void HubWorker::pause(const QString& name) {
  for (const auto& entry : m_downloads) {
    if (entry->download->item().name() != name || (!entry->wanted && !entry->probe)) continue;
    entry->probe.reset();
    entry->wanted = false;
    if (isActive(entry->download->status())) entry->download->pause();
    else Q_EMIT downloadChanged(entry->download->item(), entry->download->status());
  }
  QMetaObject::invokeMethod(this, &HubWorker::startNext, Qt::QueuedConnection);
}

void HubWorker::cancel(const QString& name) {
  const auto found = std::ranges::find_if(m_downloads, [&](const auto& entry) { return entry->download->item().name() == name; });
  if (found == m_downloads.end()) return;
  Download& download = *(*found)->download;
  (*found)->wanted = false;
  (*found)->probe.reset();
  QMetaObject::invokeMethod(this, &HubWorker::startNext, Qt::QueuedConnection);
  if (download.status().state != DownloadStatus::Done) {
    download.cancel();
    if (download.status().state != DownloadStatus::Paused) return;  // stays listed with its error, or as installed
  }
  m_downloads.erase(found);
  Q_EMIT downloadRemoved(name);
}

}  // namespace minerva::app
