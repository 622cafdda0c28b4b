// Where the exact reference cases lie that tests read.
#pragma once

#include <filesystem>
#include <string_view>

namespace minerva::tests {

// `part` is a path as in ../shared, "oracle/malformed" or "tokens/spm/files". Returns the one in ../shared where that
// exists, otherwise the one the repository carries (tests/data/reference). Whether it carries it is for the caller to ask:
// std::filesystem::exists.
[[nodiscard]] std::filesystem::path referenceData(std::string_view part);

}  // namespace minerva::tests
