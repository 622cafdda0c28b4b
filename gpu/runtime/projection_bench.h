// Measures projections on a device, on data that means nothing.
#pragma once

#include "gpu/runtime/kernels.h"
#include "gpu/runtime/plain_projection.h"
#include "gpu/runtime/stopwatch.h"
#include "gpu/runtime/tuner.h"
#include "gpu/vulkan/buffer.h"
#include "gpu/vulkan/texel_sets.h"

#include <memory>

namespace minerva::gpu {

class ProjectionBench : public ProjectionMeter {
 public:
  // For all of the needs, with memory for the largest. Errors: outOfMemory, deviceLost.
  [[nodiscard]] static Result<std::unique_ptr<ProjectionBench>> create(const std::shared_ptr<vulkan::Device>& device, Kernels& kernels,
                                                                       std::span<const MatrixNeed> needs, const std::stop_token& stop);

  void prepare(std::span<const Tuning> tunings, const MatrixNeed& need, std::uint32_t tokens) override;
  Result<double> measure(const Tuning& tuning, const MatrixNeed& need, std::uint32_t tokens) override;

 private:
  // One matrix, and how many of them lie beside each other.
  struct Subject {
    WeightLayout layout;
    std::uint32_t copies = 1;
  };
  ProjectionBench(std::shared_ptr<vulkan::Device> device, Kernels& kernels, std::stop_token stop, vulkan::Buffer weights, vulkan::Buffer x,
                  vulkan::Buffer out, vulkan::Buffer partial, vulkan::Timeline timeline, Stopwatch stopwatch);
  Result<void> wakeUp();
  [[nodiscard]] Subject subjectOf(const MatrixNeed& need, std::uint32_t tokens) const;
  [[nodiscard]] ProjectionForm formOf(const Tuning& tuning, const Subject& subject, std::uint32_t tokens) const;
  Result<vulkan::Commands> record(const ProjectionForm& form, const ProjectionKernels& kernels, const Subject& subject,
                                  std::uint32_t tokens, std::uint32_t times, vulkan::TexelSets& sets);

  std::shared_ptr<vulkan::Device> m_device;
  Kernels& m_kernels;
  std::stop_token m_stop;
  vulkan::Buffer m_weights, m_x, m_out, m_partial;
  vulkan::Timeline m_timeline;
  Stopwatch m_stopwatch;
};

}  // namespace minerva::gpu
