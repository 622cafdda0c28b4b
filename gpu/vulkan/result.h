// A VkResult as an Error: what was called, what the driver said, and which kind of failure that is for the caller.
#pragma once

#include "core/base/error.h"
#include "gpu/vulkan/api.h"

namespace minerva::vulkan {

// "VK_ERROR_DEVICE_LOST"; numbers for the ones nobody meets.
[[nodiscard]] std::string name(VkResult result);

// what: the plain sentence ("The GPU could not allocate memory"). Device loss and lack of memory get their own kinds.
[[nodiscard]] std::unexpected<Error> failure(VkResult result, std::string what, std::string where = {});

}  // namespace minerva::vulkan
