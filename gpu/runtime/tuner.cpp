#include "gpu/runtime/tuner.h"

#include "core/base/clock.h"
#include "gpu/runtime/weight_layout.h"
#include "gpu/vulkan/buffer.h"
#include "gpu/vulkan/commands.h"
#include "gpu/vulkan/texel_sets.h"
#include "gpu/vulkan/timeline.h"

#include <algorithm>
#include <fstream>
#include <limits>

namespace minerva::gpu {

namespace {

constexpr int fileVersion = 1;
constexpr double candidateMilliseconds = 150, totalMilliseconds = 3000;

std::filesystem::path fileOf(const std::filesystem::path& folder, const vulkan::DeviceInfo& device) {
  return folder / ("vulkan-" + device.uuid + "-" + std::to_string(device.driverVersion) + ".tuning");
}

bool isPowerUpTo8(std::uint32_t value) { return value == 1 || value == 2 || value == 4 || value == 8; }

// "rows" that no kernel has, or a workgroup no device has, would fail later and far away: they count as unreadable.
bool usable(const MatvecChoice& form, const vulkan::DeviceInfo& device, std::uint32_t lanes) {
  return isPowerUpTo8(form.rows) && isPowerUpTo8(form.columns) && form.teams >= 1 &&
         form.teams <= device.maxWorkgroupInvocations / std::max(1u, lanes);
}

std::istream& operator>>(std::istream& in, MatvecChoice& form) {
  return in >> form.texel >> form.rows >> form.teams >> form.columns;
}
std::ostream& operator<<(std::ostream& out, const MatvecChoice& form) {
  return out << form.texel << ' ' << form.rows << ' ' << form.teams << ' ' << form.columns << '\n';
}

// A projection of the size of a small model's, over and over, with whatever bytes the memory holds.
class Bench {
 public:
  static Result<Bench> create(const std::shared_ptr<vulkan::Device>& device, Kernels& kernels, std::uint32_t lanes);
  // Milliseconds of one projection of n tokens in this form; infinite when the driver cannot run it.
  Result<double> measure(const MatvecChoice& form, std::uint32_t n);

 private:
  static constexpr std::uint32_t side = 4096, maxTokens = 8;
  Bench(std::shared_ptr<vulkan::Device> device, Kernels& kernels, std::uint32_t lanes, vulkan::Buffer weights, vulkan::Buffer x,
        vulkan::Buffer out, vulkan::Timeline timeline)
      : m_device(std::move(device)), m_kernels(kernels), m_lanes(lanes), m_weights(std::move(weights)), m_x(std::move(x)),
        m_out(std::move(out)), m_timeline(std::move(timeline)) {}
  Result<vulkan::Commands> record(const MatvecChoice& form, std::uint32_t n, vulkan::TexelSets& sets);

