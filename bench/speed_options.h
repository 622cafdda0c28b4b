// What the verbs that measure speed are asked for.
#pragma once

#include "bench/device_options.h"
#include "bench/report.h"
#include "core/speed/speed_run.h"

#include <vector>

namespace minerva::bench {

struct SpeedOptions {
  DeviceOptions device;
  int prompt = 512, generate = 128, repetitions = 5, chunk = 512, chunkMs = engine::LoadOptions{}.chunkMs;
  std::vector<int> depths{0}, batches{1};
};

// -p, -n, -r, --depth, --chunk, --chunk-ms and the device's; --batch and --draft where conversations may run together.
void addSpeedOptions(CLI::App& app, SpeedOptions& options, bool batches);
[[nodiscard]] std::vector<speed::SpeedTask> tasksOf(const SpeedOptions& options);  // each depth with each batch
// Opens the model with room for all of them.
[[nodiscard]] Result<OpenModel> openForSpeed(const SpeedOptions& options, const std::string& model);

}  // namespace minerva::bench
