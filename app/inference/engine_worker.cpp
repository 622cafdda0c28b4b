#include "app/inference/engine_worker.h"

#include "app/inference/describe.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace minerva::app {
namespace {

constexpr double sliceMs = 250;  // maximum time before control returns to the event loop, even without yieldSoon()

}  // namespace

EngineWorker::EngineWorker(BackendOptions options, FrameCoalescer* coalescer) : m_options(std::move(options)), m_coalescer(coalescer) {
  m_loader.setMaxThreadCount(1);
}

EngineWorker::~EngineWorker() {
  m_loader.waitForDone();
  if (m_guest && m_running.engine) m_guest->engineGoes();
}

void EngineWorker::setGuest(std::shared_ptr<EngineGuest> guest) {
  m_guest = std::move(guest);
  welcome();
}

void EngineWorker::welcome() {
  if (!m_guest || !m_running.engine) return;
  m_guest->engineReady(*m_running.engine, [this] {
    QMetaObject::invokeMethod(this, &EngineWorker::queueStep, Qt::QueuedConnection);
    yieldSoon();
  });
}

void EngineWorker::findDevices() {
  if (!m_devicesKnown) m_devices = availableDevices(m_options);
  m_devicesKnown = true;
  Q_EMIT devicesFound(m_devices);
}

struct EngineWorker::LoadJob {
  LoadOrder order;
  OpenDevice spare;
  std::shared_ptr<const Subject> beside;
  LoadedEngine made;
};

void EngineWorker::load(const LoadOrder& order) {
  m_loadBegan = Clock::now();
  m_order = order;
  m_loading = true;
  if (!m_devicesKnown) findDevices();
  if (order.target.evenIfTooLarge) makeRoom();  // such a load does not fail if both do not fit
  beginLoad();
}

void EngineWorker::beginLoad() {
  auto job = std::make_shared<LoadJob>();
  job->order = m_order;
  if (m_running.engine) job->beside = m_subject;
  else job->spare = std::move(m_running.on);
  m_loader.start([this, job, options = m_options] {
    const auto tell = [&](const engine::LoadProgress& progress) { Q_EMIT loadProgressed(job->order.serial, progress); };
    job->made = loadModel(job->order, options, std::move(job->spare), job->beside.get(), tell);
    QMetaObject::invokeMethod(
        this, [this, job] { takeLoaded(*job); }, Qt::QueuedConnection);
    yieldSoon();
  });
}

// A cancelled load has no effect even if it completed, because the window has already acted on the cancellation.
void EngineWorker::takeLoaded(LoadJob& job) {
  if (!m_loading || job.order.serial != m_order.serial) return;
  LoadOutcome outcome{.order = job.order, .subject = {}, .recommended = {}, .error = std::move(job.made.error)};
  if (job.order.stop.stop_requested()) outcome.error = Error{.kind = ErrorKind::cancelled, .what = "Loading was cancelled"};
  if (outcome.error) {
    const bool needsRoom = outcome.error->kind == ErrorKind::outOfMemory && m_running.engine;
    if (!m_running.engine) m_running.on = std::move(job.made.on);
    if (!needsRoom) return endLoad(outcome);
    makeRoom();
    return beginLoad();
  }
  dropEngine();
  m_running = std::move(job.made);
  auto subject = std::make_shared<Subject>();
  subject->model = describeModel(m_running.engine->info(), job.order.target.path);
  if (!job.order.name.isEmpty()) subject->model.name = job.order.name;
  subject->model.builtIn = job.order.builtIn;
  subject->device = describeDevice(m_running.engine->info().device, m_devices, job.order.target.preferences.device, m_running.whyNot);
  m_subject = std::move(subject);
  m_running.engine->setSink([this](const engine::Event& event) { take(event); });
  welcome();
  outcome.subject = m_subject;
  outcome.recommended = m_running.engine->recommendedSampling();
  endLoad(outcome);
}

void EngineWorker::endLoad(const LoadOutcome& outcome) {
  m_loading = false;
  m_loadEnded = Clock::now();
  Q_EMIT loadEnded(outcome);
  callWaiting();
}

void EngineWorker::callWaiting() {
  for (const std::function<void()>& call : std::exchange(m_waiting, {})) call();
}

void EngineWorker::cancelLoad() {
  if (!m_loading || !m_order.stop.stop_requested()) return;
  endLoad(
      {.order = m_order, .subject = {}, .recommended = {}, .error = Error{.kind = ErrorKind::cancelled, .what = "Loading was cancelled"}});
}

void EngineWorker::makeRoom() {
  if (!m_running.engine) return;
  dropEngine();
  Q_EMIT roomMade();
}

bool EngineWorker::waitsForLoad(std::function<void()> call) {
  if (m_running.engine || !m_loading) return false;
  m_waiting.push_back(std::move(call));
  return true;
}

void EngineWorker::unload() {
  m_loading = false;  // takeLoaded() then discards the result
  dropEngine();
  callWaiting();
}

