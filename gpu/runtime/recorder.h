// Turns a plan into one recorded command buffer for a shape of step: how many rows, how many of them want logits, and how
// far attention may have to look. What changes with every token is read from Resident::step by the kernels.
#pragma once

#include "gpu/runtime/hazards.h"
#include "gpu/runtime/kernels.h"
#include "gpu/runtime/resident.h"
#include "gpu/runtime/tuning.h"
#include "gpu/vulkan/commands.h"
#include "gpu/vulkan/texel_sets.h"

#include <compare>
#include <map>
#include <memory>
#include <span>
#include <string>

namespace minerva::gpu {

struct StepShape {
  std::uint32_t rows = 1, outputs = 1;
  std::uint32_t positions = 1;  // positions any row sees, rounded up to a power of two
  auto operator<=>(const StepShape&) const = default;
};

// What recordings of one placement share; all of it outlives them.
struct RecordContext {
  std::shared_ptr<vulkan::Device> device;
  const model::Plan& plan;
  const MatrixPlan& matrices;
  const Resident& resident;
  const backend::PlaceOptions& options;
  const Tuning& tuning;
  Kernels& kernels;
  vulkan::TexelSets& sets;
  std::map<std::pair<int, VkDeviceAddress>, VkDescriptorSet>& matrixSets;  // (matrix, input) -> its texel set
};

class Recorder {
 public:
  explicit Recorder(const RecordContext& context) : m_c(context) {}

  // stepSource: where the host writes the step's values when it cannot see Resident::step (else empty).
  [[nodiscard]] Result<vulkan::Commands> record(const StepShape& shape, const vulkan::BufferView& stepSource);

 private:
  Result<void> add(const model::EmbedOp& op, std::size_t index);
  Result<void> add(const model::ProjOp& op, std::size_t index);
  Result<void> add(const model::RopeKvOp& op, std::size_t index);
  Result<void> add(const model::AttentionOp& op, std::size_t index);
  Result<void> add(const model::GatherOp& op, std::size_t index);
  Result<void> add(const model::HeadOp& op, std::size_t index);

  struct Input {
    const vulkan::BufferView* view;
    std::uint32_t stride;
    Hazards::Resource resource;
  };
  struct Output {
    const vulkan::BufferView* view;
    std::uint32_t stride, column;
    Hazards::Resource resource;
    std::uint32_t epilogue, activation;
    float scale;
  };
  Result<Input> normalise(const model::Norm& norm, model::BufferId in);
  Result<void> project(const MatrixUse& use, const Input& in, const Output& out, std::uint32_t n);
  Result<VkDescriptorSet> matrixSet(const MatrixUse& use, const Input& in, const vulkan::Pipeline& pipeline);
  [[nodiscard]] bool fitsTexels(int matrix) const;

  // One dispatch with the barrier it needs.
  template <class Push>
  void dispatch(const vulkan::Pipeline& pipeline, const Push& push, VkDescriptorSet set, std::array<std::uint32_t, 3> groups,
                std::initializer_list<Hazards::Resource> reads, std::initializer_list<Hazards::Resource> writes);

  [[nodiscard]] const model::Buffer& planBuffer(model::BufferId id) const { return m_c.plan.buffers[static_cast<std::size_t>(id)]; }
  [[nodiscard]] const vulkan::BufferView& buffer(model::BufferId id) const { return m_c.resident.buffers[static_cast<std::size_t>(id)]; }
  [[nodiscard]] std::uint32_t stride(model::BufferId id) const { return strideOf(planBuffer(id).columns); }
  [[nodiscard]] std::uint32_t rowsOf(model::BufferId id) const { return planBuffer(id).outputRows ? m_shape.outputs : m_shape.rows; }
  [[nodiscard]] VkDeviceAddress stepAddress(std::uint64_t at) const { return m_c.resident.step.address + at; }
  [[nodiscard]] std::string cacheVariant(const char* kernel) const {
    return std::string(kernel) + (m_c.resident.cacheBytes == 4 ? "_f32" : "");
  }
  // Resources of hazards: the plan's buffers come first.
  [[nodiscard]] Hazards::Resource cacheOf(int layer) const { return static_cast<int>(m_c.plan.buffers.size()) + layer; }
  enum Extra { normed, aside, partial, step };
  [[nodiscard]] Hazards::Resource extra(Extra e) const { return cacheOf(static_cast<int>(m_c.plan.kv.size())) + e; }

  RecordContext m_c;
  StepShape m_shape;
  Hazards m_hazards;
  vulkan::Commands* m_commands = nullptr;
};

}  // namespace minerva::gpu
