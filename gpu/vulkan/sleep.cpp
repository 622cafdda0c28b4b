#include "gpu/vulkan/sleep.h"

#include "gpu/vulkan/device_info.h"

#include <ctime>
#include <fstream>

namespace minerva::vulkan {

namespace {

constexpr double shortestSleep = 1;  // seconds: the two clocks are not read at the same time

double secondsOf(clockid_t clock) {
  std::timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// Where its settings cannot be read, the driver does what it does by default.
bool forgetsAsleep(const DeviceInfo& device, const std::string& nvidiaSettings) {
  if (device.driverName != "NVIDIA") return false;
  std::ifstream settings(nvidiaSettings);
  for (std::string line; std::getline(settings, line);) {
    if (line == "PreserveVideoMemoryAllocations: 1" || line == "UseKernelSuspendNotifiers: 1") return false;
  }
  return true;
}

}  // namespace

double secondsAsleep() { return secondsOf(CLOCK_BOOTTIME) - secondsOf(CLOCK_MONOTONIC); }

SleepWatch::SleepWatch(const DeviceInfo& device, const SleepSource& source)
    : m_name(device.name),
      m_seconds(source.seconds),
      m_forgets(forgetsAsleep(device, source.nvidiaSettings)),
      m_before(m_forgets ? m_seconds() : 0) {}

Result<void> SleepWatch::check() const {
  if (!m_forgets || m_seconds() - m_before < shortestSleep) return {};
  return fail({.kind = ErrorKind::memoryLost,
               .what = "The system has slept, and the GPU's driver keeps nothing of the GPU's memory meanwhile",
               .where = m_name,
               .hint = "Load the model again. The driver keeps it with its setting NVreg_PreserveVideoMemoryAllocations=1."});
}

}  // namespace minerva::vulkan
