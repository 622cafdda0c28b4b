#include "app/hub/hub_service.h"

#include "app/hub/choices.h"
#include "app/hub/hub_worker.h"
#include "app/hub/progress_text.h"
#include "app/metrics/figures.h"
#include "app/text/error_words.h"
#include "app/text/text.h"
#include "core/base/resource_paths.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTimer>

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace minerva::app {
namespace {

constexpr int requestsShown = 200;

qint64 machineMemory() { return static_cast<qint64>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE); }

QVariantMap hitMap(const SearchHit& hit) {
  return {{QStringLiteral("name"), hit.name},
          {QStringLiteral("owner"), hit.name.section(QLatin1Char('/'), 0, 0)},
          {QStringLiteral("title"), hit.name.section(QLatin1Char('/'), 1)},
          {QStringLiteral("formats"), hit.formats},
          {QStringLiteral("downloads"), hit.downloads},
          {QStringLiteral("gated"), hit.gated}};
}

}  // namespace

QVariantList readCatalogue(const QString& path) {
  QFile file(path);
  QVariantList list;
  if (!file.open(QIODevice::ReadOnly)) return list;
  for (const QJsonValue& entry : QJsonDocument::fromJson(file.readAll()).array())
    if (isRepositoryName(entry[QStringLiteral("repository")].toString())) list << entry.toObject().toVariantMap();
  return list;
}

HubService::HubService(const HubAccess& access, const QString& logFile, const QString& models, BackendOptions backend, QObject* parent)
    : QObject(parent),
      m_access(access),
      m_store(std::make_unique<TokenStore>(access.endpoint)),
      m_log(std::make_unique<RequestLog>(logFile)),
      m_models(models),
      m_downloads(models),
      m_catalogue(readCatalogue(QString::fromStdString(findResource("catalogue.json").value_or(std::filesystem::path()).string()))),
      m_room(machineMemory()),
      m_worker(std::make_unique<HubWorker>(access, m_log.get(), models, std::move(backend))) {
  // Signals to and from the worker are queued: the connection type is resolved at emission, when it lives on its own thread.
  HubWorker* worker = m_worker.get();
  connect(worker, &HubWorker::downloadChanged, &m_downloads, &DownloadsModel::update);
  connect(&m_proxy, &ProxyPassword::errorChanged, this, &HubService::proxyErrorChanged);
  m_waitTick.setInterval(1000);
  connect(&m_waitTick, &QTimer::timeout, this, [this] {
    if (!m_busy && !m_reading) stopWaiting();
    Q_EMIT waitingChanged();
  });
  connect(worker, &HubWorker::waiting, this, &HubService::setWaiting);
  connect(worker, &HubWorker::answered, this, [this] { stopWaiting(); });
  connect(worker, &HubWorker::downloadUnreadable, this, &HubService::downloadUnreadable);
  connect(worker, &HubWorker::downloadRemoved, &m_downloads, &DownloadsModel::removeName);
  connect(&m_downloads, &DownloadsModel::startWanted, this,
          [this](const DownloadItem& item) { withToken([this, item] { onWorker([item](HubWorker& w) { w.start(item); }); }); });
  connect(&m_downloads, &DownloadsModel::pauseWanted, worker, &HubWorker::pause);
  connect(&m_downloads, &DownloadsModel::cancelWanted, worker, &HubWorker::cancel);
  connect(worker, &HubWorker::found, this, [this](quint64 asked, const QList<SearchHit>& hits, const std::optional<Error>& error) {
    if (asked != m_asked) return;
    m_busy = false;
    m_searched = error ? QString() : m_query;
    m_hits.clear();
    for (const SearchHit& hit : hits) m_hits << hitMap(hit);
    m_error = error ? ErrorInfo::from(*error, tr("The search failed")) : ErrorInfo();
    Q_EMIT changed();
  });
  connect(worker, &HubWorker::opened, this,
          [this](quint64 asked, const Repository& repository, const QHash<QString, OnDisk>& here, const std::optional<Error>& error) {
            if (asked != m_asked) return;
            m_busy = false;
            m_here = here;
            m_error = error ? ErrorInfo::from(*error, tr("The model's files could not be listed")) : ErrorInfo();
            if (!error) takeRepository(repository);
            Q_EMIT changed();
          });
  connect(worker, &HubWorker::probed, this, [this](quint64 asked, const FitVerdict& verdict, const std::optional<Error>& error) {
    if (asked != m_asked) return;
    m_reading = false;
    m_error = error ? ErrorInfo::from(*error, tr("The model's header could not be read")) : ErrorInfo();
    if (!error) takeVerdict(verdict);
    Q_EMIT changed();
  });
  connect(worker, &HubWorker::checked, this, [this](const DownloadItem& item, const FitVerdict& verdict) {
    if (verdict.kind == FitVerdict::Unknown || !m_items.contains(item)) return;
    m_verdicts.insert(item.name(), verdict);
    listIfOpen();
  });
  connect(&m_downloads, &DownloadsModel::dataChanged, this, [this](const QModelIndex&, const QModelIndex&, const QList<int>& roles) {
    if (roles.isEmpty() || roles.contains(DownloadsModel::StateRole)) listIfOpen();
  });
  connect(&m_downloads, &DownloadsModel::countChanged, this, &HubService::listIfOpen);
  worker->moveToThread(&m_thread);
  m_thread.setObjectName(QStringLiteral("hub"));
  m_thread.start();
  onWorker([](HubWorker& w) { w.findUnfinished(); });
}

