#include "gpu/runtime/step_counts.h"

#include "gpu/runtime/recorder.h"
#include "gpu/runtime/support.h"

#include <bit>

namespace minerva::gpu {

namespace {

vulkan::DeviceInfo infoOf(const backend::DescribedGpu& gpu) {
  vulkan::DeviceInfo info;
  info.name = gpu.name;
  info.software = gpu.software;
  info.cores = gpu.cores;
  info.subgroupSize = info.minSubgroupSize = info.maxSubgroupSize = gpu.lanes;
  info.subgroupOperations = info.fullSubgroups = true;
  info.maxWorkgroupInvocations = gpu.workgroupInvocations;
  info.maxSharedMemory = gpu.sharedMemory;
  info.maxTexelElements = 1U << 27;
  if (gpu.matrixUnits) info.matrixUnit = {.m = 16, .n = 16, .k = 16, .halfSums = false};
  return info;
}

}  // namespace

Result<std::vector<backend::OpCounts>> countStep(const backend::DescribedGpu& gpu, const model::Plan& plan,
                                                 const backend::PlaceOptions& options, const model::StepSize& step) {
  MINERVA_TRY(checkSupported(plan, options));
  const auto device = vulkan::Device::describe(infoOf(gpu));
  const Tuning tuning = defaultTuning(device->info());
  const MatrixPlan matrices = planMatrices(plan);
  const Resident resident = describeResident(plan, matrices, options);
  Kernels kernels(device);
  vulkan::TexelSets sets(device);
  std::map<std::pair<int, VkDeviceAddress>, VkDescriptorSet> matrixSets;
  const std::map<model::BufferId, vulkan::Buffer> hostRows;
  Recorder recorder({device, plan, matrices, resident, options, tuning, kernels, sets, matrixSets, hostRows});
  std::set<KernelKey> keys;
  std::vector<backend::OpCounts> counts(plan.ops.size());
  for (std::uint32_t part = 0; part < model::partCount(plan); ++part) {
    MINERVA_TRY(recorder.collect({.rows = static_cast<std::uint32_t>(step.rows),
                                  .outputs = static_cast<std::uint32_t>(step.outputs),
                                  .positions = std::bit_ceil(static_cast<std::uint32_t>(step.depth + step.rows)),
                                  .oneSlot = true,
                                  .part = part},
                                 keys));
    for (std::size_t i = 0; i < counts.size(); ++i) {
      counts[i].dispatches += recorder.countsByOp()[i].dispatches;
      counts[i].barriers += recorder.countsByOp()[i].barriers;
      counts[i].units = counts[i].units || recorder.countsByOp()[i].unitKernels > 0;
      const Recorder::Counts& work = recorder.countsByOp()[i];
      if (work.flops > 0) counts[i].stretch = work.occupied / work.flops;
    }
  }
  return counts;
}

}  // namespace minerva::gpu
