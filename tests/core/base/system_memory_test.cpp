// Memory as Linux describes it, in a folder with its files.
#include "core/base/system_memory.h"

#include "tests/core/format/temporary_folder.h"

#include <gtest/gtest.h>

namespace minerva {
namespace {

constexpr std::uint64_t gigabyte = std::uint64_t{1} << 30;

class MachineMemoryTest : public testing::Test {
 protected:
  MachineMemoryTest() { std::filesystem::create_directories(m_folder.path() / "sys" / "vm"); }
  // In gigabytes.
  void describe(int available, int limit, int promised, const char* overcommit) const {
    const auto line = [](const char* name, int value) { return name + std::to_string(value * (1 << 20)) + " kB\n"; };
    m_folder.write("meminfo", line("MemTotal: ", 16) + line("MemAvailable: ", available) + "HugePages_Total: 0\n" +
                                  line("CommitLimit: ", limit) + line("Committed_AS: ", promised));
    m_folder.write("sys/vm/overcommit_memory", overcommit);
  }
  [[nodiscard]] std::uint64_t available() const { return machineMemory(m_folder.path()).available; }
  TemporaryFolder m_folder;
};

TEST_F(MachineMemoryTest, WhatIsFreeIsAvailable) {
  for (const char* overcommit : {"0\n", "1\n", ""}) {
    describe(12, 10, 9, overcommit);
    EXPECT_EQ(machineMemory(m_folder.path()).total, 16 * gigabyte);
    EXPECT_EQ(available(), 12 * gigabyte) << overcommit;
  }
}

TEST_F(MachineMemoryTest, WhereNoMoreIsPromisedThanThereIsOnlyTheRestOfThatIs) {
  describe(12, 10, 9, "2\n");
  EXPECT_EQ(available(), gigabyte);
  describe(12, 10, 11, "2\n");
  EXPECT_EQ(available(), 0U);
  describe(3, 10, 2, "2\n");
  EXPECT_EQ(available(), 3 * gigabyte);
}

TEST_F(MachineMemoryTest, WithoutFilesNothingIsKnown) { EXPECT_EQ(machineMemory(m_folder.path() / "nowhere").total, 0U); }

}  // namespace
}  // namespace minerva
