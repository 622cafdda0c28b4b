#include "gpu/runtime/matrix_needs.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace minerva::gpu {

namespace {

// Bytes by size, by kind. A matrix with several uses counts once; rows that are only looked up are not multiplied.
class KindCount {
 public:
  void add(const model::Op& op, const std::vector<MatrixUse>& uses, const MatrixPlan& matrices) {
    if (std::holds_alternative<model::EmbedOp>(op)) return;
    for (const MatrixUse& use : uses) {
      if (!m_counted.insert(use.matrix).second) continue;
      const WeightLayout& layout = matrices.matrices[static_cast<std::size_t>(use.matrix)].layout;
      const std::uint32_t rows = use.groups * groupRows;
      m_kinds[kindOf(layout.type, rows)][{rows, layout.columns}] += layout.bytes;
    }
  }
  [[nodiscard]] std::vector<MatrixNeed> needs() const {
    std::vector<MatrixNeed> all;
    for (const auto& [kind, sizes] : m_kinds) {
      const auto most = std::ranges::max_element(sizes, {}, [](const auto& size) { return size.second; });
      std::uint64_t bytes = 0;
      for (const auto& [size, some] : sizes) bytes += some;
      all.push_back({kind, most->first.first, most->first.second, bytes});
    }
    std::ranges::stable_sort(all, std::greater{}, &MatrixNeed::bytes);
    return all;
  }

 private:
  std::set<int> m_counted;
  std::map<MatrixKind, std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>> m_kinds;
};

}  // namespace

std::vector<MatrixNeed> matrixNeeds(const model::Plan& plan, const MatrixPlan& matrices) {
  KindCount count;
  for (std::size_t i = 0; i < plan.ops.size(); ++i) count.add(plan.ops[i], matrices.uses[i], matrices);
  std::vector<MatrixNeed> needs = count.needs();
  std::uint64_t all = 0;
  for (const MatrixNeed& need : needs) all += need.bytes;
  std::erase_if(needs, [&](const MatrixNeed& need) { return need.bytes < all / 100; });
  return needs;
}

std::optional<MatrixKind> kindOfExperts(const model::Plan& plan, const MatrixPlan& matrices) {
  KindCount count;
  for (std::size_t i = 0; i < plan.ops.size(); ++i) {
    if (std::holds_alternative<model::ExpertOp>(plan.ops[i])) count.add(plan.ops[i], matrices.uses[i], matrices);
  }
  const std::vector<MatrixNeed> needs = count.needs();
  return needs.empty() ? std::nullopt : std::optional(needs.front().kind);
}

}  // namespace minerva::gpu
