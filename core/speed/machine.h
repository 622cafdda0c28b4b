// Where and with what a report was measured. Figures without it cannot be repeated.
#pragma once

#include "core/speed/json.h"

#include <string>

namespace minerva::speed {

struct Machine {
  std::string processor;     // "AMD EPYC 9B45 128-Core Processor"
  int cores = 0;             // physical, that this process may use
  int threads = 0;           // logical
  std::string instructions;  // the best set that can be used here: "avx512bf16"
  std::uint64_t memoryBytes = 0;
  std::string system;      // "Linux 6.1.0 x86_64"
  std::string commit;      // of Minerva; with "-dirty" if the sources were changed, "unknown" outside a checkout
  std::string date;        // UTC: "2026-11-25 18:40"
  double load = 0;         // programs that wanted a core in the last minute: above 0 others disturb what is measured
  bool disturbed = false;  // this program itself did other work meanwhile, whose share the figures lack
};

// Ask before measuring, because of the load.
[[nodiscard]] Machine thisMachine();
[[nodiscard]] Json toJson(const Machine& machine);
// "AMD EPYC, 2 cores, 4 threads, avx512, 62.8 GiB, Linux 6.1 x86_64; Minerva 0123abcd, 2026-11-25 18:40 UTC, load 0.12 before"
[[nodiscard]] std::string toText(const Machine& machine);

[[nodiscard]] const char* commitOfBuild();  // written by cmake/commit.cmake

}  // namespace minerva::speed
