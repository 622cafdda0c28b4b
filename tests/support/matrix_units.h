// Whether the tests of this run use a GPU's matrix units: the environment variable MINERVA_TEST_UNITS is "on" or "off"; without it, a
// backend chooses as it does for users. `ctest --preset units-on` and `units-off` set it.
#pragma once

#include "core/backend/matrix_units.h"

namespace minerva::tests {

[[nodiscard]] backend::MatrixUnits unitsUnderTest();  // ends the program if the variable is anything else

}  // namespace minerva::tests
