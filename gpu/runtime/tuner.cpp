#include "gpu/runtime/tuner.h"

#include "core/base/clock.h"
#include "gpu/runtime/projection_form.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace minerva::gpu {

namespace {

constexpr double totalMilliseconds = 2000;
constexpr std::chrono::seconds mostCompiling(20);        // the rest is compiled with the next model, behind what is kept of these
constexpr std::uint32_t mostLoads = 3;                   // that measure the same kind
constexpr double worthIt = 0.97;                         // smaller differences are noise
constexpr double worthHalves = 0.9;                      // of sums that are less exact, more is asked
constexpr std::uint32_t longStep = 256, shortStep = 16;  // step sizes used to compare the kernels for long steps
constexpr double longestMilliseconds = 500;              // of a dispatch: a slow device is not asked for longer ones (dispatch_cut.h)

// Another kernel may take steps of as many tokens as would be measured; drivers on the CPU never use tiles.
bool measuresMany(const Tuning& tuning) { return tuning.rows.from > tuning.many.columns; }
bool measuresLongSteps(const vulkan::DeviceInfo& device) { return !device.software; }

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
  void prepare(std::span<const Tuning> tunings, const MatrixNeed& need, std::uint32_t tokens);
  Result<double> measure(const Tuning& tuning, const MatrixNeed& need, std::uint32_t tokens);
  Result<bool> isFaster(const Tuning& tried, const Tuning& best, const MatrixNeed& need, std::uint32_t tokens, double& least);
  [[nodiscard]] bool isOver() const { return Clock::now() >= m_deadline || hasCompiledEnough(); }
  [[nodiscard]] bool hasCompiledEnough() const { return m_compiling >= mostCompiling; }
  [[nodiscard]] const MeasuredParts& partsOf(const MatrixNeed& need) const {
    static const MeasuredParts none;
    const auto found = m_tuning.measured.find(need.kind);
    return found == m_tuning.measured.end() ? none : found->second.parts;
  }
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
  TimePoint m_end, m_deadline;       // of all jobs, and of the one in progress
  Clock::duration m_compiling = {};  // so far
};

// A driver may take longer to compile a kernel than the device to run all of them: the clock stands still meanwhile.
void Tuner::prepare(std::span<const Tuning> tunings, const MatrixNeed& need, std::uint32_t tokens) {
  const TimePoint from = Clock::now();
  m_meter.prepare(tunings, need, tokens);
  const Clock::duration took = Clock::now() - from;
  m_compiling += took;
  m_deadline += took;
  m_end += took;
}

Result<double> Tuner::measure(const Tuning& tuning, const MatrixNeed& need, std::uint32_t tokens) {
  if (m_stop.stop_requested()) return fail({.kind = ErrorKind::cancelled, .what = "Loading was cancelled"});
  prepare({&tuning, 1}, need, tokens);
  return m_meter.measure(tuning, need, tokens);
}

// Whether a form is worth taking instead of the best one so far, which took `least`. A device's clock may rise while forms are compared,
// so that a later one seems faster: where one does, the best one is measured once more behind it.
Result<bool> Tuner::isFaster(const Tuning& tried, const Tuning& best, const MatrixNeed& need, std::uint32_t tokens, double& least) {
  MINERVA_ASSIGN(const double time, measure(tried, need, tokens));
  if (time >= least * worthIt) return false;
  if (least < std::numeric_limits<double>::infinity()) {
    MINERVA_ASSIGN(const double again, measure(best, need, tokens));
    least = std::min(least, again);
    if (time >= least * worthIt) return false;
  }
  least = time;
  return true;
}

