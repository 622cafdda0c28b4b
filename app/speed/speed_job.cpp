#include "app/speed/speed_job.h"

#include "core/base/start_thread.h"
#include "core/engine/engine.h"
#include "core/speed/speed_report.h"
#include "gpu/available.h"

#include <QFile>

#include <algorithm>
#include <new>
#include <numeric>

namespace minerva::app {
namespace {

constexpr double loadPart = 0.05, bandwidthPart = 0.03;  // of the progress

// What a repetition of a task costs about: a step reads the weights once for all conversations, and prompts are read in large steps.
double roughCost(const speed::SpeedTask& task) {
  constexpr double tokenOfPrompt = 0.1, conversation = 0.1;
  return task.generate * (1 + conversation * task.batch) + tokenOfPrompt * task.batch * (task.depth + task.prompt);
}

// Empty where there is no room for its large buffer: the speeds are known nevertheless.
Result<backend::BandwidthCurve> bandwidthBeside(backend::Backend& device, const engine::ModelInfo& info,
                                                const std::vector<speed::SpeedRun>& runs, const std::stop_token& stop) try {
  auto measured = speed::measureBandwidth(device, info, runs, stop);
  if (!measured && measured.error().kind != ErrorKind::cancelled) return backend::BandwidthCurve{};
  return measured;
} catch (const std::bad_alloc&) {
  return backend::BandwidthCurve{};
}

}  // namespace

SpeedJob::~SpeedJob() { m_thread.request_stop(); }

void SpeedJob::start(SpeedOrder order) {
  if (isRunning()) return;
  change([](SpeedState& state) {
    state = {};
    state.running = true;
  });
  m_running.store(true, std::memory_order_release);
  const Result<void> started = startThread(m_thread, [this, order = std::move(order)](const std::stop_token& stop) { run(order, stop); });
  if (!started) end(started);
}

SpeedState SpeedJob::state() const {
  const std::scoped_lock guard(m_lock);
  return m_state;
}

void SpeedJob::run(const SpeedOrder& order, const std::stop_token& stop) {
  Result<void> done;
  try {
    done = measure(order, stop);
  } catch (const std::bad_alloc&) {
    done = fail({.kind = ErrorKind::outOfMemory,
                 .what = "there is not enough memory for the benchmark",
                 .where = order.path.toStdString(),
                 .hint = "choose fewer conversations or a shorter context, or close other programs"});
  }
  end(done);
}

void SpeedJob::end(const Result<void>& done) {
  change([&](SpeedState& state) {
    state.running = false;
    state.finished = done.has_value();
    if (!done && done.error().kind != ErrorKind::cancelled) state.error = done.error();
  });
  m_running.store(false, std::memory_order_release);
}

Result<void> SpeedJob::measure(const SpeedOrder& order, const std::stop_token& stop) {
  const speed::Machine machine = speed::thisMachine();  // before the load of this run
  change([&](SpeedState& state) { state.report.machine = machine; });
  MINERVA_ASSIGN(const auto device, createBackend(order.preferences.device.toStdString(), order.preferences.applied(order.backend)));
  engine::LoadOptions load = speed::roomFor(order.tasks);
  load.path = QFile::encodeName(order.path).toStdString();
  load.kvType = order.preferences.kvType;
  const auto tell = [this](const engine::LoadProgress& progress) {
    if (progress.total == 0) return;
    const double part = loadPart * static_cast<double>(progress.done) / static_cast<double>(progress.total);
    change([part](SpeedState& state) { state.progress = std::max(state.progress, part); });
  };
  MINERVA_ASSIGN(const auto engine, engine::Engine::load(*device, load, tell, stop));
  MINERVA_ASSIGN(const std::vector<speed::SpeedRun> runs, measureTasks(order, *engine, stop));
  change([](SpeedState& state) {
    state.stage = SpeedState::Stage::bandwidth;
    state.progress = 1 - bandwidthPart;
  });
  MINERVA_ASSIGN(const backend::BandwidthCurve bandwidth, bandwidthBeside(*device, engine->info(), runs, stop));
  change([&](SpeedState& state) {
    state.report.rows = speed::Json::array();
    for (const speed::SpeedRun& each : runs) state.report.rows.push_back(speed::speedJson(engine->info(), each, bandwidth));
    state.progress = 1;
  });
  return {};
}

Result<std::vector<speed::SpeedRun>> SpeedJob::measureTasks(const SpeedOrder& order, engine::Engine& engine, const std::stop_token& stop) {
  const double times = order.repetitions + 1;  // with the warm-up
  double all = 0, before = 0;
  for (const speed::SpeedTask& task : order.tasks) all += times * roughCost(task);
  std::vector<speed::SpeedRun> runs;
  for (std::size_t i = 0; i < order.tasks.size(); ++i) {
    const speed::SpeedTask& task = order.tasks[i];
    const double cost = roughCost(task);
    int repetition = -1;
    const auto progress = [&](double share) {
      const double done = (before + (repetition + 1 + share) * cost) / all;
      change([done](SpeedState& state) { state.progress = std::max(state.progress, loadPart + (1 - loadPart - bandwidthPart) * done); });
    };
    const auto begins = [&](int next) {
      repetition = next;
      change([&](SpeedState& state) {
        state.stage = SpeedState::Stage::measuring;
        state.task = i;
        state.repetition = next;
      });
    };
    speed::SpeedRunner runner(engine, stop, progress);
    speed::SpeedRunner* runners[] = {&runner};
    MINERVA_ASSIGN(std::vector<speed::SpeedRun> run, speed::measureInTurn(runners, task, order.repetitions, begins));
    runs.push_back(std::move(run.front()));
    before += times * cost;
    change([&](SpeedState& state) { state.report.rows.push_back(speed::speedJson(engine.info(), runs.back(), {})); });
  }
  return runs;
}

}  // namespace minerva::app
