// Locates the exact reference cases that tests read.
#pragma once

#include <filesystem>
#include <string_view>

namespace minerva::tests {

// `part` is a path relative to ../shared, such as "oracle/malformed" or "tokens/spm/files". Returns the path in ../shared if
// it exists, otherwise the one in the copy that the repository carries (tests/data/reference). That copy does not contain
// every part; callers must check std::filesystem::exists.
[[nodiscard]] std::filesystem::path referenceData(std::string_view part);

}  // namespace minerva::tests
