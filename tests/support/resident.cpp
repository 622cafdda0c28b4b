#include "tests/support/resident.h"

#include <fstream>
#include <malloc.h>
#include <string>

namespace minerva::tests {

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
  return bytes;
}

}  // namespace minerva::tests
