// One plan shared out between two devices: which ops run where, and what is handed across. A pure function of the plan.
//
// Device 0 is the accelerator, device 1 the host. The token table always stays with the host, which reads single rows
// of it. Every device gets a plan of its own, with only the weights, buffers and KV layers its ops use, cut into parts
// (PlanPart); SplitPlan::parts says in which order the parts of both run. A model split by layers is three parts: the
// tokens' rows, the layers of device 0, the rest.
#pragma once

#include "core/model/plan.h"

#include <array>
#include <vector>

namespace minerva::model {

struct SplitOptions {
  int layers = 0;       // [0, layers) run on device 0; all of them: so does the head
  int hostExperts = 0;  // the experts of the last so many of these layers stay with the host
};

// A buffer as the two plans name it.
struct Handover {
  BufferId from, to;
};

struct SplitPart {
  int device;                   // whose plan
  std::size_t part;             // of that plan
  std::vector<Handover> takes;  // from the other device, before it runs
};

struct SplitPlan {
  std::array<Plan, 2> plans;     // by device; one without ops has nothing to do
  std::vector<SplitPart> parts;  // in the order they run
  int layers = 0;                // of device 0
  int hostExperts = 0;           // of these, with the experts on device 1
};

// Layers a plan has to share out; 0: it does not say where they begin.
[[nodiscard]] int layerCount(const Plan& plan);
[[nodiscard]] bool hasExperts(const Plan& plan);

// Errors: invalidArgument (more layers than there are; experts of a model without, or of more layers than those).
[[nodiscard]] Result<SplitPlan> splitPlan(const Plan& plan, const SplitOptions& options);

}  // namespace minerva::model
