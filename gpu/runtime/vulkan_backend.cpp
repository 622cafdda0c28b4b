#include "gpu/runtime/vulkan_backend.h"

#include "gpu/runtime/device_list.h"
#include "gpu/runtime/kernel_report.h"
#include "gpu/runtime/placement.h"
#include "gpu/runtime/read_probe.h"
#include "gpu/runtime/support.h"
#include "gpu/runtime/tuner.h"
#include "gpu/runtime/unit_check.h"

#include <algorithm>
#include <mutex>

namespace minerva::gpu {

namespace {

std::unexpected<Error> noUnits(const vulkan::DeviceInfo& device, const char* actual) {
  return fail({.kind = ErrorKind::unsupported,
               .what = "The matrix units of this device cannot be turned on",
               .where = device.name,
               .expected = "matrix units that multiply float16 and add float32",
               .actual = actual,
               .hint = "Leave it to Minerva whether they are used."});
}

Result<void> switchUnits(Tuning& tuning, const vulkan::DeviceInfo& device, backend::MatrixUnits asked) {
  if (setMatrixUnits(tuning, device, asked)) return {};
  return noUnits(device, device.matrixUnit.present() ? "too little shared memory for their tiles" : "none");
}

class Backend : public VulkanBackend {
 public:
  Backend(std::shared_ptr<vulkan::Device> device, std::size_t index, const Tuning& tuning, const VulkanOptions& options)
      : m_device(std::move(device)),
        m_index(index),
        m_kernels(std::make_shared<Kernels>(m_device, options.cacheFolder)),
        m_tuning(tuning),
        m_units(options.matrixUnits),
        m_cacheFolder(options.cacheFolder) {}

  backend::DeviceInfo info() const override { return describe(m_device->instance(), m_device->info(), m_index); }

  Result<std::unique_ptr<backend::Placement>> place(const model::Plan& plan, const backend::PlaceOptions& options,
                                                    const backend::Progress& progress, std::stop_token stop) override {
    MINERVA_TRY(tune(stop));
    auto placed = VulkanPlacement::create(m_device, m_kernels, m_tuning, plan, options, progress, std::move(stop));
    m_kernels->keep();
    return placed;
  }

  Result<std::vector<backend::DeviceNeed>> memoryNeeds(const model::Plan& plan, const backend::PlaceOptions& options) const override {
    MINERVA_TRY(backend::checkPlaceOptions(plan, options));
    MINERVA_TRY(checkSupported(plan));
    const backend::DeviceInfo here = info();
    const std::uint64_t usable = vulkan::memoryBudget(m_device->instance(), m_device->info()).usable;
    return std::vector<backend::DeviceNeed>{{here.id, residentNeeds(m_device->info(), plan, planMatrices(plan), options),
                                             here.memoryFree == 0 ? 0 : std::max<std::uint64_t>(1, usable)}};  // 0 would mean unknown
  }

  Result<backend::KernelReport> compileKernels(const model::Plan& plan, const backend::PlaceOptions& options) override {
    MINERVA_TRY(backend::checkPlaceOptions(plan, options));
    MINERVA_TRY(checkSupported(plan));
    return reportKernels(m_device, *m_kernels, m_tuning, plan, options);
  }

  Result<backend::BandwidthCurve> measureReadBandwidth(const StopAsked& stop) override {
    MINERVA_TRY(tune({}));
    return probeReadBandwidth(m_device, *m_kernels, m_tuning, stop);
  }

  std::vector<std::string> validationMessages() const override { return m_device->instance().messages(); }
  std::size_t pipelinesMade() const override { return m_kernels->count(); }
  Traffic traffic() const override { return {m_device->traffic().submissions, m_device->traffic().bytesRead}; }

 private:
  // Runs once per backend: loads the stored tuning, else measures. Without a cache folder the defaults are used, so that all
  // runs behave alike. Matrix units are used only after they have passed the check. What is stored does not depend on the switch.
  Result<void> tune(const std::stop_token& stop) {
    const std::scoped_lock lock(m_tuneMutex);
    if (m_tuned) return {};
    const vulkan::DeviceInfo& device = m_device->info();
    const auto kept = m_cacheFolder.empty() ? std::nullopt : loadTuning(m_cacheFolder, device);
    Tuning tuning = kept ? *kept : defaultTuning(device);
    if (!kept) {
      MINERVA_TRY(checkUnits(tuning));
      if (!m_cacheFolder.empty()) {
        MINERVA_ASSIGN(tuning, measureTuning(m_device, *m_kernels, tuning, stop));
        saveTuning(m_cacheFolder, device, tuning);
      }
    }
    const bool checked = tuning.units.from != UnitsChoice::never;
    const bool attention = tuning.units.attention;
    MINERVA_TRY(switchUnits(tuning, device, m_units));
    if (checked) tuning.units.attention = attention;
    else MINERVA_TRY(checkUnits(tuning));
    if (m_units == backend::MatrixUnits::on && tuning.units.from == UnitsChoice::never) {
      return noUnits(device, "units that multiply wrongly, or kernels that the driver cannot compile");
    }
    m_tuning = tuning;
    m_tuned = true;
    return {};
  }

  Result<void> checkUnits(Tuning& tuning) {
    if (tuning.units.from == UnitsChoice::never) return {};
    MINERVA_ASSIGN(const bool right, unitsAreRight(m_device, *m_kernels, tuning));
    if (!right) tuning.units.from = UnitsChoice::never;
    if (!right || !tuning.units.attention) return {};
    MINERVA_ASSIGN(tuning.units.attention, attentionUnitsAreRight(m_device, *m_kernels, tuning));
    return {};
  }

  std::shared_ptr<vulkan::Device> m_device;
  std::size_t m_index;
  std::shared_ptr<Kernels> m_kernels;
  std::mutex m_tuneMutex;
  Tuning m_tuning;  // guarded by m_tuneMutex until m_tuned; the default one before
  bool m_tuned = false;
  backend::MatrixUnits m_units;
  std::string m_cacheFolder;
};

}  // namespace

Result<std::unique_ptr<VulkanBackend>> createVulkanBackend(const std::string& id, const VulkanOptions& options) {
  MINERVA_ASSIGN(FoundDevice found, findDevice(id, options));
  MINERVA_ASSIGN(std::shared_ptr<vulkan::Device> device, vulkan::Device::create(std::move(found.instance), found.device));
  Tuning tuning = defaultTuning(device->info());
  MINERVA_TRY(switchUnits(tuning, device->info(), options.matrixUnits));
  return std::make_unique<Backend>(std::move(device), found.index, tuning, options);
}

}  // namespace minerva::gpu
