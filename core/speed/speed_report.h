// The figures of speed runs: JSON, words, Markdown, a chart.
#pragma once

#include "core/speed/machine.h"
#include "core/speed/speed_run.h"

#include <optional>
#include <string>
#include <vector>

namespace minerva::speed {

// The read bandwidth beside which the runs are seen. If a model's speed exceeds what was measured, something else ran during the
// measurement, so that it is measured again. Call after the runs: its buffer is larger than most models and would be in their peak memory.
[[nodiscard]] Result<backend::BandwidthCurve> measureBandwidth(backend::Backend& device, const engine::ModelInfo& info,
                                                               const std::vector<SpeedRun>& runs, const std::stop_token& stop = {});

// The object that `speed --json` prints. An empty curve: the share of the bandwidth is not known.
[[nodiscard]] Json speedJson(const engine::ModelInfo& info, const SpeedRun& run, const backend::BandwidthCurve& curve);

// Of speedJson()s.
void printSpeed(const Json& row);
[[nodiscard]] std::string speedMarkdown(const Json& rows, const Machine& machine);
// Decode and prefill over the batch, if there are several, and over the depth, if there are several; otherwise a bar of each for each
// model. Rows of the same model, format and type are of one model.
[[nodiscard]] std::string speedSvg(const Json& rows, const Machine& machine);

}  // namespace minerva::speed
