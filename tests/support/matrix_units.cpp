#include "tests/support/matrix_units.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace minerva::tests {

backend::MatrixUnits unitsUnderTest() {
  const char* set = std::getenv("MINERVA_TEST_UNITS");
  const std::string_view asked = set == nullptr ? "" : set;
  if (asked.empty()) return backend::MatrixUnits::whereFaster;
  if (asked == "on") return backend::MatrixUnits::on;
  if (asked == "off") return backend::MatrixUnits::off;
  std::fprintf(stderr, "MINERVA_TEST_UNITS: expected on or off, found %s\n", set);
  std::exit(2);
}

bool mayUseUnits(const backend::DeviceInfo& device) {
  if (device.kind != "Vulkan") return false;
  const backend::MatrixUnits units = unitsUnderTest();
  return units == backend::MatrixUnits::on || (units == backend::MatrixUnits::whereFaster && !device.software);
}

}  // namespace minerva::tests
