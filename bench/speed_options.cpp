#include "bench/speed_options.h"

namespace minerva::bench {

void addSpeedOptions(CLI::App& app, SpeedOptions& options, bool batches) {
  app.add_option("-p,--prompt-tokens", options.prompt, "Prompt tokens")->check(CLI::Range(1, 1 << 20));
  app.add_option("-n,--generate", options.generate, "Tokens to decode after the first")->check(CLI::Range(1, 1 << 20));
  app.add_option("-r,--repetitions", options.repetitions, "Measured repetitions, after one warm-up")->check(CLI::Range(1, 1000));
  app.add_option("--depth", options.depths, "Tokens already in the context; several, separated by commas")
      ->delimiter(',')
      ->allow_extra_args(false)  // what follows is the model
      ->check(CLI::Range(0, 1 << 20));
  if (batches) {
    app.add_option("--batch", options.batches, "Concurrent conversations; several, separated by commas")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::Range(1, 64));
    addReplyOptions(app, options.device);
  }
  app.add_option("--chunk", options.chunk, "Maximum number of prompt tokens per step")->check(CLI::Range(1, 1 << 16));
  app.add_option("--chunk-ms", options.chunkMs,
                 "Target duration of a prefill step in milliseconds, by default as in the app; 0: whole chunks")
      ->check(CLI::Range(0, 1 << 20));
  addDeviceOptions(app, options.device);
}

std::vector<speed::SpeedTask> tasksOf(const SpeedOptions& options) {
  std::vector<speed::SpeedTask> tasks;
  for (const int depth : options.depths)
    for (const int batch : options.batches)
      tasks.push_back({.depth = depth, .batch = batch, .prompt = options.prompt, .generate = options.generate});
  return tasks;
}

Result<OpenModel> openForSpeed(const SpeedOptions& options, const std::string& model) {
  engine::LoadOptions load = speed::roomFor(tasksOf(options));
  load.path = model;
  load.chunk = options.chunk;
  load.chunkMs = options.chunkMs;
  return openModel(options.device, load);
}

}  // namespace minerva::bench
