#include "app/commands/command.h"

#include "app/commands/progress_line.h"
#include "app/hub/choices.h"
#include "app/hub/header_probe.h"
#include "app/hub/hub_client.h"
#include "app/hub/progress_text.h"
#include "app/hub/proxy_password.h"
#include "app/hub/token_store.h"
#include "app/inference/fit_check.h"
#include "app/metrics/figures.h"
#include "app/settings/settings.h"

#include <QCoreApplication>

#include <cmath>
#include <cstdio>
#include <optional>

namespace minerva::app {
namespace {

constexpr double bytesPerMegabyte = 1e6;

class Get : public QObject {
 public:
  // limit: in MB/s, 0 for none; without one, that of the window's settings.
  Get(const QCommandLineParser& parser, const Places& places, ModelReference reference, std::optional<double> limit)
      : m_places(places),
        m_reference(std::move(reference)),
        m_log(places.data + QStringLiteral("/requests.log")),
        m_network(HubAccess::fromEnvironment(), &m_log),
        m_client(&m_network) {
    const Settings settings(places.settings + QStringLiteral("/settings.ini"));
    m_network.access.offline = settings.offline();
    m_network.limit.set(limit.value_or(settings.downloadLimit()) * bytesPerMegabyte, m_network.now());
    m_proxy = settings.proxy();
    m_anyway = parser.isSet(QStringLiteral("anyway"));
    m_device = settings.device();
  }

  void start() {
    connect(&m_client, &HubClient::waiting, this, &Get::say);
    if (m_proxyPassword.isUnread(m_proxy) && !m_network.access.isOffline()) return m_proxyPassword.read(m_proxy, [this] { readToken(); });
    readToken();
  }

 private:
  void readToken() {
    m_network.setProxy(m_proxyPassword.whole(m_proxy));
    if (!m_network.access.token.isEmpty() || m_network.access.isOffline()) return begin();
    m_store.read([this](const Result<QByteArray>& token) {
      if (token && !token->isEmpty()) {
        m_network.access.token = *token;
        m_network.access.tokenSource = QStringLiteral("the keyring");
      }
      begin();
    });
  }

  void begin() {
    // An unfinished download continues with its original files, whatever the hub lists now.
    for (const DownloadItem& item : Download::unfinished(m_places.models))
      if (item.repository == m_reference.repository && item.label.compare(m_reference.choice, Qt::CaseInsensitive) == 0) return fetch(item);
    m_client.repository(m_reference.repository, m_reference.revision, [this](const Result<Repository>& repository) {
      if (!repository) return leave(repository.error());
      const Result<DownloadItem> item = choose(*repository);
      if (!item) return leave(item.error());
      if (m_anyway) return fetch(*item);
      probe(*item);
    });
  }

  Result<DownloadItem> choose(const Repository& repository) const {
    const QList<DownloadItem> choices = choicesOf(repository);
    const int best = m_reference.choice.isEmpty() ? recommended(choices, 0) : -1;
    if (best >= 0) return choices[best];
    return chosen(choices, m_reference.choice, m_reference.repository);
  }

  // Models that cannot run are rejected before the download. One that may not fit only gets a warning, because it may be
  // meant for another machine.
  void probe(const DownloadItem& item) {
    m_probe = std::make_unique<HeaderProbe>(&m_network, item);
    connect(m_probe.get(), &HeaderProbe::ended, this, [this](const std::optional<Error>& error) {
      if (error) return leave(*error);
      FitVerdict verdict = checkFit({.path = m_probe->modelPath(), .preferences = {.device = m_device}});
      verdict.reason = m_probe->named(verdict.reason);
      if (verdict.kind == FitVerdict::CannotRun)
        return leave({.kind = ErrorKind::unsupported,
                      .what = "this build cannot run this model",
                      .where = m_probe->item().name().toStdString(),
                      .expected = {},
                      .actual = verdict.reason.toStdString(),
                      .hint = "--anyway downloads it regardless"});
      std::fprintf(stderr, "%s, %s parameters%s\n", qPrintable(shown(verdict.architecture)),
                   qPrintable(Figures::parameters(verdict.parameters)), verdict.kind == FitVerdict::Fits ? ", fits this computer" : "");
      if (!verdict.reason.isEmpty()) std::fprintf(stderr, "%s\n", qPrintable(verdict.reason));
      fetch(m_probe->item());
    });
    connect(m_probe.get(), &HeaderProbe::waiting, this, &Get::say);
    m_probe->start();
  }