// The subgroup size with which a projection of one token is fastest as it is by default; other forms are tried only with that one. There
// are three at most, and no later load can make up for one: all are tried, whatever the share of the time.
Result<void> Tuner::findLanes(const MatrixNeed& need) {
  const std::vector<std::uint32_t> choices = laneChoices(m_device);
  if (choices.size() < 2) return {};
  MINERVA_ASSIGN(double least, measure(m_tuning, need, 1));
  Tuning best = m_tuning;
  for (const std::uint32_t lanes : choices) {
    if (lanes == m_tuning.lanes || Clock::now() >= m_end) continue;
    Tuning other = defaultTuning(m_device, lanes);
    other.units = m_tuning.units;
    MINERVA_ASSIGN(const bool faster, isFaster(other, best, need, 1, least));
    if (faster) best = other;
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
  bool measured = false;
  const auto tuningOf = [&](const MatvecChoice& form) {
    tried.*which = form;
    return with(need, tried);
  };
  const auto attempt = [&](const MatvecChoice& form) -> Result<void> {
    MINERVA_ASSIGN(const bool faster, isFaster(tuningOf(form), tuningOf(best), need, tokens, least));
    measured = true;
    if (faster) best = form;
    return {};
  };
  std::vector<Tuning> ahead;
  const std::vector<MatvecChoice> sizes = candidates(best, m_device, m_tuning.lanes);
  for (const MatvecChoice& form : sizes) ahead.push_back(tuningOf(form));
  prepare(ahead, need, tokens);
  for (const MatvecChoice& form : sizes) {
    if (!isOver()) MINERVA_TRY(attempt(form));
  }
  MatvecChoice other = best;
  other.texel = !other.texel;
  if (!isOver()) MINERVA_TRY(attempt(other));
  other = best;
  other.share = other.share == 1 ? 4 : 1;
  if (!isOver() && !m_device.software && isUsable(other, m_device, m_tuning.lanes)) MINERVA_TRY(attempt(other));
  if (!measured) return {};
  tried.*which = best;
  tried.tilesFrom = tilesFrom;
  tried.unitsFrom = unitsFrom;
  (which == &ProjectionChoice::one ? tried.parts.one : tried.parts.many) = true;
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
  ProjectionChoice start = choiceOf(m_tuning, need.kind);
  start.tilesFrom = m_tuning.tiles.from;  // whatever an earlier load began
  start.unitsFrom = m_tuning.units.from;
  start.halfSums = false;
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
  settled.parts.longSteps = !isOver();  // else some comparison was left out
  m_tuning.measured.insert_or_assign(need.kind, settled);
  return {};
}

// Each job may take its share of what is left: a slow one leaves time for all others. Replies first, as most of them are waited for.
Result<void> Tuner::run(std::span<const MatrixNeed> needs, bool lanes) {
  std::vector<Job> jobs;
  if (lanes && !needs.empty()) jobs.emplace_back([&] { return findLanes(needs.front()); });
  for (const MatrixNeed& need : needs) {
    if (!partsOf(need).one) jobs.emplace_back([&] { return settle(need, &ProjectionChoice::one, 1); });
  }
  for (const MatrixNeed& need : needs) {
    if (!measuresMany(m_tuning) || partsOf(need).many) continue;
    jobs.emplace_back([&]() -> Result<void> {
      const auto found = m_tuning.measured.find(need.kind);
      if (found == m_tuning.measured.end()) return {};
      found->second.many.texel = found->second.one.texel;
      return settle(need, &ProjectionChoice::many, found->second.many.columns);
    });
  }
  for (const MatrixNeed& need : needs) {
    if (!measuresLongSteps(m_device) || partsOf(need).longSteps) continue;
    jobs.emplace_back([&]() -> Result<void> { return m_tuning.measured.contains(need.kind) ? settleLongSteps(need) : Result<void>(); });
  }
  m_end = Clock::now() + std::chrono::milliseconds(static_cast<int>(totalMilliseconds));
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const TimePoint now = Clock::now();
    if (now >= m_end || hasCompiledEnough()) break;
    m_deadline = now + (m_end - now) / static_cast<int>(jobs.size() - i);
    MINERVA_TRY(jobs[i]());
  }
  for (const MatrixNeed& need : needs) {
    const auto found = m_tuning.measured.find(need.kind);
    if (found != m_tuning.measured.end()) ++found->second.parts.loads;
  }
  return {};
}

}  // namespace

bool isSettled(const Tuning& tuning, const vulkan::DeviceInfo& device, const MatrixKind& kind) {
  const auto found = tuning.measured.find(kind);
  if (found == tuning.measured.end()) return false;
  const MeasuredParts& parts = found->second.parts;
  const bool all = parts.one && (parts.many || !measuresMany(tuning)) && (parts.longSteps || !measuresLongSteps(device));
  return all || parts.loads >= mostLoads;
}

bool isUsable(const MatvecChoice& form, const vulkan::DeviceInfo& device, std::uint32_t lanes) {
  const bool enough = device.maxWorkgroupSubgroups == 0 || form.teams <= device.maxWorkgroupSubgroups;
  return isPowerUpTo8(form.rows) && isPowerUpTo8(form.columns) && form.teams >= 1 && enough &&
         form.teams <= device.maxWorkgroupInvocations / std::max(1u, lanes) && (form.share == 1 || form.share == 4) && form.share <= lanes;
}

Result<void> measureTuning(Tuning& tuning, std::span<const MatrixNeed> needs, bool findLanes, const vulkan::DeviceInfo& device,
                           ProjectionMeter& meter, const std::stop_token& stop) {
  std::vector<MatrixNeed> missing;
  std::ranges::copy_if(needs, std::back_inserter(missing), [&](const MatrixNeed& need) { return !isSettled(tuning, device, need.kind); });
  return Tuner(tuning, device, meter, stop).run(missing, findLanes);
}

}  // namespace minerva::gpu
