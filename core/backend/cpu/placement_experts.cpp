// Experts and per-head projections: rows are sorted by the matrix they use, then multiplied as grouped projections.
#include "core/backend/cpu/placement.h"

#include <algorithm>
#include <cmath>

namespace minerva::cpu {

namespace {

// Marks the experts that may be chosen: all, or those of the groups with the largest logits.
void open(const model::RouteOp& op, const float* logits, std::vector<bool>& allowed) {
  allowed.assign(static_cast<std::size_t>(op.experts), op.groups == op.groupsUsed);
  const int size = op.experts / op.groups;
  for (int kept = 0; op.groups > op.groupsUsed && kept < op.groupsUsed; ++kept) {
    int best = -1;
    const auto bestOf = [&](int g) { return *std::max_element(logits + g * size, logits + (g + 1) * size); };
    for (int g = 0; g < op.groups; ++g) {
      if (allowed[static_cast<std::size_t>(g * size)]) continue;
      if (best < 0 || bestOf(g) > bestOf(best)) best = g;
    }
    std::fill_n(allowed.begin() + best * size, size, true);
  }
}

// Selects the `used` largest logits in descending order, ties by lower index. Never selects an expert twice, even for NaN
// logits.
void choose(const model::RouteOp& op, const float* logits, std::vector<bool>& allowed, float* chosen) {
  open(op, logits, allowed);
  for (int s = 0; s < op.used; ++s) {
    int best = -1;
    for (int e = 0; e < op.experts; ++e) {
      if (allowed[static_cast<std::size_t>(e)] && (best < 0 || logits[e] > logits[best])) best = e;
    }
    allowed[static_cast<std::size_t>(best)] = false;
    chosen[s] = static_cast<float>(best);
  }
}

// Stable counting sort by group.
template <class RowOf>
void sortRows(int rows, int places, int groups, RowOf rowOf, GroupedRows& out) {
  out.groups.assign(static_cast<std::size_t>(groups), {0, 0, 0, 0});
  out.rows.resize(static_cast<std::size_t>(rows * places));
  for (int i = 0; i < rows; ++i) {
    for (int s = 0; s < places; ++s) ++out.groups[static_cast<std::size_t>(rowOf(i, s).second)].count;
  }
  int first = 0;
  for (int g = 0; g < groups; ++g) {
    RowGroup& group = out.groups[static_cast<std::size_t>(g)];
    const int count = group.count;
    group = {first, 0, g, 0};
    first += count;
  }
  for (int i = 0; i < rows; ++i) {
    for (int s = 0; s < places; ++s) {
      const auto [row, g] = rowOf(i, s);
      RowGroup& group = out.groups[static_cast<std::size_t>(g)];
      out.rows[static_cast<std::size_t>(group.first + group.count++)] = row;
    }
  }
  std::erase_if(out.groups, [](const RowGroup& group) { return group.count == 0; });
}

}  // namespace

void CpuPlacement::runOp(const model::RouteOp& op, std::size_t index, int) {
  const Rows logits = rowsOf(op.logits), out = rowsOf(op.out);
  std::vector<bool> allowed;
  shareRows(m_jobs[index].jobs, logits.count, [&](int row) {
    const float* x = logits.row(row);
    float* route = out.row(row);
    choose(op, x, allowed, route);
    const float largest = *std::max_element(x, x + op.experts);
    double sum = 0;
    for (int e = 0; e < (op.normalised ? op.used : op.experts); ++e) {
      sum += std::exp(static_cast<double>(x[op.normalised ? static_cast<int>(route[e]) : e] - largest));
    }
    for (int s = 0; s < op.used; ++s) {
      const double share = std::exp(static_cast<double>(x[static_cast<int>(route[s])] - largest)) / sum;
      route[op.used + s] = static_cast<float>(static_cast<double>(op.scale) * share);
    }
    if (op.sharedGate) route[2 * op.used] = static_cast<float>(1.0 / (1.0 + std::exp(-static_cast<double>(x[op.experts]))));
  });
}

void CpuPlacement::runOp(const model::ExpertOp& op, std::size_t index, int thread) {
  const Rows in = rowsOf(op.in), route = rowsOf(op.route), out = rowsOf(op.out);
  if (in.count == 0) return;
  m_pool->barrier();  // `route` must be complete on all threads before any of them sorts by it
  const Grouped& grouped = m_grouped[index];
  const int results = m_plan.buffers[static_cast<std::size_t>(op.out)].columns / op.used;
  GroupedRows& rows = m_threadRows[static_cast<std::size_t>(thread)];
  const auto rowOf = [&](int i, int s) {
    const float* from = in.row(i) + (op.perPlace ? s * grouped.projection.columns : 0);
    return std::pair(GroupedRow{from, out.row(i) + s * results}, static_cast<int>(route.row(i)[s]));
  };
  sortRows(in.count, op.used, op.experts, rowOf, rows);
  m_projector.run(grouped.projection, rows, thread, m_jobs[index]);
}

void CpuPlacement::runOp(const model::HeadProjOp& op, std::size_t index, int thread) {
  const Rows in = rowsOf(op.in), out = rowsOf(op.out);
  const Grouped& grouped = m_grouped[index];
  const int results = grouped.parts[0].matrices[0].rows, columns = grouped.projection.columns;
  m_pool->barrier();
  GroupedRows& rows = m_threadRows[static_cast<std::size_t>(thread)];
  const auto rowOf = [&](int first) {
    return [&, first](int i, int h) {
      return std::pair(GroupedRow{in.row(first + i) + h * (columns + op.rest), out.row(first + i) + h * (results + op.rest)}, h);
    };
  };
  for (int row = thread; row < in.count; row += m_pool->size()) {
    for (int h = 0; h < op.heads && op.rest > 0; ++h) {
      const float* from = in.row(row) + h * (columns + op.rest) + columns;
      std::copy(from, from + op.rest, out.row(row) + h * (results + op.rest) + results);
    }
  }
  OpJobs& work = m_jobs[index];
  for (int first = 0; first < in.count; first += headProjRows) {
    if (first > 0) {
      if (thread == 0) work.reset();
      m_pool->barrier();
    }
    sortRows(std::min(headProjRows, in.count - first), op.heads, op.heads, rowOf(first), rows);
    m_projector.run(grouped.projection, rows, thread, work);
  }
}

void CpuPlacement::runOp(const model::CombineOp& op, std::size_t index, int) {
  const Rows in = rowsOf(op.in), route = rowsOf(op.route), out = rowsOf(op.out);
  const int columns = m_plan.buffers[static_cast<std::size_t>(op.out)].columns;
  shareRows(m_jobs[index].jobs, out.count, [&](int row) {
    const float* shares = route.row(row) + op.used;
    float* to = out.row(row);
    const auto add = [&](const float* from, float share) {
      for (int c = 0; c < columns; ++c) to[c] += share * from[c];
    };
    for (int s = 0; s < op.used; ++s) add(in.row(row) + s * columns, op.scale * shares[s]);
    if (op.shared != model::none) add(rowsOf(op.shared).row(row), op.scale * (op.sharedGate ? shares[op.used] : 1.0F));
  });
}

}  // namespace minerva::cpu
