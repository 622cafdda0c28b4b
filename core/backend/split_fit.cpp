#include "core/backend/split_fit.h"

#include <algorithm>

namespace minerva::backend {
namespace {

// What a step of one token reads of each layer; behind the last one comes the head.
std::vector<std::uint64_t> bytesOfLayers(const model::Plan& plan) {
  std::vector<std::uint64_t> bytes;
  for (std::size_t layer = 0; layer + 1 < plan.layerBegins.size(); ++layer) {
    const std::size_t begin = plan.layerBegins[layer];
    const std::size_t end = layer + 2 == plan.layerBegins.size() ? plan.ops.size() : plan.layerBegins[layer + 1];
    bytes.push_back(plan.weightBytesPerToken(std::span(plan.ops).subspan(begin, end - begin)));
  }
  return bytes;
}

class SplitFinder {
 public:
  SplitFinder(std::span<const SplitAccelerator> accelerators, const model::Plan& plan, const PlaceOptions& options)
      : m_accelerators(accelerators), m_plan(plan), m_options(options), m_layers(model::layerCount(plan)) {
    m_task.layerBytes = bytesOfLayers(plan);
    for (const SplitAccelerator& accelerator : accelerators) m_task.speeds.push_back(accelerator.bytesPerSecond);
  }

  // The experts of the last `apart` layers are on the host.
  Sharing share(int apart) {
    const int firstApart = m_layers - apart;
    return shareLayers(m_task, [&](std::size_t device, int first) { return held(device, first, firstApart); });
  }
  [[nodiscard]] DeviceSplit split(Sharing sharing, int apart) const {
    return {.parts = std::move(sharing.parts), .hostExperts = std::max(0, apart - sharing.left)};
  }
  [[nodiscard]] int layers() const { return m_layers; }

 private:
  int held(std::size_t device, int first, int firstApart) const {
    const int count = largest(m_layers - first, [&](int n) { return fits(device, first, n, firstApart); });
    return model::splitPoint(m_plan, first + count) - first;
  }
  // The layers before `first` are elsewhere.
  bool fits(std::size_t device, int first, int count, int firstApart) const {
    model::SplitOptions shares{.layers = {count}, .hostExperts = std::max(0, first + count - std::max(firstApart, first))};
    if (first > 0) shares.layers.insert(shares.layers.begin(), first);
    const auto split = model::splitPlan(m_plan, shares);
    if (!split) return false;
    if (split->layers.back() == 0) return true;  // no place to cut between these layers
    const auto needed = m_accelerators[device].needs(split->plans[shares.layers.size() - 1], m_options);
    return needed && allFit(*needed);
  }

  std::span<const SplitAccelerator> m_accelerators;
  const model::Plan& m_plan;
  const PlaceOptions& m_options;
  int m_layers;
  SharingTask m_task;
};

}  // namespace

bool allFit(const std::vector<DeviceNeed>& needs) { return std::ranges::all_of(needs, &DeviceNeed::fits); }

int DeviceSplit::layers() const {
  int sum = 0;
  for (const DeviceLayers& part : parts) sum += part.layers;
  return sum;
}

model::SplitOptions DeviceSplit::options() const {
  model::SplitOptions options{.layers = {}, .hostExperts = hostExperts};
  for (const DeviceLayers& part : parts) options.layers.push_back(part.layers);
  return options;
}

Result<DeviceSplit> splitThatFits(std::span<const SplitAccelerator> accelerators, const model::Plan& plan, const PlaceOptions& options,
                                  HostExperts experts) {
  if (experts == HostExperts::asFewAsFit && !model::hasExperts(plan)) experts = HostExperts::none;
  const bool apart = experts != HostExperts::none;
  MINERVA_TRY(model::splitPlan(plan, {.layers = {apart ? 1 : 0}, .hostExperts = apart ? 1 : 0}));
  SplitFinder finder(accelerators, plan, options);
  const int all = finder.layers();
  Sharing sharing = finder.share(apart ? all : 0);
  if (experts != HostExperts::asFewAsFit || sharing.left > 0) return finder.split(std::move(sharing), apart ? all : 0);
  const int here = largest(all, [&](int n) { return finder.share(all - n).left == 0; });
  return finder.split(finder.share(all - here), all - here);
}

}  // namespace minerva::backend
