// Limits of control groups, read from a folder with the files that Linux has.
#include "core/base/cgroup_limits.h"
#include "tests/core/format/temporary_folder.h"

#include <gtest/gtest.h>

#include <fstream>

namespace minerva {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

class CgroupLimitsTest : public testing::Test {
 protected:
  [[nodiscard]] CgroupLimits limits() const { return cgroupLimits(m_folder.path() / "self", m_folder.path() / "root"); }
  void put(const std::string& group, const std::string& file, const std::string& text) const {
    write(m_folder.path() / "root" / group / file, text + "\n");
  }
  void belongTo(const std::string& group) const { write(m_folder.path() / "self", "0::" + group + "\n"); }
  TemporaryFolder m_folder;
};

TEST_F(CgroupLimitsTest, AProcessWithoutLimitsHasTheWholeMachine) {
  EXPECT_EQ(limits().cpusOf(64), 64) << "no files";
  belongTo("/user.slice/session");
  put("user.slice/session", "cpu.max", "max 100000");
  put("user.slice/session", "memory.max", "max");
  put("user.slice/session", "memory.current", "123");
  const CgroupLimits found = limits();
  EXPECT_EQ(found.cpusOf(64), 64);
  EXPECT_EQ(found.totalOf(1000), 1000U);
  EXPECT_EQ(found.leftOf(900), 900U);
}

TEST_F(CgroupLimitsTest, AContainerSeesItsOwnAtTheRoot) {
  belongTo("/");
  put("", "cpu.max", "250000 100000");
  put("", "memory.max", "4000");
  put("", "memory.current", "3000");
  put("", "memory.stat", "anon 1500\nfile 1400\ninactive_file 900\nactive_file 100\nslab 20");
  const CgroupLimits found = limits();
  EXPECT_EQ(found.cpusOf(64), 2);
  EXPECT_EQ(found.cpusOf(1), 1);
  EXPECT_EQ(found.totalOf(100000), 4000U);
  EXPECT_EQ(found.leftOf(100000), 2000U) << "cached files give way";
  EXPECT_EQ(found.leftOf(700), 700U);
}

TEST_F(CgroupLimitsTest, WhatSlowsAGroupDownIsALimitToo) {
  belongTo("/");
  put("", "memory.max", "4000");
  put("", "memory.high", "3500");
  put("", "memory.current", "3000");
  EXPECT_EQ(limits().totalOf(100000), 3500U);
  EXPECT_EQ(limits().leftOf(100000), 500U);
  put("", "memory.max", "max");
  EXPECT_EQ(limits().totalOf(100000), 3500U);
  put("", "memory.high", "max");
  EXPECT_EQ(limits().totalOf(100000), 100000U);
}

TEST_F(CgroupLimitsTest, TheTightestOfTheGroupsAroundItCounts) {
  belongTo("/a/b/c");
  put("a", "cpu.max", "50000 100000");
  put("a", "memory.max", "9000");
  put("a", "memory.current", "8990");
  put("a/b", "cpu.max", "800000 100000");
  put("a/b", "memory.max", "max");
  put("a/b/c", "memory.max", "500");
  put("a/b/c", "memory.current", "600");
  put("other", "cpu.max", "10000 100000");
  const CgroupLimits found = limits();
  EXPECT_EQ(found.cpusOf(64), 1) << "half a processor";
  EXPECT_EQ(found.totalOf(100000), 500U);
  EXPECT_EQ(found.leftOf(100000), 0U);
}

TEST_F(CgroupLimitsTest, OtherTextIsNoLimit) {
  belongTo("/a");
  put("a", "cpu.max", "much");
  put("a", "memory.max", "-");
  EXPECT_EQ(limits().cpusOf(8), 8);
  EXPECT_EQ(limits().leftOf(800), 800U);
}

// Version 1, of which every controller, or two together, has a folder of its own.
class FirstCgroupsTest : public CgroupLimitsTest {
 protected:
  void belong(const std::string& lines) const { write(m_folder.path() / "self", lines); }
  static constexpr std::uint64_t gigabyte = std::uint64_t{1} << 30;
};

TEST_F(FirstCgroupsTest, EachControllerHasItsOwnGroup) {
  belong("9:name=systemd:/x\n4:memory:/a/b\n1:cpu,cpuacct:/a\n0::/\n");
  put("cpu,cpuacct/a", "cpu.cfs_quota_us", "200000");
  put("cpu,cpuacct/a", "cpu.cfs_period_us", "100000");
  put("cpu,cpuacct", "cpu.cfs_quota_us", "-1");
  put("cpu,cpuacct", "cpu.cfs_period_us", "100000");
  put("memory/a", "memory.limit_in_bytes", "8589934592");
  put("memory/a", "memory.usage_in_bytes", "3221225472");
  put("memory/a", "memory.stat", "inactive_file 7\ntotal_inactive_file 536870912\ntotal_active_file 536870912");
  put("memory/a/b", "memory.limit_in_bytes", "9223372036854771712");
  put("memory/a/b", "memory.usage_in_bytes", "3221225472");
  const CgroupLimits found = limits();
  EXPECT_EQ(found.cpusOf(64), 2);
  EXPECT_EQ(found.totalOf(1024 * gigabyte), 8 * gigabyte);
  EXPECT_EQ(found.leftOf(1024 * gigabyte), 6 * gigabyte) << "cached files give way";
}

TEST_F(FirstCgroupsTest, AContainerSeesItsOwnAtTheRootWhateverPathItIsTold) {
  belong("4:memory:/docker/0123\n1:cpu:/docker/0123\n");
  put("cpu", "cpu.cfs_quota_us", "350000");
  put("cpu", "cpu.cfs_period_us", "100000");
  put("memory", "memory.limit_in_bytes", "5000");
  put("memory", "memory.usage_in_bytes", "1000");
  EXPECT_EQ(limits().cpusOf(64), 3);
  EXPECT_EQ(limits().totalOf(100000), 5000U);
  EXPECT_EQ(limits().leftOf(100000), 4000U);
}

TEST_F(FirstCgroupsTest, TheFolderMayNameItsControllersInAnotherOrder) {
  for (const std::string folder : {"cpu", "cpu,cpuacct"}) {
    belong("4:cpuacct,cpu:/\n");
    put(folder, "cpu.cfs_quota_us", "100000");
    put(folder, "cpu.cfs_period_us", "100000");
    EXPECT_EQ(limits().cpusOf(64), 1) << folder;
    fs::remove_all(m_folder.path() / "root");
  }
}

TEST_F(FirstCgroupsTest, NoLimitIsNoLimit) {
  belong("4:memory:/\n3:cpuset:/\n2:cpuacct:/\n1:cpu:/\n0::/\n");
  put("cpu", "cpu.cfs_quota_us", "-1");
  put("cpu", "cpu.cfs_period_us", "100000");
  put("memory", "memory.limit_in_bytes", "9223372036854771712");
  put("memory", "memory.usage_in_bytes", "1000");
  EXPECT_EQ(limits().cpusOf(64), 64);
  EXPECT_EQ(limits().totalOf(1024 * gigabyte), 1024 * gigabyte);
}

}  // namespace
}  // namespace minerva
