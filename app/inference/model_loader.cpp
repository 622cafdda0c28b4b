#include "app/inference/model_loader.h"

#include "app/inference/fit_check.h"
#include "app/text/error_words.h"

#include <QFile>
#include <QStringList>

#include <spdlog/spdlog.h>

#include <algorithm>
#include <new>
#include <utility>

namespace minerva::app {
namespace {

constexpr double progressEveryMs = 33;

bool worthAnotherDevice(const minerva::Error& error) {
  return error.kind == ErrorKind::outOfMemory || error.kind == ErrorKind::deviceLost || error.kind == ErrorKind::unsupported ||
         error.kind == ErrorKind::notFound || error.kind == ErrorKind::limit;  // limits are of GPUs
}

BackendOptions optionsFor(const LoadOrder& order, const BackendOptions& given, const Beside& beside) {
  BackendOptions options = order.target.preferences.applied(given);
  if (options.gpuMemory == 0) return options;
  options.gpuMemory = options.gpuMemory > beside.gpuBytes ? options.gpuMemory - beside.gpuBytes : 1;  // 0 would mean no limit
  return options;
}

class Loader {
 public:
  using Progress = std::function<void(const engine::LoadProgress&)>;
  Loader(const LoadOrder& order, const BackendOptions& options, const Beside& beside, OpenDevice spare, const Progress& progress)
      : m_order(order), m_given(options), m_options(optionsFor(order, options, beside)), m_beside(beside), m_progress(progress) {
    m_made.on = std::move(spare);
  }
  LoadedEngine load();

 private:
  [[nodiscard]] bool neverFits() const;
  Result<void> onSomeDevice();
  Result<void> on(const QString& device);
  Result<void> onAsked();
  void tell(const engine::LoadProgress& progress);

