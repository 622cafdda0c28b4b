// Writes the values of a step that kernels read (StepLayout in resident.h): tokens, positions, angles, visible ranges, pages, sequences.
#pragma once

#include "gpu/runtime/resident.h"
#include "gpu/vulkan/commands.h"

#include <cstddef>
#include <span>
#include <vector>

namespace minerva::gpu {

// `to` has layout.bytes. REQUIRES rows that passed Slots::check.
void writeStepValues(const model::Plan& plan, const StepLayout& layout, const backend::KvPages& pages,
                     std::span<const backend::StepRow> rows, std::byte* to);

// What that writes for so many rows and outputs, whatever their slots: ascending, those close to each other as one.
[[nodiscard]] std::vector<vulkan::ByteRange> stepRanges(const model::Plan& plan, const StepLayout& layout, std::uint32_t rows,
                                                        std::uint32_t outputs);

}  // namespace minerva::gpu
