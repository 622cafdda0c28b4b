#include "gpu/runtime/resident.h"

#include "gpu/runtime/attention_form.h"
#include "gpu/runtime/projection_form.h"
#include "gpu/shaders/shared/top.h"

#include <algorithm>

namespace minerva::gpu {

namespace {

std::uint64_t align(std::uint64_t bytes) { return (bytes + 255) / 256 * 256; }

std::uint64_t elementsOf(const model::Plan& plan, model::WeightId id) {
  return static_cast<std::uint64_t>(plan.weights[static_cast<std::size_t>(id)].view.shape.elements());
}

// The vectors stored separately: all except the biases of matrices.
std::vector<model::WeightId> vectorsApart(const model::Op& op) {
  if (const auto* proj = std::get_if<model::ProjOp>(&op)) {
    return proj->normalised ? std::vector{proj->norm.weight, proj->norm.bias} : std::vector<model::WeightId>{};
  }
  if (const auto* head = std::get_if<model::HeadOp>(&op)) return {head->norm.weight, head->norm.bias};
  if (std::holds_alternative<model::ExpertOp>(op)) return {};
  return model::vectorsOf(op);
}

// Elements of the widest norm without weights, in whole blocks as kernels read them; 0 if there is none.
std::uint64_t onesNeeded(const model::Plan& plan) {
  std::uint64_t most = 0;
  const auto count = [&](const model::Norm& norm, int columns) {
    if (norm.weight == model::none) most = std::max<std::uint64_t>(most, strideOf(columns));
  };
  const auto columns = [&](model::BufferId id) { return plan.buffers[static_cast<std::size_t>(id)].columns; };
  for (const model::Op& op : plan.ops) {
    if (const auto* norm = std::get_if<model::NormOp>(&op)) count(norm->norm, norm->group > 0 ? norm->group : columns(norm->in));
    if (const auto* gated = std::get_if<model::GatedNormOp>(&op)) count(gated->norm, gated->group);
    if (const auto* proj = std::get_if<model::ProjOp>(&op); proj != nullptr && proj->normalised) count(proj->norm, columns(proj->in));
    if (const auto* head = std::get_if<model::HeadOp>(&op)) count(head->norm, columns(head->in));
    if (const auto* rope = std::get_if<model::RopeKvOp>(&op)) {
      for (const model::HeadNormStep& step : {rope->qNorm, rope->kNorm, rope->vNorm}) {
        if (step.present()) count(step.norm, step.group);
      }
    }
  }
  return most;
}

// Assigns offsets in the constants buffer to all vectors and biases; returns its size in bytes.
std::uint64_t layOutConstants(const model::Plan& plan, const MatrixPlan& matrices, Resident& resident) {
  std::uint64_t at = 0;
  for (const model::Op& op : plan.ops) {
    for (const model::WeightId id : vectorsApart(op)) {
      if (id == model::none || !resident.vectors.try_emplace(id, at).second) continue;
      at = align(at + 4 * elementsOf(plan, id));
    }
  }
  for (const auto& uses : matrices.uses) {
    for (const MatrixUse& use : uses) {
      if (use.biases.empty()) continue;
      resident.biases[&use] = at;
      std::uint64_t count = 0;
      for (const BiasRun& run : use.biases) count += run.elements.count;
      at = align(at + 4 * count);
    }
  }
  resident.ones = at;
  resident.onesCount = onesNeeded(plan);
  at = align(at + 4 * resident.onesCount);
  return std::max<std::uint64_t>(at, 16);
}

// Row strides, padded to whole blocks. Experts' inputs and outputs are padded per place, so that the next projection's inputs start
// at block boundaries.
std::vector<std::uint32_t> stridesOf(const model::Plan& plan) {
  std::vector<std::uint32_t> strides;
  for (const model::Buffer& buffer : plan.buffers) strides.push_back(strideOf(buffer.columns));
  const auto padPlaces = [&](model::BufferId id, int used) {
    const auto out = static_cast<std::size_t>(id);
    strides[out] = static_cast<std::uint32_t>(used) * strideOf(plan.buffers[out].columns / used);
  };
  for (const model::Op& op : plan.ops) {
    if (const auto* expert = std::get_if<model::ExpertOp>(&op)) padPlaces(expert->out, expert->used);
    if (const auto* spread = std::get_if<model::SpreadOp>(&op)) padPlaces(spread->out, spread->used);
  }
  return strides;
}

struct ScratchSizes {
  std::uint64_t normed = 16, aside = 16, partial = 16, byExpert = 16, top = 16;
};

ScratchSizes scratchSizes(const model::Plan& plan, const MatrixPlan& matrices, const Resident& resident,
                          const backend::PlaceOptions& options) {
  ScratchSizes sizes;
  sizes.top = std::max<std::uint64_t>(sizes.top, std::uint64_t{4} * listedRows(plan, options) * topChunks(plan));
  const auto bytes = [&](model::BufferId id) {
    const auto i = static_cast<std::size_t>(id);
    return static_cast<std::uint64_t>(plan.buffers[i].outputRows ? options.maxOutputRows : options.maxRows) * resident.strides[i] * 4;
  };
  for (std::size_t i = 0; i < plan.ops.size(); ++i) {
    const model::Op& op = plan.ops[i];
    if (const auto* proj = std::get_if<model::ProjOp>(&op); proj != nullptr && proj->normalised) {
      sizes.normed = std::max(sizes.normed, bytes(proj->in));
    }
    if (const auto* head = std::get_if<model::HeadOp>(&op)) sizes.normed = std::max(sizes.normed, bytes(head->in));
    if (options.maxRows > 1 && (std::holds_alternative<model::ProjOp>(op) || std::holds_alternative<model::HeadOp>(op))) {
      sizes.partial = std::max(sizes.partial, std::uint64_t{4} * partialSums);
    }
    const bool apart = std::ranges::any_of(matrices.uses[i], [](const MatrixUse& use) { return use.role == Role::gate; });
    if (apart) sizes.aside = std::max(sizes.aside, bytes(model::writes(op).front()));
    if (const auto* expert = std::get_if<model::ExpertOp>(&op)) {
      const auto entries = static_cast<std::uint64_t>(options.maxRows) * static_cast<std::uint64_t>(expert->used);
      const std::uint64_t tiles = static_cast<std::uint64_t>(expert->experts) + entries / leastGathered;
      sizes.byExpert = std::max(sizes.byExpert, 16 * tiles + 4 * entries);
    }
    if (const auto* attention = std::get_if<model::AttentionOp>(&op); attention != nullptr) {
      const std::uint64_t partials =
          std::min<std::uint64_t>(maxPartials, std::uint64_t{maxSplits} * static_cast<std::uint64_t>(options.maxRows));
      const std::uint64_t width = static_cast<std::uint64_t>(attention->headCount) * (static_cast<std::uint64_t>(attention->valueDim) + 2);
      sizes.partial = std::max(sizes.partial, partials * width * 4);
    }
  }
  return sizes;
}

// Sizes of keys and values of each KV state, alternating, 0 for values that are part of the keys; then of each recurrent state.
std::vector<std::uint64_t> layOutCache(const model::Plan& plan, const backend::PlaceOptions& options, Resident& resident) {
  resident.valuesInKeys.resize(plan.kv.size());
  for (const model::Op& op : plan.ops) {
    const auto* rope = std::get_if<model::RopeKvOp>(&op);
    if (rope != nullptr && rope->kv != model::none) resident.valuesInKeys[static_cast<std::size_t>(rope->kv)] = rope->valuesFromKeys;
  }
  const std::vector<backend::KvGroup> groups = backend::kvGroups(plan, options);
  resident.kvGroups = backend::groupOfStates(groups);
  resident.pagePositions = static_cast<std::uint32_t>(backend::storedPositions(options));
  std::vector<std::uint64_t> sizes;
  for (std::size_t i = 0; i < plan.kv.size(); ++i) {
    resident.keyStrides.push_back(headStrideOf(plan.kv[i].headDim));
    resident.valueStrides.push_back(resident.valuesInKeys[i] ? resident.keyStrides[i] : headStrideOf(plan.kv[i].valueDim));
    const auto pages = static_cast<std::uint64_t>(groups[static_cast<std::size_t>(resident.kvGroups[i])].pages);
    for (const std::uint64_t bytes : pageBytes(plan.kv[i], resident, i)) sizes.push_back(pages * bytes);
  }
  const std::uint64_t copies = static_cast<std::uint64_t>(options.slots) + static_cast<std::uint64_t>(options.checkpoints);
  for (const model::RecurrentState& state : plan.recurrent) sizes.push_back(copies * stateBytes(state));
  return sizes;
}

CacheKind cacheKindOf(const model::Plan& plan, const backend::PlaceOptions& options) {
  const model::KvType type = backend::keptKv(plan, options);
  return type == model::KvType::q8_0 ? CacheKind::codes : type == model::KvType::f32 ? CacheKind::single : CacheKind::half;
}

// Host-visible device memory may be small and used up; then the values are copied from a staging buffer.
Result<void> allocateStep(const std::shared_ptr<vulkan::Device>& device, Resident& resident) {
  auto made = vulkan::Buffer::create(device, resident.stepLayout.bytes, vulkan::MemoryKind::written);
  if (!made) made = vulkan::Buffer::create(device, resident.stepLayout.bytes, vulkan::MemoryKind::device);
  if (!made) return fail(made.error());
  resident.stepBuffer.emplace(std::move(*made));
  resident.step = resident.stepBuffer->view();
  return {};
}

}  // namespace

std::uint32_t strideOf(int columns) { return (static_cast<std::uint32_t>(columns) + blockColumns - 1) / blockColumns * blockColumns; }

std::uint32_t headStrideOf(int headDim) { return (static_cast<std::uint32_t>(headDim) + 7) / 8 * 8; }

std::uint32_t listedRows(const model::Plan& plan, const backend::PlaceOptions& options) {
  constexpr int most = 64;
  const bool hasLogits = plan.result() != model::none && plan.embedding == model::none;
  return hasLogits ? static_cast<std::uint32_t>(std::min(options.maxOutputRows, most)) : 0;
}

std::uint32_t topChunks(const model::Plan& plan) { return choice::topChunksOf(static_cast<std::uint32_t>(plan.resultColumns())); }

std::uint64_t stateBytes(const model::RecurrentState& state) {
  return std::uint64_t{4} * static_cast<std::uint64_t>(state.rows) * static_cast<std::uint64_t>(state.columns);
}

// For codes the same as cellWords() in shaders/cache.glsl.
std::uint64_t cellBytes(CacheKind kind, std::uint32_t stride) {
  const std::uint64_t elements = stride;
  if (kind == CacheKind::codes) return elements + (elements + 63) / 64 * 8;
  return elements * (kind == CacheKind::single ? 4 : 2);
}

std::array<std::uint64_t, 2> pageBytes(const model::KvState& state, const Resident& resident, std::size_t index) {
  const std::uint64_t cells = std::uint64_t{resident.pagePositions} * static_cast<std::uint64_t>(state.kvHeadCount);
  return {cells * cellBytes(resident.cacheKind, resident.keyStrides[index]),
          resident.valuesInKeys[index] ? 0 : cells * cellBytes(resident.cacheKind, resident.valueStrides[index])};
}

StepLayout stepLayout(const model::Plan& plan, const backend::PlaceOptions& options) {
  const auto rows = static_cast<std::uint64_t>(options.maxRows);
  StepLayout layout;
  layout.rows = align(layout.tokens + 4 * rows);
  layout.outputs = align(layout.rows + 8 * rows);
  layout.bytes = align(layout.outputs + 4 * static_cast<std::uint64_t>(options.maxOutputRows));
  const auto reserve = [&](std::uint64_t bytes) {
    const std::uint64_t at = layout.bytes;
    layout.bytes = align(at + bytes);
    return at;
  };
  layout.types = reserve(4 * rows);
  layout.factors = reserve(4 * static_cast<std::uint64_t>(options.maxOutputRows));
  for (const model::Rope& rope : plan.ropes) layout.rotations.push_back(reserve(8 * rows * static_cast<std::uint64_t>(rope.dimension / 2)));
  const auto addKind = [&](auto& places, const auto& kind, std::uint64_t bytesOfRow) {
    if (std::ranges::none_of(places, [&](const auto& place) { return place.first == kind; }))
      places.emplace_back(kind, reserve(bytesOfRow * rows));
  };
  for (const model::Op& op : plan.ops) {
    if (const auto* attention = std::get_if<model::AttentionOp>(&op)) addKind(layout.ranges, attention->visible, 16);
    if (const auto* rope = std::get_if<model::RopeKvOp>(&op); rope != nullptr && rope->temperature.strength != 0) {
      addKind(layout.temperatures, rope->temperature, 4);
    }
  }
  layout.slotPages = static_cast<std::uint32_t>((options.contextLength + backend::kvPagePositions - 1) / backend::kvPagePositions);
  for (std::size_t group = 0; group < backend::kvGroups(plan, options).size(); ++group) {
    layout.pages.push_back(reserve(std::uint64_t{4} * layout.slotPages * static_cast<std::uint64_t>(options.slots)));
  }
  if (plan.recurrent.empty()) return layout;
  layout.sequenceCount = static_cast<std::uint32_t>(std::min(options.slots, options.maxRows));
  layout.sequences = reserve(16 * std::uint64_t{layout.sequenceCount});
  layout.order = reserve(4 * rows);
  return layout;
}

namespace {

struct Sizes {
  std::vector<std::uint64_t> weights, kv, scratch;
};

// Lays out everything in a Resident except the memory itself.
Sizes layOutResident(const model::Plan& plan, const MatrixPlan& matrices, const backend::PlaceOptions& options, Resident& resident) {
  Sizes sizes;
  for (const Matrix& matrix : matrices.matrices) sizes.weights.push_back(matrix.layout.bytes);
  sizes.weights.push_back(layOutConstants(plan, matrices, resident));
  resident.cacheKind = cacheKindOf(plan, options);
  sizes.kv = layOutCache(plan, options, resident);
  resident.strides = stridesOf(plan);
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const auto rows = static_cast<std::uint64_t>(plan.buffers[i].outputRows ? options.maxOutputRows : options.maxRows);
    sizes.scratch.push_back(rows * resident.strides[i] * 4);
  }
  const ScratchSizes extra = scratchSizes(plan, matrices, resident, options);
  resident.stepLayout = stepLayout(plan, options);
  sizes.scratch.insert(sizes.scratch.end(), {extra.normed, extra.aside, extra.partial, extra.byExpert, extra.top, extra.top});
  return sizes;
}

}  // namespace

