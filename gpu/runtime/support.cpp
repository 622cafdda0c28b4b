#include "gpu/runtime/support.h"

#include "gpu/runtime/matrices.h"
#include "gpu/shaders/modules.h"

#include <string>

namespace minerva::gpu {

namespace {

// Ops that the recorder has an `add` for. A new alternative of model::Op is rejected until it has a row here.
struct Known {
  bool operator()(const model::EmbedOp&) const { return true; }
  bool operator()(const model::NormOp& op) const { return op.group == 0 && op.norm.weight != model::none; }
  bool operator()(const model::ProjOp& op) const { return known(op.activation); }
  bool operator()(const model::HeadProjOp&) const { return true; }
  bool operator()(const model::RopeKvOp& op) const {
    return op.kv != model::none && !op.vNorm.present() && !op.normsRotated && op.temperature.strength == 0;
  }
  bool operator()(const model::AttentionOp& op) const { return !op.visible.bidirectional && op.visible.chunk == 0; }
  bool operator()(const model::RouteOp& op) const {
    return op.groups <= 32 &&  // route.comp stores groups in a 32-bit mask
           op.scoring == model::Scoring::softmax && op.selectionBias == model::none && op.expertScale == model::none &&
           op.groupRank == model::GroupRank::largest;
  }
  bool operator()(const model::ExpertOp& op) const { return known(op.activation); }
  bool operator()(const model::CombineOp& op) const { return op.add && op.weighted; }
  bool operator()(const model::GatherOp&) const { return true; }
  bool operator()(const model::HeadOp&) const { return true; }
  static bool known(model::Activation activation) {
    return activation != model::Activation::sigmoid && activation != model::Activation::reluSquared;
  }
  template <class Other>
  bool operator()(const Other&) const {
    return false;
  }
};

}  // namespace

bool supportsType(ElementType type) {
  const FormatModule module = moduleOf(type);
  return !module.name.empty() && !findModule("matvec_" + module.name).empty();
}

Result<void> checkSupported(const model::Plan& plan) {
  for (const model::Op& op : plan.ops) {
    if (std::visit(Known{}, op)) continue;
    return fail({.kind = ErrorKind::unsupported,
                 .what = "The Vulkan backend has no kernel for an operation of this model",
                 .where = model::name(op),
                 .hint = "Use the CPU for this model."});
  }
  for (const Matrix& matrix : planMatrices(plan).matrices) {
    const model::Weight& weight = plan.weights[static_cast<std::size_t>(matrix.sources.front().weight)];
    if (supportsType(weight.view.type)) continue;
    return fail({.kind = ErrorKind::unsupported,
                 .what = "The Vulkan backend has no kernel for this element type",
                 .where = weight.name,
                 .actual = std::string(traits(weight.view.type).name),
                 .hint = "Use the CPU for this model."});
  }
  return {};
}

}  // namespace minerva::gpu
