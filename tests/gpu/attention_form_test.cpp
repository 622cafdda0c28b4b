// Which kernel of attention a step runs, and on how many workgroups: pure functions of a device's description.
#include "gpu/runtime/attention_form.h"

#include <gtest/gtest.h>

#include <bit>

namespace minerva::gpu {
namespace {

vulkan::DeviceInfo attendingCard(std::uint32_t cores, std::uint32_t lanes = 32) {
  vulkan::DeviceInfo info;
  info.cores = cores;
  info.subgroupSize = info.minSubgroupSize = info.maxSubgroupSize = lanes;
  info.maxWorkgroupInvocations = 1024;
  info.maxSharedMemory = 48 << 10;
  return info;
}

AttentionForm formOn(const vulkan::DeviceInfo& info, const AttentionNeeds& needs) {
  return attentionForm(defaultTuning(info), info, needs);
}

std::uint32_t workgroups(const AttentionForm& form) { return form.workgroups[0] * form.workgroups[1] * form.workgroups[2]; }
std::uint32_t headsOf(const AttentionForm& form) { return form.constants.at(2); }
std::uint32_t teamsOf(const AttentionForm& form) { return form.constants.at(9); }

// Whatever the depth, cards and models: about two workgroups a core, unless heads and rows alone are more.
TEST(AttentionForm, DecodeFillsTheDeviceWhateverTheDepth) {
  for (const std::uint32_t cores : {10U, 28U, 36U, 96U, 128U, 170U}) {
    for (const std::uint32_t kvHeads : {1U, 2U, 4U, 8U, 32U}) {
      for (const std::uint32_t rows : {1U, 2U, 3U, 8U}) {
        std::uint32_t before = 0;
        for (std::uint32_t positions = 8192; positions <= 131072; positions *= 2) {
          const AttentionForm form =
              formOn(attendingCard(cores),
                     {.heads = 32, .kvHeads = kvHeads, .keyStride = 64, .valueStride = 64, .rows = rows, .positions = positions});
          const std::uint32_t others = form.workgroups[1] * form.workgroups[2];
          EXPECT_EQ(form.workgroups[0], form.splits);
          EXPECT_LE(form.splits * rows, maxPartials);
          const std::string where = std::to_string(cores) + " cores, " + std::to_string(kvHeads) + " KV heads, " + std::to_string(rows) +
                                    " rows, " + std::to_string(positions) + " positions";
          if (others >= 2 * cores) {
            EXPECT_EQ(form.splits, 1U) << where;
          } else {
            // No more than a half of what heads and rows give is lacking or too much; a split has at least 128 positions.
            const std::uint32_t most = positions / 128 * others;
            EXPECT_GE(workgroups(form) + others / 2, std::min(2 * cores, most)) << where;
            EXPECT_LE(workgroups(form), 2 * cores + others / 2) << where;
          }
          if (before != 0 && positions > 32768) {
            EXPECT_EQ(form.splits, before) << where;
          }
          before = form.splits;
        }
      }
    }
  }
}

// A short cache is not worth a join; a window is as short, however deep the conversation is.
TEST(AttentionForm, ShortCachesAndWindowsAreNotSplit) {
  AttentionNeeds needs{.heads = 64, .kvHeads = 8, .keyStride = 64, .valueStride = 64, .rows = 1, .positions = 512};
  EXPECT_EQ(formOn(attendingCard(128), needs).splits, 1U);
  EXPECT_EQ(headsOf(formOn(attendingCard(128), needs)), 1U) << "a workgroup a head";
  needs.positions = seenPositions({.window = 128, .chunk = 0, .bidirectional = false}, 65536);
  EXPECT_EQ(needs.positions, 128U);
  EXPECT_EQ(formOn(attendingCard(128), needs).splits, 1U);
  needs.positions = 1024;
  EXPECT_EQ(formOn(attendingCard(128), needs).splits, 8U);
  EXPECT_EQ(seenPositions({}, 4096), 4096U);
  EXPECT_EQ(seenPositions({.window = 0, .chunk = 600, .bidirectional = false}, 4096), 1024U);
  EXPECT_EQ(seenPositions({.window = 100, .chunk = 0, .bidirectional = true}, 4096), 256U);
  EXPECT_EQ(seenPositions({.window = 5000, .chunk = 0, .bidirectional = false}, 4096), 4096U);
}

// The cache is read once for all query heads of a KV head, as far as registers hold their sums.
TEST(AttentionForm, QueryHeadsOfAKvHeadAreFolded) {
  const auto heads = [](std::uint32_t group, std::uint32_t dim) {
    return headsOf(
        formOn(attendingCard(128), {.heads = 8 * group, .kvHeads = 8, .keyStride = dim, .valueStride = dim, .rows = 1, .positions = 8192}));
  };
  EXPECT_EQ(heads(1, 64), 1U);
  EXPECT_EQ(heads(4, 64), 4U);
  EXPECT_EQ(heads(8, 64), 8U);
  EXPECT_EQ(heads(4, 128), 4U);
  EXPECT_EQ(heads(8, 128), 4U);
  EXPECT_EQ(heads(8, 256), 2U);
}

// As many subgroups as a split has tiles for, and as many as the workgroup may have.
TEST(AttentionForm, SubgroupsFollowThePositionsOfASplit) {
  const auto teams = [](std::uint32_t cores, std::uint32_t positions) {
    return teamsOf(
        formOn(attendingCard(cores), {.heads = 8, .kvHeads = 8, .keyStride = 64, .valueStride = 64, .rows = 1, .positions = positions}));
  };
  EXPECT_EQ(teams(128, 32), 1U);
  EXPECT_EQ(teams(128, 512), 16U);
  EXPECT_EQ(teams(128, 1024), 4U);  // 8 splits of 128
  EXPECT_EQ(teams(128, 8192), 8U);  // 32 splits of 256
  EXPECT_EQ(teams(128, 65536), 16U);
  EXPECT_EQ(teams(96, 8192), 8U);  // 24 splits of 342: a power of two
}

TEST(AttentionForm, SoftwareAndLongStepsOfOneSequenceAreNotSplit) {
  vulkan::DeviceInfo software = attendingCard(32);
  software.software = true;
  const AttentionNeeds deep{.heads = 8, .kvHeads = 2, .keyStride = 64, .valueStride = 64, .rows = 1, .positions = 65536};
  EXPECT_EQ(formOn(software, deep).splits, 1U);
  AttentionNeeds prompt = deep;
  prompt.rows = maxSplitRows + 1;
  EXPECT_EQ(formOn(attendingCard(128), prompt).splits, 1U);
  prompt.oneSlot = false;  // replies of nine conversations
  EXPECT_GT(formOn(attendingCard(128), prompt).splits, 10U);
  prompt.rows = 600;
  EXPECT_EQ(formOn(attendingCard(128), prompt).splits, 1U) << "rows enough";
}

vulkan::DeviceInfo attendingUnits(std::uint32_t sharedMemory) {
  vulkan::DeviceInfo info = attendingCard(128);
  info.matrixUnit = {.m = 16, .n = 16, .k = 16, .halfSums = true};
  info.maxSharedMemory = sharedMemory;
  return info;
}

AttentionNeeds promptNeeds(std::uint32_t dim, std::uint32_t rows = 512) {
  return {.heads = 32, .kvHeads = 8, .keyStride = dim, .valueStride = dim, .rows = rows, .positions = 512, .rounds = true};
}

TEST(AttentionForm, PromptsTakeMatrixUnitsWhereTheyMayBeRounded) {
  const vulkan::DeviceInfo info = attendingUnits(48 << 10);
  EXPECT_EQ(formOn(info, promptNeeds(64)).kernel, "attention_units");
  EXPECT_EQ(formOn(info, promptNeeds(64)).workgroups, (std::array<std::uint32_t, 3>{1, 8, 32})) << "four heads folded, 64 queries each";
  AttentionNeeds needs = promptNeeds(64);
  needs.rounds = false;
  EXPECT_EQ(formOn(info, needs).kernel, "attention") << "exact, or a cache of float32";
  needs = promptNeeds(64);
  needs.oneSlot = false;
  EXPECT_EQ(formOn(info, needs).kernel, "attention");
  EXPECT_EQ(formOn(info, promptNeeds(64, maxSplitRows)).kernel, "attention") << "a few rows";
  EXPECT_EQ(formOn(info, promptNeeds(64, maxSplitRows + 1)).kernel, "attention_units");
  needs = promptNeeds(64, 31);
  needs.kvHeads = 32;
  EXPECT_EQ(formOn(info, needs).kernel, "attention") << "31 queries are less than half of a workgroup's";
  needs.rows = 32;
  EXPECT_EQ(formOn(info, needs).kernel, "attention_units");
  EXPECT_EQ(formOn(attendingCard(128), promptNeeds(64)).kernel, "attention") << "no units";
  Tuning tuning = defaultTuning(info);
  tuning.units.attention = false;  // its check failed
  EXPECT_EQ(attentionForm(tuning, info, promptNeeds(64)).kernel, "attention");
  tuning = defaultTuning(info);
  tuning.units.from = UnitsChoice::never;  // slower than tiles
  EXPECT_EQ(attentionForm(tuning, info, promptNeeds(64)).kernel, "attention");
  tuning = defaultTuning(info);
  const ProjectionChoice slow{.one = tuning.one, .many = tuning.many, .tilesFrom = 9, .unitsFrom = UnitsChoice::never, .halfSums = false};
  tuning.measured[{ElementType::F32, false}] = slow;  // takes none anyway
  EXPECT_EQ(attentionForm(tuning, info, promptNeeds(64)).kernel, "attention_units");
  tuning.measured[{ElementType::Q4_0, false}] = slow;
  EXPECT_EQ(attentionForm(tuning, info, promptNeeds(64)).kernel, "attention") << "slower wherever they were measured";
  tuning.measured[{ElementType::Q8_0, false}] = slow;
  tuning.measured[{ElementType::Q8_0, false}].unitsFrom = 9;
  EXPECT_EQ(attentionForm(tuning, info, promptNeeds(64)).kernel, "attention_units");
}

// Where prompts must come out the same in every step, with and without units.
TEST(AttentionForm, RowsOfPromptsTakeTheKernelOfMany) {
  for (const vulkan::DeviceInfo& info : {attendingUnits(48 << 10), attendingCard(128)}) {
    const AttentionForm many = formOn(info, promptNeeds(64));
    for (const std::uint32_t rows : {1U, 2U, maxSplitRows, 31U, 100U}) {
      AttentionNeeds needs = promptNeeds(64, rows);
      needs.chosenFor = 512;
      needs.positions = 16384;
      const AttentionForm form = formOn(info, needs);
      EXPECT_EQ(form.kernel, many.kernel) << rows;
      EXPECT_EQ(form.constants, many.constants) << rows;
      EXPECT_EQ(form.splits, 1U) << rows;
      const std::uint32_t rowsOfGroup = 512 / many.workgroups[2];
      EXPECT_EQ(form.workgroups, (std::array{1U, many.workgroups[1], (rows + rowsOfGroup - 1) / rowsOfGroup})) << rows;
    }
  }
}

// Subgroups and those across, by what registers and shared memory hold.
TEST(AttentionForm, WorkgroupsOfUnitsFitTheDevice) {
  const auto groups = [](const vulkan::DeviceInfo& info, std::uint32_t dim) {
    Tuning tuning = defaultTuning(info);
    tuning.units.from = 9;  // projections have limits of their own
    tuning.units.attention = true;
    const AttentionForm form = attentionForm(tuning, info, promptNeeds(dim));
    if (form.kernel != "attention_units") return std::pair(0U, 0U);
    return std::pair(form.constants.at(5), form.constants.at(6));
  };
  EXPECT_EQ(groups(attendingUnits(48 << 10), 64), std::pair(4U, 1U));
  EXPECT_EQ(groups(attendingUnits(48 << 10), 80), std::pair(8U, 2U));
  EXPECT_EQ(groups(attendingUnits(48 << 10), 128), std::pair(8U, 2U));
  EXPECT_EQ(groups(attendingUnits(48 << 10), 256), std::pair(4U, 2U)) << "32 queries";
  EXPECT_EQ(groups(attendingUnits(64 << 10), 256), std::pair(8U, 2U));
  EXPECT_EQ(groups(attendingUnits(12 << 10), 128), std::pair(0U, 0U)) << "no room";
  EXPECT_EQ(groups(attendingUnits(64 << 10), 576), std::pair(0U, 0U)) << "latent attention: no registers";
  vulkan::DeviceInfo narrow = attendingUnits(48 << 10);
  narrow.subgroupSize = narrow.minSubgroupSize = narrow.maxSubgroupSize = 8;
  EXPECT_EQ(groups(narrow, 64), std::pair(8U, 2U)) << "a row of a unit for each of 16 invocations";
  vulkan::DeviceInfo wide = attendingUnits(48 << 10);
  wide.subgroupSize = wide.minSubgroupSize = wide.maxSubgroupSize = 64;
  EXPECT_EQ(groups(wide, 64), std::pair(4U, 1U));
  wide.matrixUnit = {.m = 8, .n = 16, .k = 16, .halfSums = true};
  EXPECT_EQ(groups(wide, 64), std::pair(0U, 0U)) << "more than four invocations for each row of a unit";
  vulkan::DeviceInfo small = attendingUnits(48 << 10);
  small.maxWorkgroupInvocations = 128;
  EXPECT_EQ(groups(small, 128), std::pair(4U, 2U));
}

}  // namespace
}  // namespace minerva::gpu
