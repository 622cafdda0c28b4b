#include "tests/support/resident.h"

#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <malloc.h>
#include <string>
#include <string_view>

namespace minerva::tests {
namespace {

// Shared mappings that can be written to, of files in memory.
std::int64_t sharedBytes() {
  std::int64_t bytes = 0;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uint64_t from = 0, to = 0;
    char access[5] = "";
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %4s", &from, &to, access) == 3 && std::string_view(access) == "rw-s") {
      bytes += static_cast<std::int64_t>(to - from);
    }
  }
  return bytes;
}

}  // namespace

ResidentBytes residentBytes() {
  static const int fixed = ::mallopt(M_MMAP_THRESHOLD, 1 << 18);
  static_cast<void>(fixed);
  ::malloc_trim(0);
  ResidentBytes bytes;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    const auto value = [&] { return std::stoll(line.substr(line.find(':') + 1)) * 1024; };
    if (line.starts_with("RssAnon:") || line.starts_with("RssShmem:")) bytes.own += value();
    if (line.starts_with("RssFile:")) bytes.files = value();
    if (line.starts_with("VmData:")) bytes.data = value();
  }
  bytes.data += sharedBytes();
  return bytes;
}

}  // namespace minerva::tests
