// What a SPIR-V module asks of a device once its specialization constants have values: what a driver knows when it makes a pipeline.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>

namespace minerva::tests {

struct SpirvNeeds {
  std::array<std::uint32_t, 3> workgroup{1, 1, 1};
  std::uint64_t sharedBytes = 0;
  std::set<std::uint32_t> capabilities;
  bool broadcasts = false;  // from a lane of a subgroup that is no constant
  std::string problem;      // what could not be worked out; empty: nothing
};

// constants: values by specialization id; the others keep the module's.
[[nodiscard]] SpirvNeeds needsOf(std::span<const std::uint32_t> words, const std::map<std::uint32_t, std::uint32_t>& constants);

}  // namespace minerva::tests
