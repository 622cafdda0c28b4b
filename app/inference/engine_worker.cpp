#include "app/inference/engine_worker.h"

#include "app/inference/describe.h"

#include <QDir>
#include <QFileInfo>

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace minerva::app {
namespace {

constexpr double sliceMs = 250;  // maximum time before control returns to the event loop, even without yieldSoon()

// Of a file, or of a folder and what is in it.
QDateTime lastChange(const QString& path) {
  QDateTime last = QFileInfo(path).lastModified();
  if (!QFileInfo(path).isDir()) return last;
  const QFileInfoList files = QDir(path).entryInfoList(QDir::Files);
  for (const QFileInfo& file : files) last = std::max(last, file.lastModified());
  return last;
}

}  // namespace

EngineWorker::EngineWorker(BackendOptions options, FrameCoalescer* coalescer) : m_options(std::move(options)), m_coalescer(coalescer) {
  m_loader.setMaxThreadCount(1);
}

EngineWorker::~EngineWorker() {
  m_loader.waitForDone();
  if (m_guest && m_present) m_guest->engineGoes();
}

void EngineWorker::setGuest(std::shared_ptr<EngineGuest> guest) {
  m_guest = std::move(guest);
  welcome();
}

void EngineWorker::welcome() {
  if (!m_guest || !m_present) return;
  m_guest->engineReady(m_present->engine(), [this] {
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
  Beside beside;
  LoadedEngine made;
};

void EngineWorker::load(const LoadOrder& order) {
  m_loadBegan = Clock::now();
  m_order = order;
  m_loading = true;
  if (!m_devicesKnown) findDevices();
  if (isPresent(order)) return endLoad(outcomeOf(order));
  if (takeKept(order)) return;
  m_order.whyCpu = whyCpu(order.target.path);
  if (order.target.evenIfTooLarge) {  // such a load does not fail if there is too little memory for all
    while (makeRoom()) continue;
  }
  beginLoad();
}

// Neither its file nor the settings have changed since.
bool EngineWorker::isAsLoaded(const Resident& resident, const LoadOrder& order) {
  return resident.target == order.target && resident.changed == lastChange(order.target.path);
}

// The model in use is ordered again: its replies go on. Not if it runs on another device than was asked for, which may work now.
bool EngineWorker::isPresent(const LoadOrder& order) const {
  return m_present && !m_present->lost && m_present->loaded.whyNot.isEmpty() && isAsLoaded(*m_present, order);
}

// A model that is in memory already is in use at once, unless its file or the settings have changed.
bool EngineWorker::takeKept(const LoadOrder& order) {
  const auto found = std::ranges::find_if(m_kept, [&](const auto& kept) { return kept->target.path == order.target.path; });
  if (found == m_kept.end()) return false;
  std::unique_ptr<Resident> kept = std::move(*found);
  m_kept.erase(found);
  if (!isAsLoaded(*kept, order)) {
    drop(std::move(kept));
    tellKept();
    return false;
  }
  present(std::move(kept), order);
  return true;
}

Beside EngineWorker::beside() const {
  Beside all;
  const auto add = [&all](const Resident& resident) {
    ++all.models;
    const auto held = static_cast<quint64>(resident.subject->model.heldBytes);
    all.heldBytes += held;
    if (resident.subject->device.id != QLatin1String("cpu")) all.gpuBytes += held;
  };
  if (m_present) add(*m_present);
  for (const auto& kept : m_kept) add(*kept);
  return all;
}

void EngineWorker::beginLoad() {
  auto job = std::make_shared<LoadJob>();
  job->order = m_order;
  job->beside = beside();
  job->spare = std::move(m_spare);
  m_loader.start([this, job, options = m_options] {
    const auto tell = [&](const engine::LoadProgress& progress) { Q_EMIT loadProgressed(job->order.serial, progress); };
    job->made = loadModel(job->order, options, std::move(job->spare), job->beside, tell);
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
    const bool needsRoom = outcome.error->kind == ErrorKind::outOfMemory;
    if (!job.made.engine) m_spare = std::move(job.made.on);
    if (!needsRoom || job.made.neverFits || !makeRoom()) return endLoad(outcome);
    return beginLoad();
  }
  auto resident = std::make_unique<Resident>();
  resident->loaded = std::move(job.made);
  resident->target = job.order.target;
  resident->changed = lastChange(job.order.target.path);
  auto subject = std::make_shared<Subject>();
  const engine::ModelInfo& info = resident->engine().info();
  subject->model = describeModel(info, job.order.target.path);
  for (const std::string& warning : info.warnings) spdlog::warn("{}", warning);
  if (!job.order.name.isEmpty()) subject->model.name = job.order.name;
  subject->model.builtIn = job.order.builtIn;
  subject->device = describeDevice(info.device, m_devices, job.order.target.preferences.device, resident->loaded.whyNot);
  resident->subject = std::move(subject);
  resident->engine().setSink([this, made = resident.get()](const engine::Event& event) { take(*made, event); });
  present(std::move(resident), job.order);
}

// From now on requests run on this model.
void EngineWorker::present(std::unique_ptr<Resident> resident, const LoadOrder& order) {
  if (m_present && m_present->target.path == order.target.path) dropPresent();  // loaded again
  if (m_guest && m_present) m_guest->engineGoes();
  if (m_present) m_kept.push_back(std::move(m_present));
  m_present = std::move(resident);
  ++m_engines;
  keepOrDrop(order.target.preferences.models - 1);
  welcome();
  endLoad(outcomeOf(order));
}

LoadOutcome EngineWorker::outcomeOf(const LoadOrder& order) const {
  return {.order = order, .subject = m_present->subject, .recommended = m_present->engine().recommendedSampling(), .error = {}};
}

// At most so many stay beside the present one.
void EngineWorker::keepOrDrop(int models) {
  while (static_cast<int>(m_kept.size()) > std::max(0, models)) {
    std::unique_ptr<Resident> oldest = std::move(m_kept.front());
    m_kept.erase(m_kept.begin());
    drop(std::move(oldest));
  }
  tellKept();
}

void EngineWorker::tellKept() {
  QList<KeptModel> kept;
  for (const auto& resident : m_kept) {
    const ModelFacts& model = resident->subject->model;
    kept.push_back({model.path, model.name, model.heldBytes, resident->subject->device.id == QLatin1String("cpu")});
  }
  Q_EMIT keptChanged(kept);
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

// Unloads the model that was used longest ago. Returns false if there is none.
bool EngineWorker::makeRoom() {
  if (!m_kept.empty()) {
    keepOrDrop(static_cast<int>(m_kept.size()) - 1);
    return true;
  }
  if (!m_present) return false;
  dropPresent();
  Q_EMIT roomMade();
  return true;
}

bool EngineWorker::waitsForLoad(std::function<void()> call) {
  if (m_present || !m_loading) return false;
  m_waiting.push_back(std::move(call));
  return true;
}

void EngineWorker::setAside() {
  m_loading = false;  // takeLoaded() then discards the result
  if (m_present) {
    if (m_guest) m_guest->engineGoes();
    ++m_engines;
    const int models = m_present->target.preferences.models;
    m_kept.push_back(std::move(m_present));
    keepOrDrop(models);
  }
  callWaiting();
}

void EngineWorker::unload() {
  m_loading = false;  // takeLoaded() then discards the result
  dropPresent();
  callWaiting();
}

void EngineWorker::unloadKept(const QString& path) {
  const auto found = std::ranges::find_if(m_kept, [&](const auto& kept) { return kept->target.path == path; });
  if (found == m_kept.end()) return;
  std::unique_ptr<Resident> kept = std::move(*found);
  m_kept.erase(found);
  drop(std::move(kept));
  tellKept();
}

void EngineWorker::unloadAll() {
  keepOrDrop(0);
  unload();
}

void EngineWorker::dropPresent() {
  if (!m_present) return;
  if (m_guest) m_guest->engineGoes();
  ++m_engines;
  drop(std::exchange(m_present, nullptr));
}

// Its requests end as cancelled, or with the error of a lost device. Otherwise its device may serve the next load.
void EngineWorker::drop(std::unique_ptr<Resident> resident) {
  engine::Engine& engine = resident->engine();
  std::vector<engine::RequestId> open;
  open.reserve(resident->tickets.size());
  for (const auto& [id, ticket] : resident->tickets) open.push_back(id);
  for (const engine::RequestId id : open) {
    if (!resident->lost) engine.cancel(id);
  }
  while (!resident->tickets.empty() && engine.step()) {
  }
  for (const auto& [id, ticket] : std::unordered_map(resident->tickets))
    failTicket(ticket.number, {.kind = ErrorKind::cancelled, .what = "the model was closed"}, ticket.span);
  resident->loaded.engine.reset();
  if (!resident->lost) m_spare = std::move(resident->loaded.on);
}

void EngineWorker::submit(quint64 ticket, const engine::Request& request, TimePoint sent) {
  noticeSleep();
  if (waitsForLoad([this, ticket, request, sent] { submit(ticket, request, sent); })) return;
  if (!m_present) {
    failTicket(ticket, {.kind = ErrorKind::notFound, .what = "no model is loaded", .hint = "open a model and try again"});
    return;
  }
  const double loadMs = std::max(0.0, millisecondsBetween(std::max(sent, m_loadBegan), m_loadEnded));
  m_present->tickets[m_present->engine().submit(request)] = {ticket, {sent, loadMs, m_present->subject, false}};
  queueStep();
}

void EngineWorker::cancel(quint64 ticket) {
  const auto cancelOn = [ticket](const std::unique_ptr<Resident>& resident) {
    if (!resident) return false;
    const auto found = std::ranges::find_if(resident->tickets, [ticket](const auto& one) { return one.second.number == ticket; });
    if (found != resident->tickets.end()) resident->engine().cancel(found->first);
    return found != resident->tickets.end();
  };
  if (cancelOn(m_present) || std::ranges::any_of(m_kept, cancelOn)) return queueStep();
  static_cast<void>(waitsForLoad([this, ticket] { cancel(ticket); }));  // behind its request, if that waits
}

void EngineWorker::examine(quint64 number, const PromptQuestion& question) {
  if (waitsForLoad([this, number, question] { examine(number, question); })) return;
  if (!m_present) {  // unloaded, or the load was cancelled: only a shown prompt still waits for the answer
    PromptAnswer none;
    none.error = minerva::Error{.kind = ErrorKind::notFound, .what = "no model is loaded", .hint = "load a model and try again"};
    if (question.wantsParts) Q_EMIT examined(number, none);
    return;
  }
  const bool posted = m_questions.post([this, number, question, maker = m_present->engine().promptMaker(), asked = m_engines] {
    ExaminedPrompt examined = examinePrompt(question, maker);
    auto finish = [this, number, asked, conversation = question.request.conversation, examined = std::move(examined)]() mutable {
      if (m_present && asked == m_engines && !examined.answer.error)
        examined.answer.reusable = m_present->engine().reusable(conversation, examined.tokens);
      if (m_present) examined.answer.bytesFree = static_cast<double>(m_present->loaded.on.backend->info().memoryFree);
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
  if (!m_present || hasTickets() || m_loading || (m_guest && m_guest->isBusy())) return;
  m_yield.store(false, std::memory_order_release);
  const auto disturbed = [this] { return m_yield.load(std::memory_order_acquire) || m_othersBusy.load(std::memory_order_acquire); };
  const auto measured = m_present->loaded.on.backend->measureReadBandwidth(disturbed);
  if (!measured && losesDevice(measured.error().kind)) {
    m_present->lost = measured.error();
    return dropLost();
  }
  if (!measured && measured.error().kind != ErrorKind::cancelled) return;  // a retry would fail as well
  Q_EMIT bandwidthMeasured(m_present->subject->device.bandwidthKey, measured.value_or(backend::BandwidthCurve{}));
}

void EngineWorker::queueStep() {
  if (m_stepQueued) return;
  m_stepQueued = true;
  QMetaObject::invokeMethod(this, &EngineWorker::step, Qt::QueuedConnection);
}

void EngineWorker::step() {
  m_stepQueued = false;
  m_yield.store(false, std::memory_order_release);
  // Several steps per event: a pass through the event loop costs a significant part of a small model's step.
  const TimePoint begun = Clock::now();
  bool more = true;
  do {
    more = m_present && m_present->engine().step();
    for (const auto& kept : m_kept) more = (!kept->tickets.empty() && kept->engine().step()) || more;
  } while (more && !m_yield.load(std::memory_order_acquire) && millisecondsBetween(begun, Clock::now()) < sliceMs);
  const auto isLost = [](const auto& resident) { return resident && resident->lost; };
  if (isLost(m_present) || std::ranges::any_of(m_kept, isLost)) dropLost();
  if (more) queueStep();
}

bool EngineWorker::hasTickets() const {
  return (m_present && !m_present->tickets.empty()) || std::ranges::any_of(m_kept, [](const auto& kept) { return !kept->tickets.empty(); });
}

void EngineWorker::pass(Resident& resident, const engine::Event& event) {
  const auto found = resident.tickets.find(event.request);
  if (found == resident.tickets.end()) {
    if (m_guest && &resident == m_present.get()) m_guest->hear(event);
    return;
  }
  m_coalescer->add(found->second.number, event, found->second.span);
  if (std::holds_alternative<engine::Finished>(event.body) || std::holds_alternative<engine::Failed>(event.body))
    resident.tickets.erase(found);
}

void EngineWorker::failTicket(quint64 ticket, const minerva::Error& error, const RequestSpan& span) {
  m_coalescer->add(ticket, {.request = 0, .time = Clock::now(), .body = engine::Failed{.error = error, .timings = {}}}, span);
}

}  // namespace minerva::app
