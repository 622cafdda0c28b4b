#include "app/inference/inference_controller.h"

#include "app/inference/engine_worker.h"
#include "core/engine/prompt.h"

#include <QFileInfo>
#include <QHash>
#include <QSet>
#include <QThread>
#include <QTimer>

#include <spdlog/spdlog.h>

#include <utility>

namespace minerva::app {
namespace {

constexpr int measureAfterIdleMs = 1500;

}  // namespace

struct InferenceController::Private {
  FrameCoalescer coalescer;
  QThread thread;
  EngineWorker* worker = nullptr;  // deleted on its thread when that ends
  std::stop_source loadStop;
  quint64 serial = 0;
  quint64 lastTicket = 0, lastQuestion = 0;
  QSet<quint64> active;
  engine::SamplingOptions recommended;
  QHash<QString, double> bandwidth;  // by device id
  QTimer idle;
  QTimer restTimer;
};

InferenceController::InferenceController(BackendOptions options, QObject* parent) : ReplySource(parent), d(std::make_unique<Private>()) {
  d->worker = new EngineWorker(std::move(options), &d->coalescer);
  d->worker->moveToThread(&d->thread);
  d->thread.setObjectName(QStringLiteral("engine"));
  d->idle.setSingleShot(true);
  d->idle.setInterval(measureAfterIdleMs);
  d->restTimer.setSingleShot(true);
  connect(&d->restTimer, &QTimer::timeout, this, &InferenceController::rest);

  // All crossings of the thread border stand here.
  connect(&d->thread, &QThread::finished, d->worker, &QObject::deleteLater);
  connect(d->worker, &EngineWorker::devicesFound, this, &InferenceController::devicesFound, Qt::QueuedConnection);
  connect(d->worker, &EngineWorker::loadProgressed, this, &InferenceController::takeProgress, Qt::QueuedConnection);
  connect(d->worker, &EngineWorker::loadEnded, this, &InferenceController::takeOutcome, Qt::QueuedConnection);
  connect(d->worker, &EngineWorker::bandwidthMeasured, this, &InferenceController::takeBandwidth, Qt::QueuedConnection);
  connect(d->worker, &EngineWorker::examined, this, &InferenceController::examined, Qt::QueuedConnection);
  connect(&d->coalescer, &FrameCoalescer::delivered, this, &InferenceController::takeUpdate);
  connect(&d->idle, &QTimer::timeout, this, [this] { post([worker = d->worker] { worker->measureBandwidth(); }); });

  d->thread.start();
  post([worker = d->worker] { worker->findDevices(); });
}

InferenceController::~InferenceController() {
  d->loadStop.request_stop();
  for (const quint64 ticket : std::as_const(d->active)) cancel(ticket);
  d->thread.quit();
  d->thread.wait();
}

void InferenceController::post(std::function<void()> call) {
  QMetaObject::invokeMethod(d->worker, std::move(call), Qt::QueuedConnection);
  d->worker->yieldSoon();
}

engine::SamplingOptions InferenceController::recommendedSampling() const { return d->recommended; }

QString InferenceController::loadingName() const { return QFileInfo(m_path).fileName(); }

QString InferenceController::loadPhase() const {
  switch (m_phase) {
    case engine::LoadProgress::Phase::opening: return tr("Reading the file");
    case engine::LoadProgress::Phase::tokenizer: return tr("Preparing the tokenizer");
    case engine::LoadProgress::Phase::weights: return tr("Placing the weights");
    case engine::LoadProgress::Phase::warming: return tr("Warming up");
    case engine::LoadProgress::Phase::done: return tr("Ready");
  }
  return {};
}

double InferenceController::loadProgress() const { return m_loadTotal > 0 ? m_loadDone / m_loadTotal : -1; }

bool InferenceController::isTooLarge() const {
  return m_state == Failed && !m_evenIfTooLarge && m_error.kind == QLatin1String(minerva::name(ErrorKind::outOfMemory));
}

void InferenceController::load(const QString& path) { loadWith(path, false); }

void InferenceController::loadWith(const QString& path, bool evenIfTooLarge) {
  d->loadStop.request_stop();  // of a load that may still run
  for (const quint64 ticket : std::as_const(d->active)) cancel(ticket);
  m_path = path;
  m_evenIfTooLarge = evenIfTooLarge;
  forgetModel();
  orderLoad();
}

void InferenceController::orderLoad() {
  d->loadStop = std::stop_source();
  m_error = {};
  m_phase = engine::LoadProgress::Phase::opening;
  m_loadDone = m_loadTotal = 0;
  const LoadOrder order{.serial = ++d->serial,
                        .path = m_path,
                        .preferences = m_preferences,
                        .evenIfTooLarge = m_evenIfTooLarge,
                        .stop = d->loadStop.get_token()};
  post([worker = d->worker, order] { worker->load(order); });
  d->restTimer.stop();
  m_freedBytes = 0;
  m_state = Loading;
  Q_EMIT stateChanged();  // also when it was Loading: the name is another
  Q_EMIT readyChanged();
  Q_EMIT loadProgressChanged();
}

void InferenceController::cancelLoad() {
  if (m_state != Loading) return;
  d->loadStop.request_stop();
  ++d->serial;  // whatever that load still says is not heard
  post([worker = d->worker] { worker->unload(); });
  if (m_model.isSet()) forgetModel();  // it was resting
  setState(NoModel);
}

void InferenceController::retry() {
  if (!m_path.isEmpty()) load(m_path);
}

void InferenceController::loadAnyway() {
  if (!m_path.isEmpty()) loadWith(m_path, true);
}

void InferenceController::unload() {
  if (m_state == Loading) return cancelLoad();
  ++d->serial;
  post([worker = d->worker] { worker->unload(); });
  forgetModel();
  m_error = {};
  setState(NoModel);
}

void InferenceController::dismissError() {
  if (m_state != Failed) return;
  m_error = {};
  setState(NoModel);
}

quint64 InferenceController::submit(engine::Request request) {
  if (!isReady()) return 0;
  const quint64 ticket = ++d->lastTicket;
  d->active.insert(ticket);
  d->idle.stop();
  if (m_state == Resting) orderLoad();  // done before what is posted next
  if (const auto start = engine::replyStart(request.chat); start && start->thinking) d->coalescer.goOnThinking(ticket);
  post([worker = d->worker, ticket, sent = Clock::now(), request = std::move(request)] { worker->submit(ticket, request, sent); });
  if (m_state != Loading) setState(Generating);
  Q_EMIT submitted(ticket);
  return ticket;
}

void InferenceController::cancel(quint64 request) {
  post([worker = d->worker, request] { worker->cancel(request); });
}

quint64 InferenceController::examine(PromptQuestion question) {
  if (!isReady()) return 0;
  if (m_state == Resting) {
    if (question.room == 0 && !question.wantsParts) return 0;  // the meter's: not worth a load
    orderLoad();                                               // a message is about to be sent, or its prompt looked at
  }
  const quint64 number = ++d->lastQuestion;
  post([worker = d->worker, number, question = std::move(question)] { worker->examine(number, question); });
  return number;
}

void InferenceController::takeProgress(quint64 serial, const engine::LoadProgress& progress) {
  if (serial != d->serial) return;
  m_phase = progress.phase;
  m_loadDone = static_cast<double>(progress.done);
  m_loadTotal = static_cast<double>(progress.total);
  Q_EMIT loadProgressChanged();
}

void InferenceController::takeOutcome(const LoadOutcome& outcome) {
  if (outcome.serial != d->serial) return;
  if (outcome.error) {
    if (m_model.isSet()) forgetModel();  // it was resting
    if (outcome.error->kind == ErrorKind::cancelled) return setState(NoModel);
    m_error = ErrorInfo::from(*outcome.error, tr("%1 could not be loaded").arg(loadingName()));
    spdlog::error("{}", outcome.error->message());
    setState(Failed);
    Q_EMIT loadFailed(m_path);
    return;
  }
  m_model = outcome.model;
  m_model.builtIn = m_path == m_builtIn;
  if (m_model.builtIn) m_model.name = tr("Minerva built-in");
  m_device = outcome.device;
  d->recommended = outcome.recommended;
  spdlog::info("loaded {} on {} in {:.0f} ms", m_path.toStdString(), m_device.text.toStdString(), m_model.loadMs);
  for (const QString& warning : std::as_const(m_model.warnings)) spdlog::warn("{}", warning.toStdString());
  if (m_device.fallback) spdlog::warn("on {}: {}", m_device.text.toStdString(), m_device.reason.toStdString());
  Q_EMIT modelChanged();
  setState(d->active.isEmpty() ? Ready : Generating);  // a message may have woken it
  Q_EMIT loaded(m_path);
  if (d->bandwidth.contains(m_device.id)) Q_EMIT bandwidthMeasured(d->bandwidth[m_device.id]);
  else d->idle.start();
}

void InferenceController::takeBandwidth(const QString& deviceId, double bytesPerSecond) {
  d->bandwidth[deviceId] = bytesPerSecond;
  if (deviceId == m_device.id) Q_EMIT bandwidthMeasured(bytesPerSecond);
}

void InferenceController::takeUpdate(const ReplyUpdate& update) {
  if (update.isLast()) {
    d->active.remove(update.request);
    if (d->active.isEmpty() && m_state == Generating) setState(Ready);
    if (d->active.isEmpty() && m_state == Ready && !d->bandwidth.contains(m_device.id)) d->idle.start();
    if (update.failed) spdlog::error("{}", update.failed->error.message());
  }
  Q_EMIT delivering(d->coalescer.lateMs());
  Q_EMIT updated(update);
}

void InferenceController::setFrameInterval(int milliseconds) { d->coalescer.setInterval(milliseconds); }

void InferenceController::forgetModel() {
  d->idle.stop();
  m_model = {};
  m_device = {};
  Q_EMIT modelChanged();
}

void InferenceController::setRestAfter(std::chrono::milliseconds idle) {
  if (d->restTimer.intervalAsDuration() == idle) return;
  d->restTimer.setInterval(idle);
  d->restTimer.stop();
  if (m_state == Ready && idle.count() > 0) d->restTimer.start();
}

// Name, device and conversation stay; the memory goes.
void InferenceController::rest() {
  if (m_state != Ready || !d->active.isEmpty()) return;
  d->idle.stop();
  ++d->serial;
  post([worker = d->worker] { worker->unload(); });
  m_freedBytes = m_model.weightBytes + m_model.kvBytes + m_model.scratchBytes;
  m_model.weightBytes = m_model.kvBytes = m_model.scratchBytes = 0;
  spdlog::info("{} let go after {} min without a message", m_path.toStdString(), d->restTimer.interval() / 60000);
  Q_EMIT modelChanged();
  setState(Resting);
}

void InferenceController::setState(State state) {
  if (m_state == state) return;
  m_state = state;
  if (state != Resting) m_freedBytes = 0;
  if (state == Ready && d->restTimer.interval() > 0) d->restTimer.start();
  else d->restTimer.stop();
  Q_EMIT stateChanged();
  Q_EMIT readyChanged();
}

}  // namespace minerva::app
