// One or several models at one or several depths and batches.
#include "bench/speed_options.h"
#include "core/speed/document.h"
#include "core/speed/speed_report.h"

#include <algorithm>
#include <cstdio>
#include <map>

namespace minerva::bench {
using namespace speed;
namespace {

struct SpeedVerbOptions {
  SpeedOptions speed;
  std::vector<std::string> models;
  std::string markdown, svg;
  bool json = false;
};

struct SpeedModel {
  OpenModel open;
  std::unique_ptr<SpeedRunner> runner;
  std::vector<SpeedRun> runs = {};
};

// The tasks for which every model's context has room. The other depths are named on stderr, so that a model made for fewer positions is
// measured as far as it goes; if there is no task left, that is an error.
Result<std::vector<SpeedTask>> fittingTasks(const std::vector<SpeedTask>& tasks, const std::vector<SpeedModel>& models) {
  const auto contextOf = [](const SpeedModel& model) { return model.open.engine->info().contextLength; };
  const engine::ModelInfo& least = std::ranges::min_element(models, {}, contextOf)->open.engine->info();
  std::vector<SpeedTask> fitting;
  std::map<int, Error> leftOut;  // by depth
  for (const SpeedTask& task : tasks) {
    if (positionsOf(task) <= least.contextLength) {
      fitting.push_back(task);
      continue;
    }
    leftOut.try_emplace(task.depth, Error{.kind = ErrorKind::invalidArgument,
                                          .what = "The model's context is too short for this depth, which is left out",
                                          .where = least.displayName + ", depth " + std::to_string(task.depth),
                                          .expected = std::to_string(positionsOf(task)) + " positions with prompt and reply",
                                          .actual = std::to_string(least.contextLength)});
  }
  if (fitting.empty()) return fail(leftOut.begin()->second);
  for (const auto& [depth, error] : leftOut) std::fprintf(stderr, "%s\n", error.message().c_str());
  return fitting;
}

Result<std::vector<SpeedModel>> measureModels(const SpeedVerbOptions& options) {
  const SpeedOptions& speed = options.speed;
  std::vector<SpeedModel> models;
  for (const std::string& path : options.models) {
    MINERVA_ASSIGN(OpenModel open, openForSpeed(speed, path));
    auto runner = std::make_unique<SpeedRunner>(*open.engine);
    models.push_back({.open = std::move(open), .runner = std::move(runner)});
  }
  std::vector<SpeedRunner*> runners;
  for (const SpeedModel& model : models) runners.push_back(model.runner.get());
  MINERVA_ASSIGN(const std::vector<SpeedTask> tasks, fittingTasks(tasksOf(speed), models));
  for (const SpeedTask& task : tasks) {
    MINERVA_ASSIGN(std::vector<SpeedRun> runs, measureInTurn(runners, task, speed.repetitions));
    if (models.size() == 1) runs.front().peakMemory = peakMemoryBytes();
    for (std::size_t i = 0; i < models.size(); ++i) models[i].runs.push_back(std::move(runs[i]));
  }
  return models;
}

// Their own, with the file's name where several would be called the same, and a number where that is the same, too.
std::vector<std::string> differentNames(const std::vector<std::string>& paths, const std::vector<SpeedModel>& models) {
  std::vector<std::string> labels, names;
  for (const SpeedModel& model : models) {
    const engine::ModelInfo& info = model.open.engine->info();
    labels.push_back(info.displayName + "\n" + format::name(info.format) + "\n" + info.typeName);
  }
  for (std::size_t i = 0; i < models.size(); ++i) {
    const std::string& own = models[i].open.engine->info().displayName;
    names.push_back(own);
    if (std::ranges::count(labels, labels[i]) == 1) continue;
    const std::string file = fileNameOf(paths[i]);
    names.back() = own + " (" + file + ")";
    for (int next = 2; std::ranges::count(names, names.back()) > 1; ++next)
      names.back() = own + " (" + file + ", " + std::to_string(next) + ")";
  }
  return names;
}

Result<void> runSpeed(const SpeedVerbOptions& options) {
  const Machine machine = thisMachine();
  MINERVA_ASSIGN(const std::vector<SpeedModel> models, measureModels(options));
  const std::vector<std::string> names = differentNames(options.models, models);
  Json all = Json::array();
  for (std::size_t i = 0; i < models.size(); ++i) {
    const SpeedModel& model = models[i];
    engine::ModelInfo info = model.open.engine->info();
    info.displayName = names[i];
    MINERVA_ASSIGN(const backend::BandwidthCurve bandwidth, measureBandwidth(*model.open.backend, info, model.runs));
    for (const SpeedRun& run : model.runs) {
      all.push_back(speedJson(info, run, bandwidth));
      if (!options.json) printSpeed(all.back());
    }
  }
  if (options.json) print(all.size() == 1 && options.speed.batches.front() == 1 ? all.front() : all);
  if (!options.markdown.empty()) MINERVA_TRY(writeReport(options.markdown, speedMarkdown(all, machine)));
  if (!options.svg.empty()) MINERVA_TRY(writeReport(options.svg, speedSvg(all, machine)));
  return {};
}

}  // namespace

Runner defineSpeed(CLI::App& app) {
  auto options = std::make_shared<SpeedVerbOptions>();
  app.add_option("models", options->models, "A model file or folder; several are all opened and measured in turn")
      ->required()
      ->expected(1, 16);
  app.add_flag("--json", options->json, "Print a JSON object; for several models, batches or depths, an array");
  app.add_option("--markdown", options->markdown, "Write a Markdown table to this file");
  app.add_option("--svg", options->svg, "Write charts of the decode and prefill speed to this file");
  addSpeedOptions(app, options->speed, true);
  return [options] { return runSpeed(*options); };
}

}  // namespace minerva::bench
