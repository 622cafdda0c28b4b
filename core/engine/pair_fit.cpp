#include "core/engine/pair_fit.h"

#include "core/engine/draft_model.h"

#include <algorithm>

namespace minerva::engine {
namespace {

void addNeed(std::vector<backend::DeviceNeed>& all, const backend::DeviceNeed& more) {
  const auto same = std::ranges::find(all, more.device, &backend::DeviceNeed::device);
  if (same == all.end()) return all.push_back(more);
  same->use.weights += more.use.weights;
  same->use.kv += more.use.kv;
  same->use.scratch += more.use.scratch;
  same->use.mapped += more.use.mapped;
  same->piece = std::max(same->piece, more.piece);
}

}  // namespace

Result<PairFit> workOutPairFit(const backend::NeedsOf& needs, const PairPlans& plans, const backend::PlaceOptions& wanted, bool optional,
                               bool shareable) {
  PairFit pair;
  const model::Plan* draft = plans.draft;
  if (draft == nullptr) {
    MINERVA_ASSIGN(pair.fit, backend::workOutFit(needs, plans.alone, wanted, shareable));
    return pair;
  }
  const auto both = [&](const model::Plan& part, const backend::PlaceOptions& options) -> Result<std::vector<backend::DeviceNeed>> {
    MINERVA_ASSIGN(const std::vector<backend::DeviceNeed> drafting, needs(*draft, DraftModel::placeOptions(options, *draft)));
    backend::PlaceOptions beside = options;
    beside.reserved = reservedFor(drafting);
    MINERVA_ASSIGN(std::vector<backend::DeviceNeed> all, needs(part, beside));
    for (const backend::DeviceNeed& need : drafting) addNeed(all, need);
    return all;
  };
  auto together = backend::workOutFit(both, plans.target, wanted, shareable);
  // No layer may fit beside the draft model, or devices would have to share a model that predicts.
  const bool leaves = !together && (together.error().kind == ErrorKind::outOfMemory || together.error().kind == ErrorKind::unsupported);
  if (!together && !(optional && leaves)) return fail(together.error());
  if (together && (together->fits || !optional)) {
    pair.fit = std::move(*together);
    MINERVA_ASSIGN(pair.draft, needs(*draft, DraftModel::placeOptions(wanted, *draft)));
    return pair;
  }
  pair.left = together ? backend::doesNotFit(*together) : together.error();
  pair.left->actual += ", the draft model included";
  MINERVA_ASSIGN(pair.fit, backend::workOutFit(needs, plans.alone, wanted, shareable));
  return pair;
}

Result<PredictingPlans> predictingPlans(const model::ModelConfig& config, const backend::NeedsOf& needs,
                                        const backend::PlaceOptions& placed) {
  PredictingPlans plans;
  MINERVA_ASSIGN(plans.target, model::buildPlan(config, model::Gives::logitsAndHidden));
  MINERVA_ASSIGN(plans.prediction, model::buildPredictionPlan(config));
  MINERVA_TRY(needs(plans.target, placed));
  return plans;
}

std::uint64_t reservedFor(const std::vector<backend::DeviceNeed>& draft) { return draft.empty() ? 0 : draft.front().use.allocated(); }

Error pairDoesNotFit(const PairFit& pair) {
  Error error = backend::doesNotFit(pair.fit);
  if (!pair.draft.empty()) error.actual += ", the draft model included";
  return error;
}

Error unalike(const backend::DeviceInfo& device, const std::string& where) {
  return {.kind = ErrorKind::unsupported,
          .what = "Drafts are only checked on devices on which a reply is the same with and without them",
          .where = where,
          .expected = "a device that computes several tokens at once as it does each by itself",
          .actual = device.name};
}

Result<void> checkDraftDevice(const backend::DeviceInfo& device, const std::string& where) {
  if (device.alike != backend::Alike::never) return {};
  return fail(unalike(device, where));
}

}  // namespace minerva::engine
