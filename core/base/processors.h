// The processors that this process may run on, as Linux describes them: their cores, caches and memory nodes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace minerva {

// The numbers of those on which this process may run.
[[nodiscard]] std::vector<int> allowedCpus();

// Physical cores for work that is divided evenly: hyperthreads counted once, and none with less than 40 % of the best one's capacity, for
// which all others would wait (the two low-power cores of some laptops). At least 1.
[[nodiscard]] int coresOf(std::span<const int> cpus, const std::filesystem::path& root = "/sys/devices/system/cpu");
// Those that this process may use, as far as its control group gives it their time.
[[nodiscard]] int physicalCores();

// Bytes of the first data cache that each of these processors has, whichever a thread is on; 0 if unknown.
[[nodiscard]] std::uint64_t firstCacheBytes(std::span<const int> cpus, const std::filesystem::path& root = "/sys/devices/system/cpu");
// Bytes of all last-level caches (L3) that these processors have; 0 if unknown or none.
[[nodiscard]] std::uint64_t lastCacheBytes(std::span<const int> cpus, const std::filesystem::path& root = "/sys/devices/system/cpu");

// How many memory nodes (NUMA) these processors belong to; 1 if unknown.
[[nodiscard]] int memoryNodes(std::span<const int> cpus, const std::filesystem::path& root = "/sys/devices/system/node");

}  // namespace minerva
