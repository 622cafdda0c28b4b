// Our own read kernel: what a device can stream from its memory.
#pragma once

#include "gpu/runtime/kernels.h"
#include "gpu/runtime/tuning.h"

namespace minerva::gpu {

// Bytes per second over a buffer far larger than any cache; about 0.3 s, plus filling the buffer.
[[nodiscard]] Result<double> probeReadBandwidth(const std::shared_ptr<vulkan::Device>& device, Kernels& kernels, const Tuning& tuning);

}  // namespace minerva::gpu
