#include "gpu/runtime/recorder.h"
#include "gpu/shaders/shared/choices.h"

#include <algorithm>

namespace minerva::gpu {

// Normalises heads [firstHead, firstHead + heads) of the qkv buffer in place.
Result<void> Recorder::normHeads(const model::RopeKvOp& op, const model::HeadNormStep& how, std::uint32_t firstHead, std::uint32_t heads) {
  if (!how.present()) return {};
  const auto headDim = static_cast<std::uint32_t>(op.headDim);
  const auto group = static_cast<std::uint32_t>(how.group);
  const std::uint32_t run = std::max(group, headDim);
  const auto elements = static_cast<std::uint32_t>(m_c.plan.weights[static_cast<std::size_t>(how.norm.weight)].view.shape.elements());
  const VkDeviceAddress first = buffer(op.qkv).address + std::uint64_t{firstHead} * headDim * 4;
  return norm(how.norm,
              {.x = first,
               .out = first,
               .xStride = stride(op.qkv),
               .outStride = stride(op.qkv),
               .columns = group,
               .rows = m_shape.rows,
               .runs = heads * headDim / run,
               .run = run,
               .weightRun = elements == group ? 0 : group},
              {}, op.qkv);
}

Result<void> Recorder::add(const model::RopeKvOp& op, std::size_t) {
  const auto layer = static_cast<std::size_t>(op.kv);
  const auto heads = static_cast<std::uint32_t>(op.headCount);
  const auto kvHeads = static_cast<std::uint32_t>(op.kvHeadCount);
  MINERVA_TRY(normHeads(op, op.qNorm, 0, heads));
  MINERVA_TRY(normHeads(op, op.kNorm, heads, kvHeads));
  const bool rotates = op.rope != model::none && m_c.plan.ropes[static_cast<std::size_t>(op.rope)].dimension > 0;
  const bool halves = !rotates || m_c.plan.ropes[static_cast<std::size_t>(op.rope)].layout == model::RopeLayout::halves;
  const auto rotary = rotates ? static_cast<std::uint32_t>(m_c.plan.ropes[static_cast<std::size_t>(op.rope)].dimension) : 0u;
  MINERVA_ASSIGN(
      const vulkan::Pipeline* kernel,
      m_c.kernels.get<push::RopeKv>(cacheVariant("rope_kv"), {flatGroup, halves ? choice::ropeHalves : choice::ropeInterleaved}, 0));
  const push::RopeKv p{.qkv = buffer(op.qkv).address,
                       .rotation = rotates ? stepAddress(m_c.resident.stepLayout.rotations[static_cast<std::size_t>(op.rope)]) : 0,
                       .rows = stepAddress(m_c.resident.stepLayout.rows),
                       .keys = m_c.resident.keys[layer].address,
                       .values = m_c.resident.values[layer].address,
                       .n = m_shape.rows,
                       .stride = stride(op.qkv),
                       .heads = heads,
                       .kvHeads = kvHeads,
                       .headDim = static_cast<std::uint32_t>(op.headDim),
                       .headStride = m_c.resident.keyStrides[layer],
                       .rotary = rotary,
                       .context = static_cast<std::uint32_t>(m_c.options.contextLength),
                       .rotaryAt = static_cast<std::uint32_t>(op.ropeOffset),
                       .valueDim = static_cast<std::uint32_t>(op.valueDim),
                       .valueStride = m_c.resident.valueStrides[layer],
                       .storesValues = op.valuesFromKeys ? 0u : 1u};
  const std::uint32_t together = m_c.resident.cacheKind == CacheKind::codes ? 32 : 2;  // storedTogether in shaders/cache.glsl
  const std::uint32_t tasks = heads * (rotary / 2) + kvHeads * (divideUp(p.headStride, together) + divideUp(p.valueStride, together));
  dispatch(*kernel, p, VK_NULL_HANDLE, {divideUp(tasks, flatGroup), m_shape.rows, 1}, {extra(step)}, {op.qkv, cacheOf(op.kv)});
  return {};
}

// VulkanPlacement::compile() relies on which kernels this chooses: they differ only between one row, several rows of one slot
// beyond maxSplitRows, and all others; and, except in the second case, with powers of two of the positions.
Result<void> Recorder::add(const model::AttentionOp& op, std::size_t) {
  const auto layer = static_cast<std::size_t>(op.kv);
  const auto valueDim = static_cast<std::uint32_t>(op.valueDim);
  const std::uint32_t keyStride = m_c.resident.keyStrides[layer];
  const std::uint32_t pairs = headStrideOf(op.valueDim) / 2;
  const std::uint32_t lanes = m_c.tuning.lanes;
  const auto groupSize = static_cast<std::uint32_t>(op.headCount / op.kvHeadCount);
  // Register use grows with heads times head width, so wide heads are processed fewer at once.
  const auto narrowed = [&](std::uint32_t atMost) { return std::max(1u, atMost * 64 / std::max(64u, std::max(keyStride, 2 * pairs))); };
  // With a short cache, having more workgroups matters more than sharing reads among heads.
  const bool shortCache = m_shape.positions <= m_c.tuning.splitLength && m_shape.rows == 1;
  const std::uint32_t heads = std::min(groupSize, narrowed(shortCache ? m_c.tuning.attentionHeadsShort : m_c.tuning.attentionHeads));
  const bool several = m_shape.oneSlot && m_shape.rows > maxSplitRows;
  const std::uint32_t rows = several ? std::max(1u, narrowed(m_c.tuning.attentionQueries) / heads) : 1;
  const std::uint32_t cut = std::clamp(m_shape.positions / m_c.tuning.splitLength, 1u, maxSplits);
  const std::uint32_t splits = m_shape.rows <= maxSplitRows ? cut : 1;
  // Teams exchange partial results in shared memory, of which a device may have only 32 KB.
  const std::uint32_t handed = heads * rows * divideUp(pairs, lanes) * lanes * 8;
  const std::uint32_t mostTeams = std::min(m_c.tuning.attentionTeams, std::max(1u, 16384 / handed));
  const std::uint32_t teams = several ? 1 : std::clamp(m_shape.positions / lanes, 1u, mostTeams);
  MINERVA_ASSIGN(const vulkan::Pipeline* kernel,
                 m_c.kernels.get<push::Attention>(cacheVariant("attention"),
                                                  {lanes * teams, lanes, heads, keyStride / 8, divideUp(pairs, lanes),
                                                   m_c.tuning.privateQueries ? 1u : 0u, pairs, rows, op.softCap > 0 ? 1u : 0u, teams},
                                                  lanes));
  const push::Attention p{.qkv = buffer(op.qkv).address,
                          .rows = stepAddress(m_c.resident.stepLayout.rows),
                          .keys = m_c.resident.keys[layer].address,
                          .values = m_c.resident.values[layer].address,
                          .partial = m_c.resident.partial.address,
                          .out_ = buffer(op.out).address,
                          .sinks = vectorAddress(op.sinks),
                          .n = m_shape.rows,
                          .stride = stride(op.qkv),
                          .heads = static_cast<std::uint32_t>(op.headCount),
                          .kvHeads = static_cast<std::uint32_t>(op.kvHeadCount),
                          .headDim = static_cast<std::uint32_t>(op.headDim),
                          .valueDim = valueDim,
                          .context = static_cast<std::uint32_t>(m_c.options.contextLength),
                          .window = static_cast<std::uint32_t>(op.visible.window),
                          .splits = splits,
                          .splitLength = divideUp(m_shape.positions, splits),
                          .outStride = stride(op.out),
                          .valueStride = m_c.resident.valueStrides[layer],
                          .scale = op.scale,
                          .softCap = op.softCap,
                          .hasSinks = op.sinks == model::none ? 0u : 1u,
                          .unused = 0};
  const std::array<std::uint32_t, 3> groups{splits, p.kvHeads * divideUp(groupSize, heads), divideUp(m_shape.rows, rows)};
  if (splits == 1) {
    dispatch(*kernel, p, VK_NULL_HANDLE, groups, {extra(step), op.qkv, cacheOf(op.kv)}, {op.out});
    return {};
  }
  dispatch(*kernel, p, VK_NULL_HANDLE, groups, {extra(step), op.qkv, cacheOf(op.kv)}, {extra(partial)});
  MINERVA_ASSIGN(const vulkan::Pipeline* join, m_c.kernels.get<push::Attention>("attention_join", {flatGroup}, 0));
  dispatch(*join, p, VK_NULL_HANDLE, {p.heads, m_shape.rows, 1}, {extra(partial)}, {op.out});
  return {};
}

}  // namespace minerva::gpu
