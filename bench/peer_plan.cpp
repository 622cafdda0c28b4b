// Read in ggml/src/ggml-vulkan/ggml-vulkan.cpp and src/models of llama.cpp at 000651caaa5b (2026), where graph nodes become dispatches one
// by one, except for what its graph optimizer keeps together. With fused attention (-fa 1), as its own benchmarks run. What it fuses:
//   a norm with its weights; a product of one row with its bias and its residual; the rotation of the keys with their store; the selection
//   of experts; a product of experts with their biases, and with their weights where one follows; sums of several summands.
// What it does not: q, k and v are three products, gate and up two, and the activation between them and down is a dispatch; the rotation
// of the queries and the store of the values are dispatches. Products of several rows do not take the sum that follows.
// Barriers: it waits where a node reads or overwrites what one since the last barrier wrote, so q, k and v wait together, and so on.
#include "bench/peer_plan.h"

#include "core/model/op_parts.h"

namespace minerva::bench {

namespace {

using backend::OpCounts;

bool oneOfQuantized(const model::Plan& plan, const std::vector<model::WeightId>& matrices) {
  for (const model::WeightId id : matrices)
    if (traits(plan.weights[static_cast<std::size_t>(id)].view.type).blockElements > 1) return true;
  return false;
}

class Counting {
 public:
  Counting(const model::Plan& plan, int rows, bool quantizes) : m_plan(plan), m_one(rows == 1), m_quantizes(quantizes) {}

  [[nodiscard]] bool isKnown() const { return m_known; }
  [[nodiscard]] const OpCounts& counts() const { return m_counts; }

  void operator()(const model::EmbedOp& op) {
    add(1, 1);
    if (op.scale != 1) add(1, 1);
    if (op.positions != model::none) add(2, 2);
  }
  void operator()(const model::NormOp&) { add(1, 1); }
  void operator()(const model::ProjOp& op) {
    if (op.normalised) add(1, 1);
    products(op.parts.size(), model::matricesOf(op));
    bool biased = false;
    for (const model::ProjPart& part : op.parts) biased = biased || part.bias != model::none;
    const bool adds = op.epilogue == model::Epilogue::add;
    if (!m_one && biased) add(op.parts.size(), 1);
    if (!m_one && adds) add(1, 1);
    if (adds && op.scale != 1) add(1, 1);
    if (op.epilogue == model::Epilogue::gated || op.epilogue == model::Epilogue::activated) add(1, 1);
  }
  // Norms of q and k, where a model has them, go with the rotations.
  void operator()(const model::RopeKvOp& op) { add(op.kv == model::none ? 1 : 3, 1); }
  // The positions are split among workgroups, whose results a second dispatch joins; not where there are many rows.
  void operator()(const model::AttentionOp&) { add(m_one ? 2 : 1, m_one ? 2 : 1); }
  void operator()(const model::RouteOp&) { add(1, 1); }
  void operator()(const model::ExpertOp& op) {
    products(op.gated ? 2 : 1, model::matricesOf(op));
    if (op.gated || op.activation != model::Activation::identity) add(1, 1);
  }
  void operator()(const model::CombineOp& op) { add(op.shared == model::none ? 1 : 2, op.shared == model::none ? 1 : 2); }
  void operator()(const model::GatherOp&) { add(1, m_gathered ? 0 : 1), m_gathered = true; }
  void operator()(const model::HeadOp& op) {
    add(1, 1);
    products(1, model::matricesOf(op));
    if (op.scale != 1) add(1, 1);
    if (op.softCap > 0) add(3, 3);
  }
  void operator()(const auto&) { m_known = false; }

 private:
  void add(std::size_t dispatches, std::size_t barriers) {
    m_counts.dispatches += dispatches;
    m_counts.barriers += barriers;
  }
  // That share an input.
  void products(std::size_t count, const std::vector<model::WeightId>& matrices) {
    if (m_quantizes && oneOfQuantized(m_plan, matrices)) add(1, 1);
    add(count, 1);
  }

  const model::Plan& m_plan;
  bool m_one, m_quantizes;
  bool m_known = true, m_gathered = false;
  OpCounts m_counts;
};

}  // namespace

std::optional<backend::OpCounts> peerCounts(const model::Plan& plan, int rows, bool quantizes) {
  Counting counting(plan, rows, quantizes);
  for (const model::Op& op : plan.ops) std::visit(counting, op);
  if (!counting.isKnown()) return std::nullopt;
  return counting.counts();
}

}  // namespace minerva::bench
