// What is applied to a row in place, and the ops of models with several residual streams; these functions run on every thread.
#include "core/backend/cpu/placement.h"

#include <array>

namespace minerva::cpu {

static_assert(mostMixed == model::mostStreams);

void CpuPlacement::runOp(const model::ThresholdOp& op, std::size_t index, int) {
  const Rows x = rowsOf(op.x);
  const int columns = m_plan.buffers[static_cast<std::size_t>(op.x)].columns;
  shareRows(m_jobs[index].jobs, x.count, [&](int row) { m_kernels.threshold(x.row(row), columns, op.deviations); });
}

void CpuPlacement::runOp(const model::XieluOp& op, std::size_t index, int) {
  const Rows x = rowsOf(op.x);
  const int columns = m_plan.buffers[static_cast<std::size_t>(op.x)].columns;
  const XieluForm form{op.form.positive, op.form.negative, op.form.beta, op.form.epsilon};
  shareRows(m_jobs[index].jobs, x.count, [&](int row) { m_kernels.xielu(x.row(row), columns, form); });
}

void CpuPlacement::runOp(const model::LevelOp& op, std::size_t index, int) {
  const Rows like = rowsOf(op.like), x = rowsOf(op.x);
  const int columns = m_plan.buffers[static_cast<std::size_t>(op.like)].columns;
  const int all = m_plan.buffers[static_cast<std::size_t>(op.x)].columns;
  shareRows(m_jobs[index].jobs, x.count, [&](int row) {
    for (int at = 0; at < all; at += columns) m_kernels.level(like.row(row), columns, op.floor, x.row(row) + at);
  });
}

void CpuPlacement::runOp(const model::MixOp& op, std::size_t index, int) {
  const Rows coefficients = rowsOf(op.coefficients);
  const int columns = m_plan.buffers[static_cast<std::size_t>(op.streams.front())].columns;
  shareRows(m_jobs[index].jobs, coefficients.count, [&](int row) {
    std::array<float*, mostMixed> streams{};
    for (std::size_t i = 0; i < op.streams.size(); ++i) streams[i] = rowsOf(op.streams[i]).row(row);
    m_kernels.mix({.streams = streams.data(),
                   .count = static_cast<int>(op.streams.size()),
                   .columns = columns,
                   .coefficients = coefficients.row(row),
                   .target = op.target == model::none ? nullptr : rowsOf(op.target).row(row)});
  });
}

}  // namespace minerva::cpu
