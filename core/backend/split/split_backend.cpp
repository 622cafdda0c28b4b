#include "core/backend/split/split_backend.h"

#include "core/backend/fit.h"
#include "core/backend/slots.h"
#include "core/backend/split/read_speed.h"
#include "core/backend/split/split_placement.h"
#include "core/base/byte_text.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <set>

namespace minerva::backend {
namespace {

constexpr int triesForMemory = 6;  // of a load that runs out of memory on a device

// What each device runs of a plan.
struct Arrangement {
  std::vector<std::size_t> devices;  // of each plan of the split: which of the backends
  model::SplitPlan split;            // without plans: the only device runs the whole model
  bool forced = false;               // it does not fit on the first device alone
};

class SplitBackend final : public Backend {
 public:
  SplitBackend(std::vector<std::unique_ptr<Backend>> accelerators, std::unique_ptr<Backend> host, const SplitChoice& choice)
      : m_backends(std::move(accelerators)), m_choice(choice), m_limits(m_backends.size(), 0) {
    m_backends.push_back(std::move(host));
    std::multiset<std::string> ids;
    for (const auto& backend : m_backends) {
      const std::string id = backend->info().id;
      ids.insert(id);
      m_names.push_back(ids.count(id) == 1 ? id : id + "#" + std::to_string(ids.count(id)));
    }
  }

  DeviceInfo info() const override;
  Result<std::unique_ptr<Placement>> place(const model::Plan& plan, const PlaceOptions& options, const Progress& progress,
                                           std::stop_token stop) override;
  Result<std::vector<DeviceNeed>> memoryNeeds(const model::Plan& plan, const PlaceOptions& options) const override;
  Result<BandwidthCurve> measureReadBandwidth(const StopAsked& stop) override;
  Result<void> checkMemory() const override;

 private:
  // Of a load that failed: the accelerator that ran out of memory, and what it had been asked for.
  struct RanOut {
    std::size_t device;
    std::uint64_t asked = 0;  // 0: none ran out
  };

  [[nodiscard]] std::size_t host() const { return m_backends.size() - 1; }
  [[nodiscard]] Result<std::vector<DeviceNeed>> needsOn(std::size_t device, const model::Plan& plan, const PlaceOptions& options) const;
  [[nodiscard]] Result<bool> fitsAlone(std::size_t device, const model::Plan& plan, const PlaceOptions& options) const;
  [[nodiscard]] Result<Arrangement> arrange(const model::Plan& plan, const PlaceOptions& options, const std::stop_token& stop) const;
  // Whether the layers of each device are given.
  [[nodiscard]] bool isChosen(const PlaceOptions& options) const { return !m_choice.layers.empty() && !options.drafts; }
  [[nodiscard]] Result<Arrangement> asChosen(const model::Plan& plan) const;
  [[nodiscard]] Result<Arrangement> asFits(const model::Plan& plan, const PlaceOptions& options, const std::stop_token& stop) const;
  [[nodiscard]] Result<DeviceSplit> wholeSplit(DeviceSplit split, const model::Plan& plan, const PlaceOptions& options) const;
  Result<std::unique_ptr<Placement>> placeOn(const Arrangement& arrangement, const model::Plan& plan, const PlaceOptions& options,
                                             const Progress& progress, const std::stop_token& stop, RanOut& ranOut);
  Result<std::unique_ptr<Placement>> placePart(std::size_t device, const model::Plan& plan, const PlaceOptions& options,
                                               const Progress& progress, const std::stop_token& stop, RanOut& ranOut);
  void describe(const model::Plan& whole, const Arrangement& arrangement);
  [[nodiscard]] std::string wordsFor(const model::Plan& whole, const Arrangement& arrangement) const;

