// How a model is split so that each device has memory for its part: the memory needs of the devices (Backend::memoryNeeds) are the
// figures with which sharing.h shares the layers out.
#pragma once

#include "core/backend/backend.h"
#include "core/backend/sharing.h"
#include "core/model/plan_split.h"

#include <functional>
#include <span>
#include <vector>

namespace minerva::backend {

// As Backend::memoryNeeds.
using NeedsOf = std::function<Result<std::vector<DeviceNeed>>(const model::Plan& plan, const PlaceOptions& options)>;

// Which experts of a mixture leave the devices if memory is short. A token reads few of a layer's experts but all of its
// other weights, so experts are the cheapest part to run on the host.
enum class HostExperts { none, all, asFewAsFit };

struct SplitAccelerator {
  NeedsOf needs;
  double bytesPerSecond = 0;  // read bandwidth; 0: unknown. Without meaning for a single accelerator
};

// A split of a plan: the accelerators that get layers, in the order of these.
struct DeviceSplit {
  std::vector<DeviceLayers> parts;
  int hostExperts = 0;  // model::SplitOptions::hostExperts

  [[nodiscard]] int layers() const;  // on accelerators
  [[nodiscard]] model::SplitOptions options() const;
};

[[nodiscard]] bool allFit(const std::vector<DeviceNeed>& needs);

// The split with as few layers on the host as possible, and the fastest of those; the embedding table is on the host. asFewAsFit: all
// layers on accelerators with the fewest experts on the host, if all layers fit that way, else all experts on the host. No parts: not
// even one layer fits. For models without experts asFewAsFit is the same as `none`. Errors: invalidArgument (`all` without experts; a
// plan without layer boundaries).
[[nodiscard]] Result<DeviceSplit> splitThatFits(std::span<const SplitAccelerator> accelerators, const model::Plan& plan,
                                                const PlaceOptions& options, HostExperts experts);

// Binary search for the largest n in [0, most] with good(n). REQUIRES good to be monotonic; good(0) is assumed, never
// called.
template <class Good>
int largest(int most, Good good) {
  int low = 0;
  for (int high = most; low < high;) {
    const int middle = low + (high - low + 1) / 2;
    if (good(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

}  // namespace minerva::backend
