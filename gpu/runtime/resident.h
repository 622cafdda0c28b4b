// Device memory of a placement, as views. Filled by resident.cpp, read by the recorder.
#pragma once

#include "core/backend/kv_pages.h"
#include "gpu/runtime/matrices.h"
#include "gpu/vulkan/arena.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace minerva::gpu {

// Byte offsets of the values that change with every step, all in one buffer.
struct StepLayout {
  std::uint64_t tokens = 0;              // uint [maxRows]
  std::uint64_t rows = 0;                // uvec2 (position, slot) [maxRows]
  std::uint64_t outputs = 0;             // uint [maxOutputRows]: row index of each output
  std::uint64_t types = 0;               // uint each
  std::uint64_t factors = 0;             // float [maxOutputRows]: 1 / temperature of each output
  std::vector<std::uint64_t> rotations;  // per rope: vec2 (cos, sin) [maxRows, rotary / 2]
  // Per kind of visibility: uint [maxRows, 3], the positions a row sees, as Visible::begin() and end(), and its slot.
  std::vector<std::pair<model::Visible, std::uint64_t>> ranges;
  std::vector<std::pair<model::QueryTemperature, std::uint64_t>> temperatures;  // per kind: float [maxRows]
  std::uint32_t slotPages = 0;                                                  // pages of a context
  std::vector<std::uint64_t> pages;  // per group of KV states: uint [slots, slotPages] (shaders/pages.glsl)
  std::uint32_t sequenceCount = 0;   // sequences that a step may have at most; 0 without recurrent states
  std::uint64_t sequences = 0;       // uvec4 [sequenceCount]: shaders/sequences.glsl
  std::uint64_t order = 0;           // uint [maxRows]: rows by sequence
  std::uint64_t bytes = 0;
};
// The offset of a kind that the plan has.
template <class Kind>
[[nodiscard]] std::uint64_t placeOf(const std::vector<std::pair<Kind, std::uint64_t>>& places, const Kind& kind) {
  return std::ranges::find(places, kind, &std::pair<Kind, std::uint64_t>::first)->second;
}
[[nodiscard]] StepLayout stepLayout(const model::Plan& plan, const backend::PlaceOptions& options);

// Element format of the KV cache: float16, float32, or Q8_0 codes.
enum class CacheKind { half, single, codes };
// Bytes of one head at one position.
[[nodiscard]] std::uint64_t cellBytes(CacheKind kind, std::uint32_t stride);

struct Resident {
  std::vector<vulkan::BufferView> matrices;             // [MatrixPlan::matrices]
  vulkan::BufferView constants;                         // float vectors of norms, and biases
  std::map<model::WeightId, std::uint64_t> vectors;     // byte offset of a norm's vector in `constants`
  std::map<const MatrixUse*, std::uint64_t> biases;     // byte offset of the biases of a use in `constants`
  std::uint64_t ones = 0, onesCount = 0;                // byte offset in `constants`, and floats: the weights of norms without weights
  std::vector<vulkan::BufferView> recurrent;            // [plan.recurrent] float [slots, then checkpoints; rows, columns]
  std::vector<vulkan::BufferView> keys, values;         // [plan.kv] cells [pages, pagePositions, kvHeads] (shaders/cache.glsl)
  std::vector<int> kvGroups;                            // [plan.kv] group (core/backend/kv_pages.h)
  std::uint32_t pagePositions = 0;                      // positions that a page has memory for
  std::vector<std::uint32_t> keyStrides, valueStrides;  // [plan.kv] elements of a cached head
  std::vector<bool> valuesInKeys;                       // [plan.kv] values are the first elements of the keys, not stored separately
  CacheKind cacheKind = CacheKind::half;
  std::vector<vulkan::BufferView> buffers;  // [plan.buffers] float [rows, stride]
  std::vector<std::uint32_t> strides;       // [plan.buffers] floats per row; experts' outputs are padded per place
  vulkan::BufferView normed, aside;         // scratch: normalised rows, gate of a two-pass gated projection
  vulkan::BufferView partial;               // scratch: partial sums of attention, or of products
  vulkan::BufferView byExpert;              // scratch: places gathered by expert (shaders/by_expert.comp)
  vulkan::BufferView topKeys, topSums;      // scratch: of chunks of logits (shaders/top_chunks.comp)
  vulkan::BufferView lists;                 // the best logits of each output, in memory of the host; empty if listedRows() is 0
  vulkan::BufferView step;                  // StepLayout
  StepLayout stepLayout;
  backend::MemoryUse use;

  std::optional<vulkan::Arena> weightArena, kvArena, scratchArena;  // own the memory of all of the above
  std::optional<vulkan::Buffer> stepBuffer, listBuffer;             // own the memory of `step` and `lists`
};

// Floats per row of a buffer with that many columns: padded to whole blocks, so that kernels need no bounds checks.
[[nodiscard]] std::uint32_t strideOf(int columns);
// Elements per cached head: padded to 16 bytes of float16.
[[nodiscard]] std::uint32_t headStrideOf(int headDim);

// Outputs of a step whose best logits are listed; steps with more outputs have no lists, because they are not those of replies.
[[nodiscard]] std::uint32_t listedRows(const model::Plan& plan, const backend::PlaceOptions& options);
// Chunks of a row of logits.
[[nodiscard]] std::uint32_t topChunks(const model::Plan& plan);

// Bytes of a page of a KV state: keys, values (0 if they are part of the keys).
[[nodiscard]] std::array<std::uint64_t, 2> pageBytes(const model::KvState& state, const Resident& resident, std::size_t index);

// Bytes of one copy of a recurrent state: of a slot, or of a checkpoint.
[[nodiscard]] std::uint64_t stateBytes(const model::RecurrentState& state);

struct ResidentNeeds {
  backend::MemoryUse use;
  std::uint64_t largest = 0;  // bytes of the largest buffer: no more than the device allows, but for a range that alone has more
};
// The memory that allocateResident() would use on this device.
[[nodiscard]] ResidentNeeds residentNeeds(const vulkan::DeviceInfo& info, const model::Plan& plan, const MatrixPlan& matrices,
                                          const backend::PlaceOptions& options);

// What allocateResident() would lay out, without memory: every view is empty. For a Recorder that only collects kernels.
[[nodiscard]] Resident describeResident(const model::Plan& plan, const MatrixPlan& matrices, const backend::PlaceOptions& options);

// Lays everything out, checks the total against the memory budget, allocates. Writes nothing.
// Errors: outOfMemory with needed and free bytes, limit.
[[nodiscard]] Result<Resident> allocateResident(const std::shared_ptr<vulkan::Device>& device, const model::Plan& plan,
                                                const MatrixPlan& matrices, const backend::PlaceOptions& options);

}  // namespace minerva::gpu
