#include "gpu/runtime/attention_form.h"
#include "gpu/runtime/recorder.h"
#include "gpu/shaders/shared/choices.h"

#include <algorithm>

namespace minerva::gpu {

namespace {

// Of an operation, against one of a projection, which uses a value that it has read more often; matrix units do as many as there.
constexpr double attentionEffort = 4;
// Of a row, in the step's values: the positions that it sees, and its slot.
constexpr std::uint64_t rangeBytes = 16;

}  // namespace

// Normalises heads of the qkv buffer in place: those from this column on.
Result<void> Recorder::normHeads(model::BufferId qkv, const model::HeadNormStep& how, std::uint32_t firstColumn, std::uint32_t heads,
                                 int headDim) {
  if (!how.present() || heads == 0) return {};
  const auto group = static_cast<std::uint32_t>(how.group);
  const std::uint32_t run = std::max(group, static_cast<std::uint32_t>(headDim));
  const VkDeviceAddress first = buffer(qkv).address + std::uint64_t{firstColumn} * 4;
  return norm(how.norm,
              {.x = first,
               .out = first,
               .xStride = stride(qkv),
               .outStride = stride(qkv),
               .columns = group,
               .rows = m_shape.rows,
               .runs = heads * static_cast<std::uint32_t>(headDim) / run,
               .run = run,
               .weightRun = weightRunOf(how.norm, group)},
              {}, qkv);
}

Result<void> Recorder::normQueriesAndKeys(const model::RopeKvOp& op) {
  const auto heads = static_cast<std::uint32_t>(op.headCount);
  MINERVA_TRY(normHeads(op.qkv, op.qNorm, 0, heads, op.headDim));
  return normHeads(op.qkv, op.kNorm, heads * static_cast<std::uint32_t>(op.headDim), static_cast<std::uint32_t>(op.kvHeadCount),
                   op.headDim);
}

Result<void> Recorder::ropeKv(const model::RopeKvOp& op, const RopeWork& work) {
  const model::Rope* rope = work.rotates ? &m_c.plan.ropes[static_cast<std::size_t>(op.rope)] : nullptr;
  const bool halves = rope == nullptr || rope->layout == model::RopeLayout::halves;
  const auto layer = static_cast<std::size_t>(op.kv);
  MINERVA_ASSIGN(const vulkan::Pipeline* kernel,
                 kernelOf<push::RopeKv>(cacheVariant("rope_kv"), {flatGroup, halves ? choice::ropeHalves : choice::ropeInterleaved}, 0));
  const push::RopeKv p{.qkv = buffer(op.qkv).address,
                       .rotation = work.rotates ? stepAddress(m_c.resident.stepLayout.rotations[static_cast<std::size_t>(op.rope)]) : 0,
                       .rows = stepAddress(m_c.resident.stepLayout.rows),
                       .pages = work.stores ? pagesAddress(layer) : 0,
                       .keys = work.stores ? m_c.resident.keys[layer].address : 0,
                       .values = work.stores ? m_c.resident.values[layer].address : 0,
                       .n = m_shape.rows,
                       .stride = stride(op.qkv),
                       .heads = work.rotated,
                       .kvHeads = work.stores ? static_cast<std::uint32_t>(op.kvHeadCount) : 0,
                       .headDim = static_cast<std::uint32_t>(op.headDim),
                       .headStride = work.stores ? m_c.resident.keyStrides[layer] : 0,
                       .rotary = rope == nullptr ? 0 : static_cast<std::uint32_t>(rope->dimension),
                       .rotaryAt = static_cast<std::uint32_t>(op.ropeOffset),
                       .slotPages = m_c.resident.stepLayout.slotPages,
                       .pagePositions = m_c.resident.pagePositions,
                       .valueDim = static_cast<std::uint32_t>(op.valueDim),
                       .valueStride = work.stores ? m_c.resident.valueStrides[layer] : 0,
                       .storesValues = op.valuesFromKeys ? 0u : 1u,
                       .limit = op.limit};
  const std::uint32_t together = m_c.resident.cacheKind == CacheKind::codes ? 32 : 2;  // storedTogether in shaders/cache.glsl
  const std::uint32_t tasks = p.heads * (p.rotary / 2) + p.kvHeads * (divideUp(p.headStride, together) + divideUp(p.valueStride, together));
  const std::array<std::uint32_t, 3> groups{divideUp(tasks, flatGroup), m_shape.rows, 1};
  if (work.stores) dispatch(kernel, p, VK_NULL_HANDLE, groups, {extra(step)}, {op.qkv, cacheOf(op.kv)});
  else dispatch(kernel, p, VK_NULL_HANDLE, groups, {extra(step)}, {op.qkv});
  return {};
}

Result<void> Recorder::add(const model::RopeKvOp& op, std::size_t) {
  const auto heads = static_cast<std::uint32_t>(op.headCount);
  const auto kvHeads = static_cast<std::uint32_t>(op.kvHeadCount);
  const bool rotates = op.rope != model::none && m_c.plan.ropes[static_cast<std::size_t>(op.rope)].dimension > 0;
  const bool stores = op.kv != model::none;
  // The rotation that stores keys comes after the norms; before them, the keys are rotated in place as the queries are.
  const bool first = op.normsRotated && rotates;
  if (first) MINERVA_TRY(ropeKv(op, {.rotated = heads + kvHeads, .rotates = true, .stores = false}));
  MINERVA_TRY(normQueriesAndKeys(op));
  MINERVA_TRY(normHeads(op.qkv, op.vNorm, (heads + kvHeads) * static_cast<std::uint32_t>(op.headDim), kvHeads, op.valueDim));
  if (stores || (rotates && !first)) MINERVA_TRY(ropeKv(op, {.rotated = heads, .rotates = rotates && !first, .stores = stores}));
  if (op.temperature.strength == 0) return {};
  return multiply(op.qkv, 0, heads * static_cast<std::uint32_t>(op.headDim),
                  {.address = stepAddress(placeOf(m_c.resident.stepLayout.temperatures, op.temperature)),
                   .stride = 1,
                   .step = 0,
                   .activation = choice::activationIdentity,
                   .resource = extra(step)});
}

AttentionNeeds attentionNeeds(const model::AttentionOp& op, const Resident& resident, const backend::PlaceOptions& options,
                              const StepShape& shape) {
  return {.heads = static_cast<std::uint32_t>(op.headCount),
          .kvHeads = static_cast<std::uint32_t>(op.kvHeadCount),
          .keyStride = resident.keyStrides[static_cast<std::size_t>(op.kv)],
          .valueStride = headStrideOf(op.valueDim),
          .rows = shape.rows,
          .positions = seenPositions(op.visible, shape.positions),
          .oneSlot = shape.oneSlot,
          .capped = op.softCap > 0,
          .lessened = op.alibi != 0,
          .rounds = options.precision != backend::Precision::exact && resident.cacheKind != CacheKind::single};
}

// Attention of run.rows rows, from row `first` on.
Result<void> Recorder::attend(const model::AttentionOp& op, const AttentionForm& form, std::uint32_t first, const AlikeRows& run) {
  const auto layer = static_cast<std::size_t>(op.kv);
  const std::uint64_t qkvBytes = std::uint64_t{first} * stride(op.qkv) * 4, outBytes = std::uint64_t{first} * stride(op.out) * 4;
  MINERVA_ASSIGN(const vulkan::Pipeline* kernel, kernelOf<push::Attention>(cacheVariant(form.kernel), form.constants, form.lanes));
  const push::Attention p{.qkv = buffer(op.qkv).address + qkvBytes,
                          .ranges = stepAddress(placeOf(m_c.resident.stepLayout.ranges, op.visible)) + first * rangeBytes,
                          .pages = pagesAddress(layer),
                          .keys = m_c.resident.keys[layer].address,
                          .values = m_c.resident.values[layer].address,
                          .partial = m_c.resident.partial.address,
                          .out_ = buffer(op.out).address + outBytes,
                          .sinks = vectorAddress(op.sinks),
                          .n = run.rows,
                          .stride = stride(op.qkv),
                          .heads = static_cast<std::uint32_t>(op.headCount),
                          .kvHeads = static_cast<std::uint32_t>(op.kvHeadCount),
                          .headDim = static_cast<std::uint32_t>(op.headDim),
                          .valueDim = static_cast<std::uint32_t>(op.valueDim),
                          .slotPages = m_c.resident.stepLayout.slotPages,
                          .pagePositions = m_c.resident.pagePositions,
                          .splits = form.splits,
                          .outStride = stride(op.out),
                          .valueStride = m_c.resident.valueStrides[layer],
                          .scale = op.scale,
                          .softCap = op.softCap,
                          .hasSinks = op.sinks == model::none ? 0u : 1u,
                          .alibi = op.alibi,
                          .unused = 0};
  const auto positions = static_cast<int>(run.positions);
  const double seen = op.visible.end(positions - 1, positions) - op.visible.begin(positions - 1);
  const bool units = form.kernel == "attention_units";
  const double effort = units ? 1 : attentionEffort;
  const double flops = effort * 2.0 * seen * run.rows * op.headCount * (op.headDim + op.valueDim);
  const auto bytesOf = [&](std::uint32_t elements) { return static_cast<double>(cellBytes(m_c.resident.cacheKind, elements)); };
  const double cell = bytesOf(m_c.resident.keyStrides[layer]) + (m_c.resident.valuesInKeys[layer] ? 0 : bytesOf(p.valueStride));
  const DispatchWork work{.flops = flops, .bytes = seen * op.kvHeadCount * cell, .units = units};
  if (form.splits == 1) {
    dispatch(kernel, p, VK_NULL_HANDLE, form.workgroups, {extra(step), op.qkv, cacheOf(op.kv)}, {op.out}, work);
    return {};
  }
  dispatch(kernel, p, VK_NULL_HANDLE, form.workgroups, {extra(step), op.qkv, cacheOf(op.kv)}, {extra(partial)}, work);
  MINERVA_ASSIGN(const vulkan::Pipeline* join, kernelOf<push::Attention>("attention_join", {flatGroup}, 0));
  dispatch(join, p, VK_NULL_HANDLE, {p.heads, run.rows, 1}, {extra(partial)}, {op.out});
  return {};
}

AttentionForm Recorder::attentionOf(const model::AttentionOp& op, const StepShape& shape, std::uint32_t chosenFor) const {
  AttentionNeeds needs = attentionNeeds(op, m_c.resident, m_c.options, shape);
  needs.chosenFor = chosenFor;
  return attentionForm(m_c.tuning, m_c.device->info(), needs);
}

// All rows of `shape`, from row `first` on: in several runs by the same kernel where there are more workgroups than a device takes.
Result<void> Recorder::attendAll(const model::AttentionOp& op, const StepShape& shape, std::uint32_t chosenFor, std::uint32_t first) {
  const std::uint32_t last = attentionOf(op, shape, chosenFor).workgroups[2], most = m_c.tuning.workgroups;
  const auto atOnce = last <= most ? shape.rows : std::max(1U, static_cast<std::uint32_t>(std::uint64_t{shape.rows} * most / last));
  StepShape run = shape;
  for (std::uint32_t done = 0; done < shape.rows; done += atOnce) {
    run.rows = std::min(atOnce, shape.rows - done);
    MINERVA_TRY(attend(op, attentionOf(op, run, std::max(chosenFor, shape.rows)), first + done, {run.rows, shape.positions}));
  }
  return {};
}

Result<void> Recorder::add(const model::AttentionOp& op, std::size_t) {
  if (m_shape.alike.empty()) return attendAll(op, m_shape, 0, 0);
  std::uint32_t first = 0;
  for (const AlikeRows& run : m_shape.alike) {
    if (m_shape.prompts) {
      const StepShape shape{.rows = run.rows, .outputs = 1, .positions = run.positions, .oneSlot = true};
      MINERVA_TRY(attendAll(op, shape, std::max(static_cast<std::uint32_t>(m_c.options.maxRows), maxSplitRows + 1), first));
      first += run.rows;
      continue;
    }
    AttentionForm form = attentionOf(op, {.rows = 1, .outputs = 1, .positions = run.positions, .oneSlot = true}, 0);
    const std::uint32_t atOnce = std::max(1U, std::min(maxPartials / form.splits, m_c.tuning.workgroups));
    for (const std::uint32_t end = first + run.rows; first < end; first += form.workgroups[2]) {
      form.workgroups[2] = std::min(atOnce, end - first);
      MINERVA_TRY(attend(op, form, first, {form.workgroups[2], run.positions}));
    }
  }
  return {};
}

}  // namespace minerva::gpu
