// Whether a model fits, worked out before anything large is allocated, and what would fit if it does not.
//
// Pure functions of a plan, the options and what devices say they need (Backend::memoryNeeds) and have. No device is
// touched.
#pragma once

#include "core/backend/backend.h"
#include "core/model/plan_split.h"

#include <functional>
#include <string>
#include <vector>

namespace minerva::backend {

// As Backend::memoryNeeds.
using NeedsOf = std::function<Result<std::vector<DeviceNeed>>(const model::Plan& plan, const PlaceOptions& options)>;

struct FitOffer {
  PlaceOptions options;  // as wanted but for the context or the KV type
  int layers = -1;       // so many on this device, the others on the processor; -1: all here
  int hostExperts = 0;   // the experts of the last so many of them on the processor
  DeviceNeed need{};     // of this device
  std::string text{};    // "a context of 4096 (5.1 GB)"
};

struct Fit {
  bool fits = true;
  std::vector<DeviceNeed> needs{};
  std::vector<FitOffer> offers{};       // when it does not fit; each would, by itself
  std::vector<std::string> warnings{};  // it fits, but ...
};

// shareable: layers may go to the processor instead. Offers, in this order: a quantized cache with the whole context,
// the longest context there is room for (in steps of 256; with the quantized cache too, when only that or more of it
// fits), as few experts on the processor as it takes, the most layers that fit. Errors: those of `needs` for the plan and options as they
// are.
[[nodiscard]] Result<Fit> workOutFit(const NeedsOf& needs, const model::Plan& plan, const PlaceOptions& wanted, bool shareable);

// Which of a mixture's experts leave the device when it has too little room. A token reads few of a layer's experts but
// all of its other weights: experts cost the processor least.
enum class HostExperts { none, all, asFewAsFit };

// Most layers [0, n) of the plan one device has room for, when the rest and the token table are elsewhere, and of these
// the layers whose experts are too. 0 layers: not even one. asFewAsFit: of a model without experts as `none`.
[[nodiscard]] Result<model::SplitOptions> splitThatFits(const NeedsOf& needs, const model::Plan& plan, const PlaceOptions& options,
                                                        HostExperts experts);

// outOfMemory with the figures of the device that is too small, part by part, and the offers as its hint.
[[nodiscard]] Error doesNotFit(const Fit& fit);

}  // namespace minerva::backend
