// The dispatches and barriers of a step on a GPU that is only described: a recording without a device.
#pragma once

#include "core/backend/backend.h"
#include "core/backend/described_gpu.h"

#include <vector>

namespace minerva::gpu {

// Contract: countStep() in gpu/available.h.
[[nodiscard]] Result<std::vector<backend::OpCounts>> countStep(const backend::DescribedGpu& gpu, const model::Plan& plan,
                                                               const backend::PlaceOptions& options, const model::StepSize& step);

}  // namespace minerva::gpu
