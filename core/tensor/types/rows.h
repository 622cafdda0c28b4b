// The rows of the type table, one list a family. A new type: one function pair in a family file and one row there.
#pragma once

#include "core/tensor/element_type.h"

#include <array>

namespace minerva::types {

extern const std::array<ElementTypeTraits, 20> floatRows;       // floats.cpp: one element a block; scaled FP8
extern const std::array<ElementTypeTraits, 5> blockRows;        // blocks.cpp: 32 elements, one or two half scales
extern const std::array<ElementTypeTraits, 3> superRows;        // k_quants.cpp: 256 elements, 6- or 8-bit scales below a half
extern const std::array<ElementTypeTraits, 2> smallSuperRows;   // k_small.cpp: 256 elements, 2 and 3 bits
extern const std::array<ElementTypeTraits, 4> nibbleTableRows;  // nibble_tables.cpp: 4-bit codes of a table
extern const std::array<ElementTypeTraits, 6> fewBitRows;       // few_bits.cpp: ternary, binary, plain bytes
extern const std::array<ElementTypeTraits, 7> gridRows;         // grids.cpp: IQ1, IQ2, IQ3
extern const std::array<ElementTypeTraits, 3> smallBlockRows;   // small_blocks.cpp: small floats with small scales apart
extern const std::array<ElementTypeTraits, 54> mlxRows;         // mlx_affine.cpp

}  // namespace minerva::types
