#include "gpu/runtime/tuning.h"

#include <algorithm>

namespace minerva::gpu {

namespace {

constexpr std::uint32_t intel = 0x8086;
constexpr std::uint32_t usualThreads = 512;  // workgroup size of kernels with several subgroups, limited by the device's maximum

// Whether the tiles satisfy the requirements of matmul_units.comp and the device has as many subgroups and the shared memory it declares:
// two buffers of both tiles in rows of 80 bytes, and one strip of results per subgroup. summands: of each input.
bool fits(const UnitTiles& tiles, const vulkan::DeviceInfo& device, std::uint32_t lanes, std::uint32_t summands = 1) {
  const vulkan::MatrixUnit& unit = device.matrixUnit;
  const std::uint32_t subgroups = tiles.threads / lanes;
  const std::uint32_t tokens = tiles.along * tiles.m * unit.m;
  const std::uint32_t rows = subgroups / tiles.along * tiles.n * unit.n;
  const std::uint32_t bytes = 2 * (summands * tokens + rows) * 80 + subgroups * unit.m * 16 * 4;
  const bool shared = rows % tiles.threads == 0 || (tiles.threads % rows == 0 && tiles.threads <= 4 * rows);
  const bool enough = device.maxWorkgroupSubgroups == 0 || subgroups <= device.maxWorkgroupSubgroups;
  return shared && enough && 4 * tokens % tiles.threads == 0 && tiles.threads <= device.maxWorkgroupInvocations &&
         bytes <= device.maxSharedMemory;
}

// Bytes of shared memory of matmul.comp: rows of both tiles are nine vectors of four.
std::uint32_t sharedBytes(const MatmulChoice& tiles) { return (tiles.groups * 8 + tiles.columns * tiles.threads / 8) * 9 * 16; }

// A subgroup of an Intel GPU has 128 registers, each as wide as its narrowest subgroup, however many lanes it has: with four times the
// lanes a kernel has a quarter of the registers. Others have at least twice as many, for 32 or 64 lanes.
bool hasFewRegisters(const vulkan::DeviceInfo& device) { return device.vendorId == intel; }

// If the driver allows a choice, up to 32 lanes: wider subgroups leave lanes idle in short rows. What kernels with units have.
std::uint32_t usualLanes(const vulkan::DeviceInfo& device) {
  if (!device.subgroupSizeChoice) return device.subgroupSize;
  return std::clamp(hasFewRegisters(device) ? 1u : 32u, device.minSubgroupSize, device.maxSubgroupSize);
}

// Large, medium and small tiles; those too large for the device are replaced by the next smaller ones.
UnitsChoice unitsFor(const vulkan::DeviceInfo& device) {
  const vulkan::MatrixUnit& unit = device.matrixUnit;
  const std::uint32_t lanes = usualLanes(device);
  UnitsChoice choice;
  choice.lanes = lanes;
  if (!unit.present()) return choice;
  choice.tiles = {{{.threads = 8 * lanes, .m = 64 / unit.m, .n = 32 / unit.n, .along = 2},
                   {.threads = 4 * lanes, .m = 32 / unit.m, .n = 32 / unit.n, .along = 2},
                   {.threads = 4 * lanes, .m = 32 / unit.m, .n = 16 / unit.n, .along = 1}}};
  if (device.software) {  // larger ones take the driver seconds to compile; it has few cores to occupy
    choice.tiles[0] = choice.tiles[1] = {.threads = 4 * lanes, .m = 16 / unit.m, .n = 16 / unit.n, .along = 2};
    choice.tiles[2] = {.threads = 2 * lanes, .m = 1, .n = 32 / unit.n, .along = 1};
    choice.busy = 4;
  } else if (hasFewRegisters(device)) {
    choice.tiles = {{{.threads = 32 * lanes, .m = 1, .n = 2, .along = lanes},
                     {.threads = 16 * lanes, .m = 1, .n = 2, .along = lanes / 2},
                     {.threads = 8 * lanes, .m = 1, .n = 2, .along = lanes / 4}}};
    choice.sums = 16;
  }
  if (!fits(choice.tiles[2], device, lanes)) return choice;
  if (!fits(choice.tiles[1], device, lanes)) choice.tiles[1] = choice.tiles[2];
  if (!fits(choice.tiles[0], device, lanes)) choice.tiles[0] = choice.tiles[1];
  choice.splits = 0;
  while (choice.splits < choice.tiles.size() && !fits(choice.tiles[choice.splits], device, lanes, 2)) ++choice.splits;
  choice.from = 9;
  choice.halfSums = unit.halfSums;
  choice.attention = true;
  return choice;
}

}  // namespace

// Fewer rows than these do not occupy a large device with the forms that suit many.
MatrixKind kindOf(ElementType type, std::uint32_t rows) {
  constexpr std::uint32_t fewestWide = 2048;
  return {type, rows < fewestWide};
}

namespace {

ProjectionChoice usualChoice(const Tuning& tuning) {
  return {.one = tuning.one, .many = tuning.many, .tilesFrom = tuning.tiles.from, .unitsFrom = tuning.units.from};
}

}  // namespace

ProjectionChoice choiceOf(const Tuning& tuning, const MatrixKind& kind) {
  const auto found = tuning.measured.find(kind);
  ProjectionChoice choice = found == tuning.measured.end() ? usualChoice(tuning) : found->second;
  if (tuning.units.from == UnitsChoice::never) choice.unitsFrom = UnitsChoice::never;
  choice.halfSums = choice.halfSums && tuning.units.halfSums;
  return choice;
}

ProjectionChoice choiceOfGathered(const Tuning& tuning) {
  return tuning.gathered ? choiceOf(tuning, *tuning.gathered) : usualChoice(tuning);
}

bool setMatrixUnits(Tuning& tuning, const vulkan::DeviceInfo& device, backend::MatrixUnits asked) {
  if (asked == backend::MatrixUnits::off) tuning.units.from = UnitsChoice::never;
  if (asked != backend::MatrixUnits::on) return true;
  tuning.units = unitsFor(device);
  if (tuning.units.from == UnitsChoice::never) return false;
  tuning.units.from = 2;
  for (auto& [kind, choice] : tuning.measured) choice.unitsFrom = 2;
  return true;
}

std::vector<std::uint32_t> laneChoices(const vulkan::DeviceInfo& device) {
  if (!device.subgroupSizeChoice) return {device.subgroupSize};
  const std::uint32_t widest = hasFewRegisters(device) ? 2 * device.minSubgroupSize : device.maxSubgroupSize;
  std::vector<std::uint32_t> sizes;
  for (const std::uint32_t lanes : {8U, 16U, 32U, 64U}) {
    if (lanes >= device.minSubgroupSize && lanes <= std::min(widest, device.maxSubgroupSize)) sizes.push_back(lanes);
  }
  return sizes.empty() ? std::vector{usualLanes(device)} : sizes;
}

Tuning defaultTuning(const vulkan::DeviceInfo& device, std::uint32_t lanes) {
  Tuning tuning;
  tuning.lanes = lanes != 0 ? lanes : usualLanes(device);
  const std::uint32_t mostTeams = device.maxWorkgroupSubgroups == 0 ? 1024U : device.maxWorkgroupSubgroups;
  const std::uint32_t few = std::clamp(128 / tuning.lanes, 1u, mostTeams);
  const std::uint32_t share = tuning.lanes >= 4 ? 4 : 1;
  tuning.one = {.texel = false, .rows = 2, .teams = few, .columns = 1, .share = share};
  tuning.many = {.texel = false, .rows = 4, .teams = few, .columns = 8, .share = share};
  tuning.tiles = {.from = 9, .threads = 128, .groups = 8, .columns = 4};
  tuning.tiles.bytes = device.byteDots && device.fastByteDots && !device.software;
  while (tuning.tiles.columns > 1 && sharedBytes(tuning.tiles) > device.maxSharedMemory) tuning.tiles.columns /= 2;  // of 16 KB, say
  if (!device.software) tuning.units = unitsFor(device);     // a software driver's are not real hardware
  if (!device.software) tuning.ranges.cores = device.cores;  // nor has it cores that would be idle
  const std::uint32_t teams = std::clamp(std::min(usualThreads, device.maxWorkgroupInvocations) / tuning.lanes, 1u, mostTeams);
  tuning.normTeams = tuning.attentionTeams = teams;
  tuning.attentionGroups = 2 * std::max(1u, device.cores);  // two workgroups a core: one reads while the other one computes
  if (hasFewRegisters(device)) {
    tuning.sums = 8;
    tuning.attentionQueries = tuning.attentionHeads = 4;
  }
  if (device.software) {
    tuning.submissionFlops = tuning.submissionBytes = 1e30;  // nothing watches how long a driver on the CPU takes
    tuning.tiles.from = MatmulChoice::never;  // drivers on the CPU emulate shared memory with loops over lanes: measured 3.5 times as slow
    tuning.one = {.texel = true, .rows = 8, .teams = 1, .columns = 1, .share = 1};
    tuning.many = {.texel = true, .rows = 8, .teams = 1, .columns = 4, .share = 1};  // inputs cost more to load than weights
    if (device.broadcastLoads && tuning.lanes == 8) {
      tuning.rows.from = 3;
      tuning.words = true;
    }
    tuning.sums = 64;
    tuning.normTeams = 1;
    tuning.fusedNorm = false;
    tuning.summedPlaces = false;
    tuning.attentionTeams = 1;
    tuning.privateQueries = true;
    tuning.recurrentSplits = 1;
    tuning.recurrentColumns = tuning.lanes;  // one vector: with several, the columns are kept in memory at each barrier
    tuning.attentionHeads = 8;
    tuning.attentionHeadsShort = 8;
    tuning.attentionQueries = 4;  // larger values take the driver seconds to compile
    tuning.attentionGroups = 1;   // a workgroup per KV head occupies all threads, so splitting would only add work
  }
  return tuning;
}

}  // namespace minerva::gpu
