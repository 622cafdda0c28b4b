// The grids of the IQ types as bytes, an entry a word: what both a type's own function (grids.cpp) and kernels read. A byte is a code
// plus an offset, so that codes and, for IQ2 and IQ3, their mirror images are unsigned. IQ1's codes are 8 * {-1, 0, 1}; the others'
// are in grid_data.h. An entry of iq1 and iq2* has eight codes, one of iq3* four.
#pragma once

#include <cstdint>

namespace minerva {

struct GridTables {
  static constexpr int offset1 = 8, offset2 = 43, offset3Xxs = 62, offset3S = 15;
  const std::uint64_t *iq2Xxs, *iq2Xs, *iq2S, *iq1;  // 256, 512, 1024 and 2048 entries
  const std::uint32_t* iq3Xxs;                       // 256
  const std::uint64_t* iq3S;                         // 256 pairs: entries n and 256 + n
};
extern const GridTables gridTables;

}  // namespace minerva
