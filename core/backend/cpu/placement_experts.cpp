// Experts and per-head projections: rows are sorted by the matrix they use, then multiplied as grouped projections. Where rows of replies
// are computed in another way, they form groups of their own, with which a step begins. How a prompt's rows are computed depends on how
// many of them use the same matrix, unless the model was placed for results that are the same in any company (PlaceOptions::alike): then
// few are computed as many are, which takes longer.
#include "core/backend/cpu/placement.h"

#include <algorithm>

namespace minerva::cpu {

namespace {

// Stable counting sort by matrix; the first `replies` rows are apart from the others, which are computed as `others` says.
template <class RowOf>
void sortRows(int rows, int replies, backend::RowUse others, int places, int matrices, RowOf rowOf, GroupedRows& out) {
  const auto groupOf = [&](int i, int matrix) { return static_cast<std::size_t>(i < replies ? matrix : matrices + matrix); };
  out.groups.assign(2 * static_cast<std::size_t>(matrices), {0, 0, 0, 0, backend::RowUse::any});
  out.rows.resize(static_cast<std::size_t>(rows * places));
  for (int i = 0; i < rows; ++i) {
    for (int s = 0; s < places; ++s) ++out.groups[groupOf(i, rowOf(i, s).second)].count;
  }
  int first = 0;
  for (int g = 0; g < 2 * matrices; ++g) {
    RowGroup& group = out.groups[static_cast<std::size_t>(g)];
    const int count = group.count;
    group = {first, 0, g % matrices, 0, g < matrices ? backend::RowUse::reply : others};
    first += count;
  }
  for (int i = 0; i < rows; ++i) {
    for (int s = 0; s < places; ++s) {
      const auto [row, matrix] = rowOf(i, s);
      RowGroup& group = out.groups[groupOf(i, matrix)];
      out.rows[static_cast<std::size_t>(group.first + group.count++)] = row;
    }
  }
  std::erase_if(out.groups, [](const RowGroup& group) { return group.count == 0; });
}

}  // namespace

backend::RowUse CpuPlacement::othersUse() const {
  return m_options.alike == backend::Alike::always ? backend::RowUse::prompt : backend::RowUse::any;
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
  const int replies = m_projector.runsApart(grouped.projection) ? repliesOf(op.in) : 0;
  sortRows(in.count, replies, othersUse(), op.used, op.experts, rowOf, rows);
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
  const int replies = m_projector.runsApart(grouped.projection) ? repliesOf(op.in) : 0;
  OpJobs& work = m_jobs[index];
  for (int first = 0; first < in.count; first += headProjRows) {
    if (first > 0) {
      if (thread == 0) work.reset();
      m_pool->barrier();
    }
    sortRows(std::min(headProjRows, in.count - first), replies - first, othersUse(), op.heads, op.heads, rowOf(first), rows);
    m_projector.run(grouped.projection, rows, thread, work);
  }
}

}  // namespace minerva::cpu