  std::vector<std::unique_ptr<Backend>> m_backends;  // the accelerators, then the host
  std::vector<std::string> m_names;                  // [m_backends] ids; the second and later of the same one have a number
  SplitChoice m_choice;
  mutable std::mutex m_mutex;
  // Guarded by m_mutex.
  std::vector<std::uint64_t> m_limits;  // [accelerators] memory beyond which a device ran out in this load; 0: none
  std::vector<std::size_t> m_used;      // of the last plan placed: which of the backends; empty: none placed
  std::vector<DevicePart> m_parts;      // of the last plan placed, if several run it: as m_used
  std::string m_words;
  std::uint64_t m_handedOver = 0;
};

Result<void> SplitBackend::checkMemory() const {
  for (const auto& backend : m_backends) MINERVA_TRY(backend->checkMemory());
  return {};
}

// "A", "A + B", "2 × A"
std::string together(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::ranges::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
        names.begin() + static_cast<std::ptrdiff_t>(i))
      continue;
    const auto times = std::ranges::count(names, names[i]);
    text += (text.empty() ? "" : " + ") + (times == 1 ? "" : std::to_string(times) + " × ") + names[i];
  }
  return text;
}

DeviceInfo SplitBackend::info() const {
  const std::scoped_lock lock(m_mutex);
  std::vector<std::size_t> used = m_used;
  if (used.empty()) {
    used.resize(m_choice.hostLayers ? m_backends.size() : host());
    std::iota(used.begin(), used.end(), std::size_t{0});
  }
  DeviceInfo all = m_backends[used.front()]->info();
  all.shares = false;
  const std::string note = m_choice.note.empty() ? "" : "; " + m_choice.note;
  if (used.size() == 1) {
    all.detail += note;
    return all;
  }
  std::vector<std::string> names;
  std::string details, ids;
  std::vector<std::string> kinds;
  for (const std::size_t device : used) {
    const DeviceInfo one = m_backends[device]->info();
    ids += (ids.empty() ? "" : "+") + one.id;
    if (std::ranges::find(kinds, one.kind) == kinds.end()) kinds.push_back(one.kind);
    all.alike = std::min(all.alike, one.alike);
    all.threads = std::max(all.threads, one.threads);
    if (device == host()) {
      details += "; " + one.name + ", " + one.detail;
    } else {
      names.push_back(one.name);
      if (details.find(one.detail) == std::string::npos) details += (details.empty() ? "" : "; ") + one.detail;
    }
  }
  all.id = ids;
  all.kind = kinds.front();
  for (std::size_t i = 1; i < kinds.size(); ++i) all.kind += " and " + kinds[i];
  if (!names.empty()) all.name = together(names);
  all.detail = (m_words.empty() ? "" : m_words + "; ") + details + note;
  for (const DevicePart& part : m_parts) all.split += (all.split.empty() ? "" : "+") + std::to_string(part.bytesPerToken);
  all.parts = m_parts;
  all.handedOver = m_handedOver;
  return all;
}

Result<std::vector<DeviceNeed>> SplitBackend::needsOn(std::size_t device, const model::Plan& plan, const PlaceOptions& options) const {
  auto needs = m_backends[device]->memoryNeeds(plan, options);
  if (!needs) return fail(onDevice(needs.error(), m_names[device]));
  const std::scoped_lock lock(m_mutex);
  for (DeviceNeed& need : *needs) {
    need.device = m_names[device];
    const std::uint64_t limit = device == host() ? 0 : m_limits[device];
    if (limit > 0) need.free = need.free == 0 ? limit : std::min(need.free, limit);
    if (device == 0 && need.free > 0) need.free = need.free > options.reserved ? need.free - options.reserved : 1;  // 0: unknown
  }
  return needs;
}

Result<bool> SplitBackend::fitsAlone(std::size_t device, const model::Plan& plan, const PlaceOptions& options) const {
  MINERVA_ASSIGN(const std::vector<DeviceNeed> needs, needsOn(device, plan, options));
  return allFit(needs);
}

Result<Arrangement> SplitBackend::arrange(const model::Plan& plan, const PlaceOptions& options, const std::stop_token& stop) const {
  MINERVA_TRY(checkPlaceOptions(plan, options));
  return isChosen(options) ? asChosen(plan) : asFits(plan, options, stop);
}

