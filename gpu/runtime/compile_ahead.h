// Which steps have to be looked at so that every kernel of every step is compiled before the first one runs.
#pragma once

#include "gpu/runtime/recorder.h"

#include <vector>

namespace minerva::gpu {

// Shapes whose kernels are those of all steps that these options allow. Which kernels a step needs depends on three numbers, each by
// itself:
// - rows: projections, norms and convolutions before the last rows are gathered, in ranges that begin at formStarts(), and where the rows
//   of an expert reach one of these;
// - outputs: those after it, up to the head, in the same ranges;
// - positions: attention of a single row, and of two rows, whose kernels also serve steps of up to maxSplitRows rows and of
//   any number of rows of several slots; both change at powers of two. Attention of longer steps of one slot does not depend on them, but
//   on whether there are rows enough for matrix units.
[[nodiscard]] std::vector<StepShape> shapesAhead(const Tuning& tuning, const vulkan::MatrixUnit& unit, const model::Plan& plan,
                                                 const backend::PlaceOptions& options);

}  // namespace minerva::gpu
