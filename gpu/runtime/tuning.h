// What is chosen per device: which form of a kernel runs. Values, passed around.
#pragma once

#include "gpu/vulkan/device_info.h"

#include <cstdint>

namespace minerva::gpu {

// The form of the projection kernel for one range of tokens.
struct MatvecChoice {
  bool texel = false;          // read weights through texel buffers instead of addresses
  std::uint32_t rows = 4;      // a team takes at once: 1, 2, 4 or 8
  std::uint32_t teams = 4;     // subgroups a workgroup
  std::uint32_t columns = 8;   // tokens a workgroup takes at once, at most: 1, 2, 4 or 8
};

struct Tuning {
  std::uint32_t lanes = 32;    // subgroup size all kernels use
  MatvecChoice one;            // a single token
  MatvecChoice many;           // more
  bool privateQueries = false; // attention keeps q in registers
  std::uint32_t attentionHeads = 4;   // query heads of one kv head a workgroup takes at once, at most
  std::uint32_t splitLength = 256;    // positions of one part of attention at least; parts only for few rows
};

// Before anything was measured: what the kind of device makes likely.
[[nodiscard]] Tuning defaultTuning(const vulkan::DeviceInfo& device);

}  // namespace minerva::gpu
