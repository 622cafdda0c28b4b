// Converts a VkResult to an Error: what was attempted, what the driver answered, and the error kind.
#pragma once

#include "core/base/error.h"
#include "gpu/vulkan/api.h"

namespace minerva::vulkan {

// "VK_ERROR_DEVICE_LOST"; rare codes as numbers.
[[nodiscard]] std::string name(VkResult result);

// what: a plain sentence ("The GPU could not allocate memory"). Device loss and out-of-memory have their own error kinds.
[[nodiscard]] std::unexpected<Error> failure(VkResult result, std::string what, std::string where = {});

}  // namespace minerva::vulkan
