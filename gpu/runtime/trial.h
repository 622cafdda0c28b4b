// What a driver may not survive: it crashes inside a call, or the device hangs. While such a thing is tried, a file in the cache folder
// says so; where it is still there at the next start, the program ended meanwhile.
#pragma once

#include "gpu/vulkan/device_info.h"

#include <filesystem>
#include <string>

namespace minerva::gpu {

enum class TrialStage {
  unitQuery,  // asking the driver for its matrix units
  units,      // compiling, checking and measuring kernels with matrix units
  measuring,  // measuring without them
  kernels,    // compiling without them, and running each kernel for the first time
};

// Whether something ended the program (kernels: twice), and is avoided by this process; it is tried once more by the next one. What did so
// again, or lost the device, is avoided for good: as long as the device has this driver, and the file is there. An empty folder: nothing
// is remembered.
[[nodiscard]] bool isAvoided(const std::filesystem::path& folder, const vulkan::DeviceInfo& device, TrialStage stage);
[[nodiscard]] std::filesystem::path trialFile(const std::filesystem::path& folder, const vulkan::DeviceInfo& device, TrialStage stage);

// One try, from its creation to its end. Best effort: where the file cannot be written, or another process is trying the same, nothing is
// remembered.
class Trial {
 public:
  Trial(const std::filesystem::path& folder, const vulkan::DeviceInfo& device, TrialStage stage);
  ~Trial();
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  // An error that ended it, if it did: a lost device is remembered.
  void failed(const Error& error);

 private:
  std::filesystem::path m_file;
  int m_handle = -1;  // locked as long as it lasts, so that other processes do not take it for one that has ended the program
  bool m_remember = false;
};

}  // namespace minerva::gpu
