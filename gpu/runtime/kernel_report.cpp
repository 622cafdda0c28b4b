#include "gpu/runtime/kernel_report.h"

#include "gpu/runtime/compile_ahead.h"

#include <algorithm>

namespace minerva::gpu {
namespace {

std::string nameOf(const KernelKey& key) {
  std::string name = key.name + "(";
  for (std::size_t i = 0; i < key.constants.size(); ++i) name += (i > 0 ? " " : "") + std::to_string(key.constants[i]);
  return name + ")" + (key.lanes > 0 ? " x" + std::to_string(key.lanes) : "");
}

}  // namespace

Result<backend::KernelReport> reportKernels(const std::shared_ptr<vulkan::Device>& device, Kernels& kernels, const Tuning& tuning,
                                            const model::Plan& plan, const backend::PlaceOptions& options) {
  const MatrixPlan matrices = planMatrices(plan);
  const Resident resident = describeResident(plan, matrices, options);
  vulkan::TexelSets sets(device);
  std::map<std::pair<int, VkDeviceAddress>, VkDescriptorSet> matrixSets;
  const std::map<model::BufferId, vulkan::Buffer> hostRows;
  const RecordContext context{device, plan, matrices, resident, options, tuning, kernels, sets, matrixSets, hostRows};
  const auto collect = [&](const std::vector<StepShape>& shapes, std::set<KernelKey>& keys) -> Result<Recorder::Counts> {
    Recorder recorder(context);
    for (const StepShape& shape : shapes) MINERVA_TRY(recorder.collect(shape, keys));
    return recorder.counts();
  };

  std::set<KernelKey> all, ofOneToken;
  MINERVA_TRY(collect(shapesAhead(tuning, device->info().matrixUnit, plan, options), all));
  std::vector<StepShape> token;
  for (std::uint32_t part = 0; part < model::partCount(plan); ++part)
    token.push_back({.rows = 1, .outputs = 1, .positions = 1, .oneSlot = true, .part = part});
  MINERVA_ASSIGN(const Recorder::Counts counts, collect(token, ofOneToken));

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
