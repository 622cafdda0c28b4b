// Splits a plan between two devices: which ops run where and which buffers are transferred. A pure function of the plan.
//
// Device 0 is the accelerator, device 1 the host. The token embedding table always stays on the host, which reads single
// rows of it. Each device gets its own plan, containing only the weights, buffers and KV layers its ops use and cut into
// parts (PlanPart); SplitPlan::parts gives the execution order of the parts of both. A model split by layers has three
// parts: token embedding, the layers of device 0, the rest.
// Keys and values stay on the device that stores them: layers that use them are not cut off from the layer that stores them.
#pragma once

#include "core/model/plan.h"

#include <array>
#include <vector>

namespace minerva::model {

struct SplitOptions {
  int layers = 0;       // layers [0, layers) run on device 0; if that is all layers, the head does too
  int hostExperts = 0;  // the experts of the last `hostExperts` of these layers stay on the host
};

// A transferred buffer: its id in the sender's and in the receiver's plan.
struct Handover {
  BufferId from, to;
};

struct SplitPart {
  int device;                   // device whose plan the part belongs to
  std::size_t part;             // index in that plan
  std::vector<Handover> takes;  // transferred from the other device before the part runs
};

struct SplitPlan {
  std::array<Plan, 2> plans;     // by device; a plan without ops is unused
  std::vector<SplitPart> parts;  // in execution order
  int layers = 0;                // on device 0; splitPoint() of those asked for
  int hostExperts = 0;           // of these, layers with experts on device 1
};

// Number of layers that can be split; 0 if the plan lacks layer boundaries.
[[nodiscard]] int layerCount(const Plan& plan);
[[nodiscard]] bool hasExperts(const Plan& plan);

// The largest number of layers, at most `layers`, that can be on device 0: no later layer uses keys and values that one of them stores.
[[nodiscard]] int splitPoint(const Plan& plan, int layers);

// Errors: invalidArgument (too many layers; hostExperts without experts in the model, or larger than layers).
[[nodiscard]] Result<SplitPlan> splitPlan(const Plan& plan, const SplitOptions& options);

}  // namespace minerva::model
