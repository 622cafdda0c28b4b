// The controls of the Vulkan loader whose devices are described by files (describing_loader/), and those files.
#pragma once

#include "tests/gpu/describing_loader/describing_loader.h"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace minerva::gpu {

// Null pointers if the library cannot be opened; dlerror() says why.
inline tests::DescribingControls describingControls() {
  void* library = dlopen(MINERVA_DESCRIBING_LOADER, RTLD_NOW | RTLD_LOCAL);
  const auto find = [library]<class Function>(Function*& function, const char* name) {
    function = library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
  };
  tests::DescribingControls controls{};
  find(controls.describe, "describingDescribe");
  find(controls.limitHeaps, "describingLimitHeaps");
  find(controls.timestamps, "describingTimestamps");
  find(controls.violations, "describingViolations");
  find(controls.stagedBytes, "describingStagedBytes");
  find(controls.heapBytes, "describingHeapBytes");
  find(controls.mappedBytes, "describingMappedBytes");
  find(controls.submissions, "describingSubmissions");
  find(controls.emptyUnits, "describingEmptyUnits");
  find(controls.unitPipelines, "describingUnitPipelines");
  find(controls.endsAtUnits, "describingEndsAtUnits");
  find(controls.priorBytes, "describingPriorBytes");
  find(controls.dispatches, "describingDispatches");
  find(controls.cached, "describingCached");
  find(controls.allocations, "describingAllocations");
  return controls;
}

// "rtx-4090"
inline std::string deviceFile(const std::string& name) { return std::string(MINERVA_SOURCE_DIR) + "/tests/gpu/devices/" + name + ".json"; }

// Of all devices that are described.
inline std::vector<std::string> deviceFiles() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(MINERVA_SOURCE_DIR) / "tests/gpu/devices"))
    if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  std::ranges::sort(files);
  return files;
}

}  // namespace minerva::gpu
