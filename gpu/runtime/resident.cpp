#include "gpu/runtime/resident.h"

#include <algorithm>
#include <numeric>

namespace minerva::gpu {

namespace {

std::uint64_t align(std::uint64_t bytes) { return (bytes + 255) / 256 * 256; }

std::uint64_t elementsOf(const model::Plan& plan, model::WeightId id) {
  return static_cast<std::uint64_t>(plan.weights[static_cast<std::size_t>(id)].view.shape.elements());
}

// Offsets of all vectors in the constants; returns the bytes they take.
std::uint64_t layOutConstants(const model::Plan& plan, const MatrixPlan& matrices, Resident& resident) {
  std::uint64_t at = 0;
  const auto addNorm = [&](const model::Norm& norm) {
    for (const model::WeightId id : {norm.weight, norm.bias}) {
      if (id == model::none || !resident.vectors.try_emplace(id, at).second) continue;
      at = align(at + 4 * elementsOf(plan, id));
    }
  };
  for (const model::Op& op : plan.ops) {
    if (const auto* proj = std::get_if<model::ProjOp>(&op); proj != nullptr && proj->normalised) addNorm(proj->norm);
    if (const auto* head = std::get_if<model::HeadOp>(&op); head != nullptr) addNorm(head->norm);
  }
  for (const auto& uses : matrices.uses) {
    for (const MatrixUse& use : uses) {
      if (use.biases.empty()) continue;
      resident.biases[&use] = at;
      std::uint64_t count = 0;
      for (const model::WeightId source : matrices.matrices[static_cast<std::size_t>(use.matrix)].sources) {
        count += static_cast<std::uint64_t>(plan.weights[static_cast<std::size_t>(source)].view.shape.rows());
      }
      at = align(at + 4 * count);
    }
  }
  return std::max<std::uint64_t>(at, 16);
}

struct ScratchSizes {
  std::uint64_t normed = 16, aside = 16, partial = 16;
};

ScratchSizes scratchSizes(const model::Plan& plan, const MatrixPlan& matrices, const backend::PlaceOptions& options) {
  ScratchSizes sizes;
  const auto rowsOf = [&](model::BufferId id) {
    const model::Buffer& buffer = plan.buffers[static_cast<std::size_t>(id)];
    return static_cast<std::uint64_t>(buffer.outputRows ? options.maxOutputRows : options.maxRows);
  };
  const auto bytes = [&](model::BufferId rows, int columns) { return rowsOf(rows) * strideOf(columns) * 4; };
  for (std::size_t i = 0; i < plan.ops.size(); ++i) {
    if (const auto* proj = std::get_if<model::ProjOp>(&plan.ops[i]); proj != nullptr) {
      if (proj->normalised) sizes.normed = std::max(sizes.normed, bytes(proj->in, plan.buffers[static_cast<std::size_t>(proj->in)].columns));
      const bool apart = std::ranges::any_of(matrices.uses[i], [](const MatrixUse& use) { return use.role == Role::gate; });
      if (apart) sizes.aside = std::max(sizes.aside, bytes(proj->out, plan.buffers[static_cast<std::size_t>(proj->out)].columns));
    }
    if (const auto* head = std::get_if<model::HeadOp>(&plan.ops[i]); head != nullptr) {
      sizes.normed = std::max(sizes.normed, bytes(head->in, plan.buffers[static_cast<std::size_t>(head->in)].columns));
    }
    if (const auto* attention = std::get_if<model::AttentionOp>(&plan.ops[i]); attention != nullptr) {
      const std::uint64_t rows = std::min<std::uint64_t>(maxSplitRows, static_cast<std::uint64_t>(options.maxRows));
      const std::uint64_t width = static_cast<std::uint64_t>(attention->headCount) * (static_cast<std::uint64_t>(attention->headDim) + 2);
      sizes.partial = std::max(sizes.partial, rows * maxSplits * width * 4);
    }
  }
  return sizes;
}

// Half precision unless that would be the only rounding left: exact runs, and models whose every weight is F32.
std::uint32_t cacheElementBytes(const model::Plan& plan, const backend::PlaceOptions& options) {
  const bool single = std::ranges::all_of(plan.weights, [](const model::Weight& w) { return w.view.type == ElementType::F32; });
  return single || options.precision == backend::Precision::exact ? 4 : 2;
}

}  // namespace

std::uint32_t strideOf(int columns) { return (static_cast<std::uint32_t>(columns) + blockColumns - 1) / blockColumns * blockColumns; }

std::uint32_t headStrideOf(int headDim) { return (static_cast<std::uint32_t>(headDim) + 7) / 8 * 8; }

StepLayout stepLayout(const model::Plan& plan, const backend::PlaceOptions& options) {
  const auto rows = static_cast<std::uint64_t>(options.maxRows);
  StepLayout layout;
  layout.rows = align(layout.tokens + 4 * rows);
  layout.outputs = align(layout.rows + 8 * rows);
  layout.rotation = align(layout.outputs + 4 * static_cast<std::uint64_t>(options.maxOutputRows));
  layout.bytes = align(layout.rotation + 8 * rows * static_cast<std::uint64_t>(plan.rope.dimension / 2));
  return layout;
}

Result<Resident> allocateResident(const std::shared_ptr<vulkan::Device>& device, const model::Plan& plan, const MatrixPlan& matrices,
                                  const backend::PlaceOptions& options) {
  Resident resident;
  std::vector<std::uint64_t> weights, kv, scratch;
  for (const Matrix& matrix : matrices.matrices) weights.push_back(matrix.layout.bytes);
  weights.push_back(layOutConstants(plan, matrices, resident));
  resident.cacheBytes = cacheElementBytes(plan, options);
  const std::uint64_t positions = static_cast<std::uint64_t>(options.slots) * static_cast<std::uint64_t>(options.contextLength);
  for (const model::KvLayer& layer : plan.kv) {
    const std::uint64_t bytes = positions * static_cast<std::uint64_t>(layer.kvHeadCount) * headStrideOf(layer.headDim) * resident.cacheBytes;
    kv.push_back(bytes);
    kv.push_back(bytes);
  }
  for (const model::Buffer& buffer : plan.buffers) {
    const auto rows = static_cast<std::uint64_t>(buffer.outputRows ? options.maxOutputRows : options.maxRows);
    scratch.push_back(rows * strideOf(buffer.columns) * 4);
  }
  const ScratchSizes extra = scratchSizes(plan, matrices, options);
  resident.stepLayout = stepLayout(plan, options);
  scratch.insert(scratch.end(), {extra.normed, extra.aside, extra.partial, resident.stepLayout.bytes});
  const auto sum = [](const std::vector<std::uint64_t>& sizes) { return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0}); };
  MINERVA_TRY(vulkan::checkBudget(*device, sum(weights) + sum(kv) + sum(scratch)));

  MINERVA_ASSIGN(resident.weightArena, vulkan::Arena::create(device, weights, vulkan::MemoryKind::device));
  MINERVA_ASSIGN(resident.kvArena, vulkan::Arena::create(device, kv, vulkan::MemoryKind::device));
  MINERVA_ASSIGN(resident.scratchArena, vulkan::Arena::create(device, scratch, vulkan::MemoryKind::device));
  for (std::size_t i = 0; i < matrices.matrices.size(); ++i) resident.matrices.push_back(resident.weightArena->view(i));
  resident.constants = resident.weightArena->view(matrices.matrices.size());
  for (std::size_t i = 0; i < plan.kv.size(); ++i) {
    resident.keys.push_back(resident.kvArena->view(2 * i));
    resident.values.push_back(resident.kvArena->view(2 * i + 1));
  }
  const std::size_t buffers = plan.buffers.size();
  for (std::size_t i = 0; i < buffers; ++i) resident.buffers.push_back(resident.scratchArena->view(i));
  resident.normed = resident.scratchArena->view(buffers);
  resident.aside = resident.scratchArena->view(buffers + 1);
  resident.partial = resident.scratchArena->view(buffers + 2);
  resident.step = resident.scratchArena->view(buffers + 3);
  resident.use = {.weights = resident.weightArena->bytes(), .kv = resident.kvArena->bytes(), .scratch = resident.scratchArena->bytes()};
  return resident;
}

}  // namespace minerva::gpu