Result<Arrangement> SplitBackend::asChosen(const model::Plan& plan) const {
  if (m_choice.layers.size() > host()) {
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = "Layers are given for more devices than there are",
                 .where = "split",
                 .expected = "at most " + std::to_string(host()) + " numbers of layers",
                 .actual = std::to_string(m_choice.layers.size())});
  }
  Arrangement made;
  made.devices.resize(m_choice.layers.size());
  std::iota(made.devices.begin(), made.devices.end(), std::size_t{0});
  made.devices.push_back(host());
  const bool apart = m_choice.experts != HostExperts::none;
  const int sum = std::accumulate(m_choice.layers.begin(), m_choice.layers.end(), 0);
  MINERVA_ASSIGN(made.split, model::splitPlan(plan, {.layers = m_choice.layers, .hostExperts = apart ? sum : 0}));
  return made;
}

Result<Arrangement> SplitBackend::asFits(const model::Plan& plan, const PlaceOptions& options, const std::stop_token& stop) const {
  const bool apart = m_choice.experts == HostExperts::all;
  if (!apart) {
    MINERVA_ASSIGN(const bool alone, fitsAlone(0, plan, options));
    if (alone) return Arrangement{.devices = {0}, .split = {}};
  }
  std::vector<SplitAccelerator> accelerators(host());
  for (std::size_t device = 0; device < host(); ++device) {
    accelerators[device].needs = [this, device](const model::Plan& part, const PlaceOptions& wanted) {
      return needsOn(device, part, wanted);
    };
    if (host() == 1) continue;
    const auto speed = readSpeed(*m_backends[device], stop);
    if (!speed) return fail(onDevice(speed.error(), m_names[device]));
    accelerators[device].bytesPerSecond = *speed;
  }
  MINERVA_ASSIGN(DeviceSplit split, splitThatFits(accelerators, plan, options, m_choice.experts));
  MINERVA_ASSIGN(split, wholeSplit(std::move(split), plan, options));
  if (split.parts.size() == 1 && split.layers() == model::layerCount(plan) && split.hostExperts == 0) {
    // Another device that is as fast may hold the embedding table too.
    const double speed = accelerators[split.parts.front().device].bytesPerSecond;
    for (std::size_t device = 0; device < host(); ++device) {
      if (accelerators[device].bytesPerSecond < speed) continue;
      MINERVA_ASSIGN(const bool alone, fitsAlone(device, plan, options));
      if (alone) return Arrangement{.devices = {device}, .split = {}, .forced = true};
    }
  }
  Arrangement made{.devices = {}, .split = {}, .forced = true};
  for (const DeviceLayers& part : split.parts) made.devices.push_back(part.device);
  made.devices.push_back(host());
  MINERVA_ASSIGN(made.split, model::splitPlan(plan, split.options()));
  return made;
}

// Where the host is to get no layers, those that no device holds are counted to the last one, whose need then says what is missing.
Result<DeviceSplit> SplitBackend::wholeSplit(DeviceSplit split, const model::Plan& plan, const PlaceOptions& options) const {
  const int layers = model::layerCount(plan);
  if (layers == 0) return split;
  if (!split.parts.empty()) {
    if (!m_choice.hostLayers) split.parts.back().layers += layers - split.layers();
    return split;
  }
  const bool apart = m_choice.experts != HostExperts::none && model::hasExperts(plan);
  MINERVA_ASSIGN(const model::SplitPlan one, model::splitPlan(plan, {.layers = {1}, .hostExperts = apart ? 1 : 0}));
  MINERVA_ASSIGN(std::vector<DeviceNeed> need, needsOn(0, one.plans.front(), options));
  Error error = doesNotFit({.fits = false, .needs = std::move(need)});
  error.what = "Not even one layer of the model fits into memory";
  return fail(std::move(error));
}

