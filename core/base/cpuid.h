// What the processor and the operating system answer to the question which instructions may be used.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

namespace minerva {

struct CpuidRegisters {
  std::uint32_t a = 0, b = 0, c = 0, d = 0;
};

struct CpuidAnswers {
  std::map<std::pair<std::uint32_t, std::uint32_t>, CpuidRegisters> leaves;  // by leaf and subleaf
  std::uint64_t saved = 0;                                                   // register sets that the operating system saves (XCR0)

  // Zeros if the processor does not have this leaf.
  [[nodiscard]] CpuidRegisters leaf(std::uint32_t number, std::uint32_t subleaf = 0) const {
    const auto found = leaves.find({number, subleaf});
    return found == leaves.end() ? CpuidRegisters{} : found->second;
  }
};

// Of this processor; none if it is not an x86-64.
[[nodiscard]] CpuidAnswers cpuidAnswers();

}  // namespace minerva
