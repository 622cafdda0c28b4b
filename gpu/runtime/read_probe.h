// Measures a device's read bandwidth, from its memory and its caches, with our own kernel.
#pragma once

#include "core/backend/bandwidth.h"
#include "gpu/runtime/kernels.h"
#include "gpu/runtime/tuning.h"

namespace minerva::gpu {

// As Backend::measureReadBandwidth.
[[nodiscard]] Result<backend::BandwidthCurve> probeReadBandwidth(const std::shared_ptr<vulkan::Device>& device, Kernels& kernels,
                                                                 const Tuning& tuning, const std::function<bool()>& stop);

}  // namespace minerva::gpu
