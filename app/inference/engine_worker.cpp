#include "app/inference/engine_worker.h"

#include "app/inference/describe.h"

#include <QFile>

#include <algorithm>
#include <new>
#include <vector>

namespace minerva::app {
namespace {

constexpr double progressEveryMs = 33;
constexpr double sliceMs = 250;  // then the event loop has its turn, asked for or not

bool worthAnotherDevice(const minerva::Error& error) {
  return error.kind == ErrorKind::outOfMemory || error.kind == ErrorKind::deviceLost || error.kind == ErrorKind::unsupported ||
         error.kind == ErrorKind::notFound;
}

}  // namespace

EngineWorker::EngineWorker(BackendOptions options, FrameCoalescer* coalescer) : m_options(std::move(options)), m_coalescer(coalescer) {}

EngineWorker::~EngineWorker() {
  m_engine.reset();
  m_backend.reset();
}

void EngineWorker::findDevices() {
  if (!m_devicesKnown) m_devices = availableDevices(m_options);
  m_devicesKnown = true;
  Q_EMIT devicesFound(m_devices);
}

void EngineWorker::load(const LoadOrder& order) {
  m_loadBegan = Clock::now();
  dropEngine();
  if (!m_devicesKnown) findDevices();
  LoadOutcome outcome;
  outcome.serial = order.serial;
  QString whyNot;
  const Result<void> result = loadSomewhere(order, whyNot);
  if (result) {
    outcome.model = describeModel(m_engine->info(), order.path);
    outcome.device = describeDevice(m_engine->info().device, m_devices, order.preferences.device, whyNot);
    outcome.recommended = m_engine->recommendedSampling();
    m_engine->setSink([this](const engine::Event& event) { take(event); });
  } else {
    m_engine.reset();
    outcome.error = result.error();
  }
  m_loadEnded = Clock::now();
  Q_EMIT loadEnded(outcome);
}

// A device that cannot take the model is no reason to be without it: a GPU with too little memory runs as many layers
// as it has room for, else the CPU runs all, and the badge says why.
Result<void> EngineWorker::loadSomewhere(const LoadOrder& order, QString& whyNot) {
  Result<void> first = loadOn(order.preferences.device, order);
  if (first || !worthAnotherDevice(first.error())) return first;
  const backend::DeviceInfo failed = m_backend ? m_backend->info() : backend::DeviceInfo{};
  QStringList others;
  if (failed.shares && first.error().kind == ErrorKind::outOfMemory) others << QString::fromStdString(failed.id) + QLatin1String("+cpu");
  if (failed.id != "cpu") others << QStringLiteral("cpu");
  Result<void> last = first;
  for (const QString& other : std::as_const(others)) {
    if (order.stop.stop_requested()) break;
    last = loadOn(other, order);
    if (!last) continue;
    whyNot = QString::fromStdString(first.error().message());
    return last;
  }
  return !m_backend || first.error().kind == ErrorKind::notFound ? last : first;
}

Result<void> EngineWorker::loadOn(const QString& device, const LoadOrder& order) try {
  if (const BackendOptions wanted = order.preferences.applied(m_options); !m_backend || m_backendDevice != device || m_options != wanted) {
    m_backend.reset();
    m_options = wanted;
    MINERVA_ASSIGN(m_backend, createBackend(device.toStdString(), m_options));
    m_backendDevice = device;
  }
  const engine::LoadOptions options{.path = QFile::encodeName(order.path).toStdString(),
                                    .contextLength = order.preferences.contextLength,
                                    .kvType = order.preferences.kvType,
                                    .evenIfTooLarge = order.evenIfTooLarge && m_backend->info().id == "cpu"};
  TimePoint lastTold{};
  auto lastPhase = engine::LoadProgress::Phase::done;
  const auto tell = [&](const engine::LoadProgress& progress) {
    const TimePoint now = Clock::now();
    if (progress.phase == lastPhase && millisecondsBetween(lastTold, now) < progressEveryMs) return;
    lastTold = now;
    lastPhase = progress.phase;
    Q_EMIT loadProgressed(order.serial, progress);
  };
  MINERVA_ASSIGN(m_engine, engine::Engine::load(*m_backend, options, tell, order.stop));
  return {};
} catch (const std::bad_alloc&) {
  return fail({.kind = ErrorKind::outOfMemory,
               .what = "there is not enough memory to load the model",
               .where = order.path.toStdString(),
               .hint = "close other programs, or choose a smaller model or context"});
}

void EngineWorker::unload() { dropEngine(); }

void EngineWorker::dropEngine() {
  if (!m_engine) return;
  std::vector<engine::RequestId> open;
  open.reserve(m_tickets.size());
  for (const auto& [id, ticket] : m_tickets) open.push_back(id);
  for (const engine::RequestId id : open) m_engine->cancel(id);
  while (!m_tickets.empty() && m_engine->step()) {
  }
  for (const auto& [id, ticket] : std::unordered_map(m_tickets))
    failTicket(ticket.number, {.kind = ErrorKind::cancelled, .what = "the model was closed"});
  m_tickets.clear();
  m_engine.reset();
}

void EngineWorker::submit(quint64 ticket, const engine::Request& request, TimePoint sent) {
  if (!m_engine) {
    failTicket(ticket, {.kind = ErrorKind::notFound, .what = "no model is loaded", .hint = "open a model and try again"});
    return;
  }
  const double loadMs = std::max(0.0, millisecondsBetween(std::max(sent, m_loadBegan), m_loadEnded));
  m_tickets[m_engine->submit(request)] = {ticket, {sent, loadMs}};
  queueStep();
}

void EngineWorker::cancel(quint64 ticket) {
  for (const auto& [id, open] : m_tickets) {
    if (open.number != ticket) continue;
    m_engine->cancel(id);
    queueStep();
    return;
  }
}

void EngineWorker::examine(quint64 number, const PromptQuestion& question) {
  if (!m_engine) return;  // gone since it was asked; the window asks again after a load
  PromptAnswer answer = answerFor(question, *m_engine);
  answer.bytesFree = static_cast<double>(m_backend->info().memoryFree);
  Q_EMIT examined(number, answer);
}

void EngineWorker::measureBandwidth() {
  if (!m_backend || !m_engine || !m_tickets.empty()) return;
  const QString id = QString::fromStdString(m_backend->info().id);
  if (const Result<double> measured = m_backend->measureReadBandwidth()) Q_EMIT bandwidthMeasured(id, *measured);
}

void EngineWorker::queueStep() {
  if (m_stepQueued) return;
  m_stepQueued = true;
  QMetaObject::invokeMethod(this, &EngineWorker::step, Qt::QueuedConnection);
}

void EngineWorker::step() {
  m_stepQueued = false;
  m_yield.store(false, std::memory_order_release);
  if (!m_engine) return;
  // The way through the event loop costs a small model a good part of its step.
  const TimePoint begun = Clock::now();
  bool more = m_engine->step();
  while (more && !m_yield.load(std::memory_order_acquire) && millisecondsBetween(begun, Clock::now()) < sliceMs) more = m_engine->step();
  if (more) queueStep();
}

void EngineWorker::take(const engine::Event& event) {
  const auto found = m_tickets.find(event.request);
  if (found == m_tickets.end()) return;
  m_coalescer->add(found->second.number, event, found->second.span);
  if (std::holds_alternative<engine::Finished>(event.body) || std::holds_alternative<engine::Failed>(event.body)) m_tickets.erase(found);
}

void EngineWorker::failTicket(quint64 ticket, const minerva::Error& error) {
  m_coalescer->add(ticket, {.request = 0, .time = Clock::now(), .body = engine::Failed{.error = error, .timings = {}}});
}

}  // namespace minerva::app
