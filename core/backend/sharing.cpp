#include "core/backend/sharing.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace minerva::backend {
namespace {

constexpr std::size_t mostDevices = 12;  // every subset of them is tried

std::vector<double> knownSpeeds(std::vector<double> speeds) {
  const double sum = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  const auto known = std::ranges::count_if(speeds, [](double speed) { return speed > 0; });
  constexpr double plausible = 100e9;
  const double mean = known > 0 ? sum / static_cast<double>(known) : plausible;
  std::ranges::replace_if(
      speeds, [](double speed) { return speed <= 0; }, mean);
  return speeds;
}

std::vector<std::size_t> fastestFirst(const std::vector<double>& speeds) {
  std::vector<std::size_t> order(speeds.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t device) { return speeds[device]; });
  order.resize(std::min(order.size(), mostDevices));
  return order;
}

// Less is better: layers without a device, then time, then the number of devices.
bool isBetter(const Sharing& a, const Sharing& b) {
  if (a.left != b.left) return a.left < b.left;
  if (a.seconds != b.seconds) return a.seconds < b.seconds;
  return a.parts.size() < b.parts.size();
}

class Filler {
 public:
  Filler(const SharingTask& task, const LayersHeld& held) : m_task(task), m_held(held), m_speeds(knownSpeeds(task.speeds)) {}

  [[nodiscard]] const std::vector<double>& speeds() const { return m_speeds; }

  // Each of the devices in turn gets as many layers as it holds.
  Sharing fill(const std::vector<std::size_t>& devices) {
    Sharing sharing;
    int first = 0;
    const int all = static_cast<int>(m_task.layerBytes.size());
    for (const std::size_t device : devices) {
      const int count = std::min(held(device, first), all - first);
      if (count <= 0) continue;
      const auto from = m_task.layerBytes.begin() + first;
      const auto bytes = std::accumulate(from, from + count, std::uint64_t{0});
      if (!sharing.parts.empty()) sharing.seconds += m_task.handoverSeconds;
      sharing.seconds += static_cast<double>(bytes) / m_speeds[device];
      sharing.parts.push_back({device, count});
      first += count;
    }
    sharing.left = all - first;
    return sharing;
  }

 private:
  int held(std::size_t device, int first) {
    if (first == static_cast<int>(m_task.layerBytes.size())) return 0;
    const auto [found, isNew] = m_asked.try_emplace({device, first}, 0);
    if (isNew) found->second = m_held(device, first);
    return found->second;
  }

  const SharingTask& m_task;
  const LayersHeld& m_held;
  std::vector<double> m_speeds;
  std::map<std::pair<std::size_t, int>, int> m_asked;
};

}  // namespace

Sharing shareLayers(const SharingTask& task, const LayersHeld& held) {
  Filler filler(task, held);
  const std::vector<std::size_t> order = fastestFirst(filler.speeds());
  Sharing best = filler.fill(order);
  for (std::size_t subset = 1; subset < std::size_t{1} << order.size(); ++subset) {
    std::vector<std::size_t> devices;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if ((subset >> i & 1U) != 0) devices.push_back(order[i]);
    }
    Sharing sharing = filler.fill(devices);
    if (isBetter(sharing, best)) best = std::move(sharing);
  }
  return best;
}

}  // namespace minerva::backend
