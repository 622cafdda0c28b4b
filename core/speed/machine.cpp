#include "core/speed/machine.h"

#include "core/base/byte_text.h"
#include "core/base/cpu_features.h"
#include "core/base/processors.h"
#include "core/base/utf8.h"
#include "core/speed/document.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <thread>

namespace minerva::speed {
namespace {

// Outside x86, where the processor does not say its name itself.
std::string nameFromSystem() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    for (const char* key : {"model name", "Model", "Hardware"}) {
      const std::size_t colon = line.find(": ");
      if (line.starts_with(key) && colon != std::string::npos) return line.substr(colon + 2);
    }
  }
  return "unknown processor";
}

const char* bestInstructions(const CpuFeatures& features) {
  if (features.amx) return "amx";
  if (features.avx512Bf16) return "avx512bf16";
  if (features.avx512) return "avx512";
  if (features.avxVnni) return "avxvnni";
  return features.avx2 ? "avx2" : "baseline";
}

std::string dateNow() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M", &parts)};
}

}  // namespace

Machine thisMachine() {
  const CpuFeatures& features = cpuFeatures();
  Machine machine;
  machine.processor = utf8::printable(features.brand.empty() ? nameFromSystem() : features.brand);
  machine.cores = physicalCores();
  machine.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  machine.instructions = bestInstructions(features);
  struct sysinfo memory {};
  if (sysinfo(&memory) == 0) machine.memoryBytes = std::uint64_t{memory.totalram} * memory.mem_unit;
  utsname system{};
  if (uname(&system) == 0) machine.system = std::string(system.sysname) + " " + system.release + " " + system.machine;
  machine.commit = commitOfBuild();
  machine.date = dateNow();
  if (getloadavg(&machine.load, 1) != 1) machine.load = 0;
  return machine;
}

Json toJson(const Machine& machine) {
  Json json = {{"processor", machine.processor},      {"cores", machine.cores},
               {"threads", machine.threads},          {"instructions", machine.instructions},
               {"memory_bytes", machine.memoryBytes}, {"system", machine.system},
               {"minerva_commit", machine.commit},    {"date_utc", machine.date},
               {"load_before", machine.load}};
  if (machine.disturbed) json["disturbed"] = true;
  return json;
}

std::string toText(const Machine& machine) {
  return machine.processor + ", " + std::to_string(machine.cores) + " cores, " + std::to_string(machine.threads) + " threads, " +
         machine.instructions + ", " + readable(machine.memoryBytes) + ", " + machine.system + "; Minerva " + machine.commit + ", " +
         machine.date + " UTC, load " + figure(machine.load) + " before" + (machine.disturbed ? ", other work meanwhile" : "");
}

}  // namespace minerva::speed
