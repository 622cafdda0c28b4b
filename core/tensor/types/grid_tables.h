// The grids of the IQ types as bytes, an entry a word: what both a type's own function (grids.cpp) and kernels read. A byte is a code
// plus the number that makes the smallest one 0 when its sign is turned, so that codes and their mirror images are unsigned:
//   iq2*  43 + {8, 25, 43}, eight an entry         iq3Xxs  62 + {4, 12, 20, 28, 36, 44, 52, 62}, four an entry
//   iq1   8 + 8 * {-1, 0, 1}, eight an entry       iq3S    15 + {1, 3, 5, 7, 9, 11, 13, 15}, four an entry
#pragma once

#include <cstdint>

namespace minerva {

struct GridTables {
  const std::uint64_t *iq2Xxs, *iq2Xs, *iq2S, *iq1;  // 256, 512, 1024 and 2048 entries
  const std::uint32_t* iq3Xxs;                       // 256
  const std::uint64_t* iq3S;                         // 256 pairs: entries n and 256 + n
};
extern const GridTables gridTables;

}  // namespace minerva
