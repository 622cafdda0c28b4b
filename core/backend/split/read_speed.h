// How fast a device reads its memory, for sharing a model out over several devices.
#pragma once

#include "core/backend/backend.h"

#include <stop_token>

namespace minerva::backend {

// Bytes per second; 0: it could not be measured, for want of memory. Measuring takes about a second, so a device with a UUID is measured
// once in the life of the process: models are forecast often, each time with new Backends. Errors: cancelled, deviceLost.
[[nodiscard]] Result<double> readSpeed(Backend& device, const std::stop_token& stop);

}  // namespace minerva::backend
