// A GPU as a few figures, for questions about devices that are not there.
#pragma once

#include "core/model/op_work.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace minerva::backend {

struct DescribedGpu {
  std::string name;
  std::uint32_t lanes = 32;  // subgroup size
  std::uint32_t cores = 32;  // compute units or multiprocessors
  std::uint32_t sharedMemory = 32 << 10;
  std::uint32_t workgroupInvocations = 1024;
  bool matrixUnits = false;  // tiles of 16 x 16 x 16
  bool software = false;     // the driver runs on the CPU, for which other kernels are chosen
};

// What a device is asked to do for an op of a step. A barrier belongs to the op that waits.
struct OpCounts {
  std::size_t dispatches = 0, barriers = 0;
  bool units = false;  // its products are those of matrix units
  // How many times as long its products take as with all cores busy: workgroups run in rounds of one a core, and the last round, or the
  // only one, leaves cores idle.
  double stretch = 1;
  friend bool operator==(const OpCounts&, const OpCounts&) = default;
};

}  // namespace minerva::backend