ResidentNeeds residentNeeds(const vulkan::DeviceInfo& info, const model::Plan& plan, const MatrixPlan& matrices,
                            const backend::PlaceOptions& options) {
  Resident unused;
  const Sizes sizes = layOutResident(plan, matrices, options, unused);
  std::uint64_t largest = 0;
  const auto total = [&](const std::vector<std::uint64_t>& of) {
    const vulkan::ArenaLayout layout = vulkan::Arena::layoutOn(info, of);
    for (const std::uint64_t slab : layout.slabs) largest = std::max(largest, slab);
    return layout.total();
  };
  const backend::MemoryUse use{
      .weights = total(sizes.weights), .kv = total(sizes.kv), .scratch = total(sizes.scratch) + unused.stepLayout.bytes};
  return {use, largest};
}

Resident describeResident(const model::Plan& plan, const MatrixPlan& matrices, const backend::PlaceOptions& options) {
  Resident resident;
  layOutResident(plan, matrices, options, resident);
  resident.matrices.resize(matrices.matrices.size());
  resident.keys.resize(plan.kv.size());
  resident.values.resize(plan.kv.size());
  resident.recurrent.resize(plan.recurrent.size());
  resident.buffers.resize(plan.buffers.size());
  return resident;
}

Result<Resident> allocateResident(const std::shared_ptr<vulkan::Device>& device, const model::Plan& plan, const MatrixPlan& matrices,
                                  const backend::PlaceOptions& options) {
  Resident resident;
  const auto& [weights, kv, scratch] = layOutResident(plan, matrices, options, resident);
  MINERVA_TRY(vulkan::checkBudget(*device, residentNeeds(device->info(), plan, matrices, options).use.total()));

  MINERVA_ASSIGN(resident.weightArena, vulkan::Arena::create(device, weights, vulkan::MemoryKind::device));
  MINERVA_ASSIGN(resident.kvArena, vulkan::Arena::create(device, kv, vulkan::MemoryKind::device));
  MINERVA_ASSIGN(resident.scratchArena, vulkan::Arena::create(device, scratch, vulkan::MemoryKind::device));
  for (std::size_t i = 0; i < matrices.matrices.size(); ++i) resident.matrices.push_back(resident.weightArena->view(i));
  resident.constants = resident.weightArena->view(matrices.matrices.size());
  for (std::size_t i = 0; i < plan.kv.size(); ++i) {
    resident.keys.push_back(resident.kvArena->view(2 * i));
    resident.values.push_back(resident.kvArena->view(2 * i + (resident.valuesInKeys[i] ? 0 : 1)));
  }
  for (std::size_t i = 0; i < plan.recurrent.size(); ++i) resident.recurrent.push_back(resident.kvArena->view(2 * plan.kv.size() + i));
  const std::size_t buffers = plan.buffers.size();
  for (std::size_t i = 0; i < buffers; ++i) resident.buffers.push_back(resident.scratchArena->view(i));
  resident.normed = resident.scratchArena->view(buffers);
  resident.aside = resident.scratchArena->view(buffers + 1);
  resident.partial = resident.scratchArena->view(buffers + 2);
  resident.byExpert = resident.scratchArena->view(buffers + 3);
  resident.topKeys = resident.scratchArena->view(buffers + 4);
  resident.topSums = resident.scratchArena->view(buffers + 5);
  if (const std::uint64_t rows = listedRows(plan, options); rows > 0) {
    const std::uint64_t bytes = rows * 8 * (choice::topHeader + choice::topMost);
    MINERVA_ASSIGN(resident.listBuffer, vulkan::Buffer::create(device, bytes, vulkan::MemoryKind::readback));
    resident.lists = resident.listBuffer->view();
  }
  MINERVA_TRY(allocateStep(device, resident));
  resident.use = {.weights = resident.weightArena->bytes(),
                  .kv = resident.kvArena->bytes(),
                  .scratch = resident.scratchArena->bytes() + resident.stepLayout.bytes};
  return resident;
}

}  // namespace minerva::gpu
