// Writes the values of a step that kernels read (StepLayout in resident.h): tokens, positions, angles, visible ranges, pages, sequences.
#pragma once

#include "gpu/runtime/resident.h"

#include <cstddef>
#include <span>

namespace minerva::gpu {

// `to` has layout.bytes. REQUIRES rows that passed Slots::check.
void writeStepValues(const model::Plan& plan, const StepLayout& layout, const backend::KvPages& pages,
                     std::span<const backend::StepRow> rows, std::byte* to);

}  // namespace minerva::gpu
