#include "core/model/mixer_inputs.h"

#include "core/model/op_parts.h"

#include <algorithm>
#include <ranges>

namespace minerva::model {
namespace {

struct BuffersOf : IgnoreParts {
  std::vector<BufferId> read, written, updated;
  void reads(BufferId id) {
    if (id != none) read.push_back(id);
  }
  void writes(BufferId id) {
    if (id != none) written.push_back(id);
  }
  void updates(BufferId id) {
    if (id != none) updated.push_back(id);
  }
};

BuffersOf buffersOf(const Op& op) {
  BuffersOf found;
  eachPart(op, found);
  return found;
}

void mark(const std::vector<BufferId>& buffers, std::vector<bool>& in) {
  for (const BufferId id : buffers) in[static_cast<std::size_t>(id)] = true;
}

bool mixes(const Op& op) {
  return std::holds_alternative<AttentionOp>(op) || std::holds_alternative<ConvOp>(op) || std::holds_alternative<DeltaOp>(op) ||
         std::holds_alternative<ScanOp>(op);
}

// What the layers add to or mix.
std::vector<bool> residualStream(const Plan& plan) {
  std::vector<bool> residual(plan.buffers.size());
  for (const Op& op : plan.ops) {
    if (std::holds_alternative<EmbedOp>(op)) mark(buffersOf(op).written, residual);
    const bool adds = std::holds_alternative<ProjOp>(op) || std::holds_alternative<NormOp>(op) || std::holds_alternative<CombineOp>(op);
    if (adds || std::holds_alternative<MixOp>(op)) mark(buffersOf(op).updated, residual);
  }
  return residual;
}

}  // namespace

std::vector<bool> mixerInputs(const Plan& plan) {
  const std::vector<bool> residual = residualStream(plan);
  std::vector<bool> inputs(plan.buffers.size());
  for (const Op& op : plan.ops | std::views::reverse) {
    const BuffersOf buffers = buffersOf(op);
    if (mixes(op)) mark(buffers.read, inputs);
    if (std::holds_alternative<RopeKvOp>(op)) mark(buffers.updated, inputs);
    const auto isInput = [&inputs](BufferId id) { return inputs[static_cast<std::size_t>(id)]; };
    if (std::ranges::none_of(buffers.written, isInput) && std::ranges::none_of(buffers.updated, isInput)) continue;
    for (const BufferId id : buffers.read) {
      if (!residual[static_cast<std::size_t>(id)]) inputs[static_cast<std::size_t>(id)] = true;
    }
  }
  return inputs;
}

}  // namespace minerva::model
