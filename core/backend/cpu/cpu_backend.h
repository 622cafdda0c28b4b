// The CPU as a device: weights rearranged into panels, kernels chosen for this processor when it starts.
#pragma once

#include "core/backend/backend.h"

#include <memory>
#include <string>

namespace minerva::backend {

struct CpuOptions {
  int threads = 0;             // 0: one a physical core
  std::string instructionSet;  // "", "baseline", "avx2", "avxvnni", "avx512", "amx": force one; "" is the best this machine runs
};

// Errors: unsupported (the forced set does not run here, or is not known: the ones that do are named).
[[nodiscard]] Result<std::unique_ptr<Backend>> createCpuBackend(const CpuOptions& options = {});

}  // namespace minerva::backend
