// Finds which form of the projection kernels is fastest on this device, for the kinds of matrices that a model has.
#pragma once

#include "gpu/runtime/matrix_needs.h"
#include "gpu/runtime/tuning.h"

#include <span>
#include <stop_token>

namespace minerva::gpu {

// What forms are measured with. Tests put a device in its place that exists only in their heads.
class ProjectionMeter {
 public:
  virtual ~ProjectionMeter() = default;
  // Compiles what measurements need, on several threads; what cannot be compiled is left out. Drivers on the CPU compile while they are
  // measured instead.
  virtual void prepare(std::span<const Tuning> tunings, const MatrixNeed& need, std::uint32_t tokens) = 0;
  // Milliseconds of a projection of so many tokens with this tuning; infinity if the driver cannot compile it.
  virtual Result<double> measure(const Tuning& tuning, const MatrixNeed& need, std::uint32_t tokens) = 0;
};

// Measures what is not settled of the needs, most bytes first, in two seconds at most (by Clock), the last comparison aside; the time that
// compiling takes does not count, up to twenty more. What the time does not suffice for keeps what is usual and is not settled. findLanes:
// also tries other subgroup sizes for all kernels, which needs a tuning without choices so far. Errors: cancelled (checked before each
// measurement), errors of the meter.
[[nodiscard]] Result<void> measureTuning(Tuning& tuning, std::span<const MatrixNeed> needs, bool findLanes,
                                         const vulkan::DeviceInfo& device, ProjectionMeter& meter, const std::stop_token& stop);

// Whether nothing is left to measure of a kind: all that this device measures was, or the time did not suffice for it in three loads.
[[nodiscard]] bool isSettled(const Tuning& tuning, const vulkan::DeviceInfo& device, const MatrixKind& kind);

// Whether the kernels support these values, and the device so large a workgroup.
[[nodiscard]] bool isUsable(const MatvecChoice& form, const vulkan::DeviceInfo& device, std::uint32_t lanes);

}  // namespace minerva::gpu
