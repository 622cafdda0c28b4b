#include "app/inference/inference_controller.h"

#include "app/inference/engine_worker.h"
#include "app/inference/other_engine.h"
#include "app/text/text.h"
#include "core/engine/prompt.h"

#include <QFileInfo>
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
  EngineWorker* worker = nullptr;  // deleted on its own thread when that ends
  std::stop_source loadStop;
  quint64 serial = 0;           // of the last load
  quint64 forgottenSerial = 0;  // results of loads up to this one are ignored: unload() was called
  quint64 lastTicket = 0, lastQuestion = 0;
  QSet<quint64> active;
  OtherEngine* other = nullptr;
  QSet<quint64> elsewhere;  // of `active`, those that run on servers
  QList<KeptModel> kept;
  engine::SamplingOptions recommended;
  std::function<QString(const QString& model)> draftOf;
  BandwidthBook bandwidths;
  bool busyElsewhere = false;
  std::shared_ptr<EngineGuest> guest;
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

  // All connections between the two threads.
  connect(&d->thread, &QThread::finished, d->worker, &QObject::deleteLater);
  connect(d->worker, &EngineWorker::devicesFound, this, &InferenceController::devicesFound, Qt::QueuedConnection);
  connect(d->worker, &EngineWorker::loadProgressed, this, &InferenceController::takeProgress, Qt::QueuedConnection);
  connect(d->worker, &EngineWorker::deviceLost, this, &InferenceController::takeDeviceLost, Qt::QueuedConnection);
  connect(d->worker, &EngineWorker::roomMade, this, &InferenceController::takeRoomMade, Qt::QueuedConnection);
  connect(
      d->worker, &EngineWorker::keptChanged, this,
      [this](const QList<KeptModel>& kept) {
        if (std::exchange(d->kept, kept) != kept) Q_EMIT keptChanged();
      },
      Qt::QueuedConnection);
  connect(d->worker, &EngineWorker::loadEnded, this, &InferenceController::takeOutcome, Qt::QueuedConnection);
  connect(
      d->worker, &EngineWorker::bandwidthMeasured, this,
      [this](const QString& key, const backend::BandwidthCurve& curve) {
        d->bandwidths.add(key, curve);
        measureWhenIdle();  // retry if it was interrupted
      },
      Qt::QueuedConnection);
  connect(d->worker, &EngineWorker::examined, this, &InferenceController::examined, Qt::QueuedConnection);
  connect(&d->coalescer, &FrameCoalescer::delivered, this, &InferenceController::takeUpdate);
  connect(&d->idle, &QTimer::timeout, this, [this] { post([worker = d->worker] { worker->measureBandwidth(); }); });

  connect(&d->bandwidths, &BandwidthBook::changed, this, [this](const QString& key) {
    if (key == m_device.bandwidthKey) Q_EMIT bandwidthChanged();
  });

  d->thread.start();
  post([worker = d->worker] { worker->findDevices(); });
}

InferenceController::~InferenceController() {
  d->loadStop.request_stop();
  d->elsewhere.clear();  // their connections end with the other engine, which may be gone
  for (const quint64 ticket : std::as_const(d->active)) cancel(ticket);
  d->worker->setOthersBusy(true);  // ends a bandwidth measurement
  d->thread.quit();
  d->thread.wait();
}

void InferenceController::post(std::function<void()> call) {
  QMetaObject::invokeMethod(d->worker, std::move(call), Qt::QueuedConnection);
  d->worker->yieldSoon();
}

engine::SamplingOptions InferenceController::recommendedSampling() const { return d->recommended; }

QString InferenceController::modelName() const {
  return isElsewhere() ? QStringLiteral("%1 · %2").arg(m_model.name, m_model.server) : m_model.name;
}

void InferenceController::setOtherEngine(OtherEngine* other) {
  d->other = other;
  other->setSink([this](quint64 ticket, const engine::Event& event, const RequestSpan& span) { d->coalescer.add(ticket, event, span); });
  connect(other, &OtherEngine::changed, this, &InferenceController::tellElsewhere);
}

// The present model's server was renamed, its model's length became known, or it was removed.
void InferenceController::tellElsewhere() {
  if (!isElsewhere()) return;
  const std::shared_ptr<const Subject> now = d->other->subject(m_inPlace.path);
  if (now == nullptr) return unload();
  if (now->model == m_model && now->device == m_device) return;
  m_model = now->model;
  m_device = now->device;
  Q_EMIT modelChanged();
}

