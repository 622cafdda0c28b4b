#include "gpu/runtime/support.h"

#include "core/backend/slots.h"
#include "gpu/runtime/matrices.h"
#include "gpu/shaders/modules.h"

#include <string>

namespace minerva::gpu {

namespace {

// What the kernels of an op cannot do; the recorder has an `add` for every op. Without a row here an op does not compile.
struct Known {
  bool operator()(const model::EmbedOp&) const { return true; }
  bool operator()(const model::NormOp&) const { return true; }
  bool operator()(const model::ProjOp&) const { return true; }
  bool operator()(const model::HeadProjOp&) const { return true; }
  bool operator()(const model::RopeKvOp&) const { return true; }
  bool operator()(const model::AttentionOp&) const { return true; }
  bool operator()(const model::RouteOp& op) const { return op.groups <= 32; }  // route.comp stores groups in a 32-bit mask
  bool operator()(const model::ExpertOp&) const { return true; }
  bool operator()(const model::SpreadOp&) const { return true; }
  bool operator()(const model::CombineOp&) const { return true; }
  bool operator()(const model::GatherOp&) const { return true; }
  bool operator()(const model::HeadOp&) const { return true; }
  bool operator()(const model::GateOp&) const { return true; }
  bool operator()(const model::GatedNormOp&) const { return true; }
  bool operator()(const model::ScaleOp&) const { return true; }
  bool operator()(const model::PoolOp&) const { return true; }
  bool operator()(const model::ThresholdOp&) const { return true; }
  bool operator()(const model::XieluOp&) const { return true; }
  bool operator()(const model::LevelOp&) const { return true; }
  bool operator()(const model::MixOp&) const { return true; }
  bool operator()(const model::ConvOp&) const { return true; }
  // The keys of one row of q, k and decays must fit into shared memory.
  bool operator()(const model::DeltaOp& op) const { return op.keyDim <= 1024; }
  bool operator()(const model::ScanOp& op) const { return op.stateSize <= 1024; }
};

}  // namespace

bool supportsType(ElementType type) {
  const FormatModule module = moduleOf(type);
  return !module.name.empty() && !findModule("matvec_" + module.name).empty();
}

Result<void> checkSupported(const model::Plan& plan, const backend::PlaceOptions& options) {
  MINERVA_TRY(backend::checkPlaceOptions(plan, options));
  constexpr int mostRows = 65535;  // of workgroups along an axis, that every device takes: many kernels have one for each row
  if (options.maxRows > mostRows) {
    return fail({.kind = ErrorKind::limit,
                 .what = "A step has more tokens than a GPU takes at once",
                 .expected = "at most " + std::to_string(mostRows),
                 .actual = std::to_string(options.maxRows),
                 .hint = "Read prompts and texts in smaller steps, or use the CPU."});
  }
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
