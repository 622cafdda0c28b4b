// Converts engine data to the value types shown by the window. Pure functions.
#pragma once

#include "app/inference/model_facts.h"
#include "core/engine/engine.h"
#include "gpu/available.h"

namespace minerva::app {

[[nodiscard]] ModelFacts describeModel(const engine::ModelInfo& info, const QString& path);

[[nodiscard]] QString deviceText(const backend::DeviceInfo& device);  // "CPU · AVX-512 VNNI", "Vulkan · Radeon RX 7800 XT"

// asked: the device requested in the settings ("": automatic). whyNot: why it could not be used; empty if it is used.
[[nodiscard]] DeviceBadge describeDevice(const backend::DeviceInfo& used, const AvailableDevices& all, const QString& asked,
                                         const QString& whyNot);

}  // namespace minerva::app
