#include "gpu/runtime/recorder.h"

#include <algorithm>
#include <iterator>

namespace minerva::gpu {

Result<void> Recorder::add(const model::ThresholdOp& op, std::size_t) {
  const auto columns = static_cast<std::uint32_t>(planBuffer(op.x).columns);
  const std::uint32_t teams = rowTeams(columns);
  MINERVA_ASSIGN(const vulkan::Pipeline* kernel,
                 kernelOf<push::Threshold>("threshold", {m_c.tuning.lanes * teams, teams}, m_c.tuning.lanes));
  const push::Threshold p{.x = buffer(op.x).address, .columns = columns, .stride = stride(op.x), .deviations = op.deviations, .unused = 0};
  dispatch(kernel, p, VK_NULL_HANDLE, {rowsOf(op.x), 1, 1}, {}, {op.x});
  return {};
}

Result<void> Recorder::add(const model::XieluOp& op, std::size_t) {
  MINERVA_ASSIGN(const vulkan::Pipeline* kernel, kernelOf<push::Xielu>("xielu", {flatGroup}, 0));
  const push::Xielu p{.x = buffer(op.x).address,
                      .columns = static_cast<std::uint32_t>(planBuffer(op.x).columns),
                      .stride = stride(op.x),
                      .positive = op.form.positive,
                      .negative = op.form.negative,
                      .beta = op.form.beta,
                      .epsilon = op.form.epsilon};
  dispatch(kernel, p, VK_NULL_HANDLE, {divideUp(p.columns, flatGroup), rowsOf(op.x), 1}, {}, {op.x});
  return {};
}

Result<void> Recorder::add(const model::LevelOp& op, std::size_t) {
  const auto columns = static_cast<std::uint32_t>(planBuffer(op.like).columns);
  const std::uint32_t runs = static_cast<std::uint32_t>(planBuffer(op.x).columns) / columns;
  const std::uint32_t teams = rowTeams(columns);
  MINERVA_ASSIGN(const vulkan::Pipeline* kernel, kernelOf<push::Level>("level", {m_c.tuning.lanes * teams, teams}, m_c.tuning.lanes));
  const push::Level p{.like = buffer(op.like).address,
                      .x = buffer(op.x).address,
                      .columns = columns,
                      .likeStride = stride(op.like),
                      .stride = stride(op.x),
                      .least = op.floor};
  dispatch(kernel, p, VK_NULL_HANDLE, {rowsOf(op.x), runs, 1}, {op.like}, {op.x});
  return {};
}

Result<void> Recorder::add(const model::MixOp& op, std::size_t) {
  static_assert(std::size(push::Mix{}.streams) == model::mostStreams);
  const auto count = static_cast<std::uint32_t>(op.streams.size());
  const bool targeted = op.target != model::none;
  const model::BufferId target = targeted ? op.target : op.coefficients;  // not read, if there is none
  MINERVA_ASSIGN(const vulkan::Pipeline* kernel, kernelOf<push::Mix>("mix", {flatGroup, count, targeted ? 1U : 0U}, 0));
  push::Mix p{.streams = {},
              .coefficients = buffer(op.coefficients).address,
              .target = buffer(target).address,
              .columns = static_cast<std::uint32_t>(planBuffer(op.streams.front()).columns),
              .stride = stride(op.streams.front()),
              .coefficientStride = stride(op.coefficients),
              .unused = 0};
  std::ranges::transform(op.streams, p.streams, [this](model::BufferId id) { return buffer(id).address; });
  const Hazards::Resource reads[] = {op.coefficients, target};
  const std::vector<Hazards::Resource> writes(op.streams.begin(), op.streams.end());
  dispatchSets(kernel, p, VK_NULL_HANDLE, {divideUp(p.columns, flatGroup), rowsOf(op.streams.front()), 1}, reads, writes);
  return {};
}

}  // namespace minerva::gpu
