#include "core/engine/pair_fit.h"

#include "core/engine/draft_model.h"

#include <algorithm>

namespace minerva::engine {
namespace {

void addNeed(backend::DeviceNeed& need, const std::vector<backend::DeviceNeed>& others) {
  const auto same = std::ranges::find(others, need.device, &backend::DeviceNeed::device);
  if (same == others.end()) return;
  need.use.weights += same->use.weights;
  need.use.kv += same->use.kv;
  need.use.scratch += same->use.scratch;
  need.use.mapped += same->use.mapped;
  need.piece = std::max(need.piece, same->piece);
}

}  // namespace

Result<PairFit> workOutPairFit(const backend::NeedsOf& needs, const model::Plan& plan, const backend::PlaceOptions& wanted,
                               const model::Plan* draft, bool optional, bool shareable) {
  PairFit pair;
  if (draft == nullptr) {
    MINERVA_ASSIGN(pair.fit, backend::workOutFit(needs, plan, wanted, shareable));
    return pair;
  }
  const auto both = [&](const model::Plan& part, const backend::PlaceOptions& options) -> Result<std::vector<backend::DeviceNeed>> {
    MINERVA_ASSIGN(std::vector<backend::DeviceNeed> all, needs(part, options));
    MINERVA_ASSIGN(const std::vector<backend::DeviceNeed> drafting, needs(*draft, DraftModel::placeOptions(options, *draft)));
    for (backend::DeviceNeed& need : all) addNeed(need, drafting);
    return all;
  };
  MINERVA_ASSIGN(pair.fit, backend::workOutFit(both, plan, wanted, shareable));
  if (pair.fit.fits || !optional) {
    MINERVA_ASSIGN(pair.draft, needs(*draft, DraftModel::placeOptions(wanted, *draft)));
    return pair;
  }
  pair.left = backend::doesNotFit(pair.fit);
  pair.left->actual += ", the draft model included";
  MINERVA_ASSIGN(pair.fit, backend::workOutFit(needs, plan, wanted, shareable));
  return pair;
}

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
