// The controls of the Vulkan loader whose driver fails when it is told to (fault_loader/), and what tests let a model do meanwhile.
#pragma once

#include "core/backend/backend.h"
#include "tests/gpu/fault_loader/fault_loader.h"

#include <dlfcn.h>

#include <algorithm>
#include <vector>

namespace minerva::gpu {

// Null pointers if the library cannot be opened; dlerror() says why.
inline tests::FaultControls faultControls() {
  void* library = dlopen(MINERVA_FAULT_LOADER, RTLD_NOW | RTLD_LOCAL);
  const auto find = [library]<class Function>(Function*& function, const char* name) {
    function = library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
  };
  tests::FaultControls controls{};
  find(controls.arm, "faultArm");
  find(controls.standBefore, "faultStandBefore");
  find(controls.calls, "faultCalls");
  find(controls.live, "faultLive");
  find(controls.hit, "faultHit");
  return controls;
}

inline constexpr backend::PlaceOptions faultOptions{
    .contextLength = 32, .slots = 1, .maxRows = 4, .maxOutputRows = 1, .precision = backend::Precision::exact};

// Greedily, behind the token 1; with it. Also checks that the list of the best logits begins with the token.
inline Result<std::vector<int>> writeTenTokens(backend::Placement& placement) {
  std::vector<int> tokens{1};
  for (int position = 0; position < 10; ++position) {
    const std::vector<backend::StepRow> row{{tokens.back(), position, 0, true}};
    MINERVA_TRY(placement.step(row));
    MINERVA_ASSIGN(const std::span<const float> logits, placement.logits(0));
    tokens.push_back(static_cast<int>(std::ranges::max_element(logits) - logits.begin()));
    const auto top = placement.topLogits(0);
    if (!top || top->best.empty() || top->best.front().token != tokens.back())
      return fail({.kind = ErrorKind::internal, .what = "The list of the best logits does not begin with the best"});
  }
  return tokens;
}

}  // namespace minerva::gpu
