#include "tests/support/reference_data.h"

namespace minerva::tests {

std::filesystem::path referenceData(std::string_view part) {
  const std::filesystem::path shared = std::filesystem::path(MINERVA_SHARED_DIR) / part;
  return std::filesystem::exists(shared) ? shared : std::filesystem::path(MINERVA_REFERENCE_DIR) / part;
}

}  // namespace minerva::tests
