// What an op refers to, listed once: buffers, weights and the states of a sequence. Which buffers it reads and writes, which weights it
// uses and how it is renumbered when a model is split follow from this list. An op without a list does not compile.
//
// eachPart(op, visitor) calls, for every reference of the op (a reference that may be absent is `none` then):
//   reads, writes, updates (BufferId)   an update reads and writes
//   matrix, vector, table (WeightId)    multiplied with; norms, biases and sinks; looked up by row
//   storesIn, attendsTo (int)           a KV state that it writes or reads
//   replaces (int)                      a recurrent state, read and written
// With an op that is not const, the visitor may change the references.
#pragma once

#include "core/model/plan.h"

#include <concepts>
#include <type_traits>

namespace minerva::model {

// A visitor that ignores everything, to derive from.
struct IgnoreParts {
  void reads(BufferId) {}
  void writes(BufferId) {}
  void updates(BufferId) {}
  void matrix(WeightId) {}
  void vector(WeightId) {}
  void table(WeightId) {}
  void storesIn(int) {}
  void attendsTo(int) {}
  void replaces(int) {}
};

namespace parts {

// An O, const or not.
template <class T, class O>
concept Of = std::same_as<std::remove_const_t<T>, O>;

void norm(Of<Norm> auto& norm, auto& visitor) {
  visitor.vector(norm.weight);
  visitor.vector(norm.bias);
}

void each(Of<EmbedOp> auto& op, auto& visitor) {
  visitor.table(op.table);
  visitor.table(op.positions);
  visitor.table(op.types);
  visitor.writes(op.out);
}

void each(Of<NormOp> auto& op, auto& visitor) {
  visitor.reads(op.in);
  norm(op.norm, visitor);
  if (op.add) visitor.updates(op.out);
  else visitor.writes(op.out);
}

void each(Of<ProjOp> auto& op, auto& visitor) {
  visitor.reads(op.in);
  if (op.normalised) norm(op.norm, visitor);
  for (auto& part : op.parts) {
    visitor.matrix(part.weight);
    visitor.vector(part.bias);
  }
  if (op.epilogue == Epilogue::add) visitor.updates(op.out);
  else visitor.writes(op.out);
}

void each(Of<HeadProjOp> auto& op, auto& visitor) {
  visitor.reads(op.in);
  visitor.matrix(op.weight);
  visitor.writes(op.out);
}

void each(Of<RopeKvOp> auto& op, auto& visitor) {
  norm(op.qNorm.norm, visitor);
  norm(op.kNorm.norm, visitor);
  norm(op.vNorm.norm, visitor);
  visitor.updates(op.qkv);
  visitor.storesIn(op.kv);
}

void each(Of<AttentionOp> auto& op, auto& visitor) {
  visitor.reads(op.qkv);
  visitor.attendsTo(op.kv);
  visitor.vector(op.sinks);
  visitor.writes(op.out);
}

void each(Of<RouteOp> auto& op, auto& visitor) {
  visitor.reads(op.logits);
  visitor.vector(op.selectionBias);
  visitor.vector(op.expertScale);
  visitor.writes(op.out);
}

void each(Of<ExpertOp> auto& op, auto& visitor) {
  visitor.reads(op.in);
  visitor.reads(op.route);
  for (auto& part : op.parts) {
    for (auto& weight : part.weights) visitor.matrix(weight);
    visitor.vector(part.bias);
  }
  visitor.writes(op.out);
}

void each(Of<CombineOp> auto& op, auto& visitor) {
  visitor.reads(op.in);
  visitor.reads(op.route);
  visitor.reads(op.shared);
  visitor.vector(op.bias);
  if (op.add) visitor.updates(op.out);
  else visitor.writes(op.out);
}

void each(Of<SpreadOp> auto& op, auto& visitor) {
  visitor.reads(op.in);
  visitor.reads(op.route);
  visitor.writes(op.out);
}

void each(Of<GateOp> auto& op, auto& visitor) {
  visitor.reads(op.gate);
  visitor.updates(op.out);
}

void each(Of<GatedNormOp> auto& op, auto& visitor) {
  visitor.reads(op.gate);
  norm(op.norm, visitor);
  visitor.updates(op.x);
}

void each(Of<ScaleOp> auto& op, auto& visitor) {
  visitor.vector(op.scale);
  visitor.updates(op.out);
}

void each(Of<ThresholdOp> auto& op, auto& visitor) { visitor.updates(op.x); }
void each(Of<XieluOp> auto& op, auto& visitor) { visitor.updates(op.x); }

void each(Of<LevelOp> auto& op, auto& visitor) {
  visitor.reads(op.like);
  visitor.updates(op.x);
}

void each(Of<MixOp> auto& op, auto& visitor) {
  visitor.reads(op.coefficients);
  visitor.reads(op.target);
  for (auto& stream : op.streams) visitor.updates(stream);
}

void each(Of<ConvOp> auto& op, auto& visitor) {
  visitor.reads(op.in);
  visitor.vector(op.weight);
  visitor.vector(op.bias);
  visitor.replaces(op.state);
  visitor.writes(op.out);
}

void each(Of<DeltaOp> auto& op, auto& visitor) {
  visitor.reads(op.in);
  visitor.reads(op.gates);
  visitor.vector(op.decay);
  visitor.vector(op.bias);
  visitor.replaces(op.state);
  visitor.writes(op.out);
}

void each(Of<ScanOp> auto& op, auto& visitor) {
  visitor.reads(op.in);
  visitor.reads(op.keys);
  visitor.reads(op.steps);
  visitor.vector(op.decay);
  visitor.vector(op.bias);
  visitor.vector(op.skip);
  visitor.replaces(op.state);
  visitor.writes(op.out);
}

void each(Of<GatherOp> auto& op, auto& visitor) {
  visitor.reads(op.in);
  visitor.writes(op.out);
}

void each(Of<PoolOp> auto& op, auto& visitor) {
  visitor.reads(op.in);
  visitor.writes(op.out);
}

void each(Of<HeadOp> auto& op, auto& visitor) {
  visitor.reads(op.in);
  norm(op.norm, visitor);
  visitor.matrix(op.weight);
  visitor.vector(op.bias);
  visitor.writes(op.out);
}

}  // namespace parts

void eachPart(parts::Of<Op> auto& op, auto&& visitor) {
  std::visit([&](auto& one) { parts::each(one, visitor); }, op);
}

}  // namespace minerva::model
