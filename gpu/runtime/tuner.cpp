#include "gpu/runtime/tuner.h"

#include "core/base/clock.h"
#include "gpu/runtime/projection_form.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace minerva::gpu {

namespace {

constexpr double totalMilliseconds = 2000;
constexpr double worthIt = 0.97;                         // smaller differences are noise
constexpr double worthHalves = 0.9;                      // of sums that are less exact, more is asked
constexpr std::uint32_t longStep = 256, shortStep = 16;  // step sizes used to compare the kernels for long steps
constexpr double longestMilliseconds = 500;              // of a dispatch: a slow device is not asked for longer ones (dispatch_cut.h)

bool isPowerUpTo8(std::uint32_t value) { return value == 1 || value == 2 || value == 4 || value == 8; }

// The form to start with, then others: rows and workgroups of other sizes, the other kind of memory access, the other of sharing blocks.
std::vector<MatvecChoice> candidates(const MatvecChoice& start, const vulkan::DeviceInfo& device, std::uint32_t lanes) {
  std::vector<MatvecChoice> all{start};
  const auto add = [&](const MatvecChoice& form) {
    if (isUsable(form, device, lanes) && std::ranges::find(all, form) == all.end()) all.push_back(form);
  };
  for (const std::uint32_t rows : {1u, 2u, 4u, 8u}) {
    for (const std::uint32_t threads : {lanes, 128u, 256u}) {
      MatvecChoice form = start;
      form.rows = rows;
      form.teams = std::max(1u, threads / lanes);
      // On CPU drivers, wide forms take seconds to compile, and more than one team brings no gain.
      if (device.software && (form.teams > 1 || rows < 2 || (form.columns > 1 && rows > 4))) continue;
      add(form);
    }
  }
  return all;
}

class Tuner {
 public:
  Tuner(Tuning& tuning, const vulkan::DeviceInfo& device, ProjectionMeter& meter, const std::stop_token& stop)
      : m_tuning(tuning), m_device(device), m_meter(meter), m_stop(stop) {}
  Result<void> run(std::span<const MatrixNeed> needs, bool findLanes);

 private:
  using Job = std::function<Result<void>()>;
  Result<void> findLanes(const MatrixNeed& need);
  Result<void> settle(const MatrixNeed& need, MatvecChoice ProjectionChoice::*which, std::uint32_t tokens);
  Result<void> settleLongSteps(const MatrixNeed& need);
  Result<double> inLongSteps(const MatrixNeed& need, const ProjectionChoice& first, const ProjectionChoice& second);
  Result<std::uint32_t> firstWorth(const MatrixNeed& need, const ProjectionChoice& form, std::uint32_t usual);
  Result<double> measure(const Tuning& tuning, const MatrixNeed& need, std::uint32_t tokens) {
    if (m_stop.stop_requested()) return fail({.kind = ErrorKind::cancelled, .what = "Loading was cancelled"});
    return m_meter.measure(tuning, need, tokens);
  }
  [[nodiscard]] bool isOver() const { return Clock::now() >= m_deadline; }
  // The tuning with this choice for a kind.
  [[nodiscard]] Tuning with(const MatrixNeed& need, const ProjectionChoice& choice) const {
    Tuning tuning = m_tuning;
    tuning.measured.insert_or_assign(need.kind, choice);
    return tuning;
  }

