// Groups of one matrix, a few megabytes: the unit of work of a thread that uploads weights.
#pragma once

#include "core/base/mapped_ranges.h"
#include "core/model/plan.h"
#include "gpu/runtime/matrices.h"
#include "gpu/vulkan/buffer.h"

#include <stop_token>
#include <vector>

namespace minerva::gpu {

struct WeightChunk {
  std::size_t matrix = 0;
  std::uint32_t first = 0, count = 0;  // target groups
  std::uint64_t bytes = 0;
};

// All groups of all matrices, in chunks of about that many bytes; of one group where that is more.
[[nodiscard]] std::vector<WeightChunk> cutIntoChunks(const MatrixPlan& matrices, std::uint64_t bytes);

// Packs groups [first, first + count) of the chunk's matrix to positions (group - offset) of `layout` in mapped memory. Memory that the
// host does not cache is written once, front to back, and never read. Ends early when stopped.
void packChunk(const model::Plan& plan, const Matrix& matrix, const WeightChunk& chunk, const WeightLayout& layout, std::uint32_t offset,
               const vulkan::BufferView& to, const MappedRanges& mapped, const std::stop_token& stop);

}  // namespace minerva::gpu
