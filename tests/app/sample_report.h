// A report of speeds with figures that are easy to check.
#pragma once

#include "core/speed/saved_report.h"
#include "core/speed/speed_report.h"

#include <string>
#include <utility>
#include <vector>

namespace minerva::app {

// Of each pair of batch and depth: decode 10 tok/s for each conversation, less a tenth for each 1,000 tokens of depth; prefill 100 times
// that. The repetitions have nine tenths, all and eleven tenths of it.
[[nodiscard]] inline speed::SpeedReport sampleReport(const std::vector<std::pair<int, int>>& measurements,
                                                     const std::string& model = "Sample 1B") {
  engine::ModelInfo info;
  info.displayName = model;
  info.typeName = "Q4_K";
  info.weightBytesPerToken = 1000;
  info.device.id = "cpu";
  info.device.name = "A processor with a rather long name of its own";
  info.device.detail = "AVX-512 BF16";
  backend::BandwidthCurve curve;
  curve.add({1 << 20, 1e6});
  speed::SpeedReport report{.machine = {.processor = "A processor with a rather long name of its own",
                                        .cores = 2,
                                        .threads = 4,
                                        .instructions = "avx512bf16",
                                        .memoryBytes = std::uint64_t{64} << 30,
                                        .system = "Linux 6.1.0 x86_64",
                                        .commit = "0123456789ab",
                                        .date = "2026-11-26 09:30",
                                        .load = 0.25}};
  for (const auto& [batch, depth] : measurements) {
    const double rate = 10.0 * batch * (1 - depth / 10000.0);
    speed::SpeedRun run{.task = {.depth = depth, .batch = batch, .prompt = 128, .generate = 64}};
    for (const double times : {0.9, 1.0, 1.1})
      run.repetitions.push_back(
          {.ttftMs = 200 * times, .prefillPerSecond = 100 * rate * times, .decodePerSecond = rate * times, .intervals = {95, 100, 110}});
    report.rows.push_back(speed::speedJson(info, run, curve));
  }
  return report;
}

}  // namespace minerva::app