  void fetch(const DownloadItem& item) {
    std::fprintf(stderr, "%s, %s, %s to %s\n", qPrintable(shown(item.name())), qPrintable(item.format),
                 qPrintable(Figures::bytes(static_cast<double>(item.bytes()))), qPrintable(shown(item.folder(m_places.models))));
    m_line = std::make_unique<ProgressLine>(item.label);
    m_download = std::make_unique<Download>(&m_network, item, m_places.models);
    connect(m_download.get(), &Download::changed, this, [this] {
      const DownloadStatus& status = m_download->status();
      m_line->show(status);
      if (status.state == DownloadStatus::Failed) return leave(*status.error);
      if (status.state != DownloadStatus::Done) return;
      m_line->end();
      if (const Replaced& old = status.replaced)
        std::fprintf(stderr, "the earlier version is %s %s\n", old->place.at.isEmpty() ? "kept in" : "in the trash:",
                     qPrintable(shown(old->place.at.isEmpty() ? old->place.from : old->place.at)));
      std::printf("%s\n", qPrintable(m_download->modelPath()));
      QCoreApplication::exit(0);
    });
    m_download->start();
  }

  void say(const QString& reason, const QString&, int milliseconds) {
    std::fprintf(stderr, "%s\n", qPrintable(shown(againText(reason, milliseconds / 1000.0))));
  }

  void leave(const Error& error) {
    if (m_line) m_line->end();
    complain(error);
    QCoreApplication::exit(1);
  }

  Places m_places;
  ModelReference m_reference;
  RequestLog m_log;
  HubNetwork m_network;
  HubClient m_client;
  TokenStore m_store{m_network.access.endpoint};
  bool m_anyway = false;
  QString m_device, m_proxy;
  ProxyPassword m_proxyPassword;
  std::unique_ptr<HeaderProbe> m_probe;
  std::unique_ptr<ProgressLine> m_line;
  std::unique_ptr<Download> m_download;
};

Result<std::optional<double>> limitOf(const QCommandLineParser& parser) {
  if (!parser.isSet(QStringLiteral("limit"))) return std::nullopt;
  bool isNumber = false;
  const double limit = parser.value(QStringLiteral("limit")).toDouble(&isNumber);
  if (isNumber && limit >= 0 && std::isfinite(limit)) return limit;
  return fail({.kind = ErrorKind::invalidArgument,
               .what = "the option takes a number of MB/s",
               .where = "--limit",
               .expected = "0 (no limit) or more",
               .actual = parser.value(QStringLiteral("limit")).toStdString(),
               .hint = {}});
}

}  // namespace

void describeGet(QCommandLineParser& parser) {
  parser.addOption({QStringLiteral("limit"), QStringLiteral("Limit the download to this many MB/s."), QStringLiteral("MB/s")});
  parser.addOption({QStringLiteral("anyway"), QStringLiteral("Download it even if this build cannot run it.")});
}

int runGet(const QCommandLineParser& parser, const Places& places) {
  const QString wanted = parser.positionalArguments()[1];
  const auto reference = referenceFrom(wanted, HubAccess::fromEnvironment().endpoint);
  if (!reference) {
    complain(reference.error());
    return 2;
  }
  if (!*reference) {
    complain({.kind = ErrorKind::invalidArgument,
              .what = "this is not the name of a model on the hub",
              .where = {},
              .expected = "ORG/REPO, ORG/REPO:Q4_K_M, ORG/REPO:FILE or a link",
              .actual = wanted.toStdString(),
              .hint = {}});
    return 2;
  }
  const Result<std::optional<double>> limit = limitOf(parser);
  if (!limit) {
    complain(limit.error());
    return 2;
  }
  Get get(parser, places, **reference, *limit);
  QMetaObject::invokeMethod(
      &get, [&get] { get.start(); }, Qt::QueuedConnection);
  return QCoreApplication::exec();
}

}  // namespace minerva::app
