// The CPU backend: weights rearranged into panels, kernels chosen for this processor at construction.
#pragma once

#include "core/backend/backend.h"

#include <memory>
#include <string>

namespace minerva::backend {

struct CpuOptions {
  int threads = 0;               // 0: one per physical core, counted anew whenever something is placed
  std::string instructionSet;    // "baseline", "avx2", "avxvnni", "avx512", "avx512bf16" or "amx" forces one; "" picks the fastest
  std::string cacheFolder = {};  // where what is measured of this processor is kept; empty: nowhere
};

// Errors: unsupported (the forced instruction set is unknown or not supported here; lists the supported ones),
// invalidArgument.
[[nodiscard]] Result<std::unique_ptr<Backend>> createCpuBackend(const CpuOptions& options = {});

}  // namespace minerva::backend
