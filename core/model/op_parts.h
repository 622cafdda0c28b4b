// What an op refers to, listed once: buffers, weights and the KV cache of layers. Which buffers it reads and writes, which weights it
// uses and how it is renumbered when a model is split follow from this list. An op without a list does not compile.
//
// eachPart(op, visitor) calls, for every reference of the op (a reference that may be absent is `none` then):
//   reads, writes, updates (BufferId)   an update reads and writes
//   matrix, vector, table (WeightId)    multiplied with; norms, biases and sinks; looked up by row
//   storesIn, attendsTo (int)           a layer whose KV cache it writes or reads
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
  visitor.updates(op.qkv);
  visitor.storesIn(op.layer);
}

void each(Of<AttentionOp> auto& op, auto& visitor) {
  visitor.reads(op.qkv);
  visitor.attendsTo(op.layer);
  visitor.vector(op.sinks);
  visitor.writes(op.out);
}

void each(Of<RouteOp> auto& op, auto& visitor) {
  visitor.reads(op.logits);
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
  visitor.updates(op.out);
}

void each(Of<GatherOp> auto& op, auto& visitor) {
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
