// The controls of the Vulkan loader whose driver fails when it is told to (fault_loader/).
#pragma once

#include "tests/gpu/fault_loader/fault_loader.h"

#include <dlfcn.h>

namespace minerva::gpu {

// Null pointers if the library cannot be opened; dlerror() says why.
inline tests::FaultControls faultControls() {
  void* library = dlopen(MINERVA_FAULT_LOADER, RTLD_NOW | RTLD_LOCAL);
  const auto find = [library]<class Function>(Function*& function, const char* name) {
    function = library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
  };
  tests::FaultControls controls{};
  find(controls.arm, "faultArm");
  find(controls.calls, "faultCalls");
  find(controls.live, "faultLive");
  find(controls.hit, "faultHit");
  return controls;
}

}  // namespace minerva::gpu
