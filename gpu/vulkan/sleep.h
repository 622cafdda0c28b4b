// What becomes of a GPU's memory while the system sleeps: most drivers bring it back, NVIDIA's only where it is told to
// ("Configuring Power Management Support" in its README). It says nothing when it has not.
#pragma once

#include "core/base/error.h"

#include <string>

namespace minerva::vulkan {

struct DeviceInfo;

// Since the system's start.
[[nodiscard]] double secondsAsleep();

// What is asked; tests give their own.
struct SleepSource {
  double (*seconds)() = secondsAsleep;
  std::string nvidiaSettings = "/proc/driver/nvidia/params";

  friend bool operator==(const SleepSource&, const SleepSource&) = default;
};

// Of one device, from its creation on. Thread-safe.
class SleepWatch {
 public:
  SleepWatch(const DeviceInfo& device, const SleepSource& source);
  // Errors: memoryLost.
  [[nodiscard]] Result<void> check() const;

 private:
  std::string m_name;
  double (*m_seconds)();
  bool m_forgets;
  double m_before;
};

}  // namespace minerva::vulkan
