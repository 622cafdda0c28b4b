#include "gpu/runtime/tuner.h"

#include "core/base/clock.h"
#include "gpu/runtime/cache_files.h"
#include "gpu/runtime/projection_form.h"
#include "gpu/vulkan/buffer.h"
#include "gpu/vulkan/commands.h"
#include "gpu/vulkan/texel_sets.h"
#include "gpu/vulkan/timeline.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <span>
#include <sstream>

namespace minerva::gpu {

namespace {

constexpr int fileVersion = 4;
constexpr double candidateMilliseconds = 150, totalMilliseconds = 3000;
constexpr std::uint32_t longStep = 256, shortStep = 16;  // step sizes used to compare the kernels for long steps

bool isPowerUpTo8(std::uint32_t value) { return value == 1 || value == 2 || value == 4 || value == 8; }

// Values no kernel supports, or workgroups larger than the device's maximum, would only fail later, so reject them on
// loading.
bool usable(const MatvecChoice& form, const vulkan::DeviceInfo& device, std::uint32_t lanes) {
  const bool enough = device.maxWorkgroupSubgroups == 0 || form.teams <= device.maxWorkgroupSubgroups;
  return isPowerUpTo8(form.rows) && isPowerUpTo8(form.columns) && form.teams >= 1 && enough &&
         form.teams <= device.maxWorkgroupInvocations / std::max(1u, lanes) && (form.share == 1 || form.share == 4) && form.share <= lanes;
}

std::istream& operator>>(std::istream& in, MatvecChoice& form) {
  return in >> form.texel >> form.rows >> form.teams >> form.columns >> form.share;
}
std::ostream& operator<<(std::ostream& out, const MatvecChoice& form) {
  return out << form.texel << ' ' << form.rows << ' ' << form.teams << ' ' << form.columns << ' ' << form.share << '\n';
}

// Repeats a projection of a small model's size on arbitrary data. On hardware GPUs, one submission covers several different
// matrices: a single one would take less time than the submission itself, and would be read from a cache that no real model
// fits into.
class Bench {
 public:
  static Result<Bench> create(const std::shared_ptr<vulkan::Device>& device, Kernels& kernels);
  // Milliseconds per projection of n tokens with this tuning; infinity if the driver cannot compile it.
  Result<double> measure(const Tuning& tuning, std::uint32_t n);

 private:
  static constexpr std::uint32_t side = 4096;
  Bench(std::shared_ptr<vulkan::Device> device, Kernels& kernels, std::uint32_t copies, vulkan::Buffer weights, vulkan::Buffer x,
        vulkan::Buffer out, vulkan::Timeline timeline)
      : m_device(std::move(device)),
        m_kernels(kernels),
        m_copies(copies),
        m_weights(std::move(weights)),
        m_x(std::move(x)),
        m_out(std::move(out)),
        m_timeline(std::move(timeline)) {}
  [[nodiscard]] static WeightLayout layout() { return layoutOf(ElementType::Q4_0, side, side); }
  Result<vulkan::Commands> record(const ProjectionForm& form, const vulkan::Pipeline& kernel, std::uint32_t n, vulkan::TexelSets& sets);

