#include "app/serve/local_server.h"

#include "app/inference/load_preferences.h"
#include "app/serve/desk_keeper.h"
#include "app/text/text.h"
#include "core/serve/server.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QNetworkInterface>
#include <QRandomGenerator>
#include <QThreadPool>

#include <spdlog/spdlog.h>

#include <array>

namespace minerva::app {
namespace {

constexpr const char* thisComputer = "127.0.0.1";
constexpr const char* allComputers = "0.0.0.0";

Error whyNot(LocalServer::Model model) {
  switch (model) {
    case LocalServer::Model::loading:
      return {.kind = ErrorKind::notFound, .what = "The model is being loaded", .hint = "Send it again in a moment"};
    case LocalServer::Model::resting:
      return {.kind = ErrorKind::notFound,
              .what = "The model was unloaded because it was not used, and is being loaded again",
              .hint = "Send it again in a moment"};
    default: return {.kind = ErrorKind::notFound, .what = "No model is loaded", .hint = "Load one in Minerva's window"};
  }
}

// The address under which other computers of the network find this one; empty: none.
QString addressInNetwork() {
  for (const QHostAddress& address : QNetworkInterface::allAddresses())
    if (address.protocol() == QAbstractSocket::IPv4Protocol && !address.isLoopback() && !address.isLinkLocal()) return address.toString();
  return {};
}

void copy(const QString& text) { QGuiApplication::clipboard()->setText(text); }

}  // namespace

struct LocalServer::Private {
  std::shared_ptr<DeskKeeper> keeper;
  std::shared_ptr<serve::Server> server;
  QThreadPool stopper;
};

LocalServer::LocalServer(QObject* parent) : QObject(parent), d(std::make_unique<Private>()) {
  d->keeper = std::make_shared<DeskKeeper>([this] { QMetaObject::invokeMethod(this, &LocalServer::modelWanted, Qt::QueuedConnection); });
  d->stopper.setMaxThreadCount(1);
}

LocalServer::~LocalServer() {
  d->keeper->close();
  d->server.reset();
  d->stopper.waitForDone();
}

std::shared_ptr<EngineGuest> LocalServer::guest() const { return d->keeper; }

void LocalServer::setModel(Model model, const QString& name, int atOnce) {
  const auto waits = model == Model::none      ? DeskKeeper::Waits::no
                     : model == Model::resting ? DeskKeeper::Waits::untilWoken
                                               : DeskKeeper::Waits::yes;
  d->keeper->setWhyNot(whyNot(model), waits);
  const QString served = model == Model::loaded ? name : QString();
  if (model == m_now && served == m_model && atOnce == m_atOnce) return;
  m_now = model;
  m_model = served;
  m_atOnce = atOnce;
  Q_EMIT modelChanged();
}

void LocalServer::apply(const ServePreferences& preferences) {
  if (preferences == m_wanted) return;
  m_wanted = preferences;
  settle();
}

void LocalServer::retry() {
  if (m_state != Failed) return;
  setState(Off);
  settle();
}

void LocalServer::settle() {
  if (m_state == Stopping) return;  // settles when it has stopped
  if (m_state == On && m_wanted != m_applied) return stop();
  if (m_state == Failed && m_wanted != m_applied) setState(Off);
  if (m_state == Off && m_wanted.on) start();
}

void LocalServer::start() {
  m_applied = m_wanted;
  serve::Model model;
  model.desk = [keeper = d->keeper](bool needed, const std::function<bool()>& gone) { return keeper->desk(needed, gone); };
  serve::Options options;
  options.host = m_wanted.others ? allComputers : thisComputer;
  options.port = m_wanted.port;
  if (m_wanted.others) options.key = m_wanted.key.toStdString();
  options.waiting = waiting;
  m_requests.beginAnew();
  d->keeper->open(static_cast<std::size_t>(waiting + LoadPreferences::usualSequences));
  auto server = serve::Server::start(model, std::move(options), [this](const serve::Sight& sight) { m_requests.note(sight); });
  if (!server) {
    m_error = ErrorInfo::from(server.error(), tr("The local server could not be started"));
    spdlog::error("{}", server.error().message());
    d->keeper->close();
    return setState(Failed);
  }
  d->server = std::move(*server);
  spdlog::info("the local server listens on {}", d->server->address());
  setState(On);
}

void LocalServer::stop() {
  d->keeper->close();
  setState(Stopping);
  d->stopper.start([this, server = std::move(d->server)]() mutable {
    server.reset();
    QMetaObject::invokeMethod(
        this,
        [this] {
          setState(Off);
          settle();
        },
        Qt::QueuedConnection);
  });
}

void LocalServer::setState(State state) {
  if (state != Failed) m_error = {};
  m_state = state;
  Q_EMIT changed();
}

int LocalServer::port() const { return d->server ? d->server->port() : 0; }

QString LocalServer::address() const {
  if (m_state != On) return {};
  const QString inNetwork = m_applied.others ? addressInNetwork() : QString();
  return QStringLiteral("http://%1:%2").arg(inNetwork.isEmpty() ? QString::fromLatin1(thisComputer) : inNetwork).arg(port());
}

QString LocalServer::callWith(const QString& key) const {
  QString line = QStringLiteral("curl %1/v1/chat/completions -H 'Content-Type: application/json'").arg(address());
  if (m_applied.others) line += QStringLiteral(" -H 'Authorization: Bearer %1'").arg(key);
  return line + QStringLiteral(" -d '{\"messages\": [{\"role\": \"user\", \"content\": \"Hello\"}]}'");
}

QString LocalServer::call() const { return m_state == On ? callWith(QStringLiteral("KEY")) : QString(); }

void LocalServer::renewKey() { Q_EMIT keyMade(newKey()); }
void LocalServer::copyAddress() const { copy(address()); }
void LocalServer::copyKey() const { copy(m_applied.key); }
void LocalServer::copyCall() const { copy(callWith(m_applied.key)); }

// 256 random bits of the system's generator.
QString LocalServer::newKey() {
  std::array<quint32, 8> random{};
  QRandomGenerator::system()->fillRange(random.data(), random.size());
  const QByteArray bytes(reinterpret_cast<const char*>(random.data()), sizeof random);
  return QStringLiteral("sk-") + QString::fromLatin1(bytes.toBase64(QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals));
}

}  // namespace minerva::app
