// The checks of attention and of the recurrent mixers.
#include "core/model/plan_checker.h"

#include <cmath>

namespace minerva::model {

// The KV state must exist and have the op's shape.
Result<void> Checker::heads(const HeadCounts& h) const {
  if (h.kv < 0 || static_cast<std::size_t>(h.kv) >= m_plan.kv.size()) {
    return wrong("An op names a KV state that does not exist", "0 to " + std::to_string(m_plan.kv.size()) + " exclusive",
                 std::to_string(h.kv));
  }
  if (h.headCount <= 0 || h.kvHeadCount <= 0 || h.headDim <= 0 || h.valueDim <= 0 || h.headCount % h.kvHeadCount != 0) {
    return wrong("The head counts do not match", "kv heads that divide the heads",
                 std::to_string(h.headCount) + " heads, " + std::to_string(h.kvHeadCount) + " kv heads of " + std::to_string(h.headDim));
  }
  const KvState& kv = m_plan.kv[static_cast<std::size_t>(h.kv)];
  if (kv.kvHeadCount == h.kvHeadCount && kv.headDim == h.headDim && kv.valueDim == h.valueDim) return {};
  return wrong("The KV state has another shape", std::to_string(h.kvHeadCount) + " x " + std::to_string(h.headDim),
               std::to_string(kv.kvHeadCount) + " x " + std::to_string(kv.headDim));
}

Result<void> Checker::headNorm(const HeadNormStep& step, int headCount, int headDim) const {
  if (!step.present()) return {};
  const std::int64_t all = std::int64_t{headCount} * headDim;
  if (step.group > headDim && step.group != all) {
    return wrong("A norm of heads has an impossible size", "at most " + std::to_string(headDim) + ", or " + std::to_string(all),
                 std::to_string(step.group));
  }
  const std::int64_t elements = step.norm.weight >= 0 && static_cast<std::size_t>(step.norm.weight) < m_plan.weights.size()
                                    ? m_plan.weights[static_cast<std::size_t>(step.norm.weight)].view.shape.elements()
                                    : 0;
  return norm(step.norm, step.group == headDim && elements == all ? all : step.group);
}

Result<void> Checker::temperature(const QueryTemperature& t) const {
  MINERVA_TRY(finite(t.strength, "query temperature"));
  if (t.strength == 0 || (std::isfinite(t.length) && t.length >= 1 && t.offset >= 0)) return {};
  return wrong("The query temperature is not valid", "a length of 1 or more and an offset of 0 or more",
               std::to_string(t.length) + " and " + std::to_string(t.offset));
}

Result<void> Checker::limited(const RopeKvOp& op) const {
  const bool whole = op.kv != none && !op.valuesFromKeys && op.rope >= 0 && op.rope < static_cast<int>(m_plan.ropes.size()) &&
                     m_plan.ropes[static_cast<std::size_t>(op.rope)].dimension == op.headDim;
  if (op.limit > 0 && whole && !op.qNorm.present() && !op.kNorm.present() && !op.vNorm.present()) return {};
  return wrong("Queries, keys and values cannot be limited", "whole heads that are rotated and stored, without norms", "others");
}

Result<void> Checker::operation(const RopeKvOp& op) const {
  std::int64_t wanted = std::int64_t{op.headCount} * op.headDim;
  if (op.kv != none) {
    MINERVA_TRY(heads({op.kv, op.headCount, op.kvHeadCount, op.headDim, op.valueDim}));
    wanted += std::int64_t{op.kvHeadCount} * (op.headDim + (op.valuesFromKeys ? 0 : op.valueDim));
  } else if (op.headCount <= 0 || op.headDim <= 0 || op.kvHeadCount != 0) {
    return wrong("An op without a KV state has keys", "queries only", std::to_string(op.kvHeadCount) + " kv heads");
  }
  MINERVA_TRY(atLeast(op.qkv, wanted, "q, k, v buffer"));
  if (outputRows(op.qkv)) return wrong("Keys and values are missing for some rows", "every row", "output rows");
  if (op.limit != 0) MINERVA_TRY(limited(op));
  if (op.valuesFromKeys && (op.valueDim > op.headDim || op.vNorm.present())) {
    return wrong("Values cannot be taken from the keys", "at most " + std::to_string(op.headDim) + " elements without a norm",
                 std::to_string(op.valueDim));
  }
  MINERVA_TRY(headNorm(op.qNorm, op.headCount, op.headDim));
  MINERVA_TRY(headNorm(op.kNorm, op.kvHeadCount, op.headDim));
  MINERVA_TRY(headNorm(op.vNorm, op.kvHeadCount, op.valueDim));
  MINERVA_TRY(temperature(op.temperature));
  if (op.rope == none) return {};
  if (op.rope < 0 || static_cast<std::size_t>(op.rope) >= m_plan.ropes.size() || op.ropeOffset < 0) {
    return wrong("An op names a rotation that does not exist", "below " + std::to_string(m_plan.ropes.size()), std::to_string(op.rope));
  }
  const int dimension = m_plan.ropes[static_cast<std::size_t>(op.rope)].dimension;
  if (dimension <= op.headDim - op.ropeOffset) return {};
  return wrong("The rotary dimension is larger than a head", "at most " + std::to_string(op.headDim - op.ropeOffset),
               std::to_string(dimension));
}

Result<void> Checker::operation(const AttentionOp& op) const {
  MINERVA_TRY(heads({op.kv, op.headCount, op.kvHeadCount, op.headDim, op.valueDim}));
  MINERVA_TRY(atLeast(op.qkv, std::int64_t{op.headCount} * op.headDim, "q, k, v buffer"));
  // A state that layers use in turn keeps all positions.
  const int kept = m_plan.kv[static_cast<std::size_t>(op.kv)].window;
  const bool keeps = op.visible.reach() == kept || (kept == 0 && m_plan.embedding != none);
  if (op.visible.window < 0 || op.visible.chunk < 0 || !keeps) {
    return wrong("The attention window differs from the KV state's", std::to_string(m_plan.kv[static_cast<std::size_t>(op.kv)].window),
                 std::to_string(op.visible.reach()));
  }
  MINERVA_TRY(finite(op.scale, "attention scale"));
  MINERVA_TRY(finite(op.softCap, "attention's soft cap"));
  MINERVA_TRY(finite(op.alibi, "attention's slopes"));
  MINERVA_TRY(vector(op.sinks, op.headCount, "sinks", true));
  MINERVA_TRY(everyRow(op.qkv, op.out));
  return width(op.out, std::int64_t{op.headCount} * op.valueDim, "attention's output");
}

// A mixer needs every token of a sequence, not only those that want logits.
Result<void> Checker::everyRow(BufferId in, BufferId out) const {
  if (!outputRows(in) && !outputRows(out)) return {};
  return wrong("A mixer misses rows", "every row", m_plan.buffers[static_cast<std::size_t>(outputRows(in) ? in : out)].name);
}

Result<void> Checker::recurrent(int state, std::int64_t rows, std::int64_t columns) const {
  if (state < 0 || static_cast<std::size_t>(state) >= m_plan.recurrent.size()) {
    return wrong("An op names a recurrent state that does not exist", "0 to " + std::to_string(m_plan.recurrent.size()) + " exclusive",
                 std::to_string(state));
  }
  const RecurrentState& kept = m_plan.recurrent[static_cast<std::size_t>(state)];
  if (kept.rows == rows && kept.columns == columns && rows > 0 && columns > 0 && rows * columns <= maxColumns) return {};
  return wrong("The state \"" + kept.name + "\" has the wrong shape", std::to_string(rows) + " x " + std::to_string(columns),
               std::to_string(kept.rows) + " x " + std::to_string(kept.columns));
}

// The norm's weights are shared by all groups, or cover all columns.
Result<void> Checker::groupedNorm(const Norm& how, std::int64_t columns, std::int64_t group) const {
  if (group <= 0 || columns % group != 0) {
    return wrong("The groups of a norm do not divide its input", "a divisor of " + std::to_string(columns), std::to_string(group));
  }
  const bool known = how.weight >= 0 && static_cast<std::size_t>(how.weight) < m_plan.weights.size();
  const std::int64_t elements = known ? m_plan.weights[static_cast<std::size_t>(how.weight)].view.shape.elements() : group;
  return norm(how, elements == columns ? columns : group);
}

Result<void> Checker::operation(const GateOp& op) const {
  MINERVA_TRY(sameRows(op.gate, op.out));
  if (op.group <= 0 || op.columns % op.group != 0 || op.limit < 0) {
    return wrong("The columns of a gate are not valid", "a divisor of " + std::to_string(op.columns) + " and a limit of 0 or more",
                 std::to_string(op.group) + " and " + std::to_string(op.limit));
  }
  const int gates = op.columns / op.group;
  MINERVA_TRY(inside(op.gate, op.gateColumn, gates, "gate"));
  MINERVA_TRY(inside(op.out, op.column, op.columns, "gated part"));
  const bool apart = op.gate != op.out || op.gateColumn + gates <= op.column || op.column + op.columns <= op.gateColumn;
  if (apart && op.activation != Activation::clampedSwiglu) return {};
  return wrong("A gate cannot multiply itself, and must be a function of one value", "other columns", std::to_string(op.gateColumn));
}

Result<void> Checker::operation(const GatedNormOp& op) const {
  MINERVA_TRY(sameRows(op.gate, op.x));
  if (op.gate == op.x) return wrong("A gated norm cannot be its own gate", "two buffers", "one");
  MINERVA_TRY(inside(op.gate, op.gateColumn, columns(op.x), "gate"));
  return groupedNorm(op.norm, columns(op.x), op.group);
}

Result<void> Checker::operation(const ConvOp& op) const {
  MINERVA_TRY(everyRow(op.in, op.out));
  if (op.width < 2 || op.channels <= 0 || op.in == op.out) {
    return wrong("The convolution is not valid", "2 or more rows, from one buffer to another", std::to_string(op.width) + " rows");
  }
  MINERVA_TRY(inside(op.in, op.column, op.channels, "convolution's input"));
  MINERVA_TRY(width(op.out, op.channels, "convolution's output"));
  MINERVA_TRY(vector(op.weight, std::int64_t{op.channels} * op.width, "convolution", false));
  MINERVA_TRY(vector(op.bias, op.channels, "convolution's bias", true));
  return recurrent(op.state, op.width - 1, op.channels);
}

Result<void> Checker::operation(const DeltaOp& op) const {
  MINERVA_TRY(everyRow(op.in, op.out));
  MINERVA_TRY(everyRow(op.gates, op.out));
  if (op.keyHeads <= 0 || op.valueHeads <= 0 || op.keyDim <= 0 || op.valueDim <= 0 || op.valueHeads % op.keyHeads != 0) {
    return wrong("The heads of the delta rule do not match", "key heads that divide the value heads",
                 std::to_string(op.keyHeads) + " and " + std::to_string(op.valueHeads));
  }
  const std::int64_t decays = std::int64_t{op.valueHeads} * (op.channelDecay ? op.keyDim : 1);
  const std::int64_t results = std::int64_t{op.valueHeads} * op.valueDim;
  MINERVA_TRY(width(op.in, std::int64_t{2} * op.keyHeads * op.keyDim + results, "delta rule's input"));
  MINERVA_TRY(width(op.out, results, "delta rule's output"));
  MINERVA_TRY(inside(op.gates, op.betaColumn, op.valueHeads, "delta rule's beta"));
  MINERVA_TRY(inside(op.gates, op.decayColumn, decays, "delta rule's decay"));
  MINERVA_TRY(vector(op.decay, op.valueHeads, "decay", false));
  MINERVA_TRY(vector(op.bias, decays, "decay's bias", false));
  return recurrent(op.state, std::int64_t{op.valueHeads} * op.keyDim, op.valueDim);
}

Result<void> Checker::operation(const ScanOp& op) const {
  for (const BufferId read : {op.in, op.keys, op.steps}) MINERVA_TRY(everyRow(read, op.out));
  if (op.heads <= 0 || op.headDim <= 0 || op.groups <= 0 || op.stateSize <= 0 || op.heads % op.groups != 0) {
    return wrong("The heads of the scan do not match", "groups that divide the heads",
                 std::to_string(op.heads) + " heads in " + std::to_string(op.groups) + " groups");
  }
  if (!(op.dtMin >= 0) || !(op.dtMax > op.dtMin)) {
    return wrong("The step limits of the scan are not valid", "0 or more, ascending",
                 std::to_string(op.dtMin) + " to " + std::to_string(op.dtMax));
  }
  const std::int64_t results = std::int64_t{op.heads} * op.headDim;
  const std::int64_t steps = op.channelDecay ? results : op.heads;
  MINERVA_TRY(inside(op.in, 0, results, "scan's input"));
  MINERVA_TRY(inside(op.keys, op.keyColumn, std::int64_t{2} * op.groups * op.stateSize, "scan's B and C"));
  MINERVA_TRY(width(op.out, results, "scan's output"));
  MINERVA_TRY(inside(op.steps, op.dtColumn, steps, "scan's steps"));
  MINERVA_TRY(vector(op.decay, op.channelDecay ? results * op.stateSize : steps, "scan", false));
  for (const WeightId id : {op.bias, op.skip}) MINERVA_TRY(vector(id, steps, "scan", false));
  return recurrent(op.state, results, op.stateSize);
}

}  // namespace minerva::model
