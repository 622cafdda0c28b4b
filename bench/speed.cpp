// One or several models at one or several depths and batches.
#include "bench/document.h"
#include "bench/speed_report.h"

#include <cstdio>

namespace minerva::bench {
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

// One repetition of each model in turn, each time beginning with the next one: what changes on the machine meanwhile meets all alike.
Result<void> measureInTurn(std::vector<SpeedModel>& models, const SpeedTask& task, int repetitions) {
  for (SpeedModel& model : models) {
    model.runs.push_back({.task = task});
    MINERVA_ASSIGN([[maybe_unused]] const Repetition warmUp, model.runner->once(task));
  }
  for (int r = 0; r < repetitions; ++r) {
    for (std::size_t i = 0; i < models.size(); ++i) {
      SpeedModel& model = models[(static_cast<std::size_t>(r) + i) % models.size()];
      MINERVA_ASSIGN(Repetition repetition, model.runner->once(task));
      model.runs.back().repetitions.push_back(std::move(repetition));
    }
  }
  if (models.size() == 1) models.front().runs.back().peakMemory = peakMemoryBytes();
  return {};
}

Result<std::vector<SpeedModel>> measureModels(const SpeedVerbOptions& options) {
  const SpeedOptions& speed = options.speed;
  std::vector<SpeedModel> models;
  for (const std::string& path : options.models) {
    MINERVA_ASSIGN(OpenModel open, openForSpeed(speed, path));
    auto runner = std::make_unique<SpeedRunner>(*open.engine);
    models.push_back({.open = std::move(open), .runner = std::move(runner)});
  }
  for (const int depth : speed.depths)
    for (const int batch : speed.batches)
      MINERVA_TRY(
          measureInTurn(models, {.depth = depth, .batch = batch, .prompt = speed.prompt, .generate = speed.generate}, speed.repetitions));
  return models;
}

Result<void> runSpeed(const SpeedVerbOptions& options) {
  const Machine machine = thisMachine();
  MINERVA_ASSIGN(const std::vector<SpeedModel> models, measureModels(options));
  Json all = Json::array();
  for (const SpeedModel& model : models) {
    const engine::ModelInfo& info = model.open.engine->info();
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
  app.add_option("--svg", options->svg, "Write a chart of the decode speed to this file");
  addSpeedOptions(app, options->speed, true);
  return [options] { return runSpeed(*options); };
}

}  // namespace minerva::bench
