// The choice of experts, and what goes to and comes from them; these functions run on every thread.
#include "core/backend/cpu/placement.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace minerva::cpu {

namespace {

double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

// Chooses experts row by row. Never chooses one twice, even for values that are not numbers.
class Router {
 public:
  Router(const model::RouteOp& op, const float* selectionBias, const float* expertScale)
      : m_op(op),
        m_selectionBias(selectionBias),
        m_expertScale(expertScale),
        m_byScores(selectionBias != nullptr || (op.groups > op.groupsUsed && op.groupRank == model::GroupRank::twoLargest)),
        m_choice(static_cast<std::size_t>(op.experts)),
        m_allowed(static_cast<std::size_t>(op.experts)) {}

  void route(const float* logits, float* out) {
    if (m_op.scoring == model::Scoring::sparseMixer) mix(logits, out);
    else chooseBest(logits, out);
    const bool usable = areNumbers(logits) && (m_selectionBias == nullptr || areNumbers(m_selectionBias));
    for (int s = 0; s < m_op.used; ++s) {
      const double expertScale = m_expertScale == nullptr ? 1.0 : static_cast<double>(m_expertScale[static_cast<int>(out[s])]);
      const double weight =
          m_op.scoring == model::Scoring::sparseMixer ? static_cast<double>(out[m_op.used + s]) : weightOf(logits, out[s]);
      const double share = static_cast<double>(m_op.scale) * weight * expertScale;
      out[m_op.used + s] = usable ? static_cast<float>(share) : std::numeric_limits<float>::quiet_NaN();
    }
    if (m_op.sharedGate) out[2 * m_op.used] = static_cast<float>(logistic(static_cast<double>(logits[m_op.experts])));
  }

 private:
  [[nodiscard]] bool areNumbers(const float* values) const {
    return std::none_of(values, values + m_op.experts, [](float value) { return std::isnan(value); });
  }
  // An expert's score, but for the divisor that all have in common.
  [[nodiscard]] double scoreOf(const float* logits, int e) const {
    const auto logit = static_cast<double>(logits[e]);
    return m_op.scoring == model::Scoring::sigmoid ? logistic(logit) : std::exp(logit - m_largest);
  }
  [[nodiscard]] double weightOf(const float* logits, float expert) const { return scoreOf(logits, static_cast<int>(expert)) / m_divisor; }

  // The order of the scores is that of the logits, unless something is added to them.
  void rate(const float* logits) {
    m_largest = static_cast<double>(*std::max_element(logits, logits + m_op.experts));
    m_divisor = 1;
    const bool softmax = m_op.scoring == model::Scoring::softmax;
    if (softmax && (m_byScores || !m_op.normalised)) {
      m_divisor = 0;
      for (int e = 0; e < m_op.experts; ++e) m_divisor += scoreOf(logits, e);
    }
    for (int e = 0; e < m_op.experts; ++e) {
      double& choice = m_choice[static_cast<std::size_t>(e)];
      choice = m_byScores ? scoreOf(logits, e) / m_divisor : static_cast<double>(logits[e]);
      if (m_selectionBias != nullptr) choice += static_cast<double>(m_selectionBias[e]);
    }
  }

  [[nodiscard]] double rankOf(int group) const {
    const int size = m_op.experts / m_op.groups;
    const auto first = m_choice.begin() + static_cast<std::ptrdiff_t>(group) * size;
    const auto best = std::max_element(first, first + size);
    if (m_op.groupRank == model::GroupRank::largest || size < 2) return *best;
    double second = -std::numeric_limits<double>::infinity();
    for (auto e = first; e != first + size; ++e) {
      if (e != best) second = std::max(second, *e);
    }
    return *best + second;
  }

  // Marks the experts that may be chosen: all, or those of the groups with the best rank, ties by lower index.
  void open() {
    m_allowed.assign(m_allowed.size(), m_op.groups == m_op.groupsUsed);
    const int size = m_op.experts / m_op.groups;
    for (int kept = 0; m_op.groups > m_op.groupsUsed && kept < m_op.groupsUsed; ++kept) {
      int best = -1;
      for (int g = 0; g < m_op.groups; ++g) {
        if (m_allowed[static_cast<std::size_t>(g * size)]) continue;
        if (best < 0 || rankOf(g) > rankOf(best)) best = g;
      }
      std::fill_n(m_allowed.begin() + best * size, size, true);
    }
  }

