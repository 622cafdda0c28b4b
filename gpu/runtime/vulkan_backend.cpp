#include "gpu/runtime/vulkan_backend.h"

#include "gpu/runtime/device_list.h"
#include "gpu/runtime/placement.h"
#include "gpu/runtime/read_probe.h"

namespace minerva::gpu {

namespace {

class Backend : public VulkanBackend {
 public:
  Backend(std::shared_ptr<vulkan::Device> device, std::size_t index, const Tuning& tuning)
      : m_device(std::move(device)), m_index(index), m_kernels(std::make_shared<Kernels>(m_device)), m_tuning(tuning) {}

  backend::DeviceInfo info() const override { return describe(m_device->instance(), m_device->info(), m_index); }

  Result<std::unique_ptr<backend::Placement>> place(const model::Plan& plan, const backend::PlaceOptions& options,
                                                    const backend::Progress& progress, std::stop_token stop) override {
    return VulkanPlacement::create(m_device, m_kernels, m_tuning, plan, options, progress, std::move(stop));
  }

  Result<double> measureReadBandwidth() override { return probeReadBandwidth(m_device, *m_kernels, m_tuning); }

  std::vector<std::string> validationMessages() const override { return m_device->instance().messages(); }

 private:
  std::shared_ptr<vulkan::Device> m_device;
  std::size_t m_index;
  std::shared_ptr<Kernels> m_kernels;
  Tuning m_tuning;
};

}  // namespace

Result<std::unique_ptr<VulkanBackend>> createVulkanBackend(const std::string& id, const VulkanOptions& options) {
  MINERVA_ASSIGN(FoundDevice found, findDevice(id, options));
  MINERVA_ASSIGN(std::shared_ptr<vulkan::Device> device, vulkan::Device::create(std::move(found.instance), found.device));
  return std::make_unique<Backend>(std::move(device), found.index, defaultTuning(found.device));
}

}  // namespace minerva::gpu
