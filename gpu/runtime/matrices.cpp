#include "gpu/runtime/matrices.h"

#include <algorithm>
#include <map>

namespace minerva::gpu {

namespace {

class Planner {
 public:
  explicit Planner(const model::Plan& plan) : m_plan(plan), m_uses(plan.weights.size(), 0) {
    for (const model::Op& op : plan.ops) {
      for (const model::WeightId id : model::weightsOf(op)) ++m_uses[static_cast<std::size_t>(id)];
    }
  }
  MatrixPlan run();

 private:
  void add(const model::EmbedOp& op, std::vector<MatrixUse>& uses) { uses.push_back(single(op.table, model::none, 0)); }
  void add(const model::HeadOp& op, std::vector<MatrixUse>& uses) { uses.push_back(single(op.weight, op.bias, 0)); }
  void add(const model::ProjOp& op, std::vector<MatrixUse>& uses);
  template <class Other>
  void add(const Other&, std::vector<MatrixUse>&) {}

  MatrixUse single(model::WeightId weight, model::WeightId bias, int column);
  bool combine(const model::ProjOp& op, std::vector<MatrixUse>& uses);

  const TensorView& view(model::WeightId id) const { return m_plan.weights[static_cast<std::size_t>(id)].view; }
  std::uint32_t rows(model::WeightId id) const { return static_cast<std::uint32_t>(view(id).shape.rows()); }
  std::uint32_t columns(model::WeightId id) const { return static_cast<std::uint32_t>(view(id).shape.columns()); }

  const model::Plan& m_plan;
  std::vector<int> m_uses;  // [weights]
  std::map<model::WeightId, int> m_alone;
  MatrixPlan m_result;
};

std::vector<model::WeightId> biasesOf(std::span<const model::ProjPart> parts) {
  std::vector<model::WeightId> biases;
  for (const model::ProjPart& part : parts) biases.push_back(part.bias);
  const bool any = std::ranges::any_of(biases, [](model::WeightId id) { return id != model::none; });
  return any ? biases : std::vector<model::WeightId>{};
}

MatrixUse Planner::single(model::WeightId weight, model::WeightId bias, int column) {
  const auto [it, added] = m_alone.try_emplace(weight, static_cast<int>(m_result.matrices.size()));
  if (added) m_result.matrices.push_back({{weight}, false, layoutOf(view(weight).type, rows(weight), columns(weight))});
  MatrixUse use{.matrix = it->second, .rows = rows(weight), .outColumn = static_cast<std::uint32_t>(column), .biases = {}};
  if (bias != model::none) use.biases = {bias};
  return use;
}

// All parts as one matrix; false when their types, uses or places differ.
bool Planner::combine(const model::ProjOp& op, std::vector<MatrixUse>& uses) {
  const model::ProjPart& first = op.parts.front();
  const bool alternating = op.epilogue == model::Epilogue::gated;
  std::uint32_t total = 0;
  Matrix matrix;
  matrix.alternating = alternating;
  for (std::size_t i = 0; i < op.parts.size(); ++i) {
    const model::ProjPart& part = op.parts[i];
    if (m_uses[static_cast<std::size_t>(part.weight)] != 1 || view(part.weight).type != view(first.weight).type) return false;
    if (part.column != first.column + static_cast<int>(total)) return false;
    if (alternating && rows(part.weight) != rows(first.weight)) return false;
    const bool last = i + 1 == op.parts.size();
    if (!alternating && !last && rows(part.weight) % groupRows != 0) return false;
    total += rows(part.weight);
    matrix.sources.push_back(part.weight);
  }
  const std::uint32_t groups = (rows(first.weight) + groupRows - 1) / groupRows;
  matrix.layout = layoutOf(view(first.weight).type, alternating ? 2 * groups * groupRows : total, columns(first.weight));
  uses.push_back({.matrix = static_cast<int>(m_result.matrices.size()),
                  .role = Role::whole,
                  .rows = alternating ? rows(first.weight) : total,
                  .outColumn = static_cast<std::uint32_t>(first.column),
                  .biases = biasesOf(op.parts)});
  m_result.matrices.push_back(std::move(matrix));
  return true;
}

void Planner::add(const model::ProjOp& op, std::vector<MatrixUse>& uses) {
  if (op.parts.size() > 1 && combine(op, uses)) return;
  for (const model::ProjPart& part : op.parts) uses.push_back(single(part.weight, part.bias, part.column));
  if (op.epilogue != model::Epilogue::gated) return;
  uses[0].role = Role::gate;
  uses[1].role = Role::gated;
  uses[1].outColumn = 0;
}

MatrixPlan Planner::run() {
  for (const model::Op& op : m_plan.ops) {
    std::vector<MatrixUse> uses;
    std::visit([&](const auto& o) { add(o, uses); }, op);
    m_result.uses.push_back(std::move(uses));
  }
  return std::move(m_result);
}

}  // namespace

MatrixPlan planMatrices(const model::Plan& plan) { return Planner(plan).run(); }

}  // namespace minerva::gpu
