#include "gpu/runtime/vulkan_backend.h"

#include "gpu/runtime/device_list.h"
#include "gpu/runtime/kernel_report.h"
#include "gpu/runtime/placement.h"
#include "gpu/runtime/projection_bench.h"
#include "gpu/runtime/read_probe.h"
#include "gpu/runtime/support.h"
#include "gpu/runtime/tuner.h"
#include "gpu/runtime/trial.h"
#include "gpu/runtime/tuning_file.h"
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
  Backend(std::shared_ptr<vulkan::Device> device, std::size_t index, const VulkanOptions& options)
      : m_device(std::move(device)),
        m_index(index),
        m_kernels(std::make_shared<Kernels>(m_device, options.cacheFolder)),
        m_tuning(defaultTuning(m_device->info())),
        m_units(options.matrixUnits),
        m_cacheFolder(options.cacheFolder) {}

  backend::DeviceInfo info() const override { return describe(m_device->instance(), m_device->info(), m_index); }

  Result<std::unique_ptr<backend::Placement>> place(const model::Plan& plan, const backend::PlaceOptions& options,
                                                    const backend::Progress& progress, std::stop_token stop) override {
    MINERVA_ASSIGN(const Tuning tuning, tuningFor(plan, progress, stop));
    auto placed = VulkanPlacement::create(m_device, m_kernels, tuning, plan, options, progress, stop);
    // checkUnits() has tried one element type: a driver may still refuse a kernel for another one.
    const bool mayDoWithout = tuning.units.from != UnitsChoice::never && m_units != backend::MatrixUnits::on;
    if (!placed && placed.error().kind == ErrorKind::unsupported && mayDoWithout) {
      Tuning without = tuning;
      without.units.from = UnitsChoice::never;
      placed = VulkanPlacement::create(m_device, m_kernels, without, plan, options, progress, stop);
    }
    m_kernels->keep();
    return placed;
  }

  Result<std::vector<backend::DeviceNeed>> memoryNeeds(const model::Plan& plan, const backend::PlaceOptions& options) const override {
    MINERVA_TRY(checkSupported(plan, options));
    const vulkan::DeviceInfo& device = m_device->info();
    const std::uint64_t usable = vulkan::memoryBudget(m_device->instance(), device).usable;
    const ResidentNeeds needs = residentNeeds(device, plan, planMatrices(plan, device.largestBuffer()), options);
    return std::vector<backend::DeviceNeed>{{.device = info().id,
                                             .use = needs.use,
                                             .free = std::max<std::uint64_t>(1, usable),  // 0 would mean unknown
                                             .piece = needs.largest,
                                             .largestPiece = device.largestBuffer()}};
  }

  Result<backend::KernelReport> compileKernels(const model::Plan& plan, const backend::PlaceOptions& options) override {
    MINERVA_TRY(checkSupported(plan, options));
    return reportKernels(m_device, *m_kernels, currentTuning(), plan, options);
  }

  Result<backend::BandwidthCurve> measureReadBandwidth(const StopAsked& stop) override {
    return probeReadBandwidth(m_device, *m_kernels, currentTuning(), stop);
  }

  Result<void> checkMemory() const override { return m_device->checkMemory(); }

  std::vector<std::string> validationMessages() const override { return m_device->instance().messages(); }
  std::size_t pipelinesMade() const override { return m_kernels->count(); }
  Traffic traffic() const override { return {m_device->traffic().submissions, m_device->traffic().bytesRead}; }

 private:
  Tuning currentTuning() {
    const std::scoped_lock lock(m_tuneMutex);
    Tuning tuning = m_tuning;                                              // with units that may be unchecked
    static_cast<void>(setMatrixUnits(tuning, m_device->info(), m_units));  // createVulkanBackend() has asked whether they can be
    return tuning;
  }

  // Runs once per backend: loads what was measured before. Without a cache folder nothing is measured, so that all runs behave alike.
  // Matrix units are used only after they have passed the check. With m_tuneMutex held.
  Result<void> beginTuning() {
    if (m_tuned) return {};
    auto kept = m_cacheFolder.empty() ? std::nullopt : loadTuning(m_cacheFolder, m_device->info());
    if (kept) m_tuning = std::move(*kept);
    const bool known = m_tuning.units.checked;
    MINERVA_TRY(checkUnits(m_tuning));
    if (!m_cacheFolder.empty() && m_tuning.units.checked && !known) saveTuning(m_cacheFolder, m_device->info(), m_tuning);
    m_tuned = true;
    return {};
  }

  [[nodiscard]] bool avoids(TrialStage stage) const { return isAvoided(m_cacheFolder, m_device->info(), stage); }

  // What was measured, without matrix units that are not known to be right or that ended the program before.
  [[nodiscard]] Tuning proven() const {
    Tuning tuning = m_tuning;
    if (!tuning.units.checked || avoids(TrialStage::units)) tuning.units.from = UnitsChoice::never;
    return tuning;
  }

  // With matrix units as VulkanOptions asks, of which what is measured and stored knows nothing.
  Result<Tuning> switched(Tuning tuning) {
    const bool checked = tuning.units.from != UnitsChoice::never;
    const bool attention = tuning.units.attention, halfSums = tuning.units.halfSums;
    MINERVA_TRY(switchUnits(tuning, m_device->info(), m_units));
    if (checked) {
      tuning.units.attention = attention;
      tuning.units.halfSums = halfSums;
      tuning.units.checked = true;
    } else {
      MINERVA_TRY(checkUnits(tuning));
    }
    if (m_units != backend::MatrixUnits::on) return tuning;
    if (!tuning.units.checked) return noUnits(m_device->info(), "units with which the program or the device ended before");
    if (tuning.units.from == UnitsChoice::never) {
      return noUnits(m_device->info(), "units that multiply wrongly, or kernels that the driver cannot compile");
    }
    return tuning;
  }

  // Those that ended the program before stay unchecked.
  Result<void> checkUnits(Tuning& tuning) {
    if (tuning.units.checked || avoids(TrialStage::units)) return {};
    if (tuning.units.from != UnitsChoice::never) {
      Trial trial(m_cacheFolder, m_device->info(), TrialStage::units);
      const Result<void> tried = tryUnits(tuning);
      if (!tried) trial.failed(tried.error());
      MINERVA_TRY(tried);
    }
    tuning.units.checked = true;
    return {};
  }

  Result<void> tryUnits(Tuning& tuning) {
    MINERVA_ASSIGN(const bool right, unitsAreRight(m_device, *m_kernels, tuning, false));
    if (!right) tuning.units.from = UnitsChoice::never;
    if (!right) return {};
    if (tuning.units.halfSums) {
      MINERVA_ASSIGN(tuning.units.halfSums, unitsAreRight(m_device, *m_kernels, tuning, true));
    }
    if (tuning.units.attention) {
      MINERVA_ASSIGN(tuning.units.attention, attentionUnitsAreRight(m_device, *m_kernels, tuning));
    }
    return {};
  }

  // The tuning for a plan. Measures the kinds of matrices that it is the first to have.
  Result<Tuning> tuningFor(const model::Plan& plan, const backend::Progress& progress, const std::stop_token& stop) {
    const std::scoped_lock lock(m_tuneMutex);
    MINERVA_TRY(beginTuning());
    const MatrixPlan matrices = planMatrices(plan, m_device->info().largestBuffer());
    if (!m_cacheFolder.empty()) MINERVA_TRY(measureNew(matrixNeeds(plan, matrices), progress, stop));
    MINERVA_ASSIGN(Tuning tuning, switched(proven()));
    tuning.gathered = kindOfExperts(plan, matrices);
    return tuning;
  }

  Result<void> measureNew(std::vector<MatrixNeed> needs, const backend::Progress& progress, const std::stop_token& stop) {
    std::erase_if(needs, [&](const MatrixNeed& need) { return isSettled(m_tuning, m_device->info(), need.kind); });
    if (needs.empty() || avoids(TrialStage::measuring)) return {};
    if (progress) progress(0, 0);
    Tuning tuning = proven();
    const bool units = tuning.units.from != UnitsChoice::never;
    Trial trial(m_cacheFolder, m_device->info(), units ? TrialStage::units : TrialStage::measuring);
    const Result<void> measured = measure(tuning, needs, stop);
    if (!measured) trial.failed(measured.error());
    MINERVA_TRY(measured);
    std::swap(tuning.units, m_tuning.units);  // whether they are avoided now is no matter of the file
    m_tuning = std::move(tuning);
    saveTuning(m_cacheFolder, m_device->info(), m_tuning);
    return {};
  }

  Result<void> measure(Tuning& tuning, const std::vector<MatrixNeed>& needs, const std::stop_token& stop) {
    const auto bench = ProjectionBench::create(m_device, *m_kernels, needs, stop);
    if (!bench && bench.error().kind == ErrorKind::outOfMemory) return {};  // the model may still fit
    if (!bench) return fail(bench.error());
    return measureTuning(tuning, needs, tuning.measured.empty(), m_device->info(), **bench, stop);
  }

  std::shared_ptr<vulkan::Device> m_device;
  std::size_t m_index;
  std::shared_ptr<Kernels> m_kernels;
  std::mutex m_tuneMutex;
  // Guarded by m_tuneMutex.
  Tuning m_tuning;  // as measured, whatever is asked of matrix units
  bool m_tuned = false;
  backend::MatrixUnits m_units;
  std::string m_cacheFolder;
};

}  // namespace

Result<std::unique_ptr<VulkanBackend>> createVulkanBackend(const std::string& id, const VulkanOptions& options) {
  MINERVA_ASSIGN(FoundDevice found, findDevice(id, options));
  MINERVA_ASSIGN(std::shared_ptr<vulkan::Device> device,
                 vulkan::Device::create(std::move(found.instance), found.device, {.patience = options.patience, .sleep = options.sleep}));
  Tuning tuning = defaultTuning(device->info());
  MINERVA_TRY(switchUnits(tuning, device->info(), options.matrixUnits));
  return std::make_unique<Backend>(std::move(device), found.index, options);
}

}  // namespace minerva::gpu