  std::shared_ptr<vulkan::Device> m_device;
  Kernels& m_kernels;
  std::uint32_t m_lanes;
  WeightLayout m_layout = layoutOf(ElementType::Q4_0, side, side);
  vulkan::Buffer m_weights, m_x, m_out;
  vulkan::Timeline m_timeline;
};

Result<Bench> Bench::create(const std::shared_ptr<vulkan::Device>& device, Kernels& kernels, std::uint32_t lanes) {
  const std::uint64_t bytes = layoutOf(ElementType::Q4_0, side, side).bytes;
  MINERVA_ASSIGN(vulkan::Buffer weights, vulkan::Buffer::create(device, bytes, vulkan::MemoryKind::device));
  MINERVA_ASSIGN(vulkan::Buffer x, vulkan::Buffer::create(device, std::uint64_t{side} * maxTokens * 4, vulkan::MemoryKind::device));
  MINERVA_ASSIGN(vulkan::Buffer out, vulkan::Buffer::create(device, std::uint64_t{side} * maxTokens * 4, vulkan::MemoryKind::device));
  MINERVA_ASSIGN(vulkan::Timeline timeline, vulkan::Timeline::create(device));
  MINERVA_ASSIGN(vulkan::Commands clear, vulkan::Commands::create(device, false));
  clear.fill(weights.view(), 0x11223344u);
  clear.fill(x.view(), 0);
  MINERVA_TRY(clear.end());
  MINERVA_TRY(timeline.run(clear.handle()));
  return Bench(device, kernels, lanes, std::move(weights), std::move(x), std::move(out), std::move(timeline));
}

Result<vulkan::Commands> Bench::record(const MatvecChoice& form, std::uint32_t n, vulkan::TexelSets& sets) {
  MINERVA_ASSIGN(const vulkan::Pipeline* kernel,
                 m_kernels.get<push::Matvec>(form.texel ? "matvec_texel_Q4_0" : "matvec_Q4_0",
                                             {m_lanes * form.teams, m_lanes, form.rows, form.columns, 0, 0, 0, 0}, m_lanes));
  VkDescriptorSet set = VK_NULL_HANDLE;
  if (form.texel) {
    const std::array<vulkan::Texels, 3> texels{{{m_weights.view(), VK_FORMAT_R32G32B32A32_UINT},
                                                {m_weights.view(), VK_FORMAT_R32_UINT},
                                                {m_x.view(), VK_FORMAT_R32G32B32A32_SFLOAT}}};
    MINERVA_ASSIGN(set, sets.make(*kernel, texels));
  }
  const auto quads = [](std::uint64_t bytes) { return static_cast<std::uint32_t>(bytes / 16); };
  const push::Matvec p{.weights = m_weights.view().address, .x = m_x.view().address, .bias = 0, .aux = 0, .out_ = m_out.view().address, .route = 0, .norm = 0,
                       .plane1 = quads(m_layout.planes[1]), .plane2 = quads(m_layout.planes[2]), .plane3 = quads(m_layout.planes[3]),
                       .rows = side, .groups = m_layout.groups, .blocks = m_layout.blocks, .n = n, .xStride = side, .outStride = side,
                       .routeStride = 0, .hasBias = 0, .scale = 1.0f, .softCap = 0.0f, .places = 1, .xPlace = 0, .outPlace = 0, .columns = side,
                       .epsilon = 0};
  MINERVA_ASSIGN(vulkan::Commands commands, vulkan::Commands::create(m_device, true));
  const std::uint32_t units = m_layout.groups * (groupRows / form.rows);
  commands.dispatch(*kernel, &p, sizeof p, set, (units + form.teams - 1) / form.teams, (n + form.columns - 1) / form.columns, 1);
  commands.barrier();
  MINERVA_TRY(commands.end());
  return commands;
}

Result<double> Bench::measure(const MatvecChoice& form, std::uint32_t n) {
  vulkan::TexelSets sets(m_device);
  MINERVA_ASSIGN(vulkan::Commands commands, record(form, n, sets));
  MINERVA_TRY(m_timeline.run(commands.handle()));  // warm, and compiled
  double best = std::numeric_limits<double>::infinity();
  double spent = 0;
  for (int i = 0; i < 20 && spent < candidateMilliseconds; ++i) {
    const TimePoint start = Clock::now();
    MINERVA_TRY(m_timeline.run(commands.handle()));
    const double milliseconds = millisecondsBetween(start, Clock::now());
    best = std::min(best, milliseconds);
    spent += milliseconds;
  }
  return best;
}

std::vector<MatvecChoice> candidates(const MatvecChoice& start, const vulkan::DeviceInfo& device, std::uint32_t lanes) {
  std::vector<MatvecChoice> all{start};
  for (const bool texel : {start.texel, !start.texel}) {
    for (const std::uint32_t rows : {2u, 4u, 8u}) {
      for (const std::uint32_t threads : {lanes, 128u, 256u}) {
        MatvecChoice form = start;
        form.texel = texel;
        form.rows = rows;
        form.teams = std::max(1u, threads / lanes);
        // Compiling wide forms takes a driver on the CPU seconds, and more than one team gains it nothing.
        if (device.software && (form.teams > 1 || (form.columns > 1 && rows > 4))) continue;
        if (usable(form, device, lanes)) all.push_back(form);
      }
    }
  }
  return all;
}

Result<MatvecChoice> fastest(Bench& bench, const std::vector<MatvecChoice>& forms, std::uint32_t n, TimePoint begin) {
  MatvecChoice best = forms.front();
  MINERVA_ASSIGN(double bestTime, bench.measure(best, n));
  for (std::size_t i = 1; i < forms.size() && millisecondsBetween(begin, Clock::now()) < totalMilliseconds; ++i) {
    MINERVA_ASSIGN(const double time, bench.measure(forms[i], n));
    if (time >= bestTime * 0.97) continue;  // a hair's breadth is noise
    best = forms[i];
    bestTime = time;
  }
  return best;
}

}  // namespace

std::optional<Tuning> loadTuning(const std::filesystem::path& folder, const vulkan::DeviceInfo& device) {
  std::ifstream file(fileOf(folder, device));
  int version = 0;
  Tuning tuning = defaultTuning(device);
  if (!(file >> version >> tuning.one >> tuning.many) || version != fileVersion) return std::nullopt;
  if (!usable(tuning.one, device, tuning.lanes) || !usable(tuning.many, device, tuning.lanes)) return std::nullopt;
  return tuning;
}

void saveTuning(const std::filesystem::path& folder, const vulkan::DeviceInfo& device, const Tuning& tuning) {
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  const std::filesystem::path file = fileOf(folder, device);
  const std::filesystem::path written = file.string() + ".new";
  {
    std::ofstream out(written);
    out << fileVersion << '\n' << tuning.one << tuning.many;
    if (!out.good()) return;
  }
  std::filesystem::rename(written, file, ignored);
}

Result<Tuning> measureTuning(const std::shared_ptr<vulkan::Device>& device, Kernels& kernels, const Tuning& start) {
  const TimePoint begin = Clock::now();
  Tuning tuning = start;
  MINERVA_ASSIGN(Bench bench, Bench::create(device, kernels, start.lanes));
  MINERVA_ASSIGN(tuning.one, fastest(bench, candidates(start.one, device->info(), start.lanes), 1, begin));
  MatvecChoice many = start.many;
  many.texel = tuning.one.texel;
  MINERVA_ASSIGN(tuning.many, fastest(bench, candidates(many, device->info(), start.lanes), many.columns, Clock::now()));
  return tuning;
}

}  // namespace minerva::gpu
