// Predicts whether a model fits before anything large is allocated, and suggests what would fit if it does not.
//
// Pure functions of a plan, the options, and the memory devices need (Backend::memoryNeeds) and have.
#pragma once

#include "core/backend/split_fit.h"

#include <string>
#include <vector>

namespace minerva::backend {

struct FitOffer {
  PlaceOptions options;  // as wanted, except for the context or the KV type
  int layers = -1;       // layers on this device, the others go to the CPU; -1: all on this device
  int hostExperts = 0;   // number of layers, from the last one backwards, whose experts go to the CPU
  DeviceNeed need{};     // of this device
  std::string text{};    // "a context of 4096 (5.1 GB)"
};

struct Fit {
  bool fits = true;
  std::vector<DeviceNeed> needs{};
  std::vector<FitOffer> offers{};       // if it does not fit; each of them would be sufficient
  std::vector<std::string> warnings{};  // if it fits with restrictions
};

// shareable: layers may be moved to the CPU. Offers, in this order: a quantized KV cache with the whole context; the longest
// context that fits (in steps of 256; also with the quantized cache if that allows a longer one); as few experts on the CPU
// as possible; as many layers as fit. Errors: those of `needs` for the given plan and options.
[[nodiscard]] Result<Fit> workOutFit(const NeedsOf& needs, const model::Plan& plan, const PlaceOptions& wanted, bool shareable);

// outOfMemory with the memory breakdown of the first device that is too small, or the piece that it cannot hold, and the offers as its
// hint.
[[nodiscard]] Error doesNotFit(const Fit& fit);

}  // namespace minerva::backend
