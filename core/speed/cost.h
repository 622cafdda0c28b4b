// How long a step must take on a device that is known by a few figures: before anything is built, so that what a change would be worth
// can be said first, and the largest part is known.
//
//   T = max(bytes / (share of bandwidth * bandwidth), operations / (share of peak * peak))     a GPU reads while it multiplies
//       + dispatches * cost of a dispatch + barriers * cost of a barrier + cost of a step
//
// A product counts as many operations as all cores could do while it runs. Workgroups run in rounds of one a core, so a round that does
// not fill the cores takes as long as one that does (NVIDIA, Matrix Multiplication Background User's Guide, "wave quantization";
// backend::OpCounts::stretch).
//
// On a device that does not, a driver on the CPU, the first two are added. Operations by plain arithmetic and by matrix units each have
// their peak.
//
// Experts have shares of their own: their kernels read scattered rows of many small matrices, and multiply them with few tokens each.
#pragma once

namespace minerva::speed {

struct StepWork {
  double bytes = 0, expertBytes = 0;          // read from the device's memory
  double flops = 0, expertFlops = 0;          // by plain arithmetic
  double unitFlops = 0, unitExpertFlops = 0;  // by matrix units
  double dispatches = 0, barriers = 0;
};

// What a device reaches, not what its data sheet says: bandwidths and peaks are already multiplied by their shares.
struct DeviceRates {
  double bytesPerSecond = 0, expertBytesPerSecond = 0;
  double flopsPerSecond = 0, expertFlopsPerSecond = 0;
  double unitFlopsPerSecond = 0, unitExpertFlopsPerSecond = 0;
  double dispatchSeconds = 0, barrierSeconds = 0;
  double stepSeconds = 0;  // to submit a step, wait for it, and read its result
  bool overlaps = true;    // it reads while it multiplies
};

enum class Limit { bandwidth, multiplying, dispatches };
[[nodiscard]] const char* name(Limit limit);

// Seconds.
struct StepCost {
  double reading = 0, multiplying = 0;
  double dispatching = 0;  // dispatches, barriers, and the step itself
  bool overlaps = true;    // the greater of the first two counts
  [[nodiscard]] double total() const {
    return (!overlaps ? reading + multiplying : reading > multiplying ? reading : multiplying) + dispatching;
  }
  [[nodiscard]] Limit limit() const;  // the largest part
};

// REQUIRES rates above 0, but for work that is 0; the costs of dispatches, barriers and steps may be 0.
[[nodiscard]] StepCost costOf(const StepWork& work, const DeviceRates& rates);

// The share by which a step gets faster (0.1: a tenth less time) with that much less work.
[[nodiscard]] double worthOf(const StepWork& less, const StepWork& work, const DeviceRates& rates);

}  // namespace minerva::speed