  std::shared_ptr<vulkan::Device> m_device;
  Kernels& m_kernels;
  std::uint32_t m_copies;
  vulkan::Buffer m_weights, m_x, m_out;
  vulkan::Timeline m_timeline;
};

Result<Bench> Bench::create(const std::shared_ptr<vulkan::Device>& device, Kernels& kernels) {
  constexpr std::uint64_t wanted = 24;  // 226 MB: exceeds GPU caches
  const std::uint64_t each = layout().bytes;
  const std::uint64_t free = vulkan::memoryBudget(device->instance(), device->info()).free;
  const std::uint64_t copies = device->info().software ? 1 : std::clamp<std::uint64_t>(free / 4 / each, 1, wanted);
  const std::uint32_t tokens = device->info().software ? 8 : longStep;
  MINERVA_ASSIGN(vulkan::Buffer weights, vulkan::Buffer::create(device, each * copies, vulkan::MemoryKind::device));
  MINERVA_ASSIGN(vulkan::Buffer x, vulkan::Buffer::create(device, std::uint64_t{side} * tokens * 4, vulkan::MemoryKind::device));
  MINERVA_ASSIGN(vulkan::Buffer out, vulkan::Buffer::create(device, std::uint64_t{side} * tokens * 4, vulkan::MemoryKind::device));
  MINERVA_ASSIGN(vulkan::Timeline timeline, vulkan::Timeline::create(device));
  MINERVA_ASSIGN(vulkan::Commands clear, vulkan::Commands::create(device, false));
  clear.fill(weights.view(), 0x11223344u);
  clear.fill(x.view(), 0x3c003c00u);  // each float is 0.0078
  MINERVA_TRY(clear.end());
  MINERVA_TRY(timeline.run(clear.handle()));
  return Bench(device, kernels, static_cast<std::uint32_t>(copies), std::move(weights), std::move(x), std::move(out), std::move(timeline));
}

Result<vulkan::Commands> Bench::record(const ProjectionForm& form, const vulkan::Pipeline& kernel, std::uint32_t n,
                                       vulkan::TexelSets& sets) {
  const WeightLayout shape = layout();
  const auto quads = [](std::uint64_t bytes) { return static_cast<std::uint32_t>(bytes / 16); };
  MINERVA_ASSIGN(vulkan::Commands commands, vulkan::Commands::create(m_device, true));
  for (std::uint32_t i = 0; i < m_copies; ++i) {
    const vulkan::BufferView weights = m_weights.view().part(i * shape.bytes, shape.bytes);
    VkDescriptorSet set = VK_NULL_HANDLE;
    if (kernel.texelBindings() > 0) {
      const std::array<vulkan::Texels, 3> texels{
          {{weights, VK_FORMAT_R32G32B32A32_UINT}, {weights, VK_FORMAT_R32_UINT}, {m_x.view(), VK_FORMAT_R32G32B32A32_SFLOAT}}};
      MINERVA_ASSIGN(set, sets.make(kernel, texels));
    }
    const push::Matvec p{.weights = weights.address,
                         .x = m_x.view().address,
                         .bias = 0,
                         .aux = 0,
                         .out_ = m_out.view().address,
                         .route = 0,
                         .norm = 0,
                         .plane1 = quads(shape.planes[1]),
                         .plane2 = quads(shape.planes[2]),
                         .plane3 = quads(shape.planes[3]),
                         .rows = side,
                         .groups = shape.groups,
                         .blocks = shape.blocks,
                         .n = n,
                         .xStride = side,
                         .outStride = side,
                         .routeStride = 0,
                         .hasBias = 0,
                         .scale = 1.0f,
                         .softCap = 0.0f,
                         .places = 1,
                         .xPlace = 0,
                         .outPlace = 0,
                         .columns = side,
                         .epsilon = 0};
    commands.dispatch(kernel, &p, sizeof p, set, (side + form.rows - 1) / form.rows, (n + form.columns - 1) / form.columns, 1);
    commands.barrier();
  }
  MINERVA_TRY(commands.end());
  return commands;
}

Result<double> Bench::measure(const Tuning& tuning, std::uint32_t n) {
  const ProjectionForm form = projectionForm(tuning, m_device->info().matrixUnit,
                                             {.type = ElementType::Q4_0, .groups = layout().groups, .tokens = n, .rounds = true});
  const auto kernel = m_kernels.get<push::Matvec>(form.kernel, form.constants, form.lanes);
  if (!kernel) return std::numeric_limits<double>::infinity();
  vulkan::TexelSets sets(m_device);
  MINERVA_ASSIGN(vulkan::Commands commands, record(form, **kernel, n, sets));
  MINERVA_TRY(m_timeline.run(commands.handle()));  // warm-up
  double best = std::numeric_limits<double>::infinity();
  double spent = 0;
  for (int i = 0; i < 20 && spent < candidateMilliseconds; ++i) {
    const TimePoint start = Clock::now();
    MINERVA_TRY(m_timeline.run(commands.handle()));
    const double milliseconds = millisecondsBetween(start, Clock::now());
    best = std::min(best, milliseconds);
    spent += milliseconds;
  }
  return best / m_copies;
}

std::vector<MatvecChoice> candidates(const MatvecChoice& start, const vulkan::DeviceInfo& device, std::uint32_t lanes) {
  std::vector<MatvecChoice> all{start};
  for (const std::uint32_t rows : {1u, 2u, 4u, 8u}) {
    for (const std::uint32_t threads : {lanes, 128u, 256u}) {
      MatvecChoice form = start;
      form.rows = rows;
      form.teams = std::max(1u, threads / lanes);
      // On CPU drivers, wide forms take seconds to compile, and more than one team brings no gain.
      if (device.software && (form.teams > 1 || rows < 2 || (form.columns > 1 && rows > 4))) continue;
      if (usable(form, device, lanes)) all.push_back(form);
    }
  }
  return all;
}

class Tuner {
 public:
  Tuner(Bench& bench, const vulkan::DeviceInfo& device, const std::stop_token& stop) : m_bench(bench), m_device(device), m_stop(stop) {}
  Result<Tuning> run(Tuning tuning);