void InferenceController::choose(const QString& path, const Subject& subject) {
  const bool wasLoading = m_state == Loading;
  d->loadStop.request_stop();
  d->forgottenSerial = d->serial;
  if (m_waking) cancelHere();
  post([worker = d->worker] { worker->setAside(); });
  d->idle.stop();
  m_inPlace = {path, m_preferences, false};
  m_awake = true;
  m_waking = m_roomMade = false;
  m_model = subject.model;
  m_device = subject.device;
  // Where these are off, the server's own values apply.
  d->recommended = {.topK = 0, .minP = 0};
  Q_EMIT modelChanged();
  const State before = m_state;
  settle();
  if (m_state == before) Q_EMIT readyChanged();  // for another model: its reasoning, its preset
  if (wasLoading) Q_EMIT loadCancelled();
  Q_EMIT loaded(path);
  Q_EMIT bandwidthChanged();
}

void InferenceController::setShownName(const QString& name) {
  if (!m_model.isSet() || m_model.name == name) return;
  m_model.name = name;
  Q_EMIT modelChanged();
}

QString InferenceController::loadingName() const { return QFileInfo(m_ordered.path).fileName(); }

QString InferenceController::loadPhase() const {
  switch (m_phase) {
    case engine::LoadProgress::Phase::opening: return tr("Reading the file");
    case engine::LoadProgress::Phase::tokenizer: return tr("Preparing the tokenizer");
    case engine::LoadProgress::Phase::measuring: return tr("Measuring the device");
    case engine::LoadProgress::Phase::weights: return tr("Placing the weights");
    case engine::LoadProgress::Phase::warming: return tr("Warming up");
    case engine::LoadProgress::Phase::done: return tr("Ready");
  }
  return {};
}

double InferenceController::loadProgress() const { return m_loadTotal > 0 ? m_loadDone / m_loadTotal : -1; }

bool InferenceController::isTooLarge() const {
  return !m_failed.evenIfTooLarge && m_error.kind == QLatin1String(minerva::name(ErrorKind::outOfMemory));
}

void InferenceController::setDraftChoice(std::function<QString(const QString& model)> draftOf) { d->draftOf = std::move(draftOf); }

void InferenceController::load(const QString& path) {
  m_error = {};
  if (const auto subject = d->other != nullptr ? d->other->subject(path) : nullptr) return choose(path, *subject);
  order({path, m_preferences, false});
}

void InferenceController::retry() {
  const QString path = m_error.isSet() ? m_failed.path : m_inPlace.path;
  if (!path.isEmpty()) load(path);
}

void InferenceController::loadAnyway() {
  if (!m_error.isSet()) return;
  m_error = {};
  order({m_failed.path, m_preferences, true});
}

void InferenceController::reload() {
  if (m_model.isSet()) load(m_inPlace.path);
}

// Cancels requests that wait for the model to be reloaded, because they are not meant for another one.
void InferenceController::order(LoadTarget target, bool waking) {
  if (d->draftOf) target.draft = d->draftOf(target.path);
  d->loadStop.request_stop();  // of a load that may still be running
  if (isElsewhere()) forgetModel();
  if (m_waking) cancelHere();
  d->loadStop = std::stop_source();
  m_ordered = target;
  m_waking = waking;
  m_phase = engine::LoadProgress::Phase::opening;
  m_loadDone = m_loadTotal = 0;
  LoadOrder order{
      .serial = ++d->serial, .target = target, .name = {}, .builtIn = target.path == m_builtIn, .stop = d->loadStop.get_token()};
  if (order.builtIn) order.name = tr("Minerva built-in");
  post([worker = d->worker, order] { worker->load(order); });
  d->idle.stop();
  d->restTimer.stop();
  m_state = Loading;
  Q_EMIT stateChanged();  // even if the state was Loading before: loadingName has changed
  Q_EMIT readyChanged();
  Q_EMIT loadProgressChanged();
}

// Reloads the unloaded model.
void InferenceController::wake(const LoadPreferences& preferences) { order({m_inPlace.path, preferences, m_inPlace.evenIfTooLarge}, true); }

void InferenceController::cancelLoad() {
  if (m_state != Loading) return;
  d->loadStop.request_stop();
  post([worker = d->worker] { worker->cancelLoad(); });
  if (m_roomMade && !m_waking) wake(m_inPlace.preferences);
  else settle();
  Q_EMIT loadCancelled();
}

void InferenceController::unload() {
  const bool loading = m_state == Loading;
  d->loadStop.request_stop();
  d->forgottenSerial = d->serial;
  if (isElsewhere())
    for (const quint64 ticket : d->elsewhere.values()) cancel(ticket);
  post([worker = d->worker] { worker->unload(); });
  forgetModel();
  m_error = {};
  setState(NoModel);
  if (loading) Q_EMIT loadCancelled();
}

