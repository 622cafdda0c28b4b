#include "gpu/runtime/recorder.h"
#include "gpu/shaders/shared/choices.h"

namespace minerva::gpu {

std::uint32_t activationChoice(model::Activation activation) {
  switch (activation) {
    case model::Activation::silu: return choice::activationSilu;
    case model::Activation::geluTanh: return choice::activationGeluTanh;
    case model::Activation::geluErf: return choice::activationGeluErf;
    case model::Activation::clampedSwiglu: return choice::activationClampedSwiglu;
    case model::Activation::sigmoid: return choice::activationSigmoid;
    case model::Activation::relu: return choice::activationRelu;
    case model::Activation::reluSquared: return choice::activationReluSquared;
    case model::Activation::identity: return choice::activationIdentity;
    case model::Activation::tanh: return choice::activationTanh;
    case model::Activation::softplus: return choice::activationSoftplus;
  }
  return choice::activationIdentity;
}

// Multiplies columns [column, column + columns) of a buffer in place.
Result<void> Recorder::multiply(model::BufferId out, std::uint32_t column, std::uint32_t columns, const Factors& by) {
  MINERVA_ASSIGN(const vulkan::Pipeline* kernel, kernelOf<push::Gate>("gate", {flatGroup, by.activation}, 0));
  const push::Gate p{.gate = by.address,
                     .out_ = buffer(out).address + std::uint64_t{column} * 4,
                     .columns = columns,
                     .gateStride = by.stride,
                     .gateStep = by.step,
                     .outStride = stride(out),
                     .group = by.group,
                     .limit = by.limit};
  dispatch(kernel, p, VK_NULL_HANDLE, {divideUp(columns, flatGroup), rowsOf(out), 1}, {by.resource}, {out});
  return {};
}

Result<void> Recorder::add(const model::GateOp& op, std::size_t) {
  return multiply(op.out, static_cast<std::uint32_t>(op.column), static_cast<std::uint32_t>(op.columns),
                  {.address = buffer(op.gate).address + std::uint64_t{4} * static_cast<std::uint64_t>(op.gateColumn),
                   .stride = stride(op.gate),
                   .step = 1,
                   .activation = activationChoice(op.activation),
                   .resource = op.gate,
                   .group = static_cast<std::uint32_t>(op.group),
                   .limit = op.limit});
}

Result<void> Recorder::add(const model::ScaleOp& op, std::size_t) {
  const bool single = m_c.plan.weights[static_cast<std::size_t>(op.scale)].view.shape.elements() == 1;
  return multiply(op.out, 0, static_cast<std::uint32_t>(planBuffer(op.out).columns),
                  {.address = vectorAddress(op.scale),
                   .stride = 0,
                   .step = single ? 0U : 1U,
                   .activation = choice::activationIdentity,
                   .resource = op.out});
}

Result<void> Recorder::add(const model::GatedNormOp& op, std::size_t) {
  const auto group = static_cast<std::uint32_t>(op.group);
  return norm(op.norm,
              {.x = buffer(op.x).address,
               .out = buffer(op.x).address,
               .xStride = stride(op.x),
               .outStride = stride(op.x),
               .columns = group,
               .rows = rowsOf(op.x),
               .runs = static_cast<std::uint32_t>(planBuffer(op.x).columns) / group,
               .run = group,
               .weightRun = weightRunOf(op.norm, group),
               .gating = op.gateFirst ? choice::gateFirst : choice::gateLast,
               .gate = buffer(op.gate).address + std::uint64_t{4} * static_cast<std::uint64_t>(op.gateColumn),
               .gateStride = stride(op.gate)},
              {op.gate}, op.x);
}

}  // namespace minerva::gpu
