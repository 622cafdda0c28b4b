// The rows of the type table, one list a family. A new type: one function pair in a family file and one row there.
#pragma once

#include "core/tensor/element_type.h"

#include <array>

namespace minerva::types {

extern const std::array<ElementTypeTraits, 3> floatRows;   // floats.cpp
extern const std::array<ElementTypeTraits, 5> blockRows;   // blocks.cpp: 32 elements, one or two half scales
extern const std::array<ElementTypeTraits, 3> superRows;   // k_quants.cpp: 256 elements, 6- or 8-bit scales below a half

}  // namespace minerva::types