void InferenceController::unloadKept(const QString& path) {
  post([worker = d->worker, path] { worker->unloadKept(path); });
}

quint64 InferenceController::hostBytes() const {
  double bytes = m_device.id == QLatin1String("cpu") ? m_model.heldBytes : 0;
  for (const KeptModel& model : std::as_const(d->kept)) bytes += model.onCpu ? model.bytes : 0;
  return static_cast<quint64>(bytes);
}

QVariantList InferenceController::kept() const {
  QVariantList all;
  for (const KeptModel& model : std::as_const(d->kept))
    all.push_back(
        QVariantMap{{QStringLiteral("path"), model.path}, {QStringLiteral("name"), model.name}, {QStringLiteral("bytes"), model.bytes}});
  return all;
}

void InferenceController::dismissError() {
  if (!m_error.isSet()) return;
  m_error = {};
  if (m_state == Failed) setState(NoModel);
  else Q_EMIT stateChanged();
}

quint64 InferenceController::submit(engine::Request request) {
  if (!isReady()) return 0;
  const quint64 ticket = ++d->lastTicket;
  d->active.insert(ticket);
  d->idle.stop();
  if (const auto start = engine::replyStart(request.chat); start)
    d->coalescer.goOn(ticket, start->thinking ? std::optional(text(start->reasoning)) : std::nullopt);
  if (isElsewhere()) {
    d->elsewhere.insert(ticket);
    d->other->submit(ticket, m_inPlace.path, std::move(request));
    setState(Generating);
    Q_EMIT submitted(ticket);
    return ticket;
  }
  if (m_state == Resting) wake(m_preferences);  // calls posted after it wait for the load
  post([worker = d->worker, ticket, sent = Clock::now(), request = std::move(request)] { worker->submit(ticket, request, sent); });
  if (m_state != Loading) setState(Generating);
  Q_EMIT submitted(ticket);
  return ticket;
}

void InferenceController::cancel(quint64 request) {
  if (d->elsewhere.contains(request)) return d->other->cancel(request);
  post([worker = d->worker, request] { worker->cancel(request); });
}

// The replies of this machine's models.
void InferenceController::cancelHere() {
  for (const quint64 ticket : std::as_const(d->active))
    if (!d->elsewhere.contains(ticket)) cancel(ticket);
}

quint64 InferenceController::examine(PromptQuestion question) {
  if (!isReady() || isElsewhere()) return 0;
  if (m_state == Resting) {
    if (question.room == 0 && !question.wantsParts) return 0;  // only the context meter: not worth a load
    wake(m_preferences);                                       // the user is about to send a message or inspects the prompt
  }
  const quint64 number = ++d->lastQuestion;
  post([worker = d->worker, number, question = std::move(question)] { worker->examine(number, question); });
  return number;
}

void InferenceController::takeProgress(quint64 serial, const engine::LoadProgress& progress) {
  if (serial != d->serial || m_state != Loading) return;
  m_phase = progress.phase;
  m_loadDone = static_cast<double>(progress.done);
  m_loadTotal = static_cast<double>(progress.total);
  Q_EMIT loadProgressChanged();
}

void InferenceController::takeRoomMade() {
  if (!m_model.isSet() || isElsewhere()) return;  // unloaded meanwhile, or another one was chosen
  letGo();
  m_roomMade = true;
  if (m_state != Loading) wake(m_inPlace.preferences);  // the load was cancelled meanwhile
}

void InferenceController::takeDeviceLost(const minerva::Error& error) {
  spdlog::error("{}; loading {} again", error.message(), m_inPlace.path.toStdString());
  takeRoomMade();
}

// A load older than the last one may have completed before the newer one was ordered; its model is then the one in use.
void InferenceController::takeOutcome(const LoadOutcome& outcome) {
  if (outcome.order.serial <= d->forgottenSerial) return;
  if (!outcome.error) return adopt(outcome);
  if (outcome.order.serial != d->serial || outcome.error->kind == ErrorKind::cancelled) return;
  loadHasFailed(outcome);
}

void InferenceController::adopt(const LoadOutcome& outcome) {
  m_inPlace = outcome.order.target;
  m_awake = true;
  m_roomMade = false;
  m_model = outcome.subject->model;
  m_device = outcome.subject->device;
  d->recommended = outcome.recommended;
  spdlog::info("loaded {} on {} in {:.0f} ms", m_inPlace.path.toStdString(), m_device.text.toStdString(), m_model.loadMs);
  if (m_device.fallback) spdlog::warn("on {}: {}", m_device.text.toStdString(), m_device.reason.toStdString());
  Q_EMIT modelChanged();
  if (outcome.order.serial == d->serial) settle();
  Q_EMIT loaded(m_inPlace.path);
  Q_EMIT bandwidthChanged();
  measureWhenIdle();
}