HubService::~HubService() {
  // The worker is destroyed on its own thread, which its sockets and timers belong to.
  QMetaObject::invokeMethod(
      m_worker.get(), [this] { m_worker.reset(); }, Qt::BlockingQueuedConnection);
  m_thread.quit();
  m_thread.wait();
}

void HubService::onWorker(std::function<void(HubWorker& worker)> work) {
  HubWorker* worker = m_worker.get();
  QMetaObject::invokeMethod(
      worker, [worker, work = std::move(work)] { work(*worker); }, Qt::QueuedConnection);
}

void HubService::setPreferences(const HubPreferences& preferences, const LoadPreferences& loading) {
  m_loading = loading;
  if (preferences.offline && (m_busy || m_reading)) back();  // pending queries will not be answered
  m_preferences = preferences;
  tellPreferences();
}

void HubService::tellPreferences() {
  HubPreferences told = m_preferences;
  told.proxy = m_proxy.whole(told.proxy);
  onWorker([told](HubWorker& w) { w.setPreferences(told); });
  Q_EMIT networkChanged(told.offline, told.proxy);
}

void HubService::setWaiting(const QString& reason, const QString& hint, int milliseconds) {
  if (!reason.isEmpty() && !m_busy && !m_reading) return;  // from a query that was cancelled meanwhile
  m_waitReason = capitalized(reason);
  m_waitHint = capitalized(hint);
  m_waitEnd.setRemainingTime(milliseconds);
  if (reason.isEmpty()) m_waitTick.stop();
  else m_waitTick.start();
  Q_EMIT waitingChanged();
}

QString HubService::waiting() const {
  return m_waitReason.isEmpty() || (!m_busy && !m_reading) ? QString()
                                                           : againText(m_waitReason, static_cast<double>(m_waitEnd.remainingTime()) / 1000);
}

void HubService::search(const QString& text) {
  const auto reference = referenceFrom(text, m_access.endpoint);
  if (reference && *reference) return openReference(**reference);
  if (!reference) {  // not searched for either: the hub need not learn about the link
    m_error = ErrorInfo::from(reference.error(), tr("The link was not opened"));
    return Q_EMIT changed();
  }
  const QString wanted = text.trimmed();
  const quint64 asked = ++m_asked;
  m_query = wanted;
  if (wanted.isEmpty()) m_searched.clear();  // the hits of an earlier search stay until this one is answered
  m_error = {};
  m_name.clear();
  m_reading = false;
  m_busy = !wanted.isEmpty();
  stopWaiting();
  if (!m_busy) onWorker([](HubWorker& w) { w.stopAsking(); });
  else withToken([this, asked, wanted] { onWorker([asked, wanted](HubWorker& w) { w.search(asked, wanted); }); });
  Q_EMIT changed();
}

