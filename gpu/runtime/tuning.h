// What is chosen per device: which form of a kernel runs. Values, passed around.
#pragma once

#include "gpu/vulkan/device_info.h"

#include <array>
#include <cstdint>

namespace minerva::gpu {

// The form of the projection kernel for one range of tokens.
struct MatvecChoice {
  bool texel = false;         // read weights through texel buffers instead of addresses
  std::uint32_t rows = 4;     // a team takes at once: 1, 2, 4 or 8
  std::uint32_t teams = 4;    // subgroups a workgroup
  std::uint32_t columns = 8;  // tokens a workgroup takes at once, at most: 1, 2, 4 or 8
};

// The form of the tiled projection kernel, for steps of many tokens.
struct MatmulChoice {
  std::uint32_t from = never;   // tokens of a step from which on it runs instead of the other
  std::uint32_t threads = 128;  // of a workgroup: 8 * groups times 1, 2, 4 or 8
  std::uint32_t groups = 8;     // of 8 rows a workgroup takes; even
  std::uint32_t columns = 4;    // tokens an invocation takes, at most: 1, 2, 4 or 8
  static constexpr std::uint32_t never = 0xffffffffu;
};

// A form of the projection kernel for matrix units: tiles of tokens and stored rows.
struct UnitTiles {
  std::uint32_t threads = 256;  // of a workgroup: its rows times 1, 2 or 4
  std::uint32_t m = 4, n = 2;   // units of a subgroup: along the tokens, along the rows
  std::uint32_t along = 2;      // subgroups along the tokens
};

struct UnitsChoice {
  std::uint32_t from = never;        // tokens of a step from which on they multiply
  std::uint32_t busy = 128;          // workgroups that keep the device busy: the largest tiles with as many are taken
  std::array<UnitTiles, 3> tiles{};  // largest first
  static constexpr std::uint32_t never = 0xffffffffu;
};

struct Tuning {
  std::uint32_t lanes = 32;               // subgroup size all kernels use
  MatvecChoice one;                       // a single token
  MatvecChoice many;                      // a few more
  MatmulChoice tiles;                     // many
  UnitsChoice units;                      // many, where activations may be rounded to halves
  std::uint32_t normTeams = 16;           // subgroups that normalise a row together, at most
  bool fusedNorm = true;                  // a projection of one token normalises its input itself where it can
  bool privateQueries = false;            // attention keeps q in registers
  std::uint32_t attentionHeads = 4;       // query heads of one kv head a workgroup takes at once, at most
  std::uint32_t attentionHeadsShort = 1;  // ... while the whole cache is one part
  std::uint32_t attentionQueries = 8;     // heads times rows of a long step a workgroup takes at once, at most
  std::uint32_t attentionTeams = 16;      // subgroups a workgroup, each with its own positions; one in long steps
  std::uint32_t splitLength = 1024;       // positions of one part of attention at least; parts only for few rows
};

// Before anything was measured: what the kind of device makes likely.
[[nodiscard]] Tuning defaultTuning(const vulkan::DeviceInfo& device);

}  // namespace minerva::gpu
