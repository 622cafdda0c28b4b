// The recurrent mixers; these functions run on every thread. A job is a sequence and some of its channels or a head, and takes all rows
// of the sequence in order.
#include "core/backend/cpu/placement.h"

#include <algorithm>

namespace minerva::cpu {

namespace {

constexpr int convolutionChannels = 256;  // per job
constexpr int scanChannels = 64;          // per job of a scan by channel: few enough for all threads, and whole cache lines

Columns columnsOf(const Rows& rows, int first) { return {rows.data + first, rows.stride}; }

}  // namespace

std::size_t recurrentScratch(const model::Plan& plan) {
  std::size_t floats = 0;
  for (const model::Op& op : plan.ops) {
    if (const auto* delta = std::get_if<model::DeltaOp>(&op)) floats = std::max(floats, deltaScratch(delta->keyDim));
  }
  return floats;
}

void CpuPlacement::runOp(const model::ConvOp& op, std::size_t index, int) {
  const Rows in = rowsOf(op.in), out = rowsOf(op.out);
  const float* bias = m_weights.vector(op.bias);
  const int blocks = (op.channels + convolutionChannels - 1) / convolutionChannels;
  shareJobs(m_jobs[index].jobs, m_sequences.count() * blocks, [&](int job) {
    const Sequences::Sequence& sequence = m_sequences[job / blocks];
    const int first = job % blocks * convolutionChannels;
    m_kernels.convolve({.rows = {m_sequences.rowsOf(sequence), sequence.count},
                        .fresh = sequence.fresh,
                        .activated = op.activated,
                        .channels = std::min(convolutionChannels, op.channels - first),
                        .width = op.width,
                        .in = columnsOf(in, op.column + first),
                        .weight = m_weights.vector(op.weight) + first,
                        .bias = bias != nullptr ? bias + first : nullptr,
                        .state = m_states.of(op.state, sequence.slot) + first,
                        .step = static_cast<std::size_t>(op.channels),
                        .out = out.data + first,
                        .outStep = out.stride});
  });
}

// With fewer heads than threads can share, each head's columns are halved, as long as these are whole cache lines.
void CpuPlacement::runOp(const model::DeltaOp& op, std::size_t index, int thread) {
  const Rows in = rowsOf(op.in), gates = rowsOf(op.gates), out = rowsOf(op.out);
  const int heads = m_sequences.count() * op.valueHeads;
  const int parts = heads < 2 * m_pool->size() && op.valueDim % 128 == 0 ? 2 : 1, columns = op.valueDim / parts;
  const float *decay = m_weights.vector(op.decay), *bias = m_weights.vector(op.bias);
  float* scratch = m_threadFloats[static_cast<std::size_t>(thread)].data();
  shareJobs(m_jobs[index].jobs, heads * parts, [&](int job) {
    const Sequences::Sequence& sequence = m_sequences[job / parts / op.valueHeads];
    const int head = job / parts % op.valueHeads, first = job % parts * columns, result = head * op.valueDim + first;
    const int keyHead = op.tiled ? head % op.keyHeads : head / (op.valueHeads / op.keyHeads);
    const int decayAt = op.channelDecay ? head * op.keyDim : head;
    const std::size_t state = static_cast<std::size_t>(head) * static_cast<std::size_t>(op.keyDim) * static_cast<std::size_t>(op.valueDim);
    m_kernels.deltaRule({.rows = {m_sequences.rowsOf(sequence), sequence.count},
                         .fresh = sequence.fresh,
                         .channelDecay = op.channelDecay,
                         .keyDim = op.keyDim,
                         .columns = columns,
                         .q = columnsOf(in, keyHead * op.keyDim),
                         .k = columnsOf(in, (op.keyHeads + keyHead) * op.keyDim),
                         .v = columnsOf(in, 2 * op.keyHeads * op.keyDim + result),
                         .betas = columnsOf(gates, op.betaColumn + head),
                         .decays = columnsOf(gates, op.decayColumn + decayAt),
                         .decay = decay[head],
                         .bias = bias + decayAt,
                         .state = m_states.of(op.state, sequence.slot) + state + first,
                         .step = static_cast<std::size_t>(op.valueDim),
                         .out = out.data + result,
                         .outStep = out.stride},
                        scratch);
  });
}

void CpuPlacement::runOp(const model::ScanOp& op, std::size_t index, int) {
  const Rows in = rowsOf(op.in), steps = rowsOf(op.steps), out = rowsOf(op.out);
  const float *decay = m_weights.vector(op.decay), *bias = m_weights.vector(op.bias), *skip = m_weights.vector(op.skip);
  const Rows keys = rowsOf(op.keys);
  const int parts = op.channelDecay ? (op.headDim + scanChannels - 1) / scanChannels : 1;
  shareJobs(m_jobs[index].jobs, m_sequences.count() * op.heads * parts, [&](int job) {
    const Sequences::Sequence& sequence = m_sequences[job / parts / op.heads];
    const int head = job / parts % op.heads, group = head / (op.heads / op.groups), first = job % parts * scanChannels;
    const int result = head * op.headDim + first, stepAt = op.channelDecay ? result : head;
    const std::size_t state =
        static_cast<std::size_t>(head) * static_cast<std::size_t>(op.headDim) * static_cast<std::size_t>(op.stateSize);
    m_kernels.scan({.rows = {m_sequences.rowsOf(sequence), sequence.count},
                    .fresh = sequence.fresh,
                    .channelDecay = op.channelDecay,
                    .columns = parts == 1 ? op.headDim : std::min(scanChannels, op.headDim - first),
                    .stateSize = op.stateSize,
                    .x = columnsOf(in, result),
                    .b = columnsOf(keys, op.keyColumn + group * op.stateSize),
                    .c = columnsOf(keys, op.keyColumn + (op.groups + group) * op.stateSize),
                    .steps = columnsOf(steps, op.dtColumn + stepAt),
                    .decay = decay + stepAt,
                    .bias = bias + stepAt,
                    .skip = skip + stepAt,
                    .decayStep = static_cast<std::size_t>(op.heads) * static_cast<std::size_t>(op.headDim),
                    .dtMin = op.dtMin,
                    .dtMax = op.dtMax,
                    .state = m_states.of(op.state, sequence.slot) + state + first,
                    .step = static_cast<std::size_t>(op.headDim),
                    .out = out.data + result,
                    .outStep = out.stride});
  });
}

}  // namespace minerva::cpu
