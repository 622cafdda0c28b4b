#include "gpu/runtime/attention_form.h"

#include "gpu/runtime/projection_form.h"

#include <algorithm>
#include <bit>

namespace minerva::gpu {

namespace {

constexpr std::uint32_t leastSharedMemory = 16 << 10;  // that Vulkan asks of every device

std::uint32_t blocksOf(std::uint32_t count, std::uint32_t size) { return (count + size - 1) / size; }

std::uint32_t rowsFor(const AttentionNeeds& needs) { return std::max(needs.rows, needs.chosenFor); }

// As many ranges of positions as fill the device, each long enough to be worth its join.
std::uint32_t splitsOf(const Tuning& tuning, const AttentionNeeds& needs, std::uint32_t workgroups) {
  if (needs.positions < tuning.splitFrom) return 1;
  const std::uint32_t wanted = (tuning.attentionGroups + workgroups / 2) / workgroups;
  const std::uint32_t most = std::min({needs.positions / tuning.splitLength, maxSplits, maxPartials / needs.rows});
  return std::clamp(wanted, 1u, std::max(1u, most));
}

// Subgroups of a workgroup that take turns at the positions of a split. They exchange partial results in shared memory, beside the
// queries: at most half of 32 KB, and some devices have only 16.
std::uint32_t teamsOf(const Tuning& tuning, const vulkan::DeviceInfo& device, const AttentionNeeds& needs, std::uint32_t queries,
                      std::uint32_t splits) {
  const std::uint32_t handed = queries * blocksOf(needs.valueStride / 2, tuning.lanes) * tuning.lanes * 8;
  const std::uint32_t ofQueries = tuning.privateQueries ? 4 : queries * needs.keyStride * 4;
  const std::uint32_t left = std::max(leastSharedMemory, device.maxSharedMemory) - ofQueries;
  const std::uint32_t fitting = std::min(16384 / handed, left / (handed + 8 * queries));
  const std::uint32_t most = std::min(tuning.attentionTeams, std::max(1u, fitting));
  // A power of two, so that no number of splits needs another kernel than those of short caches.
  const std::uint32_t tiles = std::bit_floor(std::max(1u, blocksOf(needs.positions, splits) / tuning.lanes));
  return std::min(tiles, most);
}

// Workgroups of attention_units.comp.
struct UnitGroups {
  std::uint32_t subgroups = 0;  // 0: it cannot run here
  std::uint32_t across = 1;     // of these, those that share queries
};

// Bytes of shared memory that it declares.
std::uint32_t unitAttentionBytes(const vulkan::MatrixUnit& unit, const UnitGroups& groups, std::uint32_t lanes,
                                 const AttentionNeeds& needs) {
  constexpr std::uint32_t quad = 16, block = 32;
  const std::uint32_t values = groups.across * unit.n;
  const std::uint32_t keyQuads = blocksOf(needs.keyStride, unit.k) * unit.k / 8,
                      valueQuads = blocksOf(needs.valueStride, values) * values / 8;
  const std::uint32_t queries = groups.subgroups / groups.across * unit.m;
  return quad * (queries * (keyQuads | 1) + block * (std::max(keyQuads, valueQuads) | 1) + queries * (block / 4 + 1)) +
         4 * (groups.subgroups * lanes + queries);
}

// The fewest subgroups that share queries so that half of the registers are left to other values; as many as may, if that is never so.
// 0: none has registers for its sums.
std::uint32_t unitsAcross(const Tuning& tuning, const vulkan::MatrixUnit& unit, std::uint32_t valueStride) {
  std::uint32_t most = 0;
  for (std::uint32_t across = 1; across * unit.n <= 32 && across * tuning.units.lanes <= 4 * unit.m; across *= 2) {
    const std::uint32_t sums = blocksOf(valueStride, across * unit.n) * unit.n * unit.m / tuning.units.lanes;
    if (across * tuning.units.lanes % unit.m != 0 || sums > tuning.units.sums) continue;
    most = across;
    if (sums <= tuning.units.sums / 2) break;
  }
  return most;
}

// As many subgroups as 64 queries take and the device has room for.
UnitGroups unitGroups(const Tuning& tuning, const vulkan::DeviceInfo& device, const AttentionNeeds& needs) {
  const vulkan::MatrixUnit& unit = device.matrixUnit;
  const std::uint32_t lanes = tuning.units.lanes;
  if (!unit.present()) return {};
  UnitGroups groups{.subgroups = 0, .across = unitsAcross(tuning, unit, needs.valueStride)};
  if (groups.across == 0) return {};
  const std::uint32_t mostSubgroups = device.maxWorkgroupSubgroups == 0 ? 64 : device.maxWorkgroupSubgroups;
  groups.subgroups = groups.across * 64 / unit.m;
  const auto fits = [&] {
    return groups.subgroups <= mostSubgroups && groups.subgroups * lanes <= device.maxWorkgroupInvocations &&
           unitAttentionBytes(unit, groups, lanes, needs) <= device.maxSharedMemory;
  };
  while (groups.subgroups >= groups.across && !fits()) groups.subgroups /= 2;
  return groups.subgroups >= groups.across ? groups : UnitGroups{};
}

// Whether units were measured, and slower for every kind of matrices.
bool unitsAreSlow(const Tuning& tuning) {
  bool measured = false;
  for (const auto& [kind, choice] : tuning.measured) {
    if (choice.unitsFrom != UnitsChoice::never) return false;
    measured = measured || takesUnits(kind.type);
  }
  return measured;
}

bool attendsWithUnits(const Tuning& tuning, const vulkan::DeviceInfo& device, const AttentionNeeds& needs) {
  const bool on = needs.rounds && tuning.units.attention && tuning.units.from != UnitsChoice::never && !unitsAreSlow(tuning);
  return on && needs.oneSlot && rowsFor(needs) >= unitAttentionFrom(tuning, needs.heads / needs.kvHeads) &&
         unitGroups(tuning, device, needs).subgroups > 0;
}

// SCORES of the kernels.
std::uint32_t scoring(const AttentionNeeds& needs) { return (needs.capped ? 1u : 0u) + (needs.lessened ? 2u : 0u); }

AttentionForm formOfUnits(const Tuning& tuning, const vulkan::DeviceInfo& device, const AttentionNeeds& needs) {
  const vulkan::MatrixUnit& unit = device.matrixUnit;
  const auto [subgroups, across] = unitGroups(tuning, device, needs);
  const std::uint32_t lanes = tuning.units.lanes;
  const std::uint32_t queries = needs.rows * (needs.heads / needs.kvHeads);
  return {.kernel = "attention_units",
          .constants = {lanes * subgroups, lanes, unit.m, unit.n, unit.k, subgroups, across, needs.keyStride / 8, needs.valueStride / 8,
                        scoring(needs)},
          .lanes = lanes,
          .splits = 1,
          .workgroups = {1, needs.kvHeads, blocksOf(queries, subgroups / across * unit.m)}};
}

}  // namespace

std::uint32_t unitAttentionFrom(const Tuning& tuning, std::uint32_t groupSize) {
  return std::max(maxSplitRows + 1, blocksOf(tuning.units.attentionFrom, groupSize));
}

std::uint32_t seenPositions(const model::Visible& visible, std::uint32_t positions) {
  const auto window = static_cast<std::uint32_t>(visible.window), reach = static_cast<std::uint32_t>(visible.reach());
  if (!visible.bidirectional && reach > 0) return std::min(positions, std::bit_ceil(reach));
  if (visible.bidirectional && window > 0) return std::min(positions, std::bit_ceil(2 * window - 1));
  return positions;
}

// shapesAhead() relies on which kernels this chooses: they differ only between one row, several rows of one slot beyond maxSplitRows,
// those from unitAttentionFrom() on, and all others; and, only in the first and the last case, with powers of two of the positions. Splits
// of a long cache take kernels that short ones take, too, with as many teams: hence splitFrom is at least the positions that fill all
// teams.
AttentionForm attentionForm(const Tuning& tuning, const vulkan::DeviceInfo& device, const AttentionNeeds& needs) {
  if (attendsWithUnits(tuning, device, needs)) return formOfUnits(tuning, device, needs);
  const std::uint32_t pairs = needs.valueStride / 2, lanes = tuning.lanes;
  const std::uint32_t groupSize = needs.heads / needs.kvHeads;
  // Register use grows with heads times head width, so wide heads are processed fewer at once.
  const auto narrowed = [&](std::uint32_t atMost) {
    return std::max(1u, atMost * 64 / std::max({64u, needs.keyStride, needs.valueStride}));
  };
  // With a short cache, having more workgroups matters more than sharing reads among heads.
  const bool shortCache = needs.positions < tuning.splitFrom && rowsFor(needs) == 1;
  const std::uint32_t heads = std::min(groupSize, narrowed(shortCache ? tuning.attentionHeadsShort : tuning.attentionHeads));
  const std::uint32_t y = needs.kvHeads * blocksOf(groupSize, heads);
  const bool several = needs.oneSlot && rowsFor(needs) > maxSplitRows;
  const std::uint32_t rows = several ? std::max(1u, narrowed(tuning.attentionQueries) / heads) : 1;
  const std::uint32_t splits = several ? 1 : splitsOf(tuning, needs, y * needs.rows);
  const std::uint32_t teams = several ? 1 : teamsOf(tuning, device, needs, heads * rows, splits);
  return {.kernel = "attention",
          .constants = {lanes * teams, lanes, heads, needs.keyStride / 8, blocksOf(pairs, lanes), tuning.privateQueries ? 1u : 0u, pairs,
                        rows, scoring(needs), teams},
          .lanes = lanes,
          .splits = splits,
          .workgroups = {splits, y, blocksOf(needs.rows, rows)}};
}

}  // namespace minerva::gpu
