#include "gpu/runtime/kernel_report.h"

#include "gpu/runtime/compile_ahead.h"
#include "gpu/runtime/matrix_needs.h"

#include <algorithm>

namespace minerva::gpu {
namespace {

std::string nameOf(const KernelKey& key) {
  std::string name = key.name + "(";
  for (std::size_t i = 0; i < key.constants.size(); ++i) name += (i > 0 ? " " : "") + std::to_string(key.constants[i]);
  return name + ")" + (key.lanes > 0 ? " x" + std::to_string(key.lanes) : "");
}

// What measuring may choose instead, so that its kernels are reported too.
Tuning inHalves(Tuning tuning, const model::Plan& plan, const MatrixPlan& matrices) {
  for (const MatrixNeed& need : matrixNeeds(plan, matrices)) {
    ProjectionChoice choice = choiceOf(tuning, need.kind);
    choice.halfSums = tuning.units.halfSums;
    tuning.measured.insert_or_assign(need.kind, choice);
  }
  return tuning;
}

}  // namespace

Result<backend::KernelReport> reportKernels(const std::shared_ptr<vulkan::Device>& device, Kernels& kernels, const Tuning& tuning,
                                            const model::Plan& plan, const backend::PlaceOptions& options) {
  const MatrixPlan matrices = planMatrices(plan, device->info().largestBuffer());
  const Resident resident = describeResident(plan, matrices, options);
  vulkan::TexelSets sets(device);
  std::map<std::pair<int, VkDeviceAddress>, VkDescriptorSet> matrixSets;
  const std::map<model::BufferId, vulkan::Buffer> hostRows;
  const auto collect = [&](const Tuning& used, const std::vector<StepShape>& shapes,
                           std::set<KernelKey>& keys) -> Result<Recorder::Counts> {
    Recorder recorder({device, plan, matrices, resident, options, used, kernels, sets, matrixSets, hostRows});
    for (const StepShape& shape : shapes) MINERVA_TRY(recorder.collect(shape, keys));
    return recorder.counts();
  };

  std::set<KernelKey> all, ofOneToken;
  for (const Tuning& used : {tuning, inHalves(tuning, plan, matrices)}) {
    MINERVA_TRY(collect(used, shapesAhead(used, device->info().matrixUnit, plan, options), all));
  }
  std::vector<StepShape> token;
  for (std::uint32_t part = 0; part < model::partCount(plan); ++part)
    token.push_back({.rows = 1, .outputs = 1, .positions = 1, .oneSlot = true, .part = part});
  MINERVA_ASSIGN(const Recorder::Counts counts, collect(tuning, token, ofOneToken));

  const std::vector<KernelKey> keys(all.begin(), all.end());
  MINERVA_TRY(kernels.compile(keys, {}, {}));
  backend::KernelReport report{.kernels = {}, .dispatches = counts.dispatches, .barriers = counts.barriers};
  for (const KernelKey& key : keys) {
    MINERVA_ASSIGN(const vulkan::Pipeline* pipeline, kernels.get(key));
    backend::KernelReport::Kernel kernel{.name = nameOf(key), .figures = {}, .ofOneToken = ofOneToken.contains(key)};
    for (const vulkan::CompilerFigure& figure : pipeline->compilerFigures()) kernel.figures.emplace_back(figure.name, figure.value);
    report.kernels.push_back(std::move(kernel));
  }
  return report;
}

}  // namespace minerva::gpu
