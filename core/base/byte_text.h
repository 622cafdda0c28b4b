// Sizes for people.
#pragma once

#include <cstdint>
#include <string>

namespace minerva {

[[nodiscard]] std::string readable(std::uint64_t bytes);  // "1.20 GiB"

}  // namespace minerva
