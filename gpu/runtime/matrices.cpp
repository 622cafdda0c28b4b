#include "gpu/runtime/matrices.h"

#include <algorithm>
#include <map>

namespace minerva::gpu {

namespace {

std::uint32_t groupsOf(std::uint32_t rows) { return (rows + groupRows - 1) / groupRows; }

class Planner {
 public:
  Planner(const model::Plan& plan, std::uint64_t largest) : m_plan(plan), m_largest(largest), m_uses(plan.weights.size(), 0) {
    for (const model::Op& op : plan.ops) {
      for (const model::WeightId id : model::weightsOf(op)) ++m_uses[static_cast<std::size_t>(id)];
    }
  }
  MatrixPlan run();

 private:
  void add(const model::EmbedOp& op, std::vector<MatrixUse>& uses);
  void add(const model::HeadOp& op, std::vector<MatrixUse>& uses) { uses.push_back(single(op.weight, op.bias, 0)); }
  void add(const model::ProjOp& op, std::vector<MatrixUse>& uses);
  void add(const model::HeadProjOp& op, std::vector<MatrixUse>& uses);
  void add(const model::ExpertOp& op, std::vector<MatrixUse>& uses);
  template <class Other>
  void add(const Other&, std::vector<MatrixUse>&) {}

  MatrixUse single(model::WeightId weight, model::WeightId bias, int column);
  bool combine(const model::ProjOp& op, std::vector<MatrixUse>& uses);
  MatrixUse stacked(std::vector<MatrixSource> sources, std::vector<BiasRun> biases, bool alternating);

  // Of a matrix of all of them.
  std::uint64_t bytesOf(const std::vector<MatrixSource>& sources) const {
    std::uint64_t groups = 0;
    for (const MatrixSource& source : sources) groups += groupsOf(source.rows.count);
    const model::WeightId first = sources.front().weight;
    return layoutOf(view(first).type, static_cast<std::uint32_t>(groups * groupRows), columns(first)).bytes;
  }
  const TensorView& view(model::WeightId id) const { return m_plan.weights[static_cast<std::size_t>(id)].view; }
  std::uint32_t rows(model::WeightId id) const { return static_cast<std::uint32_t>(view(id).shape.rows()); }
  std::uint32_t columns(model::WeightId id) const { return static_cast<std::uint32_t>(view(id).shape.columns()); }

