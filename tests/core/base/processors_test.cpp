// Cores and caches of processors that are described as Linux does, in a folder.
#include "core/base/processors.h"

#include "tests/core/format/temporary_folder.h"

#include <gtest/gtest.h>

#include <fstream>
#include <numeric>

namespace minerva {
namespace {

namespace fs = std::filesystem;

class ProcessorsTest : public testing::Test {
 protected:
  void put(int cpu, const std::string& file, const std::string& text) const {
    const fs::path path = m_folder.path() / ("cpu" + std::to_string(cpu)) / file;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text << '\n';
  }
  static std::vector<int> numbers(int count) {
    std::vector<int> cpus(static_cast<std::size_t>(count));
    std::iota(cpus.begin(), cpus.end(), 0);
    return cpus;
  }
  [[nodiscard]] int cores(const std::vector<int>& cpus) const { return coresOf(cpus, m_folder.path()); }
  [[nodiscard]] std::uint64_t lastCaches(const std::vector<int>& cpus) const { return lastCacheBytes(cpus, m_folder.path()); }
  TemporaryFolder m_folder;
};

TEST_F(ProcessorsTest, HyperthreadsAreOneCore) {
  for (int cpu = 0; cpu < 8; ++cpu) put(cpu, "topology/thread_siblings_list", std::to_string(cpu % 4) + "," + std::to_string(cpu % 4 + 4));
  EXPECT_EQ(cores(numbers(8)), 4);
  EXPECT_EQ(cores({0, 1, 4, 5}), 2) << "of those that are allowed";
}

TEST_F(ProcessorsTest, WithoutADescriptionEachIsACore) {
  EXPECT_EQ(cores(numbers(5)), 5);
  EXPECT_EQ(cores({}), 1);
}

// A laptop with 6 fast, 8 efficient and 2 low-power cores.
TEST_F(ProcessorsTest, CoresThatAllOthersWouldWaitForAreLeftOut) {
  for (int cpu = 0; cpu < 16; ++cpu) {
    put(cpu, "topology/thread_siblings_list", std::to_string(cpu));
    put(cpu, "cpu_capacity", cpu < 6 ? "1024" : cpu < 14 ? "560" : "200");
  }
  EXPECT_EQ(cores(numbers(16)), 14);
  EXPECT_EQ(cores({14, 15}), 2) << "the best of those that are allowed";
  put(14, "cpu_capacity", "0");
  put(15, "cpu_capacity", "?");
  EXPECT_EQ(cores(numbers(16)), 16) << "not told";
}

TEST_F(ProcessorsTest, ACacheCountsOnceForAllThatShareIt) {
  EXPECT_EQ(lastCaches(numbers(16)), 0U);
  for (int cpu = 0; cpu < 16; ++cpu) {
    put(cpu, "cache/index3/size", cpu < 8 ? "98304K" : "32768K");
    put(cpu, "cache/index3/shared_cpu_list", cpu < 8 ? "0-7" : "8-15");
  }
  EXPECT_EQ(lastCaches(numbers(16)), std::uint64_t{128} << 20);
  EXPECT_EQ(lastCaches({9, 10}), std::uint64_t{32} << 20);
}

// A thread moves between a fast core with 48 KB and an efficient one with 32.
TEST_F(ProcessorsTest, TheFirstCacheIsTheLeastOfAll) {
  EXPECT_EQ(firstCacheBytes(numbers(4), m_folder.path()), 0U);
  put(1, "cache/index0/size", "48K");
  EXPECT_EQ(firstCacheBytes(numbers(4), m_folder.path()), 48U << 10);
  put(2, "cache/index0/size", "32K");
  put(3, "cache/index0/size", "48K");
  EXPECT_EQ(firstCacheBytes(numbers(4), m_folder.path()), 32U << 10);
}

TEST_F(ProcessorsTest, NodesCountThatHaveAProcessorOfThese) {
  const auto node = [&](const char* name, const std::string& list) {
    std::filesystem::create_directories(m_folder.path() / name);
    std::ofstream(m_folder.path() / name / "cpulist") << list << '\n';
  };
  const auto nodes = [&](const std::vector<int>& cpus) { return memoryNodes(cpus, m_folder.path()); };
  EXPECT_EQ(nodes({0, 1}), 1) << "no nodes are described";
  node("node0", "0-3,8-11");
  node("node1", "4-7,12,14");
  node("node2", "");  // memory without processors
  m_folder.write("online", "0-2");
  EXPECT_EQ(nodes({0, 5}), 2);
  EXPECT_EQ(nodes({14}), 1);
  EXPECT_EQ(nodes({0, 1, 2, 3, 9}), 1);
  EXPECT_EQ(nodes({13}), 1);
  EXPECT_EQ(memoryNodes(numbers(16), m_folder.path() / "nowhere"), 1);
}

}  // namespace
}  // namespace minerva
