// The first Vulkan device for tests of single kernels, with the validation layer where it is installed.
#pragma once

#include "gpu/runtime/device_list.h"
#include "tests/gpu/reference_difference.h"

namespace minerva::gpu {

inline Result<std::shared_ptr<vulkan::Device>> openValidated() {
  auto found = findDevice("vulkan:0", {.validation = true});
  if (!found) found = findDevice("vulkan:0", {});
  if (!found) return std::unexpected(found.error());
  return vulkan::Device::create(std::move(found->instance), found->device);
}

// Skips where there is no device; what validation says fails the test.
class OnDevice : public Vulkan {
 protected:
  void SetUp() override {
    Vulkan::SetUp();
    if (IsSkipped()) return;
    auto device = openValidated();
    ASSERT_TRUE(device.has_value()) << device.error().message();
    m_device = std::move(*device);
  }
  void TearDown() override {
    if (m_device == nullptr) return;
    for (const std::string& message : m_device->instance().messages()) ADD_FAILURE() << message;
  }

  std::shared_ptr<vulkan::Device> m_device;
};

}  // namespace minerva::gpu