  const model::Plan& m_plan;
  std::uint64_t m_largest;  // bytes
  std::vector<int> m_uses;  // [weights]
  std::map<model::WeightId, int> m_alone;
  MatrixPlan m_result;
};

std::vector<BiasRun> ifAny(std::vector<BiasRun> biases) {
  const bool any = std::ranges::any_of(biases, [](const BiasRun& run) { return run.vector != model::none; });
  return any ? std::move(biases) : std::vector<BiasRun>{};
}

// Combines sources into one matrix of whole groups, used by one op. REQUIRES sources of the same type; pairs with equal row
// counts.
MatrixUse Planner::stacked(std::vector<MatrixSource> sources, std::vector<BiasRun> biases, bool alternating) {
  Matrix matrix;
  std::uint32_t groups = 0;
  for (std::size_t i = 0; i < sources.size(); i += alternating ? 2 : 1) {
    matrix.begins.push_back(groups);
    groups += groupsOf(sources[i].rows.count) * (alternating ? 2 : 1);
  }
  const model::WeightId first = sources.front().weight;
  const std::uint32_t rowsOfFirst = sources.front().rows.count;
  matrix.alternating = alternating;
  matrix.layout = layoutOf(view(first).type, groups * groupRows, columns(first));
  const auto units = static_cast<std::uint32_t>(matrix.begins.size());
  matrix.sources = std::move(sources);
  m_result.matrices.push_back(std::move(matrix));
  return {.matrix = static_cast<int>(m_result.matrices.size()) - 1,
          .rows = rowsOfFirst,
          .groups = groups / units,
          .biases = ifAny(std::move(biases))};
}

MatrixUse Planner::single(model::WeightId weight, model::WeightId bias, int column) {
  const auto [it, added] = m_alone.try_emplace(weight, static_cast<int>(m_result.matrices.size()));
  const RowRun all{0, 1, rows(weight)};
  MatrixUse use{.matrix = it->second, .rows = rows(weight), .groups = groupsOf(rows(weight)), .biases = ifAny({{bias, all}})};
  if (added) use = stacked({{weight, all}}, {{bias, all}}, false);
  use.outColumn = static_cast<std::uint32_t>(column);
  return use;
}

void Planner::add(const model::EmbedOp& op, std::vector<MatrixUse>& uses) {
  uses.push_back(single(op.table, model::none, 0));
  if (op.positions != model::none) uses.push_back(single(op.positions, model::none, 0));
  if (op.types != model::none) uses.push_back(single(op.types, model::none, 0));
}

// Merges all parts into one matrix. Returns false if types differ, a weight has other uses, the outputs are not contiguous, or a buffer
// would be too small for it.
bool Planner::combine(const model::ProjOp& op, std::vector<MatrixUse>& uses) {
  const model::ProjPart& first = op.parts.front();
  const bool alternating = op.epilogue == model::Epilogue::gated;
  std::uint32_t total = 0;
  std::vector<MatrixSource> sources;
  std::vector<BiasRun> biases;
  for (std::size_t i = 0; i < op.parts.size(); ++i) {
    const model::ProjPart& part = op.parts[i];
    if (m_uses[static_cast<std::size_t>(part.weight)] != 1 || view(part.weight).type != view(first.weight).type) return false;
    if (part.column != first.column + static_cast<int>(total)) return false;
    if (alternating && rows(part.weight) != rows(first.weight)) return false;
    const bool last = i + 1 == op.parts.size();
    if (!alternating && !last && rows(part.weight) % groupRows != 0) return false;
    total += rows(part.weight);
    sources.push_back({part.weight, {0, 1, rows(part.weight)}});
    biases.push_back({part.bias, sources.back().rows});
  }
  if (bytesOf(sources) > m_largest) return false;
  MatrixUse use = stacked(std::move(sources), std::move(biases), alternating);
  use.groups = m_result.matrices.back().layout.groups;
  if (!alternating) use.rows = total;
  use.outColumn = static_cast<std::uint32_t>(first.column);
  uses.push_back(std::move(use));
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

void Planner::add(const model::HeadProjOp& op, std::vector<MatrixUse>& uses) {
  const std::uint32_t perHead = rows(op.weight) / static_cast<std::uint32_t>(op.heads);
  std::vector<MatrixSource> sources;
  for (std::uint32_t h = 0; h < static_cast<std::uint32_t>(op.heads); ++h) sources.push_back({op.weight, {h * perHead, 1, perHead}});
  uses.push_back(stacked(std::move(sources), {}, false));
}

// Rows of one expert's matrix, and their biases. half: 0 for all rows; 1 and 2 for gate and up if one part contains both.
struct ExpertRows {
  MatrixSource source;
  BiasRun bias;
};

ExpertRows expertRows(const model::ExpertOp& op, const model::ExpertPart& part, std::uint32_t expert, std::uint32_t rows, int half) {
  const bool own = part.weights.size() > 1;
  RowRun run{0, 1, rows};
  if (half != 0) {
    const auto second = static_cast<std::uint32_t>(half - 1);
    run.count = rows / 2;
    if (op.gatePlace == model::GatePlace::halves) run.first = second * (rows / 2);
    else run.first = second, run.stride = 2;
  }
  RowRun ofAll = run;
  ofAll.first += expert * rows;
  return {{part.weights[own ? expert : 0], own ? run : ofAll}, {part.bias, ofAll}};
}

void Planner::add(const model::ExpertOp& op, std::vector<MatrixUse>& uses) {
  const auto experts = static_cast<std::uint32_t>(op.experts);
  const auto rowsOf = [&](const model::ExpertPart& part) { return rows(part.weights.front()) / (part.weights.size() > 1 ? 1 : experts); };
  const bool fused = op.gated && op.gatePlace != model::GatePlace::separate;
  const bool sameType = op.parts.size() < 2 || view(op.parts[0].weights.front()).type == view(op.parts[1].weights.front()).type;
  std::vector<MatrixSource> sources;
  std::vector<BiasRun> biases;
  const auto take = [&](int half, std::uint32_t e) {  // of gate and up, if there are both
    const model::ExpertPart& part = op.parts[fused ? 0 : static_cast<std::size_t>(half)];
    const ExpertRows some = expertRows(op, part, e, rowsOf(part), fused ? half + 1 : 0);
    sources.push_back(some.source);
    biases.push_back(some.bias);
  };
  const int halves = op.gated ? 2 : 1;
  for (std::uint32_t e = 0; e < experts; ++e) {
    for (int half = 0; half < halves; ++half) take(half, e);
  }
  if (!op.gated || (sameType && bytesOf(sources) <= m_largest)) {
    uses.push_back(stacked(std::move(sources), std::move(biases), op.gated));
    return;
  }
  for (int half = 0; half < halves; ++half) {
    sources.clear();
    biases.clear();
    for (std::uint32_t e = 0; e < experts; ++e) take(half, e);
    uses.push_back(stacked(sources, biases, false));
  }
  uses[0].role = Role::gate;
  uses[1].role = Role::gated;
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

Matrix::Place Matrix::locate(std::uint32_t group) const {
  const auto unit = static_cast<std::size_t>(std::ranges::upper_bound(begins, group) - begins.begin()) - 1;
  const std::uint32_t within = group - begins[unit];
  if (alternating) return {&sources[2 * unit + within % 2], within / 2};
  return {&sources[unit], within};
}

MatrixPlan planMatrices(const model::Plan& plan, std::uint64_t largest) { return Planner(plan, largest).run(); }

}  // namespace minerva::gpu
