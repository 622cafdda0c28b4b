#include "core/backend/fit.h"

#include "core/backend/kv_pages.h"
#include "core/base/byte_text.h"

#include <algorithm>
#include <optional>

namespace minerva::backend {
namespace {

constexpr int contextStep = 256;

PlaceOptions withContext(PlaceOptions options, int context) {
  options.contextLength = context;
  options.maxRows = std::min(options.maxRows, std::max(context, options.slots));
  options.maxOutputRows = std::min(options.maxOutputRows, options.maxRows);
  return options;
}

class Offers {
 public:
  Offers(const NeedsOf& needs, const model::Plan& plan, const PlaceOptions& wanted) : m_needs(needs), m_plan(plan), m_wanted(wanted) {}

  std::vector<FitOffer> make(bool shareable) {
    const bool quantizable = m_wanted.kvType == model::KvType::f16;
    PlaceOptions quantized = m_wanted;
    quantized.kvType = model::KvType::q8_0;
    const bool wholeContext = quantizable && add(m_plan, {.options = quantized}, "keys and values as Q8_0");
    const int context = longestContext(m_wanted);
    if (context > 0) {
      static_cast<void>(add(m_plan, {.options = withContext(m_wanted, context)}, "a context of " + std::to_string(context)));
    }
    const int longer = quantizable && !wholeContext ? longestContext(quantized) : 0;
    if (longer > context) {
      static_cast<void>(add(m_plan, {.options = withContext(quantized, longer)},
                            "a context of " + std::to_string(longer) + " with keys and values as Q8_0"));
    }
    if (shareable) shareOut();
    return std::move(m_offers);
  }

 private:
  std::optional<std::vector<DeviceNeed>> fitting(const model::Plan& plan, const PlaceOptions& options) const {
    auto needs = m_needs(plan, options);
    if (!needs || !allFit(*needs)) return std::nullopt;
    return std::move(*needs);
  }
  bool add(const model::Plan& plan, FitOffer offer, const std::string& text) {
    const auto needs = fitting(plan, offer.options);
    if (!needs) return false;
    offer.need = needs->front();
    std::uint64_t bytes = 0;  // of all devices
    for (const DeviceNeed& need : *needs) bytes += need.use.allocated();
    offer.text = text + " (" + readable(bytes) + ")";
    m_offers.push_back(std::move(offer));
    return true;
  }
  // A longer context needs more memory, unless it is the first that lets a window give pages back. So the contexts between two such places
  // are searched by themselves, the longest first.
  int longestContext(const PlaceOptions& options) const {
    const auto ofSteps = [&](int n) { return withContext(options, n * contextStep); };
    const auto fits = [&](int n) { return n == 0 || fitting(m_plan, ofSteps(n)).has_value(); };
    const auto windows = [&](int n) {
      return std::ranges::count_if(kvGroups(m_plan, ofSteps(n)), [](const KvGroup& group) { return group.window > 0; });
    };
    for (int most = (options.contextLength - 1) / contextStep; most > 0;) {
      const auto same = windows(most);
      const int fewer = largest(most - 1, [&](int n) { return n == 0 || windows(n) < same; });
      if (fits(fewer + 1)) return contextStep * (fewer + 1 + largest(most - fewer - 1, [&](int n) { return fits(fewer + 1 + n); }));
      most = fewer;
    }
    return 0;
  }
  void shareOut() {
    const int layers = model::layerCount(m_plan);
    if (layers == 0) return;
    const SplitAccelerator here{.needs = m_needs};
    if (model::hasExperts(m_plan)) {
      const auto apart = splitThatFits({&here, 1}, m_plan, m_wanted, HostExperts::asFewAsFit);
      if (apart && apart->layers() == layers)
        addSplit(*apart, "the experts of " + std::to_string(apart->hostExperts) + " of " + std::to_string(layers) + " layers on the CPU");
    }
    const auto most = splitThatFits({&here, 1}, m_plan, m_wanted, HostExperts::none);
    if (!most || most->layers() == 0) return;
    addSplit(*most, std::to_string(most->layers()) + " of " + std::to_string(layers) + " layers here and the others on the CPU");
  }
  void addSplit(const DeviceSplit& shares, const std::string& text) {
    const auto split = model::splitPlan(m_plan, shares.options());
    if (!split) return;
    const FitOffer offer{.options = m_wanted, .layers = split->layers.front(), .hostExperts = split->hostExperts};
    static_cast<void>(add(split->plans.front(), offer, text));
  }

  const NeedsOf& m_needs;
  const model::Plan& m_plan;
  PlaceOptions m_wanted;
  std::vector<FitOffer> m_offers;
};

}  // namespace

Result<Fit> workOutFit(const NeedsOf& needs, const model::Plan& plan, const PlaceOptions& wanted, bool shareable) {
  Fit fit;
  MINERVA_ASSIGN(fit.needs, needs(plan, wanted));
  fit.fits = allFit(fit.needs);
  if (!fit.fits) fit.offers = Offers(needs, plan, wanted).make(shareable);
  for (const DeviceNeed& need : fit.needs) {
    if (!fit.fits || need.free == 0 || need.use.total() <= need.free) continue;
    fit.warnings.push_back("The model needs " + readable(need.use.total()) + ", and " + readable(need.free) +
                           " are free: weights will be read from the file repeatedly");
  }
  return fit;
}

Error doesNotFit(const Fit& fit) {
  const auto short_ = std::ranges::find_if(fit.needs, [](const DeviceNeed& need) { return !need.fits(); });
  const DeviceNeed need = short_ == fit.needs.end() ? DeviceNeed{} : *short_;
  Error error{.kind = ErrorKind::outOfMemory,
              .what = "The model does not fit into memory",
              .where = need.device,
              .expected = "at most " + readable(need.free) + " free",
              .actual = readable(need.use.allocated()) + " needed: weights " + readable(need.use.weights - need.use.mapped) +
                        ", state of the conversations " + readable(need.use.kv) + ", scratch " + readable(need.use.scratch)};
  if (!need.pieceFits()) {
    error.what = "A matrix of the model, or its state of the conversations, is larger than the device holds in one piece";
    error.expected = "at most " + readable(need.largestPiece);
    error.actual = readable(need.piece);
  }
  std::string offers;
  for (const FitOffer& offer : fit.offers) offers += (offers.empty() ? "" : "; ") + offer.text;
  if (!offers.empty()) error.hint = "What would fit: " + offers;
  if (fit.offers.empty())
    error.hint = fit.needs.size() > 1
                     ? "Give other devices more layers, let the CPU take part (+cpu), or choose a smaller model or quantization"
                 : need.pieceFits() ? "Close other programs, or choose a smaller model or quantization"
                                    : "Choose a smaller model, quantization or context";
  return error;
}

}  // namespace minerva::backend
