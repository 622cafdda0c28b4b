// Models as large as people use, without their weights, and the steps that would be recorded of them on a device that is only described.
#pragma once

#include "core/format/model_file.h"
#include "core/convert/synth.h"
#include "gpu/runtime/placement.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace minerva::gpu {

struct LargeModel {
  std::unique_ptr<const format::ModelFile> file;
  model::Plan plan;
};

inline Result<LargeModel> largeModel(const std::string& shape, const std::string& type) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / ("minerva-large-" + shape + "-" + type + ".gguf");
  MINERVA_TRY(convert::writeSynthetic(path, {.shape = shape, .type = type, .hollow = true}));
  LargeModel made;
  MINERVA_ASSIGN(made.file, format::ModelFile::open(path));
  MINERVA_ASSIGN(const model::ModelConfig config, model::readModelConfig(*made.file));
  MINERVA_ASSIGN(made.plan, model::buildPlan(config));
  std::filesystem::remove(path);
  return made;
}

// As Intel's UHD 620 has it: neither matrix units nor much else.
inline vulkan::DeviceInfo slowGpu() {
  vulkan::DeviceInfo info;
  info.subgroupSize = info.minSubgroupSize = info.maxSubgroupSize = 32;
  info.maxWorkgroupInvocations = 1024;
  info.maxSharedMemory = 64 << 10;
  info.maxTexelElements = 1U << 27;
  info.integrated = true;
  return info;
}

// What a placement with these options would record.
class CollectedSteps {
 public:
  CollectedSteps(const vulkan::DeviceInfo& info, const model::Plan& plan, const Tuning& tuning, const backend::PlaceOptions& options)
      : m_device(vulkan::Device::describe(info)),
        m_options(options),
        m_tuning(tuning),
        m_matrices(planMatrices(plan)),
        m_resident(describeResident(plan, m_matrices, options)),
        m_kernels(m_device),
        m_sets(m_device),
        m_recorder({m_device, plan, m_matrices, m_resident, m_options, m_tuning, m_kernels, m_sets, m_matrixSets, m_hostRows}) {}

  // Whether that brought kernels more.
  bool add(const StepShape& shape) {
    const auto more = m_recorder.collect(shape, m_keys);
    EXPECT_TRUE(more.has_value()) << more.error().message();
    return more.value_or(false);
  }
  [[nodiscard]] bool has(const std::string& kernel) const {
    return std::ranges::any_of(m_keys, [&](const KernelKey& key) { return key.name == kernel; });
  }
  [[nodiscard]] const std::set<KernelKey>& kernels() const { return m_keys; }
  [[nodiscard]] const Recorder& recorder() const { return m_recorder; }

 private:
  std::shared_ptr<vulkan::Device> m_device;
  backend::PlaceOptions m_options;
  Tuning m_tuning;
  MatrixPlan m_matrices;
  Resident m_resident;
  Kernels m_kernels;
  vulkan::TexelSets m_sets;
  std::map<std::pair<int, VkDeviceAddress>, VkDescriptorSet> m_matrixSets;
  const std::map<model::BufferId, vulkan::Buffer> m_hostRows;
  std::set<KernelKey> m_keys;
  Recorder m_recorder;
};

}  // namespace minerva::gpu