  Tuning& m_tuning;
  const vulkan::DeviceInfo& m_device;
  ProjectionMeter& m_meter;
  const std::stop_token& m_stop;
  TimePoint m_deadline;  // of the job in progress
};

// The subgroup size with which a projection of one token is fastest as it is by default; other forms are tried only with that one.
Result<void> Tuner::findLanes(const MatrixNeed& need) {
  const std::vector<std::uint32_t> choices = laneChoices(m_device);
  if (choices.size() < 2) return {};
  MINERVA_ASSIGN(double least, measure(m_tuning, need, 1));
  Tuning best = m_tuning;
  for (const std::uint32_t lanes : choices) {
    if (lanes == m_tuning.lanes || isOver()) continue;
    const Tuning other = defaultTuning(m_device, lanes);
    MINERVA_ASSIGN(const double time, measure(other, need, 1));
    if (time >= least * worthIt) continue;
    least = time;
    best = other;
  }
  m_tuning = best;
  return {};
}

// Finds the fastest form of the matrix-vector kernel for so many tokens: first of all sizes, then of both kinds of access and sharing.
Result<void> Tuner::settle(const MatrixNeed& need, MatvecChoice ProjectionChoice::*which, std::uint32_t tokens) {
  ProjectionChoice tried = choiceOf(m_tuning, need.kind);
  const std::uint32_t tilesFrom = tried.tilesFrom, unitsFrom = tried.unitsFrom;
  tried.tilesFrom = MatmulChoice::never;
  tried.unitsFrom = UnitsChoice::never;
  MatvecChoice best = tried.*which;
  double least = std::numeric_limits<double>::infinity();
  const auto attempt = [&](const MatvecChoice& form) -> Result<void> {
    tried.*which = form;
    MINERVA_ASSIGN(const double time, measure(with(need, tried), need, tokens));
    if (time >= least * worthIt) return {};
    least = time;
    best = form;
    return {};
  };
  std::vector<Tuning> ahead;
  const std::vector<MatvecChoice> sizes = candidates(best, m_device, m_tuning.lanes);
  for (const MatvecChoice& form : sizes) {
    tried.*which = form;
    ahead.push_back(with(need, tried));
  }
  m_meter.prepare(ahead, need, tokens);
  for (const MatvecChoice& form : sizes) {
    if (!isOver()) MINERVA_TRY(attempt(form));
  }
  MatvecChoice other = best;
  other.texel = !other.texel;
  if (!isOver()) MINERVA_TRY(attempt(other));
  other = best;
  other.share = other.share == 1 ? 4 : 1;
  if (!isOver() && !m_device.software && isUsable(other, m_device, m_tuning.lanes)) MINERVA_TRY(attempt(other));
  tried.*which = best;
  tried.tilesFrom = tilesFrom;
  tried.unitsFrom = unitsFrom;
  m_tuning.measured.insert_or_assign(need.kind, tried);
  return {};
}

// From how many tokens on the kernel of `form` beats the matrix-vector kernel: from the usual count, from longStep / 4, or never.
Result<std::uint32_t> Tuner::firstWorth(const MatrixNeed& need, const ProjectionChoice& form, std::uint32_t usual) {
  ProjectionChoice few = form;
  few.tilesFrom = MatmulChoice::never;
  few.unitsFrom = UnitsChoice::never;
  for (const std::uint32_t tokens : {shortStep, longStep}) {
    if (isOver()) return usual;
    MINERVA_ASSIGN(const double plain, measure(with(need, few), need, tokens));
    MINERVA_ASSIGN(const double time, measure(with(need, form), need, tokens));
    if (time < plain) return tokens == shortStep ? usual : longStep / 4;
    if (std::max(plain, time) / tokens * longStep > longestMilliseconds) return usual;
  }
  return MatmulChoice::never;
}

// What the first takes in units of what the second takes, in the longest step that this device may be asked for.
Result<double> Tuner::inLongSteps(const MatrixNeed& need, const ProjectionChoice& first, const ProjectionChoice& second) {
  double ratio = 1;
  for (const std::uint32_t tokens : {shortStep, longStep}) {
    MINERVA_ASSIGN(const double one, measure(with(need, first), need, tokens));
    MINERVA_ASSIGN(const double other, measure(with(need, second), need, tokens));
    ratio = one / other;
    if (isOver() || std::max(one, other) / tokens * longStep > longestMilliseconds) break;
  }
  return ratio;
}

// Whether and from when on tiles and matrix units are used. Units are also left out if tiles are faster.
Result<void> Tuner::settleLongSteps(const MatrixNeed& need) {
  static_assert(MatmulChoice::never == UnitsChoice::never);
  const ProjectionChoice start = choiceOf(m_tuning, need.kind);
  ProjectionChoice tiles = start, units = start, settled = start;
  tiles.tilesFrom = units.unitsFrom = 1;
  tiles.unitsFrom = units.tilesFrom = MatmulChoice::never;
  if (start.tilesFrom != MatmulChoice::never) {
    MINERVA_ASSIGN(settled.tilesFrom, firstWorth(need, tiles, start.tilesFrom));
  }
  if (start.unitsFrom != UnitsChoice::never && takesUnits(need.kind.type)) {
    MINERVA_ASSIGN(settled.unitsFrom, firstWorth(need, units, start.unitsFrom));
    if (settled.unitsFrom != UnitsChoice::never && m_tuning.units.halfSums && takesHalfSums(need.kind.type) && !isOver()) {
      ProjectionChoice halves = units;
      halves.halfSums = true;
      MINERVA_ASSIGN(const double ratio, inLongSteps(need, halves, units));
      if (ratio < worthHalves) units.halfSums = settled.halfSums = true;
    }
    if (settled.unitsFrom != UnitsChoice::never && !isOver()) {
      MINERVA_ASSIGN(const double ratio, inLongSteps(need, tiles, units));
      if (ratio < 1) settled.unitsFrom = UnitsChoice::never;
    }
  }
  m_tuning.measured.insert_or_assign(need.kind, settled);
  return {};
}

// Each job may take its share of what is left: a slow one leaves time for all others. Replies first, as most of them are waited for.
Result<void> Tuner::run(std::span<const MatrixNeed> needs, bool lanes) {
  std::vector<Job> jobs;
  if (lanes && !needs.empty()) jobs.emplace_back([&] { return findLanes(needs.front()); });
  for (const MatrixNeed& need : needs) jobs.emplace_back([&] { return settle(need, &ProjectionChoice::one, 1); });
  for (const MatrixNeed& need : needs) {
    if (m_tuning.rows.from <= m_tuning.many.columns) break;  // another kernel takes steps of as many tokens as would be measured
    jobs.emplace_back([&]() -> Result<void> {
      const auto found = m_tuning.measured.find(need.kind);
      if (found == m_tuning.measured.end()) return {};
      found->second.many.texel = found->second.one.texel;
      return settle(need, &ProjectionChoice::many, found->second.many.columns);
    });
  }
  for (const MatrixNeed& need : needs) {
    if (m_device.software) break;  // whose tiles are never used
    jobs.emplace_back([&]() -> Result<void> { return m_tuning.measured.contains(need.kind) ? settleLongSteps(need) : Result<void>(); });
  }
  const TimePoint end = Clock::now() + std::chrono::milliseconds(static_cast<int>(totalMilliseconds));
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const TimePoint now = Clock::now();
    if (now >= end) break;
    m_deadline = now + (end - now) / static_cast<int>(jobs.size() - i);
    MINERVA_TRY(jobs[i]());
  }
  return {};
}

}  // namespace

bool isUsable(const MatvecChoice& form, const vulkan::DeviceInfo& device, std::uint32_t lanes) {
  const bool enough = device.maxWorkgroupSubgroups == 0 || form.teams <= device.maxWorkgroupSubgroups;
  return isPowerUpTo8(form.rows) && isPowerUpTo8(form.columns) && form.teams >= 1 && enough &&
         form.teams <= device.maxWorkgroupInvocations / std::max(1u, lanes) && (form.share == 1 || form.share == 4) && form.share <= lanes;
}

Result<void> measureTuning(Tuning& tuning, std::span<const MatrixNeed> needs, bool findLanes, const vulkan::DeviceInfo& device,
                           ProjectionMeter& meter, const std::stop_token& stop) {
  std::vector<MatrixNeed> missing;
  std::ranges::copy_if(needs, std::back_inserter(missing), [&](const MatrixNeed& need) { return !tuning.measured.contains(need.kind); });
  return Tuner(tuning, device, meter, stop).run(missing, findLanes);
}

}  // namespace minerva::gpu