 private:
  Result<void> settle(Tuning& tuning, MatvecChoice Tuning::*which, std::uint32_t n);
  Result<void> settleLongSteps(Tuning& tuning);
  Result<Tuning> withBestLanes(const Tuning& start);
  Result<double> measure(const Tuning& tuning, std::uint32_t n) {
    if (m_stop.stop_requested()) return fail({.kind = ErrorKind::cancelled, .what = "Loading was cancelled"});
    return m_bench.measure(tuning, n);
  }

  Bench& m_bench;
  const vulkan::DeviceInfo& m_device;
  const std::stop_token& m_stop;
};

// Finds the fastest form for n tokens, then checks whether the other kind of memory access, or of sharing blocks, is faster still.
Result<void> Tuner::settle(Tuning& tuning, MatvecChoice Tuning::*which, std::uint32_t n) {
  const TimePoint begin = Clock::now();
  Tuning tried = tuning;
  tried.units.from = UnitsChoice::never;
  tried.tiles.from = MatmulChoice::never;
  MINERVA_ASSIGN(double best, measure(tried, n));
  const auto attempt = [&](const MatvecChoice& form) -> Result<void> {
    tried.*which = form;
    MINERVA_ASSIGN(const double time, measure(tried, n));
    if (time >= best * 0.97) return {};  // smaller differences are noise
    best = time;
    tuning.*which = form;
    return {};
  };
  for (const MatvecChoice& form : candidates(tuning.*which, m_device, tuning.lanes)) {
    if (millisecondsBetween(begin, Clock::now()) >= totalMilliseconds) break;
    MINERVA_TRY(attempt(form));
  }
  MatvecChoice other = tuning.*which;
  other.texel = !other.texel;
  MINERVA_TRY(attempt(other));
  other = tuning.*which;
  other.share = other.share == 1 ? 4 : 1;
  if (m_device.software || !usable(other, m_device, tuning.lanes)) return {};
  return attempt(other);
}

// From how many tokens on the kernels for matrix units and for tiles beat the matrix-vector kernel: from the default count,
// from longStep / 4, or never. Matrix units are also disabled if tiles are faster.
Result<void> Tuner::settleLongSteps(Tuning& tuning) {
  Tuning few = tuning;
  few.units.from = UnitsChoice::never;
  few.tiles.from = MatmulChoice::never;
  Tuning tiles = few;
  tiles.tiles.from = 1;
  Tuning units = few;
  units.units.from = 1;
  const auto firstWorth = [&](const Tuning& form, std::uint32_t usual, std::uint32_t never) -> Result<std::uint32_t> {
    for (const std::uint32_t n : {shortStep, longStep}) {
      MINERVA_ASSIGN(const double plain, measure(few, n));
      MINERVA_ASSIGN(const double time, measure(form, n));
      if (time < plain) return n == shortStep ? usual : longStep / 4;
    }
    return never;
  };
  if (tuning.tiles.from != MatmulChoice::never) {
    MINERVA_ASSIGN(tuning.tiles.from, firstWorth(tiles, tuning.tiles.from, MatmulChoice::never));
  }
  if (tuning.units.from == UnitsChoice::never) return {};
  MINERVA_ASSIGN(tuning.units.from, firstWorth(units, tuning.units.from, UnitsChoice::never));
  MINERVA_ASSIGN(const double withTiles, measure(tiles, longStep));
  MINERVA_ASSIGN(const double withUnits, measure(units, longStep));
  if (withTiles < withUnits) tuning.units.from = UnitsChoice::never;
  return {};
}

// The subgroup size with which a projection of one token is fastest as it is by default; other forms are tried only with that one.
Result<Tuning> Tuner::withBestLanes(const Tuning& start) {
  Tuning best = start;
  MINERVA_ASSIGN(double least, measure(start, 1));
  for (const std::uint32_t lanes : laneChoices(m_device)) {
    if (lanes == start.lanes) continue;
    const Tuning other = defaultTuning(m_device, lanes);
    MINERVA_ASSIGN(const double time, measure(other, 1));
    if (time >= least * 0.97) continue;  // smaller differences are noise
    least = time;
    best = other;
  }
  return best;
}

Result<Tuning> Tuner::run(Tuning tuning) {
  MINERVA_ASSIGN(tuning, withBestLanes(tuning));
  MINERVA_TRY(settle(tuning, &Tuning::one, 1));
  tuning.many.texel = tuning.one.texel;
  MINERVA_TRY(settle(tuning, &Tuning::many, tuning.many.columns));
  if (!m_device.software) MINERVA_TRY(settleLongSteps(tuning));
  return tuning;
}

}  // namespace

std::optional<Tuning> loadTuning(const std::filesystem::path& folder, const vulkan::DeviceInfo& device) {
  std::ifstream file(cacheFile(folder, device, "tuning"));
  int version = 0;
  std::uint32_t lanes = 0;
  if (!(file >> version >> lanes) || version != fileVersion) return std::nullopt;
  const std::vector<std::uint32_t> choices = laneChoices(device);
  if (std::ranges::find(choices, lanes) == choices.end()) return std::nullopt;
  Tuning tuning = defaultTuning(device, lanes);
  const bool hasUnits = tuning.units.from != UnitsChoice::never;  // otherwise it has no tiles for them
  if (!(file >> tuning.one >> tuning.many >> tuning.tiles.from >> tuning.units.from >> tuning.units.attention)) return std::nullopt;
  if (!hasUnits && (tuning.units.from != UnitsChoice::never || tuning.units.attention)) return std::nullopt;
  if (!usable(tuning.one, device, tuning.lanes) || !usable(tuning.many, device, tuning.lanes)) return std::nullopt;
  return tuning;
}

void saveTuning(const std::filesystem::path& folder, const vulkan::DeviceInfo& device, const Tuning& tuning) {
  std::ostringstream out;
  out << fileVersion << ' ' << tuning.lanes << '\n'
      << tuning.one << tuning.many << tuning.tiles.from << ' ' << tuning.units.from << ' ' << tuning.units.attention << '\n';
  const std::string text = out.str();
  replaceFile(cacheFile(folder, device, "tuning"), std::as_bytes(std::span(text)));
}

Result<Tuning> measureTuning(const std::shared_ptr<vulkan::Device>& device, Kernels& kernels, const Tuning& start,
                             const std::stop_token& stop) {
  MINERVA_ASSIGN(Bench bench, Bench::create(device, kernels));
  return Tuner(bench, device->info(), stop).run(start);
}

}  // namespace minerva::gpu
