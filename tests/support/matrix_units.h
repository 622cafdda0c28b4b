// Whether the tests of this run use a GPU's matrix units: the environment variable MINERVA_TEST_UNITS is "on" or "off"; without it, a
// backend chooses as it does for users. `ctest --preset units-on` and `units-off` set it.
#pragma once

#include "core/backend/backend.h"
#include "core/backend/matrix_units.h"

namespace minerva::tests {

[[nodiscard]] backend::MatrixUnits unitsUnderTest();  // ends the program if the variable is anything else
// Whether activations of standard precision may be rounded to float16 on this device: by units that are on, or that a GPU may have.
[[nodiscard]] bool mayUseUnits(const backend::DeviceInfo& device);

}  // namespace minerva::tests
