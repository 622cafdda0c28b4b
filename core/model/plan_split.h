// Splits a plan among devices: which ops run where and which buffers are transferred. A pure function of the plan.
//
// The accelerators come first, in the order in which a step goes through them, and the host last. Each accelerator runs a range of
// layers next to the previous one's; the host runs the layers behind them, if any. The token embedding table always stays on the host,
// which reads single rows of it. Each device gets its own plan, containing only the weights, buffers and KV layers its ops use and cut into
// parts (PlanPart); SplitPlan::parts gives the execution order of the parts of all. A model split by layers has a
// part for the token embedding and one for each range of layers.
// Keys and values stay on the device that stores them: layers that use them are not cut off from the layer that stores them.
#pragma once

#include "core/model/plan.h"

#include <cstdint>
#include <vector>

namespace minerva::model {

struct SplitOptions {
  std::vector<int> layers = {};  // of each accelerator; if they are all layers, the last one with layers runs the head too
  int hostExperts = 0;           // the experts of the last `hostExperts` of these layers stay on the host
};

// A transferred buffer: its id in the sender's and in the receiver's plan.
struct Handover {
  std::size_t sender;  // device
  BufferId from, to;
};

struct SplitPart {
  std::size_t device;           // device whose plan the part belongs to
  std::size_t part;             // index in that plan
  std::vector<Handover> takes;  // transferred from other devices before the part runs
};

struct SplitPlan {
  std::vector<Plan> plans;       // of each accelerator, then of the host; a plan without ops is unused
  std::vector<SplitPart> parts;  // in execution order
  std::vector<int> layers;       // of each accelerator; cut at splitPoint() of those asked for
  int hostExperts = 0;           // of these, layers with experts on the host

  [[nodiscard]] std::uint64_t handoverBytesPerToken() const;  // transferred between devices
};

// Number of layers that can be split; 0 if the plan lacks layer boundaries.
[[nodiscard]] int layerCount(const Plan& plan);
[[nodiscard]] bool hasExperts(const Plan& plan);

// The last place to cut, at most behind `layers` layers: no later layer uses keys and values that one of them stores.
[[nodiscard]] int splitPoint(const Plan& plan, int layers);

// Errors: invalidArgument (too many layers; hostExperts without experts in the model, or larger than all accelerators' layers).
[[nodiscard]] Result<SplitPlan> splitPlan(const Plan& plan, const SplitOptions& options);

}  // namespace minerva::model
