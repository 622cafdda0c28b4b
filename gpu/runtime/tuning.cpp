#include "gpu/runtime/tuning.h"

#include <algorithm>

namespace minerva::gpu {

Tuning defaultTuning(const vulkan::DeviceInfo& device) {
  Tuning tuning;
  tuning.lanes = device.subgroupSize;
  // Where the driver lets us choose, 16 to 32 lanes: wider subgroups leave lanes idle in short rows.
  if (device.subgroupSizeChoice) tuning.lanes = std::clamp(32u, device.minSubgroupSize, device.maxSubgroupSize);
  tuning.one = {.texel = false, .rows = 2, .teams = std::max(1u, 128 / tuning.lanes), .columns = 1};
  tuning.many = {.texel = false, .rows = 4, .teams = std::max(1u, 128 / tuning.lanes), .columns = 8};
  tuning.tiles = {.from = 9, .threads = 128, .groups = 8, .columns = 4};
  if (device.matrixUnit.present()) {
    tuning.units.from = 9;
    tuning.units.tiles = {{{.threads = 8 * tuning.lanes, .m = 64 / device.matrixUnit.m, .n = 32 / device.matrixUnit.n, .along = 2},
                           {.threads = 4 * tuning.lanes, .m = 32 / device.matrixUnit.m, .n = 32 / device.matrixUnit.n, .along = 2},
                           {.threads = 4 * tuning.lanes, .m = 32 / device.matrixUnit.m, .n = 16 / device.matrixUnit.n, .along = 1}}};
  }
  if (device.software) {
    tuning.units.from = UnitsChoice::never;  // there are none: it computes them as it would anything
    tuning.tiles.from = MatmulChoice::never;  // shared memory is a loop over lanes there: measured, 3.5 times as slow
    tuning.one = {.texel = true, .rows = 8, .teams = 1, .columns = 1};
    tuning.many = {.texel = true, .rows = 4, .teams = 1, .columns = 8};
    tuning.normTeams = 1;
    tuning.fusedNorm = false;
    tuning.attentionTeams = 1;
    tuning.privateQueries = true;
    tuning.attentionHeads = 8;
    tuning.attentionHeadsShort = 8;
    tuning.attentionQueries = 4;  // wider ones take the driver seconds to compile
    tuning.splitLength = 1u << 30;  // a workgroup a kv head keeps all threads busy; parts only add work
  }
  return tuning;
}

}  // namespace minerva::gpu