// A device may run out of memory although the model should fit, as where another program takes some meanwhile. It then gets less to hold.
Result<std::unique_ptr<Placement>> SplitBackend::place(const model::Plan& plan, const PlaceOptions& options, const Progress& progress,
                                                       std::stop_token stop) {
  {
    const std::scoped_lock lock(m_mutex);
    std::ranges::fill(m_limits, 0);
  }
  for (int tries = 1;; ++tries) {
    MINERVA_ASSIGN(const Arrangement arrangement, arrange(plan, options, stop));
    RanOut ranOut{};
    auto placed = placeOn(arrangement, plan, options, progress, stop, ranOut);
    if (placed) {
      if (!options.drafts) describe(plan, arrangement);
      return placed;
    }
    if (ranOut.asked == 0 || isChosen(options) || tries == triesForMemory) return placed;
    const std::uint64_t limit = ranOut.asked - ranOut.asked / 8;
    {
      const std::scoped_lock lock(m_mutex);
      m_limits[ranOut.device] = limit;
    }
    if (!arrange(plan, options, stop)) return placed;  // there is no room for even one layer
  }
}

Result<std::unique_ptr<Placement>> SplitBackend::placeOn(const Arrangement& arrangement, const model::Plan& plan,
                                                         const PlaceOptions& options, const Progress& progress, const std::stop_token& stop,
                                                         RanOut& ranOut) {
  if (arrangement.split.plans.empty()) return placePart(arrangement.devices.front(), plan, options, progress, stop, ranOut);
  std::vector<std::string> names;
  for (const std::size_t device : arrangement.devices) names.push_back(m_names[device]);
  auto placement = std::make_unique<SplitPlacement>(arrangement.split, names);
  const std::vector<model::Plan>& plans = placement->plan().plans;
  std::vector<std::uint64_t> before{0};
  for (const model::Plan& part : plans) {
    std::uint64_t bytes = 0;
    for (const model::Weight& weight : part.weights) bytes += storedBytes(weight.view);
    before.push_back(before.back() + bytes);
  }
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (plans[i].ops.empty()) continue;
    const auto own = [&](std::uint64_t done, std::uint64_t total) {
      if (!progress || total == 0) return;
      const double share = static_cast<double>(done) / static_cast<double>(total);
      progress(before[i] + static_cast<std::uint64_t>(share * static_cast<double>(before[i + 1] - before[i])), before.back());
    };
    MINERVA_ASSIGN(auto part, placePart(arrangement.devices[i], plans[i], options, own, stop, ranOut));
    placement->place(i, std::move(part));
  }
  if (progress) progress(before.back(), before.back());
  return placement;
}

Result<std::unique_ptr<Placement>> SplitBackend::placePart(std::size_t device, const model::Plan& plan, const PlaceOptions& options,
                                                           const Progress& progress, const std::stop_token& stop, RanOut& ranOut) {
  auto placed = m_backends[device]->place(plan, options, progress, stop);
  if (placed) return placed;
  if (placed.error().kind == ErrorKind::outOfMemory && device != host()) {
    const auto needs = needsOn(device, plan, options);
    if (needs) ranOut = {.device = device, .asked = needs->front().use.allocated()};
  }
  return fail(onDevice(placed.error(), m_names[device]));
}

Result<std::vector<DeviceNeed>> SplitBackend::memoryNeeds(const model::Plan& plan, const PlaceOptions& options) const {
  MINERVA_ASSIGN(const Arrangement arrangement, arrange(plan, options, {}));
  PlaceOptions alone = options;
  alone.reserved = 0;  // what is free is free for the other model, too
  if (arrangement.split.plans.empty()) return needsOn(arrangement.devices.front(), plan, alone);
  std::vector<DeviceNeed> all;
  for (std::size_t i = 0; i < arrangement.devices.size(); ++i) {
    if (arrangement.split.plans[i].ops.empty()) continue;
    MINERVA_ASSIGN(const std::vector<DeviceNeed> needs, needsOn(arrangement.devices[i], arrangement.split.plans[i], alone));
    all.insert(all.end(), needs.begin(), needs.end());
  }
  return all;
}

