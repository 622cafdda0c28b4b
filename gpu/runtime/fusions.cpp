#include "gpu/runtime/fusions.h"

#include <algorithm>

namespace minerva::gpu {

namespace {

bool readsBuffer(const model::Op& op, model::BufferId id) {
  const std::vector<model::BufferId> all = model::reads(op);
  return std::ranges::find(all, id) != all.end();
}

bool writesBuffer(const model::Op& op, model::BufferId id) {
  const std::vector<model::BufferId> all = model::writes(op);
  return std::ranges::find(all, id) != all.end();
}

// The part of the plan that has an op.
std::size_t partOf(const model::Plan& plan, std::size_t op) {
  std::size_t part = 0;
  while (model::opsOfPart(plan, part).second <= op) ++part;
  return part;
}

bool isSent(const model::Plan& plan, std::size_t part, model::BufferId id) {
  return !plan.parts.empty() && std::ranges::find(plan.parts[part].sent, id) != plan.parts[part].sent.end();
}

// Whether the op multiplies rows of this buffer with matrices, and reads it for nothing else.
bool projects(const model::Op& op, model::BufferId id) {
  if (const auto* proj = std::get_if<model::ProjOp>(&op)) return proj->in == id && !proj->normalised && proj->out != id;
  const auto* expert = std::get_if<model::ExpertOp>(&op);
  return expert != nullptr && expert->in == id && !expert->perPlace && expert->route != id && expert->out != id;
}

bool isSum(const model::CombineOp& sum, const model::ExpertOp& expert, model::BufferId results) {
  const bool plain = !expert.gated && expert.activation == model::Activation::identity && expert.parts.size() == 1;
  return plain && sum.in == results && sum.route == expert.route && sum.used == expert.used && sum.weighted && sum.shared != results &&
         sum.bias == model::none;
}

// Whether nothing reads the buffer from this op on before it is written anew.
bool isDone(const model::Plan& plan, model::BufferId id, std::size_t from, std::size_t end) {
  for (std::size_t i = from; i < end; ++i) {
    if (readsBuffer(plan.ops[i], id)) return false;
    if (writesBuffer(plan.ops[i], id)) return true;
  }
  return true;
}

}  // namespace

bool readersNormalise(const model::Plan& plan, std::size_t norm) {
  const auto& op = std::get<model::NormOp>(plan.ops[norm]);
  const model::Buffer& in = plan.buffers[static_cast<std::size_t>(op.in)];
  const bool whole = op.group == 0 || op.group == in.columns;
  const bool sameRows = in.outputRows == plan.buffers[static_cast<std::size_t>(op.out)].outputRows;
  if (op.add || op.scale != 1.0F || !whole || !sameRows || op.in == op.out) return false;
  const std::size_t part = partOf(plan, norm);
  const std::size_t end = model::opsOfPart(plan, part).second;
  bool changed = false, isRead = false, anew = false;
  for (std::size_t i = norm + 1; i < end && !anew; ++i) {
    const model::Op& other = plan.ops[i];
    const bool writesInput = writesBuffer(other, op.in);
    if (readsBuffer(other, op.out)) {
      if (!projects(other, op.out) || changed || writesInput) return false;
      isRead = true;
    }
    changed = changed || writesInput;
    anew = writesBuffer(other, op.out);
  }
  return isRead && (anew || !isSent(plan, part, op.out));
}

std::optional<std::size_t> sumOfExperts(const model::Plan& plan, std::size_t experts) {
  const auto& op = std::get<model::ExpertOp>(plan.ops[experts]);
  const std::size_t part = partOf(plan, experts);
  const std::size_t end = model::opsOfPart(plan, part).second;
  for (std::size_t i = experts + 1; i < end; ++i) {
    const model::Op& other = plan.ops[i];
    if (const auto* sum = std::get_if<model::CombineOp>(&other); sum != nullptr && isSum(*sum, op, op.out)) {
      // Kernels of the sum's workgroups read what they write only at their own rows.
      const bool apart = sum->out != op.in && sum->out != op.route && sum->out != op.out;
      return apart && isDone(plan, op.out, i + 1, end) && !isSent(plan, part, op.out) ? std::optional(i) : std::nullopt;
    }
    const bool touched = readsBuffer(other, op.out) || writesBuffer(other, op.out);
    if (touched || writesBuffer(other, op.in) || writesBuffer(other, op.route)) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::size_t> expertsOfSum(const model::Plan& plan, std::size_t sum) {
  for (std::size_t i = sum; i-- > model::opsOfPart(plan, partOf(plan, sum)).first;) {
    if (!std::holds_alternative<model::ExpertOp>(plan.ops[i])) continue;
    return sumOfExperts(plan, i) == sum ? std::optional(i) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace minerva::gpu
