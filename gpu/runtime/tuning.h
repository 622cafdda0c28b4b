// Parameters chosen per device: which form of each kernel runs. Plain values.
#pragma once

#include "core/backend/matrix_units.h"
#include "core/tensor/element_type.h"
#include "gpu/vulkan/device_info.h"

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace minerva::gpu {

// The form of the matrix-vector kernel for one range of token counts. A team is a subgroup.
struct MatvecChoice {
  bool texel = false;         // read weights through texel buffers instead of addresses
  std::uint32_t rows = 4;     // matrix rows per team at once: 1, 2, 4 or 8
  std::uint32_t teams = 4;    // subgroups per workgroup
  std::uint32_t columns = 8;  // maximum tokens per workgroup at once: 1, 2, 4 or 8
  std::uint32_t share = 4;    // lanes that read a block of 32 columns together: 1 or 4
  bool operator==(const MatvecChoice&) const = default;
};

// The form of the tiled matrix-matrix kernel, for steps with many tokens.
struct MatmulChoice {
  std::uint32_t from = never;   // minimum tokens of a step for this kernel
  std::uint32_t threads = 128;  // per workgroup: 8 * groups times 1, 2, 4 or 8
  std::uint32_t groups = 8;     // groups of 8 matrix rows per workgroup; even
  std::uint32_t columns = 4;    // maximum tokens per invocation: 1, 2, 4 or 8
  bool bytes = false;           // multiplies bytes where activations may be rounded to those and the weights' codes are (takesBytes())
  static constexpr std::uint32_t never = 0xffffffffu;
};

// The form of the kernel whose lanes have a matrix row each, for steps of several tokens on drivers that run on the CPU.
struct RowsChoice {
  std::uint32_t from = never;  // minimum tokens of a step for this kernel
  std::uint32_t columns = 16;  // maximum tokens per workgroup at once: a power of two
  static constexpr std::uint32_t never = 0xffffffffu;
};

// Tile sizes of the kernel for matrix units.
struct UnitTiles {
  std::uint32_t threads = 256;  // per workgroup: its matrix rows times 1, 2 or 4
  std::uint32_t m = 4, n = 2;   // matrix-unit tiles per subgroup: along the tokens, along the matrix rows
  std::uint32_t along = 2;      // subgroups per workgroup along the tokens
};

struct UnitsChoice {
  std::uint32_t from = never;        // minimum tokens of a step for this kernel
  std::uint32_t lanes = 32;          // subgroup size of kernels for matrix units, whatever the others' is
  std::uint32_t busy = 128;          // workgroups needed to occupy the device; the largest tiles that yield as many are used
  std::array<UnitTiles, 3> tiles{};  // largest first
  bool checked = false;              // it has shown that it multiplies rightly by them, or they are `never`
  bool halfSums = false;             // sums may be float16 where that is measured to be faster: the device can, and does it rightly
  std::uint32_t splits = 3;          // from this one on there is room for inputs in two summands; 3: in none
  bool attention = false;            // attention of many rows takes them, too, from `attentionFrom` queries of a KV head on
  std::uint32_t attentionFrom = 32;  // half of what a workgroup has
  std::uint32_t sums = 64;           // of one invocation of attention at most, so that registers hold them
  static constexpr std::uint32_t never = 0xffffffffu;
};

// When the columns of a product of several tokens are split into ranges among workgroups, whose partial sums are added up by a kernel more.
struct RangesChoice {
  std::uint32_t cores = 0;    // of the device: fewer tiles of the result leave some idle. 0: never split
  std::uint32_t from = 1024;  // columns of a matrix from which on: multiplying by fewer takes no longer than the sum and its barrier
  std::uint32_t least = 256;  // columns of a range
};

// Matrices for which the same choice is made: of a type, with few rows or with many. Of experts and heads, one counts.
struct MatrixKind {
  ElementType type = ElementType::F32;
  bool narrow = false;
  auto operator<=>(const MatrixKind&) const = default;
};
[[nodiscard]] MatrixKind kindOf(ElementType type, std::uint32_t rows);

// What of a kind's choice rests on measurements; the rest is what is usual.
struct MeasuredParts {
  bool one = false, many = false, longSteps = false;
  std::uint32_t loads = 0;  // in which it was measured: a slow device would never come to an end
  bool operator==(const MeasuredParts&) const = default;
};

// What is chosen for a kind of matrices.
struct ProjectionChoice {
  MatvecChoice one, many;                      // as Tuning's
  std::uint32_t tilesFrom = 0, unitsFrom = 0;  // minimum tokens, as Tuning's tiles.from and units.from
  bool halfSums = false;                       // matrix units add the products of a block in float16
  MeasuredParts parts = {};
  bool operator==(const ProjectionChoice&) const = default;
};

struct Tuning {
  std::uint32_t lanes = 32;               // subgroup size of all kernels without matrix units
  MatvecChoice one;                       // steps of one token
  MatvecChoice many;                      // steps of a few tokens
  std::uint32_t sums = 16;                // of one invocation of these two at most, so that a GPU's registers hold them: fewer rows then
  MatmulChoice tiles;                     // steps of many tokens
  RowsChoice rows;                        // steps of several tokens, instead of the two above
  bool words = false;                     // steps of one token by weights of two bytes: neighbouring lanes read neighbouring words
  UnitsChoice units;                      // steps of many tokens, if activations may be rounded to float16
  RangesChoice ranges;                    // of both of these, where a product has few tiles
  std::uint32_t normTeams = 16;           // maximum subgroups that normalise a row together
  bool fusedNorm = true;                  // one-token projections normalise their input themselves where they can
  bool summedPlaces = true;               // the last projection of experts also sums their results, in steps of few rows
  double dispatchFlops = 1e10;            // operations of a dispatch at most: half a second at 20 GFLOP/s, as the slowest GPUs have
  double unitDispatchFlops = 1e11;        // the same of kernels for matrix units: such a device multiplies ten times as fast by them
  double submissionFlops = 6e9;           // of a submission at most, at that rate, until the device has shown its own (SubmissionPace)
  double submissionBytes = 1e10;          // bytes that it reads at most, likewise: a third of a second at 30 GB/s
  std::uint32_t workgroups = 65535;       // of a dispatch along an axis at most: what every device takes
  bool privateQueries = false;            // attention keeps q in registers
  std::uint32_t attentionHeads = 8;       // maximum query heads of one KV head per workgroup
  std::uint32_t attentionHeadsShort = 1;  // the same while the cache is too short to be split
  std::uint32_t attentionQueries = 8;     // long steps: maximum heads times rows per workgroup
  std::uint32_t attentionTeams = 16;      // maximum subgroups per workgroup, each with its own positions; one in long steps
  std::uint32_t recurrentSplits = 4;      // invocations that share a column of a recurrent state
  std::uint32_t recurrentColumns = 32;    // columns of it per workgroup, at most
  std::uint32_t attentionGroups = 1;      // workgroups that occupy the device: positions are split into as many ranges as give them
  std::uint32_t splitFrom = 1024;         // positions from which on they are split: reading fewer takes no longer than a join
  std::uint32_t splitLength = 128;        // minimum positions of a split

  // What was measured on this device; all other kinds have the choices above. Where these have no matrix units, no kind has.
  std::map<MatrixKind, ProjectionChoice> measured;
  // The kind whose choice all experts have whose places are gathered: the projections of a route share a list of tiles of one size.
  std::optional<MatrixKind> gathered;
};

[[nodiscard]] ProjectionChoice choiceOf(const Tuning& tuning, const MatrixKind& kind);
[[nodiscard]] ProjectionChoice choiceOfGathered(const Tuning& tuning);

// Defaults by kind of device, used until measured. lanes: a subgroup size that the device has; 0: the usual one.
[[nodiscard]] Tuning defaultTuning(const vulkan::DeviceInfo& device, std::uint32_t lanes = 0);

// The tuning with matrix units as asked, whatever was measured. False: they cannot be on, because the device has none or too little
// memory for their tiles.
[[nodiscard]] bool setMatrixUnits(Tuning& tuning, const vulkan::DeviceInfo& device, backend::MatrixUnits asked);

// Subgroup sizes, ascending, that may be tried on a device: one where its driver leaves no choice.
[[nodiscard]] std::vector<std::uint32_t> laneChoices(const vulkan::DeviceInfo& device);

}  // namespace minerva::gpu
