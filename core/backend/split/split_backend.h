// Combines several backends: accelerators run ranges of a model's layers, the host the rest. Threading: backend.h.
//
// A model that fits on the first accelerator runs there alone, because a step goes through the devices one after the other. Otherwise a
// step transfers the rows of one buffer to each device in turn (the embedded tokens first), and twice more per layer whose experts are on
// the host. Keys and values stay on the device of their layer.
#pragma once

#include "core/backend/split_fit.h"

namespace minerva::backend {

struct SplitChoice {
  // Of each accelerator, in their order; the host has the others. Empty: as splitThatFits() says. If memory then runs out on a device all
  // the same, it gets fewer.
  std::vector<int> layers = {};
  HostExperts experts = HostExperts::none;  // asFewAsFit requires no `layers`
  bool hostLayers = true;                   // whether the host takes layers that no accelerator holds; if not, the model does not fit then
  std::string note = {};                    // a part of DeviceInfo::detail, such as which device was left out and why
};

// REQUIRES at least one accelerator.
[[nodiscard]] std::unique_ptr<Backend> createSplitBackend(std::vector<std::unique_ptr<Backend>> accelerators, std::unique_ptr<Backend> host,
                                                          const SplitChoice& choice);

}  // namespace minerva::backend