  const LoadOrder& m_order;
  const BackendOptions& m_given;
  const BackendOptions m_options;
  const Beside& m_beside;
  const Progress& m_progress;
  LoadedEngine m_made;
  TimePoint m_lastTold{};
  engine::LoadProgress::Phase m_lastPhase = engine::LoadProgress::Phase::done;
};

// A lost device stays lost, but a new one can be made of the same GPU.
Result<void> Loader::onAsked() {
  Result<void> done;
  for (int tries = 0; tries < 2; ++tries) {
    done = on(m_order.target.preferences.device);
    if (done || done.error().kind != ErrorKind::deviceLost || m_order.stop.stop_requested()) break;
    m_made.on = {};
  }
  return done;
}

// Where the layers may go that do not fit on the devices asked for; "": to the CPU alone. tried: the device that was opened for it.
QString withCpu(const QString& asked, const backend::DeviceInfo& tried, const BackendOptions& options) {
  const QString cpu = QStringLiteral("+cpu"), all = QStringLiteral("gpus");
  if (asked.endsWith(cpu) || tried.id == "cpu") return {};
  if (asked == all || asked.contains(QLatin1Char('+'))) return asked + cpu;
  const bool automatic = asked.isEmpty() || asked == QLatin1String("auto");
  if (automatic && hardwareGpus(availableDevices(options)).size() > 1) return all + cpu;
  return tried.shares ? QString::fromStdString(tried.id) + cpu : QString();
}

LoadedEngine Loader::load() {
  if (const Result<void> done = onSomeDevice(); !done) m_made.error = done.error();
  const bool tooLarge = m_made.error && m_made.error->kind == ErrorKind::outOfMemory;
  m_made.neverFits = tooLarge && m_beside.models > 0 && !m_order.stop.stop_requested() && neverFits();
  return std::move(m_made);
}

// Whether each device that would be tried without other models in memory would refuse the model.
bool Loader::neverFits() const {
  const QString asked = m_order.target.preferences.device;
  const backend::DeviceInfo tried = m_made.on.backend ? m_made.on.backend->info() : backend::DeviceInfo{};
  QStringList devices{QStringLiteral("cpu")};
  if (m_order.whyCpu.isEmpty() && tried.id != "cpu") {
    devices << asked;
    if (const QString both = withCpu(asked, tried, m_options); !both.isEmpty()) devices << both;
  }
  return std::ranges::all_of(devices, [this](const QString& device) {
    FitQuestion question{.path = m_order.target.path,
                         .preferences = m_order.target.preferences,
                         .backend = m_given,
                         .held = m_beside.heldBytes,
                         .draft = m_order.target.draft};
    question.preferences.device = device;
    return checkFit(question).refused;
  });
}

// Falls back to other devices: if GPUs have too little memory, they run as many layers as fit and the CPU the others; if that
// fails too, the CPU runs all layers. The badge shows why.
Result<void> Loader::onSomeDevice() {
  if (!m_order.whyCpu.isEmpty()) {
    MINERVA_TRY(on(QStringLiteral("cpu")));
    m_made.whyNot = m_order.whyCpu;
    return {};
  }
  Result<void> first = onAsked();
  if (first || !worthAnotherDevice(first.error())) return first;
  if (m_beside.models > 0 && first.error().kind == ErrorKind::outOfMemory) return first;
  const backend::DeviceInfo failed = m_made.on.backend ? m_made.on.backend->info() : backend::DeviceInfo{};
  QStringList others;
  const QString both = withCpu(m_order.target.preferences.device, failed, m_options);
  if (first.error().kind == ErrorKind::outOfMemory && !both.isEmpty()) others << both;
  if (failed.id != "cpu") others << QStringLiteral("cpu");
  Result<void> last = first;
  for (const QString& other : std::as_const(others)) {
    if (m_order.stop.stop_requested()) break;
    last = on(other);
    if (!last) continue;
    spdlog::warn("loaded on {}: {}", other.toStdString(), first.error().message());
    m_made.whyNot = shownMessage(first.error());
    return last;
  }
  return !m_made.on.backend || first.error().kind == ErrorKind::notFound ? last : first;
}

Result<void> Loader::on(const QString& device) try {
  OpenDevice& on = m_made.on;
  if (!on.backend || on.device != device || on.options != m_options) {
    on.backend.reset();
    MINERVA_ASSIGN(on.backend, createBackend(device.toStdString(), m_options));
    on.device = device;
    on.options = m_options;
  }
  const LoadTarget& target = m_order.target;
  const engine::LoadOptions options{.path = QFile::encodeName(target.path).toStdString(),
                                    .contextLength = target.preferences.contextLength,
                                    .sequences = target.preferences.sequences,
                                    .contexts = target.preferences.contexts,
                                    .queue = target.preferences.waiting,
                                    .kvType = target.preferences.kvType,
                                    .drafts = target.preferences.drafts,
                                    .draft = target.preferences.drafts ? QFile::encodeName(target.draft).toStdString() : std::string(),
                                    .batchInvariant = target.preferences.batchInvariant,
                                    .evenWithoutDraft = true,
                                    .evenIfTooLarge = target.evenIfTooLarge && on.backend->info().id == "cpu"};
  MINERVA_ASSIGN(m_made.engine, engine::Engine::load(
                                    *on.backend, options, [this](const engine::LoadProgress& progress) { tell(progress); }, m_order.stop));
  return {};
} catch (const std::bad_alloc&) {
  return fail({.kind = ErrorKind::outOfMemory,
               .what = "there is not enough memory to load the model",
               .where = m_order.target.path.toStdString(),
               .hint = "close other programs, or choose a smaller model or context"});
}

void Loader::tell(const engine::LoadProgress& progress) {
  const TimePoint now = Clock::now();
  if (progress.phase == m_lastPhase && millisecondsBetween(m_lastTold, now) < progressEveryMs) return;
  m_lastTold = now;
  m_lastPhase = progress.phase;
  m_progress(progress);
}

}  // namespace

LoadedEngine loadModel(const LoadOrder& order, const BackendOptions& options, OpenDevice spare, const Beside& beside,
                       const std::function<void(const engine::LoadProgress&)>& progress) {
  return Loader(order, options, beside, std::move(spare), progress).load();
}

}  // namespace minerva::app