void HubService::open(const QString& repository) { openReference({.repository = repository}); }

void HubService::openReference(const ModelReference& reference) {
  const quint64 asked = ++m_asked;
  m_name = reference.repository;
  m_revision = reference.revision;
  m_wanted = reference.choice;
  m_repository = {};
  m_items.clear();
  m_choices.clear();
  m_notice.clear();
  m_verdict = {};
  m_verdicts.clear();
  m_probed.clear();
  m_about.clear();
  m_error = {};
  m_busy = true;
  m_reading = false;
  stopWaiting();
  withToken([this, asked, reference] {
    onWorker([asked, reference](HubWorker& w) { w.openRepository(asked, reference.repository, reference.revision); });
  });
  Q_EMIT changed();
}

void HubService::back() {
  ++m_asked;
  m_name.clear();
  m_error = {};
  m_busy = m_reading = false;
  onWorker([](HubWorker& w) { w.stopAsking(); });
  Q_EMIT changed();
}

void HubService::retry() {
  if (m_name.isEmpty()) search(m_query);
  else openReference({.repository = m_name, .revision = m_revision, .choice = m_wanted});
}

void HubService::cancel() {
  if (m_reading) {  // the files are listed, and stay
    ++m_asked;
    m_reading = false;
    m_probed.clear();
    onWorker([](HubWorker& w) { w.stopAsking(); });
    return Q_EMIT changed();
  }
  m_query = m_searched;
  back();
}

QString HubService::noticeOf(const Repository& repository) const {
  QStringList parts;
  // A link may also lead to another file, such as the README, or to a folder of several choices.
  const bool isAnother = std::ranges::any_of(repository.files, [this](const HubFile& file) {
    return (file.path == m_wanted && !isWeights(file.path)) || file.path.startsWith(m_wanted + u'/');
  });
  if (!m_wanted.isEmpty() && !m_items.isEmpty() && !isAnother && !chosen(m_items, m_wanted, m_name))
    parts << tr("%1 is not among the choices here.").arg(m_wanted);
  if (const int pieces = choicesInPieces(repository); pieces > 0)
    parts << tr("Not listed: %n choice(s) whose files are cut into pieces, which Minerva does not join.", "", pieces);
  return parts.join(u' ');
}

// File sizes suffice to choose an item; its header then gives the exact verdict.
void HubService::takeRepository(const Repository& repository) {
  m_repository = repository;
  m_name = repository.name;
  m_items = choicesOf(repository);
  m_notice = noticeOf(repository);
  listChoices();
  if (m_items.isEmpty()) {
    m_error = ErrorInfo::from({.kind = ErrorKind::unsupported,
                               .what = "the repository has no GGUF file and no folder of SafeTensors files with a config.json",
                               .where = repository.name.toStdString(),
                               .expected = {},
                               .actual = {},
                               .hint = "many models also exist as GGUF: search for the name with GGUF"},
                              tr("Nothing here that Minerva can run"));
    return;
  }
  const Result<DownloadItem> wanted = chosen(m_items, m_wanted, m_name);
  const DownloadItem item = wanted ? *wanted : m_items[std::max(0, recommended(m_items, m_room))];
  m_probed = item.name();
  m_reading = true;
  stopWaiting();
  onWorker([asked = m_asked, item, loading = m_loading, held = m_held()](HubWorker& w) { w.probe(asked, item, loading, held); });
}

void HubService::takeVerdict(const FitVerdict& verdict) {
  m_verdict = verdict;
  QStringList parts{verdict.architecture};
  if (verdict.parameters > 0) parts << tr("%1 parameters").arg(Figures::parameters(verdict.parameters));
  m_about = parts.join(QStringLiteral(" · "));
  listChoices();
}

