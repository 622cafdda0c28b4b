// The best logits of each output, listed for the host (backend::TopLogits).
#include "gpu/runtime/recorder.h"

#include "gpu/shaders/shared/top.h"

namespace minerva::gpu {

static_assert(choice::topMost == backend::TopLogits::most);

Result<void> Recorder::addLists() {
  if (m_shape.outputs == 0 || m_shape.outputs > listedRows(m_c.plan, m_c.options)) return {};
  const model::BufferId logits = m_c.plan.result();
  const std::uint32_t lanes = m_c.tuning.lanes, teams = m_c.tuning.normTeams;
  MINERVA_ASSIGN(const vulkan::Pipeline* reduce, kernelOf<push::TopChunks>("top_chunks", {flatGroup}, 0));
  MINERVA_ASSIGN(const vulkan::Pipeline* list, kernelOf<push::TopLogits>("top_logits", {lanes * teams, teams}, lanes));
  const push::TopChunks p{.logits = buffer(logits).address,
                          .factors = stepAddress(m_c.resident.stepLayout.factors),
                          .keys = m_c.resident.topKeys.address,
                          .sums = m_c.resident.topSums.address,
                          .columns = static_cast<std::uint32_t>(m_c.plan.resultColumns()),
                          .stride = stride(logits),
                          .chunks = topChunks(m_c.plan),
                          .chunkLength = choice::topChunkLengthOf(static_cast<std::uint32_t>(m_c.plan.resultColumns()))};
  dispatch(reduce, p, VK_NULL_HANDLE, {divideUp(p.chunks, flatGroup), m_shape.outputs, 1}, {logits, extra(step)}, {extra(chunks)});
  const push::TopLogits l{.logits = p.logits,
                          .factors = p.factors,
                          .keys = p.keys,
                          .sums = p.sums,
                          .out_ = m_c.resident.lists.address,
                          .columns = p.columns,
                          .stride = p.stride,
                          .chunks = p.chunks,
                          .chunkLength = p.chunkLength};
  dispatch(list, l, VK_NULL_HANDLE, {m_shape.outputs, 1, 1}, {logits, extra(step), extra(chunks)}, {extra(lists)});
  return {};
}

}  // namespace minerva::gpu