void EngineWorker::dropEngine() {
  engine::Engine* engine = m_running.engine.get();
  if (engine == nullptr) return;
  if (m_guest) m_guest->engineGoes();
  std::vector<engine::RequestId> open;
  open.reserve(m_tickets.size());
  for (const auto& [id, ticket] : m_tickets) open.push_back(id);
  for (const engine::RequestId id : open) engine->cancel(id);
  while (!m_tickets.empty() && engine->step()) {
  }
  for (const auto& [id, ticket] : std::unordered_map(m_tickets))
    failTicket(ticket.number, {.kind = ErrorKind::cancelled, .what = "the model was closed"}, ticket.span);
  m_tickets.clear();
  m_running.engine.reset();
  m_subject.reset();
  ++m_engines;
}

void EngineWorker::submit(quint64 ticket, const engine::Request& request, TimePoint sent) {
  if (waitsForLoad([this, ticket, request, sent] { submit(ticket, request, sent); })) return;
  if (!m_running.engine) {
    failTicket(ticket, {.kind = ErrorKind::notFound, .what = "no model is loaded", .hint = "open a model and try again"});
    return;
  }
  const double loadMs = std::max(0.0, millisecondsBetween(std::max(sent, m_loadBegan), m_loadEnded));
  m_tickets[m_running.engine->submit(request)] = {ticket, {sent, loadMs, m_subject}};
  queueStep();
}

void EngineWorker::cancel(quint64 ticket) {
  if (waitsForLoad([this, ticket] { cancel(ticket); })) return;
  for (const auto& [id, open] : m_tickets) {
    if (open.number != ticket) continue;
    m_running.engine->cancel(id);
    queueStep();
    return;
  }
}

void EngineWorker::examine(quint64 number, const PromptQuestion& question) {
  if (waitsForLoad([this, number, question] { examine(number, question); })) return;
  if (!m_running.engine) {  // unloaded, or the load was cancelled: only a shown prompt still waits for the answer
    PromptAnswer none;
    none.error = minerva::Error{.kind = ErrorKind::notFound, .what = "no model is loaded", .hint = "load a model and try again"};
    if (question.wantsParts) Q_EMIT examined(number, none);
    return;
  }
  const bool posted = m_questions.post([this, number, question, maker = m_running.engine->promptMaker(), asked = m_engines] {
    ExaminedPrompt examined = examinePrompt(question, maker);
    auto finish = [this, number, asked, conversation = question.request.conversation, examined = std::move(examined)]() mutable {
      if (m_running.engine && asked == m_engines && !examined.answer.error)
        examined.answer.reusable = m_running.engine->reusable(conversation, examined.tokens);
      if (m_running.on.backend) examined.answer.bytesFree = static_cast<double>(m_running.on.backend->info().memoryFree);
      Q_EMIT this->examined(number, examined.answer);
    };
    QMetaObject::invokeMethod(this, std::move(finish), Qt::QueuedConnection);
    yieldSoon();
  });
  if (posted) return;
  PromptAnswer refused;
  refused.error = minerva::Error{.kind = ErrorKind::limit,
                                 .what = "too many prompt queries are waiting",
                                 .expected = "at most " + std::to_string(waitingQuestions),
                                 .actual = std::to_string(waitingQuestions) + " and this one",
                                 .hint = "try again in a moment"};
  Q_EMIT examined(number, refused);
}

void EngineWorker::setOthersBusy(bool busy) {
  m_othersBusy.store(busy, std::memory_order_release);
  if (busy) yieldSoon();  // also ends a measurement during which the others were busy only briefly
}

void EngineWorker::measureBandwidth() {
  if (!m_running.engine || !m_tickets.empty() || m_loading || (m_guest && m_guest->isBusy())) return;
  m_yield.store(false, std::memory_order_release);
  const auto disturbed = [this] { return m_yield.load(std::memory_order_acquire) || m_othersBusy.load(std::memory_order_acquire); };
  const auto measured = m_running.on.backend->measureReadBandwidth(disturbed);
  if (!measured && measured.error().kind != ErrorKind::cancelled) return;  // a retry would fail as well
  Q_EMIT bandwidthMeasured(m_subject->device.bandwidthKey, measured.value_or(backend::BandwidthCurve{}));
}

void EngineWorker::queueStep() {
  if (m_stepQueued) return;
  m_stepQueued = true;
  QMetaObject::invokeMethod(this, &EngineWorker::step, Qt::QueuedConnection);
}

void EngineWorker::step() {
  m_stepQueued = false;
  m_yield.store(false, std::memory_order_release);
  if (!m_running.engine) return;
  engine::Engine& engine = *m_running.engine;
  // Several steps per event: a pass through the event loop costs a significant part of a small model's step.
  const TimePoint begun = Clock::now();
  bool more = engine.step();
  while (more && !m_yield.load(std::memory_order_acquire) && millisecondsBetween(begun, Clock::now()) < sliceMs) more = engine.step();
  if (more) queueStep();
}

void EngineWorker::take(const engine::Event& event) {
  const auto found = m_tickets.find(event.request);
  if (found == m_tickets.end()) {
    if (m_guest) m_guest->hear(event);
    return;
  }
  m_coalescer->add(found->second.number, event, found->second.span);
  if (std::holds_alternative<engine::Finished>(event.body) || std::holds_alternative<engine::Failed>(event.body)) m_tickets.erase(found);
}

void EngineWorker::failTicket(quint64 ticket, const minerva::Error& error, const RequestSpan& span) {
  m_coalescer->add(ticket, {.request = 0, .time = Clock::now(), .body = engine::Failed{.error = error, .timings = {}}}, span);
}

}  // namespace minerva::app