void InferenceController::loadHasFailed(const LoadOutcome& outcome) {
  const LoadTarget& target = outcome.order.target;
  const QString name = QFileInfo(target.path).fileName();
  const ErrorInfo before = std::exchange(m_error, ErrorInfo::from(*outcome.error, tr("%1 could not be loaded").arg(name)));
  if (before.isSet()) m_error.details += QStringLiteral("\n\n") + before.details;  // the error of the load that the model was unloaded for
  m_failed = target;
  spdlog::error("{}", outcome.error->message());
  if (m_waking) forgetModel();  // the file is gone, or memory no longer suffices
  if (m_roomMade) wake(m_inPlace.preferences);
  else if (m_model.isSet()) settle();
  else setState(Failed);
  Q_EMIT loadFailed(target.path);
}

BandwidthBook& InferenceController::bandwidths() { return d->bandwidths; }

MeasuredBandwidth InferenceController::bandwidth() const { return d->bandwidths.of(m_device.bandwidthKey); }

void InferenceController::bandwidthPassed(const DeviceBadge& device) {
  d->bandwidths.notePassed(device.bandwidthKey);
  measureWhenIdle();
}

void InferenceController::setBusyElsewhere(bool busy) {
  if (std::exchange(d->busyElsewhere, busy) == busy) return;
  d->worker->setOthersBusy(busy);
  if (busy) d->idle.stop();
  else measureWhenIdle();
}

void InferenceController::measureWhenIdle() {
  if (m_state == Ready && !isElsewhere() && d->active.isEmpty() && !d->busyElsewhere && d->bandwidths.isWanted(m_device.bandwidthKey))
    d->idle.start();
}

void InferenceController::takeUpdate(const ReplyUpdate& update) {
  if (update.isLast()) {
    d->active.remove(update.request);
    d->elsewhere.remove(update.request);
    if (d->active.isEmpty() && m_state == Generating) setState(Ready);
    measureWhenIdle();
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
  m_inPlace = {};
  m_awake = m_waking = m_roomMade = false;
  Q_EMIT modelChanged();
}

void InferenceController::setRestAfter(std::chrono::milliseconds idle) {
  if (d->restTimer.intervalAsDuration() == idle) return;
  d->restTimer.setInterval(idle);
  d->restTimer.stop();
  if (m_state == Ready && idle.count() > 0) d->restTimer.start();
}

void InferenceController::setGuest(std::shared_ptr<EngineGuest> guest) {
  d->guest = guest;
  post([worker = d->worker, guest = std::move(guest)] { worker->setGuest(guest); });
}

void InferenceController::noteGuestWork() {
  if (d->restTimer.isActive()) d->restTimer.start();
  if (d->idle.isActive()) d->idle.start();
}

void InferenceController::wakeUp() {
  if (m_state == Resting) wake(m_preferences);
}

int InferenceController::sequences() const { return m_awake && !isElsewhere() ? m_inPlace.preferences.sequences : 0; }

void InferenceController::rest() {
  if (m_state != Ready || !d->active.isEmpty()) return;
  if (d->guest && d->guest->isBusy()) return d->restTimer.start();
  d->forgottenSerial = d->serial;
  post([worker = d->worker] { worker->unloadAll(); });
  if (isElsewhere()) return;  // only models beside it are unloaded
  letGo();
  spdlog::info("unloaded {} after {} min without a message", m_inPlace.path.toStdString(), d->restTimer.interval() / 60000);
  setState(Resting);
}

// Clears the memory figures only; name, device and conversation stay.
void InferenceController::letGo() {
  d->idle.stop();
  m_awake = false;
  m_freedBytes = m_model.weightBytes + m_model.kvBytes + m_model.scratchBytes + m_model.draftBytes;
  m_model.weightBytes = m_model.kvBytes = m_model.scratchBytes = m_model.draftBytes = m_model.heldBytes = 0;
  Q_EMIT modelChanged();
}

// Sets the state for when no load is in progress.
void InferenceController::settle() {
  m_waking = false;
  if (!m_model.isSet()) setState(NoModel);
  else if (!m_awake) setState(Resting);
  else setState(d->active.isEmpty() ? Ready : Generating);
  measureWhenIdle();
}

void InferenceController::setState(State state) {
  if (state == Ready && d->restTimer.interval() > 0 && m_state != state) d->restTimer.start();
  if (state != Ready) d->restTimer.stop();
  if (m_state == state) return;
  m_state = state;
  Q_EMIT stateChanged();
  Q_EMIT readyChanged();
}

}  // namespace minerva::app