  // The best allowed expert, ties by lower index; it is not allowed any more.
  int takeBest() {
    int best = -1;
    for (int e = 0; e < m_op.experts; ++e) {
      const auto at = static_cast<std::size_t>(e);
      if (m_allowed[at] && (best < 0 || m_choice[at] > m_choice[static_cast<std::size_t>(best)])) best = e;
    }
    m_allowed[static_cast<std::size_t>(best)] = false;
    return best;
  }

  void chooseBest(const float* logits, float* out) {
    rate(logits);
    open();
    for (int s = 0; s < m_op.used; ++s) out[s] = static_cast<float>(takeBest());
    if (!m_op.normalised) return;
    m_divisor = 0;
    for (int s = 0; s < m_op.used; ++s) m_divisor += scoreOf(logits, static_cast<int>(out[s]));
  }

  // Scoring::sparseMixer (Liu et al. 2023, "Sparse Backpropagation for MoE Training", as Phi-3.5 MoE infers).
  void mix(const float* logits, float* out) {
    std::copy(logits, logits + m_op.experts, m_choice.begin());
    m_allowed.assign(m_allowed.size(), true);
    for (int s = 0; s < m_op.used; ++s) {
      const std::vector<bool> left = m_allowed;
      const int best = takeBest();
      const auto top = static_cast<double>(logits[best]);
      double sum = 0;
      for (int e = 0; e < m_op.experts; ++e) {
        const auto logit = static_cast<double>(logits[e]);
        const bool far = (top - logit) / std::max(std::abs(logit), top) > 0.02;  // false for 0 / 0, as the model's makers have it
        if (left[static_cast<std::size_t>(e)] && !far) sum += std::exp(logit - top);
      }
      out[s] = static_cast<float>(best);
      out[m_op.used + s] = static_cast<float>(1.0 / sum);
    }
  }

  const model::RouteOp& m_op;
  const float* m_selectionBias;
  const float* m_expertScale;
  bool m_byScores;
  std::vector<double> m_choice;  // by expert: what the choice is made by
  std::vector<bool> m_allowed;
  double m_largest = 0, m_divisor = 1;
};

}  // namespace

void CpuPlacement::runOp(const model::RouteOp& op, std::size_t index, int) {
  const Rows logits = rowsOf(op.logits), out = rowsOf(op.out);
  Router router(op, m_weights.vector(op.selectionBias), m_weights.vector(op.expertScale));
  shareRows(m_jobs[index].jobs, logits.count, [&](int row) { router.route(logits.row(row), out.row(row)); });
}

void CpuPlacement::runOp(const model::SpreadOp& op, std::size_t index, int) {
  const Rows in = rowsOf(op.in), route = rowsOf(op.route), out = rowsOf(op.out);
  const int columns = m_plan.buffers[static_cast<std::size_t>(op.in)].columns;
  shareRows(m_jobs[index].jobs, out.count, [&](int row) {
    for (int s = 0; s < op.used; ++s) {
      const float weight = route.row(row)[op.used + s];
      const float* from = in.row(row);
      float* to = out.row(row) + s * columns;
      for (int c = 0; c < columns; ++c) to[c] = weight * from[c];
    }
  });
}

void CpuPlacement::runOp(const model::CombineOp& op, std::size_t index, int) {
  const Rows in = rowsOf(op.in), out = rowsOf(op.out);
  const int columns = m_plan.buffers[static_cast<std::size_t>(op.out)].columns;
  const float* bias = m_weights.vector(op.bias);
  shareRows(m_jobs[index].jobs, out.count, [&](int row) {
    const float* shares = op.route == model::none ? nullptr : rowsOf(op.route).row(row) + op.used;
    float* to = out.row(row);
    if (!op.add) std::fill(to, to + columns, 0.0F);
    const auto add = [&](const float* from, float share) {
      for (int c = 0; c < columns; ++c) to[c] += share * from[c];
    };
    for (int s = 0; s < op.used; ++s) add(in.row(row) + s * columns, op.scale * (op.weighted ? shares[s] : 1.0F));
    if (bias != nullptr) add(bias, op.scale);
    if (op.shared != model::none) add(rowsOf(op.shared).row(row), op.scale * (op.sharedGate ? shares[op.used] : 1.0F));
  });
}

}  // namespace minerva::cpu
