// Combines two backends: the first layers of a model on an accelerator, the rest on the host. Threading: backend.h.
//
// A step transfers the rows of one buffer twice (the embedded tokens, and the output of the accelerator's last layer), and
// twice more per layer whose experts are on the host. Keys and values stay on the device of their layer.
#pragma once

#include "core/backend/fit.h"

namespace minerva::backend {

struct SplitChoice {
  static constexpr int mostThatFit = -1;
  int layers = mostThatFit;                 // [0, layers) on the accelerator
  HostExperts experts = HostExperts::none;  // asFewAsFit requires mostThatFit
};

[[nodiscard]] std::unique_ptr<Backend> createSplitBackend(std::unique_ptr<Backend> accelerator, std::unique_ptr<Backend> host,
                                                          const SplitChoice& choice);

}  // namespace minerva::backend
