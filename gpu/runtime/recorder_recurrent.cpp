#include "gpu/runtime/recorder.h"
#include "gpu/shaders/shared/choices.h"

#include <algorithm>
#include <bit>

namespace minerva::gpu {

namespace {

// Invocations per workgroup: what every device allows.
constexpr std::uint32_t recurrentThreads = 128;
// Floats of shared memory for the rows loaded at a time. Every device has 16 KB; the rest is for sums.
constexpr std::uint32_t sharedFloats = 3072;

// How a workgroup divides a head's state; see shaders/recurrence.glsl.
struct StateForm {
  std::uint32_t columns, splits, keys, chunk;
};

// shared: arrays of a row's keys in shared memory.
StateForm stateForm(std::uint32_t keyCount, std::uint32_t shared, const Tuning& tuning) {
  constexpr std::uint32_t mostKeys = 128;  // per invocation: more would not fit into its registers
  const std::uint32_t splits = std::max(tuning.recurrentSplits, std::bit_ceil((keyCount + mostKeys - 1) / mostKeys));
  const std::uint32_t keys = (keyCount + 4 * splits - 1) / (4 * splits) * 4;  // the scan takes them in quads
  return {std::min(tuning.recurrentColumns, recurrentThreads / splits), splits, keys,
          std::clamp(sharedFloats / (shared * keys * splits), 1U, 8U)};
}

// Kernels that take rows one after the other are counted as if they read and wrote the state for each, and are not cut.
DispatchWork stateWork(std::uint32_t rows, std::uint32_t heads, std::uint32_t keys, std::uint32_t values) {
  return {.flops = 0, .bytes = 8.0 * rows * heads * keys * values};
}

}  // namespace

Result<void> Recorder::add(const model::ConvOp& op, std::size_t) {
  // Of a step of one row, one; else several at once.
  const std::uint32_t rows = opRows(op.in).chosenFor == 1 ? 1 : 4;
  const std::uint32_t channels = recurrentThreads / 4;
  const std::uint32_t activation = op.activated ? choice::activationSilu : choice::activationIdentity;
  MINERVA_ASSIGN(const vulkan::Pipeline* kernel, kernelOf<push::Conv>("conv", {channels * rows, channels, rows, activation}, 0));
  const push::Conv p{.in_ = buffer(op.in).address + std::uint64_t{4} * static_cast<std::uint64_t>(op.column),
                     .weight = vectorAddress(op.weight),
                     .bias = vectorAddress(op.bias),
                     .out_ = buffer(op.out).address,
                     .state = recurrentState(op.state),
                     .sequences = stepAddress(m_c.resident.stepLayout.sequences),
                     .order = stepAddress(m_c.resident.stepLayout.order),
                     .channels = static_cast<std::uint32_t>(op.channels),
                     .width = static_cast<std::uint32_t>(op.width),
                     .inStride = stride(op.in),
                     .outStride = stride(op.out),
                     .hasBias = op.bias == model::none ? 0U : 1U,
                     .unused = 0};
  dispatch(kernel, p, VK_NULL_HANDLE, {divideUp(p.channels, channels), sequences(), 1}, {extra(step), op.in},
           {op.out, recurrentOf(op.state)}, stateWork(m_shape.rows, 1, p.channels, 1));
  return {};
}

Result<void> Recorder::add(const model::DeltaOp& op, std::size_t) {
  const std::uint32_t lanes = m_c.tuning.lanes;
  const StateForm form = stateForm(static_cast<std::uint32_t>(op.keyDim), op.channelDecay ? 3 : 2, m_c.tuning);
  MINERVA_ASSIGN(const vulkan::Pipeline* kernel, kernelOf<push::Delta>("delta",
                                                                       {form.columns * form.splits, lanes, form.columns, form.splits,
                                                                        form.keys, form.chunk, op.channelDecay ? 1U : 0U},
                                                                       lanes));
  const push::Delta p{.in_ = buffer(op.in).address,
                      .gates = buffer(op.gates).address,
                      .decay = vectorAddress(op.decay),
                      .bias = vectorAddress(op.bias),
                      .state = recurrentState(op.state),
                      .out_ = buffer(op.out).address,
                      .sequences = stepAddress(m_c.resident.stepLayout.sequences),
                      .order = stepAddress(m_c.resident.stepLayout.order),
                      .inStride = stride(op.in),
                      .gatesStride = stride(op.gates),
                      .outStride = stride(op.out),
                      .betaColumn = static_cast<std::uint32_t>(op.betaColumn),
                      .decayColumn = static_cast<std::uint32_t>(op.decayColumn),
                      .keyHeads = static_cast<std::uint32_t>(op.keyHeads),
                      .valueHeads = static_cast<std::uint32_t>(op.valueHeads),
                      .keyDim = static_cast<std::uint32_t>(op.keyDim),
                      .valueDim = static_cast<std::uint32_t>(op.valueDim),
                      .tiled = op.tiled ? 1U : 0U};
  dispatch(kernel, p, VK_NULL_HANDLE, {divideUp(p.valueDim, form.columns), p.valueHeads, sequences()}, {extra(step), op.in, op.gates},
           {op.out, recurrentOf(op.state)}, stateWork(m_shape.rows, p.valueHeads, p.keyDim, p.valueDim));
  return {};
}

Result<void> Recorder::add(const model::ScanOp& op, std::size_t) {
  const auto stateSize = static_cast<std::uint32_t>(op.stateSize);
  const StateForm form = stateForm(stateSize, 2, m_c.tuning);
  MINERVA_ASSIGN(const vulkan::Pipeline* kernel, kernelOf<push::Scan>("scan",
                                                                      {form.columns * form.splits, form.columns, form.splits, form.keys,
                                                                       form.chunk, op.channelDecay ? 1U : 0U, stateSize % 4 == 0 ? 1U : 0U},
                                                                      0));
  const push::Scan p{.in_ = buffer(op.in).address,
                     .keys = buffer(op.keys).address + std::uint64_t{4} * static_cast<std::uint64_t>(op.keyColumn),
                     .steps = buffer(op.steps).address + std::uint64_t{4} * static_cast<std::uint64_t>(op.dtColumn),
                     .decay = vectorAddress(op.decay),
                     .bias = vectorAddress(op.bias),
                     .skip = vectorAddress(op.skip),
                     .state = recurrentState(op.state),
                     .out_ = buffer(op.out).address,
                     .sequences = stepAddress(m_c.resident.stepLayout.sequences),
                     .order = stepAddress(m_c.resident.stepLayout.order),
                     .inStride = stride(op.in),
                     .keysStride = stride(op.keys),
                     .stepsStride = stride(op.steps),
                     .outStride = stride(op.out),
                     .heads = static_cast<std::uint32_t>(op.heads),
                     .headDim = static_cast<std::uint32_t>(op.headDim),
                     .groups = static_cast<std::uint32_t>(op.groups),
                     .stateSize = stateSize,
                     .dtMin = op.dtMin,
                     .dtMax = op.dtMax};
  dispatch(kernel, p, VK_NULL_HANDLE, {divideUp(p.headDim, form.columns), p.heads, sequences()}, {extra(step), op.in, op.keys, op.steps},
           {op.out, recurrentOf(op.state)}, stateWork(m_shape.rows, p.heads, p.headDim, stateSize));
  return {};
}

}  // namespace minerva::gpu