void HubService::listChoices() {
  m_choices.clear();
  const qint64 room = m_verdict.room > 0 ? m_verdict.room : m_room;
  const int best = m_verdict.kind == FitVerdict::CannotRun ? -1 : recommended(m_items, room);
  for (int i = 0; i < m_items.size(); ++i) {
    const DownloadItem& item = m_items[i];
    const bool isRead = m_verdicts.contains(item.name());
    // That the recommended choice cannot run says nothing of another, which may be of another type or format.
    const bool isLike = m_verdict.kind != FitVerdict::CannotRun || item.name() == m_probed;
    const FitVerdict verdict = isRead ? m_verdicts[item.name()] : isLike ? scaledFit(m_verdict, item.bytes()) : FitVerdict();
    const int download = m_downloads.rowOf(item.name());
    const int state = download < 0 ? -1 : m_downloads.index(download).data(DownloadsModel::StateRole).toInt();
    if (m_downloads.isDone(item)) m_here[item.name()] = OnDisk::same;  // also after the download was removed from the list
    OnDisk there = m_here.value(item.name());
    if (there != OnDisk::missing && !item.isInstalled(m_models)) there = OnDisk::missing;  // deleted since
    const bool running = state >= 0 && state <= DownloadsModel::Retrying;
    m_choices << QVariantMap{
        {QStringLiteral("label"), item.label == item.format ? QString() : item.label},
        {QStringLiteral("format"), m_verdict.format == QLatin1String("MLX") && item.isFolder() ? m_verdict.format : item.format},
        {QStringLiteral("bytes"), static_cast<double>(item.bytes())},
        {QStringLiteral("files"), static_cast<int>(item.files.size())},
        {QStringLiteral("fit"), fitName(verdict.kind)},
        {QStringLiteral("reason"), isRead || verdict.kind != FitVerdict::CannotRun ? verdict.reason : QString()},
        {QStringLiteral("recommended"), i == best},
        {QStringLiteral("expected"), expectedSpeed(verdict, m_bandwidth)},
        {QStringLiteral("here"), running                  ? QStringLiteral("running")
                                 : there == OnDisk::same  ? QStringLiteral("done")
                                 : there == OnDisk::other ? QStringLiteral("other")
                                                          : QString()},
        {QStringLiteral("path"), item.modelPath(m_models)}};
  }
}

void HubService::checkInstalled() {
  m_downloads.removeDeleted();
  listIfOpen();
}

void HubService::listIfOpen() {
  if (m_name.isEmpty() || m_items.isEmpty()) return;
  const QVariantList before = m_choices;
  listChoices();
  if (m_choices != before) Q_EMIT changed();
}

QString HubService::repositoryOf(const QString& path) const {
  const QString below = QDir(m_models).relativeFilePath(path);
  const QString name = below.section(u'/', 0, 1);
  return !below.startsWith(QLatin1String("..")) && name.contains(u'/') && isRepositoryName(name) &&
                 QFileInfo(m_models + u'/' + name).isDir()
             ? name
             : QString();
}

void HubService::setBandwidth(const backend::BandwidthCurve& measured) {
  m_bandwidth = measured;
  listIfOpen();
}

void HubService::download(int choice) {
  if (choice < 0 || choice >= m_items.size()) return;
  const bool read = m_items[choice].name() == m_probed && !m_reading;
  withToken([this, item = m_items[choice], read] {
    if (read) return onWorker([item](HubWorker& w) { w.start(item); });
    onWorker([item, loading = m_loading, held = m_held()](HubWorker& w) { w.startIfItRuns(item, loading, held); });
  });
}

QStringList HubService::requests() const {
  const Result<QStringList> lines = m_log->last(requestsShown);
  return lines ? *lines : QStringList{shownMessage(lines.error())};
}
QString HubService::requestsFile() const { return m_log->file(); }

void HubService::setTokenStore(std::unique_ptr<TokenStore> store) { m_store = std::move(store); }

}  // namespace minerva::app
