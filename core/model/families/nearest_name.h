// The name that is most like another one, for the architectures that are not supported.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace minerva::model {

// Names are compared by their letters and digits. The one that begins alike for the longest, and of several the one that takes the fewest
// changes; empty if none shares its first three characters. Names after the first 64 characters are not compared.
[[nodiscard]] std::string_view nearestName(std::string_view wanted, std::span<const std::string_view> names);

}  // namespace minerva::model
