// Everything of a placement that stands in device memory, as views. Filled by resident.cpp, read by the recorder.
#pragma once

#include "core/backend/backend.h"
#include "gpu/runtime/matrices.h"
#include "gpu/vulkan/arena.h"

#include <map>
#include <optional>
#include <vector>

namespace minerva::gpu {

// Where the values that change with every step lie in one buffer (bytes).
struct StepLayout {
  std::uint64_t tokens = 0;              // uint [maxRows]
  std::uint64_t rows = 0;                // uvec2 (position, slot) [maxRows]
  std::uint64_t outputs = 0;             // uint [maxOutputRows]: index of the row
  std::vector<std::uint64_t> rotations;  // of each rope: vec2 (cos, sin) [maxRows, rotary / 2]
  std::uint64_t bytes = 0;
};
[[nodiscard]] StepLayout stepLayout(const model::Plan& plan, const backend::PlaceOptions& options);

// What the KV cache stores.
enum class CacheKind { half, single, codes };
// Bytes of one cached head of one position.
[[nodiscard]] std::uint64_t cellBytes(CacheKind kind, std::uint32_t stride);

struct Resident {
  std::vector<vulkan::BufferView> matrices;             // [MatrixPlan::matrices]
  vulkan::BufferView constants;                         // float: norms and biases
  std::map<model::WeightId, std::uint64_t> vectors;     // byte offset of a norm's vector in constants
  std::map<const MatrixUse*, std::uint64_t> biases;     // ... of the biases of a use
  std::vector<vulkan::BufferView> keys, values;         // [layers] cells [slots, context, kvHeads] (shaders/cache.glsl)
  std::vector<std::uint32_t> keyStrides, valueStrides;  // [layers] elements of a cached head
  std::vector<bool> valuesInKeys;                       // [layers] values are the beginnings of keys and have no memory
  CacheKind cacheKind = CacheKind::half;
  std::vector<vulkan::BufferView> buffers;    // [plan.buffers] float [rows, stride]
  std::vector<std::uint32_t> strides;         // [plan.buffers]; what experts write has whole blocks for each place
  vulkan::BufferView normed, aside, partial;  // scratch: normalised rows, a gate kept aside, parts of attention
  vulkan::BufferView step;                    // StepLayout
  StepLayout stepLayout;
  backend::MemoryUse use;

  std::optional<vulkan::Arena> weightArena, kvArena, scratchArena;  // own the memory of all of the above
  std::optional<vulkan::Buffer> stepBuffer;                         // ... but of `step`
};

// Floats of a row of a buffer with that many columns: whole blocks, so that kernels need not look at the end.
[[nodiscard]] std::uint32_t strideOf(int columns);
// Halves a cached head takes: whole 16 bytes.
[[nodiscard]] std::uint32_t headStrideOf(int headDim);

// Most parts one row's attention is cut into, and most rows for which it is cut at all.
inline constexpr std::uint32_t maxSplits = 64, maxSplitRows = 8;

// What allocateResident() would take on such a device.
[[nodiscard]] backend::MemoryUse residentNeeds(const vulkan::DeviceInfo& info, const model::Plan& plan, const MatrixPlan& matrices,
                                               const backend::PlaceOptions& options);

// Lays everything out, asks the budget for the sum, allocates. Nothing is written yet.
// Errors: outOfMemory with needed and free bytes, limit.
[[nodiscard]] Result<Resident> allocateResident(const std::shared_ptr<vulkan::Device>& device, const model::Plan& plan,
                                                const MatrixPlan& matrices, const backend::PlaceOptions& options);

}  // namespace minerva::gpu
