// Selects the kernel that an attention op runs in a step, its constants and its workgroups: a pure function of tuning and step.
#pragma once

#include "core/model/model_config.h"
#include "gpu/runtime/tuning.h"

#include <array>
#include <string>
#include <vector>

namespace minerva::gpu {

struct AttentionNeeds {
  std::uint32_t heads = 1, kvHeads = 1;          // heads: of queries; a multiple of kvHeads
  std::uint32_t keyStride = 0, valueStride = 0;  // elements of a cached head
  std::uint32_t rows = 1;
  std::uint32_t chosenFor = 0;  // rows for which the kernel is chosen, if more than `rows`
  std::uint32_t positions = 1;  // upper bound of those that a row sees: seenPositions()
  bool oneSlot = true;          // all rows are of one sequence
  bool capped = false;          // scores have a soft cap
  bool lessened = false;        // and are less with distance
  bool rounds = false;          // queries and weights may be rounded to float16, as the cache is
};

struct AttentionForm {
  std::string kernel;  // without the suffix of the kind of cache
  std::vector<std::uint32_t> constants;
  std::uint32_t lanes = 0;   // for Kernels::get
  std::uint32_t splits = 1;  // ranges of positions; their results are joined where there are several
  std::array<std::uint32_t, 3> workgroups{};
};

[[nodiscard]] AttentionForm attentionForm(const Tuning& tuning, const vulkan::DeviceInfo& device, const AttentionNeeds& needs);

// Rows of one sequence from which on matrix units attend them, where they can: their queries, folded, must fill half of a workgroup.
[[nodiscard]] std::uint32_t unitAttentionFrom(const Tuning& tuning, std::uint32_t groupSize);

// The positions that a row sees at most, of a sequence of so many (a power of two): a power of two.
[[nodiscard]] std::uint32_t seenPositions(const model::Visible& visible, std::uint32_t positions);

// Up to so many rows of one sequence are attended one by one, and their positions split among workgroups; more of them share workgroups.
inline constexpr std::uint32_t maxSplitRows = 8;
// Maximum number of splits of a row, and of all rows together: what Resident::partial has room for.
inline constexpr std::uint32_t maxSplits = 256, maxPartials = 512;

}  // namespace minerva::gpu
