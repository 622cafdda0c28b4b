#include "gpu/vulkan/result.h"

namespace minerva::vulkan {

std::string name(VkResult result) {
  switch (result) {
    case VK_SUCCESS: return "VK_SUCCESS";
    case VK_TIMEOUT: return "VK_TIMEOUT";
    case VK_INCOMPLETE: return "VK_INCOMPLETE";
    case VK_ERROR_OUT_OF_HOST_MEMORY: return "VK_ERROR_OUT_OF_HOST_MEMORY";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY: return "VK_ERROR_OUT_OF_DEVICE_MEMORY";
    case VK_ERROR_INITIALIZATION_FAILED: return "VK_ERROR_INITIALIZATION_FAILED";
    case VK_ERROR_DEVICE_LOST: return "VK_ERROR_DEVICE_LOST";
    case VK_ERROR_MEMORY_MAP_FAILED: return "VK_ERROR_MEMORY_MAP_FAILED";
    case VK_ERROR_LAYER_NOT_PRESENT: return "VK_ERROR_LAYER_NOT_PRESENT";
    case VK_ERROR_EXTENSION_NOT_PRESENT: return "VK_ERROR_EXTENSION_NOT_PRESENT";
    case VK_ERROR_FEATURE_NOT_PRESENT: return "VK_ERROR_FEATURE_NOT_PRESENT";
    case VK_ERROR_INCOMPATIBLE_DRIVER: return "VK_ERROR_INCOMPATIBLE_DRIVER";
    case VK_ERROR_TOO_MANY_OBJECTS: return "VK_ERROR_TOO_MANY_OBJECTS";
    default: return "VkResult " + std::to_string(static_cast<int>(result));
  }
}

std::unexpected<Error> failure(VkResult result, std::string what, std::string where) {
  Error error{.what = std::move(what), .where = std::move(where), .expected = "VK_SUCCESS", .actual = name(result)};
  switch (result) {
    case VK_ERROR_DEVICE_LOST:
      error.kind = ErrorKind::deviceLost;
      error.hint = "The GPU was reset or removed: load the model again, or use the CPU.";
      break;
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
      error.kind = ErrorKind::outOfMemory;
      error.hint = "Use a smaller model, a shorter context, or the CPU.";
      break;
    default: error.kind = ErrorKind::unsupported; error.hint = "Update the GPU driver, or use the CPU.";
  }
  return fail(std::move(error));
}

}  // namespace minerva::vulkan
