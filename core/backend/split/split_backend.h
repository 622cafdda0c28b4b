// Two backends as one: the first layers of a model on an accelerator, the rest on the host. Rules of threads:
// backend.h.
//
// A step hands the rows of one buffer across twice (the tokens' rows, and what comes out of the accelerator's last
// layer); and twice in a layer whose experts are with the host. Keys and values stay on the device of their layer.
#pragma once

#include "core/backend/fit.h"

namespace minerva::backend {

struct SplitChoice {
  static constexpr int mostThatFit = -1;
  int layers = mostThatFit;                 // [0, layers) on the accelerator
  HostExperts experts = HostExperts::none;  // asFewAsFit: with mostThatFit
};

[[nodiscard]] std::unique_ptr<Backend> createSplitBackend(std::unique_ptr<Backend> accelerator, std::unique_ptr<Backend> host,
                                                          const SplitChoice& choice);

}  // namespace minerva::backend
