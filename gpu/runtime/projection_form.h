// Selects the kernel that multiplies a matrix in a step, and its constants: a pure function of the tuning.
#pragma once

#include "gpu/runtime/column_ranges.h"
#include "gpu/runtime/tuning.h"
#include "gpu/runtime/weight_layout.h"

#include <array>
#include <string>
#include <vector>

namespace minerva::gpu {

// Rows that an op of a step has.
struct RowsOfOp {
  std::uint32_t count = 1;
  std::uint32_t chosenFor = 1;  // rows for which a kernel is chosen
  std::uint32_t alike = 1;      // `count`, if each row is computed as if it were one; else 1
};

struct ProjectionNeeds {
  ElementType type = ElementType::F32;
  std::uint32_t groups = 0;                                // groups of the matrix, per expert or head
  std::uint32_t blocks = 0;                                // of 32 columns
  std::uint32_t tokens = 1;                                // for which it is chosen; of gathered places those of an expert on average
  std::uint32_t epilogue = 0, activation = 0, places = 0;  // choices.h
  std::uint32_t alike = 1;                                 // tokens of which each is computed as if it were one; REQUIRES `tokens` of 1
  bool normed = false;                                     // the kernel must also normalise the input; REQUIRES `tokens` of 1
  std::uint32_t summed = 0, shared = 0;                    // matvec.comp: the places of a token whose results are added, and what besides
  bool rounds = false;                                     // activations may be rounded, to float16 or to bytes
  std::uint64_t bytes = 0;                                 // of the matrix, all experts or heads
  std::uint64_t texels = ~std::uint64_t{0};                // elements that a texel buffer may have: fewer words than quads fit into one
  std::uint64_t room = 0;                                  // floats that there are for partial sums; 0: columns are not split
};

struct ProjectionForm {
  std::string kernel;
  std::vector<std::uint32_t> constants;
  std::uint32_t lanes = 0;              // for Kernels::get
  std::uint32_t rows = 1, columns = 1;  // per workgroup: stored rows of the matrix, tokens
  bool tokensFirst = false;             // the order of its workgroups: tokensFirst()
  bool units = false;                   // by matrix units
  ColumnRanges ranges = {};             // several: the kernel stores partial sums, without the epilogue
};

// Workgroups (tokens, rows, planes of rows), so that those which read the same rows of a matrix run one after the other and find them in
// the device's cache. tokens, rows: workgroups that have the same rows, and the same tokens.
[[nodiscard]] std::array<std::uint32_t, 3> tokensFirst(std::uint32_t tokens, std::uint32_t rows);

[[nodiscard]] ProjectionForm projectionForm(const Tuning& tuning, const vulkan::MatrixUnit& unit, const ProjectionNeeds& needs);

// How the places of a step's rows are gathered by expert (shaders/by_expert.comp).
struct Gathering {
  std::uint32_t tokens = 0;  // that an expert has on average; 0: not gathered, each place is multiplied by itself
  std::uint32_t tile = 0;    // places that a workgroup multiplies together
  std::uint32_t tiles = 0;   // at most
  bool rounds = false;       // activations may be rounded
};
inline constexpr std::uint32_t leastGathered = 2;  // tokens an expert, from which on gathering reads fewer weights
// rounds: whether activations may be rounded, for all weights of the projections (takesUnits()).
[[nodiscard]] Gathering gatheringOf(const Tuning& tuning, const vulkan::MatrixUnit& unit, const RowsOfOp& rows, std::uint32_t experts,
                                    std::uint32_t used, bool rounds);

// Whether matrix units, which take float16, are exact enough for weights of this type; and whether the activations must be two summands
// for that.
[[nodiscard]] bool takesUnits(ElementType type);
[[nodiscard]] bool splitsInput(ElementType type);
// Whether weights of this type may be multiplied as bytes: their codes are, and activations of eight bits are exact enough for them.
[[nodiscard]] bool takesBytes(ElementType type);
// Whether they may add in float16 what they multiply of such weights.
[[nodiscard]] bool takesHalfSums(ElementType type);

// Numbers of tokens up to `most`, ascending from 1: steps from one of them up to the next have the same forms, whatever the matrix.
[[nodiscard]] std::vector<std::uint32_t> formStarts(const Tuning& tuning, const vulkan::MatrixUnit& unit, std::uint32_t most);

}  // namespace minerva::gpu
