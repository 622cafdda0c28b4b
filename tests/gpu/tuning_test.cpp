// Default tuning for devices that are not available here: pure functions of a device's properties.
#include "gpu/runtime/projection_form.h"
#include "gpu/runtime/tuning.h"
#include "gpu/shaders/shared/choices.h"

#include <gtest/gtest.h>

namespace minerva::gpu {
namespace {

// Similar to a desktop GPU with matrix units.
vulkan::DeviceInfo desktop() {
  vulkan::DeviceInfo device;
  device.subgroupSize = device.minSubgroupSize = device.maxSubgroupSize = 32;
  device.subgroupSizeChoice = true;
  device.maxWorkgroupInvocations = 1024;
  device.maxSharedMemory = 48 * 1024;
  device.matrixUnit = {.m = 16, .n = 16, .k = 16, .halfSums = true};
  return device;
}

std::uint32_t threadsOf(const ProjectionForm& form) { return form.constants.front(); }

ProjectionForm formOf(const vulkan::DeviceInfo& device, const ProjectionNeeds& needs) {
  return projectionForm(defaultTuning(device), device.matrixUnit, needs);
}

TEST(DefaultTuning, NoWorkgroupIsLargerThanTheDeviceAllows) {
  for (const std::uint32_t lanes : {8U, 16U, 32U, 64U}) {
    for (const std::uint32_t most : {128U, 256U, 1024U}) {
      vulkan::DeviceInfo device = desktop();
      device.subgroupSize = device.minSubgroupSize = device.maxSubgroupSize = lanes;
      device.maxWorkgroupInvocations = most;
      const Tuning tuning = defaultTuning(device);
      EXPECT_EQ(tuning.lanes, lanes);
      EXPECT_GE(tuning.normTeams, 1U);
      EXPECT_LE(tuning.normTeams * lanes, most);
      EXPECT_LE(tuning.attentionTeams * lanes, most);
      EXPECT_LE(tuning.one.teams * lanes, most);
      EXPECT_LE(tuning.many.teams * lanes, most);
      if (tuning.units.from == UnitsChoice::never) continue;
      for (const UnitTiles& tiles : tuning.units.tiles) EXPECT_LE(tiles.threads, most) << lanes << " lanes";
    }
  }
}

TEST(DefaultTuning, TilesOfUnitsHaveNoMoreSubgroupsThanTheDeviceAllows) {
  vulkan::DeviceInfo device = desktop();
  for (const std::uint32_t most : {2U, 4U, 8U, 0U}) {
    device.maxWorkgroupSubgroups = most;
    const Tuning tuning = defaultTuning(device);
    EXPECT_EQ(tuning.units.from == UnitsChoice::never, most == 2) << most;
    if (tuning.units.from == UnitsChoice::never) continue;
    for (const UnitTiles& tiles : tuning.units.tiles) EXPECT_LE(tiles.threads / tuning.lanes, most == 0 ? 8 : most);
    EXPECT_EQ(tuning.units.tiles.front().threads / tuning.lanes, most == 4 ? 4U : 8U);
  }
}

TEST(MatrixUnitsSwitch, IsObeyedWhateverWasMeasured) {
  vulkan::DeviceInfo device = desktop();
  Tuning tuning = defaultTuning(device);
  EXPECT_EQ(tuning.units.from, 9U);
  tuning.units.from = 64;  // measured
  EXPECT_TRUE(setMatrixUnits(tuning, device, backend::MatrixUnits::whereFaster));
  EXPECT_EQ(tuning.units.from, 64U);
  EXPECT_TRUE(setMatrixUnits(tuning, device, backend::MatrixUnits::off));
  EXPECT_EQ(tuning.units.from, UnitsChoice::never);
  EXPECT_TRUE(setMatrixUnits(tuning, device, backend::MatrixUnits::on));
  EXPECT_EQ(tuning.units.from, 2U);
  device.software = true;
  tuning = defaultTuning(device);
  EXPECT_EQ(tuning.units.from, UnitsChoice::never) << "a software driver's are not real hardware";
  EXPECT_TRUE(setMatrixUnits(tuning, device, backend::MatrixUnits::on));
  EXPECT_EQ(tuning.units.from, 2U);
  device.maxSharedMemory = 4 << 10;
  EXPECT_FALSE(setMatrixUnits(tuning, device, backend::MatrixUnits::on)) << "no room for any tiles";
  device = desktop();
  device.matrixUnit = {};
  EXPECT_FALSE(setMatrixUnits(tuning, device, backend::MatrixUnits::on));
  EXPECT_TRUE(setMatrixUnits(tuning, device, backend::MatrixUnits::off));
}

// 8 to 32 lanes, and few subgroups in a workgroup.
TEST(DefaultTuning, EverySubgroupSizeThatADeviceOffersMayBeTried) {
  vulkan::DeviceInfo device = desktop();
  EXPECT_EQ(laneChoices(device), std::vector{32U});
  device.matrixUnit = {};
  device.minSubgroupSize = 8;
  device.maxWorkgroupSubgroups = 32;
  EXPECT_EQ(laneChoices(device), (std::vector{8U, 16U, 32U}));
  EXPECT_EQ(defaultTuning(device).lanes, 32U);
  for (const std::uint32_t lanes : laneChoices(device)) {
    const Tuning tuning = defaultTuning(device, lanes);
    EXPECT_EQ(tuning.lanes, lanes);
    EXPECT_LE(tuning.attentionTeams, 32U);
    EXPECT_LE(tuning.normTeams, 32U);
    EXPECT_LE(tuning.one.teams, 32U);
  }
  device.subgroupSizeChoice = false;
  device.subgroupSize = 16;
  EXPECT_EQ(laneChoices(device), std::vector{16U});
}

// Intel's compiler kept kernels of 32 lanes in memory: a subgroup has 4 KB of registers on an Arc A770, and 8 KB on its successors.
TEST(DefaultTuning, IntelsSubgroupsAreNarrowAndTheirTilesSmall) {
  for (const std::uint32_t narrowest : {8U, 16U}) {
    vulkan::DeviceInfo device = desktop();
    device.vendorId = 0x8086;
    device.minSubgroupSize = narrowest;
    device.matrixUnit = {.m = 8, .n = narrowest, .k = 16, .halfSums = false};
    device.maxSharedMemory = 64 * 1024;
    const Tuning tuning = defaultTuning(device);
    EXPECT_EQ(tuning.lanes, narrowest);
    EXPECT_EQ(laneChoices(device), (std::vector{narrowest, 2 * narrowest}));
    const Tuning wide = defaultTuning(device, 2 * narrowest);  // of kernels without units
    EXPECT_EQ(wide.lanes, 2 * narrowest);
    EXPECT_EQ(wide.units.lanes, narrowest);
    EXPECT_EQ(wide.units.tiles[0].threads, tuning.units.tiles[0].threads);
    const ProjectionForm units =
        projectionForm(wide, device.matrixUnit, {.type = ElementType::Q4_0, .groups = 512, .tokens = 512, .rounds = true});
    EXPECT_EQ(units.kernel, "matmul_units_Q4_0");
    EXPECT_EQ(units.lanes, narrowest);
    EXPECT_EQ(projectionForm(wide, device.matrixUnit, {.type = ElementType::Q4_0, .groups = 512}).lanes, 2 * narrowest);
    ASSERT_NE(tuning.units.from, UnitsChoice::never);
    const std::uint32_t registers = 128 * 4 * narrowest;
    for (const UnitTiles& tiles : tuning.units.tiles) {
      EXPECT_LE(tiles.m * tiles.n * 8 * narrowest * 4, registers / 8) << "sums";
      EXPECT_LE(4 * tiles.along * tiles.m * 8 * 32 / tiles.threads * narrowest, registers / 8) << "inputs of the next block";
    }
    EXPECT_LE(tuning.attentionQueries, 4U);
    EXPECT_LE(tuning.sums, 8U);
    device.matrixUnit = {};
    EXPECT_EQ(laneChoices(device), (std::vector{narrowest, 2 * narrowest}));
  }
}

TEST(DefaultTuning, TilesGiveWayWhereSharedMemoryIsSmall) {
  vulkan::DeviceInfo device = desktop();
  const Tuning large = defaultTuning(device);
  EXPECT_EQ(large.units.tiles[0].threads, 256U) << "128 x 128 take 48 KB, all there is";
  device.maxSharedMemory = 32 * 1024;
  const Tuning small = defaultTuning(device);
  EXPECT_EQ(small.units.from, large.units.from);
  EXPECT_EQ(small.units.tiles[0].threads, large.units.tiles[1].threads);
  device.maxSharedMemory = 8 * 1024;
  EXPECT_EQ(defaultTuning(device).units.from, UnitsChoice::never);
  device = desktop();
  device.software = true;
  EXPECT_EQ(defaultTuning(device).units.from, UnitsChoice::never);
}

TEST(ProjectionForm, MatrixUnitsOnlyWhereRoundingIsAllowedAndTokensAreMany) {
  const vulkan::DeviceInfo device = desktop();
  ProjectionNeeds needs{.type = ElementType::Q4_0, .groups = 512, .tokens = 512, .rounds = true};
  EXPECT_EQ(formOf(device, needs).kernel, "matmul_units_Q4_0");
  needs.rounds = false;
  EXPECT_EQ(formOf(device, needs).kernel, "matmul_Q4_0");
  needs = {.type = ElementType::F32, .groups = 512, .tokens = 512, .rounds = true};
  EXPECT_EQ(formOf(device, needs).kernel, "matmul_F32");
  needs = {.type = ElementType::Q4_0, .groups = 512, .tokens = 4, .rounds = true};
  EXPECT_EQ(formOf(device, needs).kernel, "matvec_Q4_0");
  needs = {.type = ElementType::Q4_0, .groups = 512, .tokens = 512, .places = 1, .rounds = true};
  EXPECT_EQ(formOf(device, needs).kernel, "matvec_Q4_0") << "experts have a matrix each";
  vulkan::DeviceInfo without = device;
  without.matrixUnit = {};
  needs = {.type = ElementType::Q4_0, .groups = 512, .tokens = 512, .rounds = true};
  EXPECT_EQ(formOf(without, needs).kernel, "matmul_Q4_0");
}

// Activations beside F16 weights are two summands, for which the largest tiles have no room in 48 KB of shared memory.
TEST(ProjectionForm, ActivationsOfF16FilesAreSplit) {
  constexpr std::size_t split = 12;  // constant of matmul_units.comp
  const vulkan::DeviceInfo device = desktop();
  ASSERT_EQ(device.maxSharedMemory, 48U << 10);
  ProjectionNeeds needs{.type = ElementType::BF16, .groups = 11264 / 8, .tokens = 512, .rounds = true};
  EXPECT_EQ(formOf(device, needs).constants.at(split), 0U);
  EXPECT_EQ(formOf(device, needs).columns, 128U);
  needs.type = ElementType::F16;
  EXPECT_EQ(formOf(device, needs).kernel, "matmul_units_F16");
  EXPECT_EQ(formOf(device, needs).constants.at(split), 1U);
  EXPECT_EQ(formOf(device, needs).columns, 64U);
  Tuning tuning = defaultTuning(device);
  tuning.units.splits = 3;
  EXPECT_EQ(projectionForm(tuning, device.matrixUnit, needs).kernel, "matmul_F16") << "without room in any tile";
  vulkan::DeviceInfo larger = device;
  larger.maxSharedMemory = 96 << 10;
  EXPECT_EQ(formOf(larger, needs).columns, 128U);
}

TEST(ProjectionForm, TilesAreAsLargeAsKeepsTheDeviceBusy) {
  const vulkan::DeviceInfo device = desktop();
  const ProjectionForm large = formOf(device, {.type = ElementType::Q4_0, .groups = 11264 / 8, .tokens = 512, .rounds = true});
  EXPECT_EQ(large.rows, 128U);
  EXPECT_EQ(large.columns, 128U);
  EXPECT_EQ(threadsOf(large), 256U);
  const ProjectionForm middle = formOf(device, {.type = ElementType::Q4_0, .groups = 2048 / 8, .tokens = 512, .rounds = true});
  EXPECT_EQ(middle.rows, 64U);
  EXPECT_EQ(middle.columns, 64U);
  const ProjectionForm small = formOf(device, {.type = ElementType::Q4_0, .groups = 2048 / 8, .tokens = 16, .rounds = true});
  EXPECT_EQ(small.rows, 64U);
  EXPECT_EQ(small.columns, 32U);
}

// A driver on the CPU that loads once what is the same for all lanes.
vulkan::DeviceInfo broadcasting() {
  vulkan::DeviceInfo device;
  device.subgroupSize = device.minSubgroupSize = device.maxSubgroupSize = 8;
  device.maxWorkgroupInvocations = 1024;
  device.maxSharedMemory = 32 * 1024;
  device.software = device.broadcastLoads = true;
  return device;
}

TEST(ProjectionForm, LanesHaveARowEachWhereTheDriverLoadsOnce) {
  ProjectionNeeds needs{.type = ElementType::Q4_0, .groups = 512, .blocks = 64, .tokens = 3};
  EXPECT_EQ(formOf(broadcasting(), needs).kernel, "matmul_rows_Q4_0");
  EXPECT_EQ(formOf(broadcasting(), needs).columns, 4U);
  EXPECT_EQ(formOf(broadcasting(), needs).rows, 8U);
  EXPECT_EQ(formOf(broadcasting(), needs).lanes, 8U);
  needs.tokens = 512;
  EXPECT_EQ(formOf(broadcasting(), needs).columns, 16U);
  needs.epilogue = choice::epilogueGated;
  EXPECT_EQ(formOf(broadcasting(), needs).rows, 16U) << "of two groups";
  needs.places = choice::placesGathered;
  EXPECT_EQ(formOf(broadcasting(), needs).kernel, "matmul_rows_Q4_0");
  needs.places = choice::placesRouted;
  EXPECT_EQ(formOf(broadcasting(), needs).kernel, "matvec_texel_Q4_0") << "experts have a matrix each";
  needs = {.type = ElementType::Q4_0, .groups = 512, .blocks = 64, .tokens = 2};
  EXPECT_EQ(formOf(broadcasting(), needs).kernel, "matvec_texel_Q4_0");
  needs.tokens = 512;
  vulkan::DeviceInfo other = broadcasting();
  other.broadcastLoads = false;
  EXPECT_EQ(formOf(other, needs).kernel, "matvec_texel_Q4_0");
  other = broadcasting();
  other.subgroupSize = other.minSubgroupSize = other.maxSubgroupSize = 16;
  EXPECT_EQ(formOf(other, needs).kernel, "matvec_texel_Q4_0") << "the kernel is for eight lanes";
}

TEST(ProjectionForm, NeighbouringLanesReadNeighbouringWordsOfWholeTiles) {
  ProjectionNeeds needs{.type = ElementType::F16, .groups = 512, .blocks = 64, .tokens = 1};
  EXPECT_EQ(formOf(broadcasting(), needs).kernel, "matvec_words_F16");
  needs.type = ElementType::BF16;
  EXPECT_EQ(formOf(broadcasting(), needs).kernel, "matvec_words_BF16");
  needs.type = ElementType::F32;
  EXPECT_EQ(formOf(broadcasting(), needs).kernel, "matvec_texel_F32") << "a word has one element";
  needs = {.type = ElementType::F16, .groups = 512, .blocks = 63, .tokens = 1};
  EXPECT_EQ(formOf(broadcasting(), needs).kernel, "matvec_texel_F16") << "the last tile has seven blocks";
  needs = {.type = ElementType::F16, .groups = 512, .blocks = 64, .tokens = 1, .places = choice::placesRouted};
  EXPECT_EQ(formOf(broadcasting(), needs).kernel, "matvec_texel_F16");
  vulkan::DeviceInfo other = broadcasting();
  other.broadcastLoads = false;
  needs.places = choice::placesNone;
  EXPECT_EQ(formOf(other, needs).kernel, "matvec_texel_F16");
}

}  // namespace
}  // namespace minerva::gpu