// For the last model placed: its bytes divided by the time that its devices take one after the other. Before that, the curve of the
// first accelerator.
Result<BandwidthCurve> SplitBackend::measureReadBandwidth(const StopAsked& stop) {
  std::vector<std::size_t> used;
  std::vector<double> bytes;
  {
    const std::scoped_lock lock(m_mutex);
    used = m_used;
    for (const DevicePart& part : m_parts) bytes.push_back(static_cast<double>(part.bytesPerToken));
  }
  const double all = std::accumulate(bytes.begin(), bytes.end(), 0.0);
  if (all == 0) return m_backends[used.empty() ? 0 : used.front()]->measureReadBandwidth(stop);
  std::vector<BandwidthCurve> curves;
  for (const std::size_t device : used) {
    auto curve = m_backends[device]->measureReadBandwidth(stop);
    if (!curve) return fail(onDevice(curve.error(), m_names[device]));
    curves.push_back(std::move(*curve));
  }
  BandwidthCurve together;
  for (const BandwidthPoint& point : curves.front().points()) {
    const auto size = static_cast<double>(point.bytes);
    double seconds = 0;
    for (std::size_t i = 0; i < curves.size(); ++i) {
      const double here = size * bytes[i] / all;
      if (here > 0) seconds += here / curves[i].at(here);
    }
    together.add({point.bytes, size / seconds});
  }
  return together;
}

void SplitBackend::describe(const model::Plan& whole, const Arrangement& arrangement) {
  std::vector<std::size_t> used;
  std::vector<DevicePart> parts;
  const std::vector<model::Plan>& plans = arrangement.split.plans;
  if (plans.empty()) used = arrangement.devices;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (plans[i].ops.empty()) continue;
    const std::size_t device = arrangement.devices[i];
    const bool isHost = device == host();
    const std::vector<int>& layers = arrangement.split.layers;
    used.push_back(device);
    parts.push_back({.id = m_names[device],
                     .name = m_backends[device]->info().name,
                     .layers = isHost ? model::layerCount(whole) - std::accumulate(layers.begin(), layers.end(), 0) : layers[i],
                     .experts = isHost ? arrangement.split.hostExperts : 0,
                     .bytesPerToken = plans[i].weightBytesPerToken()});
  }
  const std::string words = plans.empty() ? "" : wordsFor(whole, arrangement);
  const std::scoped_lock lock(m_mutex);
  m_used = std::move(used);
  m_parts = std::move(parts);
  m_words = words;
  m_handedOver = arrangement.split.handoverBytesPerToken();
}

// "48 of 80 layers on vulkan:0, 32 on vulkan:1, because it does not fit on vulkan:0 alone; 64 kB per token between devices"
std::string SplitBackend::wordsFor(const model::Plan& whole, const Arrangement& arrangement) const {
  const model::SplitPlan& split = arrangement.split;
  std::string words;
  int left = model::layerCount(whole);
  for (std::size_t i = 0; i < split.layers.size(); ++i) {
    if (split.layers[i] == 0 && split.layers.size() > 1) continue;
    words += words.empty() ? std::to_string(split.layers[i]) + " of " + std::to_string(left) + " layers on "
                           : ", " + std::to_string(split.layers[i]) + " on ";
    words += m_names[arrangement.devices[i]];
  }
  for (const int layers : split.layers) left -= layers;
  if (split.hostExperts > 0) words += ", the experts of " + std::to_string(split.hostExperts) + " of them on " + m_names[host()];
  if (left > 0) words += (words.empty() ? "all " : ", the other ") + std::to_string(left) + " on " + m_names[host()];
  if (arrangement.forced) words += ", because it does not fit on " + m_names.front() + " alone";
  return words + "; " + readable(split.handoverBytesPerToken()) + " per token from device to device";
}

}  // namespace

std::unique_ptr<Backend> createSplitBackend(std::vector<std::unique_ptr<Backend>> accelerators, std::unique_ptr<Backend> host,
                                            const SplitChoice& choice) {
  return std::make_unique<SplitBackend>(std::move(accelerators), std::move(host), choice);
}

}  // namespace minerva::backend
