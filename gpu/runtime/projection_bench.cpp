#include "gpu/runtime/projection_bench.h"

#include "core/base/clock.h"
#include "gpu/runtime/plain_projection.h"
#include "gpu/runtime/steady_time.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace minerva::gpu {

namespace {

// On hardware GPUs, one submission covers several different matrices: a single one would be read from a cache that no real model fits
// into, and where the queue has no clock it would take less time than the submission itself.
constexpr std::uint64_t benchBytes = std::uint64_t{256} << 20;
constexpr std::uint64_t largestMatrix = std::uint64_t{64} << 20;  // bytes; of larger ones, some rows
constexpr std::uint32_t mostRows = 16384;                         // such as those of a vocabulary
constexpr std::uint32_t mostTokens = 256, fewTokens = 8;  // tuner.cpp's longest step; steps that are bound by the reading of weights
constexpr SteadyTime onGpu = {}, onCpu = {.waking = 0, .enough = 40};  // the runs of one form

WeightLayout benchLayout(const MatrixNeed& need) {
  const std::uint64_t rowBytes = std::max<std::uint64_t>(1, layoutOf(need.kind.type, groupRows, need.columns).bytes / groupRows);
  const std::uint64_t fitting = std::max<std::uint64_t>(groupRows, largestMatrix / rowBytes / groupRows * groupRows);
  const auto most = static_cast<std::uint32_t>(std::min<std::uint64_t>(fitting, mostRows));
  return layoutOf(need.kind.type, std::min(need.rows, most), need.columns);
}

std::uint64_t roomOf(const WeightLayout& layout) { return (layout.bytes + 255) / 256 * 256; }

}  // namespace

Result<std::unique_ptr<ProjectionBench>> ProjectionBench::create(const std::shared_ptr<vulkan::Device>& device, Kernels& kernels,
                                                                 std::span<const MatrixNeed> needs, const std::stop_token& stop) {
  const vulkan::DeviceInfo& info = device->info();
  const std::uint64_t free = vulkan::memoryBudget(device->instance(), info).free;
  std::uint64_t largest = 16;
  std::uint32_t columns = 1, rows = 1;
  for (const MatrixNeed& need : needs) {
    const WeightLayout layout = benchLayout(need);
    largest = std::max(largest, roomOf(layout));
    columns = std::max(columns, layout.blocks * blockColumns);
    rows = std::max(rows, layout.groups * groupRows);
  }
  const std::uint64_t wanted = info.software ? largest : std::min({benchBytes, free / 4, info.maxAllocation, info.maxBuffer});
  const std::uint64_t tokens = info.software ? fewTokens : mostTokens;
  MINERVA_ASSIGN(vulkan::Buffer weights, vulkan::Buffer::create(device, std::max(largest, wanted), vulkan::MemoryKind::device));
  MINERVA_ASSIGN(vulkan::Buffer x, vulkan::Buffer::create(device, tokens * columns * 4, vulkan::MemoryKind::device));
  MINERVA_ASSIGN(vulkan::Buffer out, vulkan::Buffer::create(device, tokens * rows * 4, vulkan::MemoryKind::device));
  const std::uint64_t partialBytes = info.software ? 16 : std::uint64_t{4} * partialSums;
  MINERVA_ASSIGN(vulkan::Buffer partial, vulkan::Buffer::create(device, partialBytes, vulkan::MemoryKind::device));
  MINERVA_ASSIGN(vulkan::Timeline timeline, vulkan::Timeline::create(device));
  MINERVA_ASSIGN(Stopwatch stopwatch, Stopwatch::create(device));
  std::unique_ptr<ProjectionBench> bench(new ProjectionBench(device, kernels, stop, std::move(weights), std::move(x), std::move(out),
                                                             std::move(partial), std::move(timeline), std::move(stopwatch)));
  MINERVA_TRY(bench->wakeUp());
  return bench;
}

ProjectionBench::ProjectionBench(std::shared_ptr<vulkan::Device> device, Kernels& kernels, std::stop_token stop, vulkan::Buffer weights,
                                 vulkan::Buffer x, vulkan::Buffer out, vulkan::Buffer partial, vulkan::Timeline timeline,
                                 Stopwatch stopwatch)
    : m_device(std::move(device)),
      m_kernels(kernels),
      m_stop(std::move(stop)),
      m_weights(std::move(weights)),
      m_x(std::move(x)),
      m_out(std::move(out)),
      m_partial(std::move(partial)),
      m_timeline(std::move(timeline)),
      m_stopwatch(std::move(stopwatch)) {}

// Fills the memory, again and again: a GPU that was idle has a slow clock at first.
Result<void> ProjectionBench::wakeUp() {
  const double enough = m_device->info().software ? 0 : 30;
  MINERVA_ASSIGN(vulkan::Commands clear, vulkan::Commands::create(m_device, true));
  clear.fill(m_weights.view(), 0x11223344u);
  clear.fill(m_x.view(), 0x3c003c00u);  // each float is 0.0078
  MINERVA_TRY(clear.end());
  const TimePoint start = Clock::now();
  do {
    MINERVA_TRY(m_timeline.run(clear.handle()));
  } while (millisecondsBetween(start, Clock::now()) < enough);
  return {};
}

// Long steps are bound by computing, so that fewer matrices are enough.
ProjectionBench::Subject ProjectionBench::subjectOf(const MatrixNeed& need, std::uint32_t tokens) const {
  Subject subject{.layout = benchLayout(need), .copies = 1};
  const auto fitting = static_cast<std::uint32_t>(std::min<std::uint64_t>(m_weights.view().size / roomOf(subject.layout), 256));
  if (!m_device->info().software) subject.copies = std::clamp(tokens <= fewTokens ? fitting : 64 / tokens, 1u, fitting);
  return subject;
}

ProjectionForm ProjectionBench::formOf(const Tuning& tuning, const Subject& subject, std::uint32_t tokens) const {
  return projectionForm(tuning, m_device->info().matrixUnit,
                        {.type = subject.layout.type,
                         .groups = subject.layout.groups,
                         .blocks = subject.layout.blocks,
                         .tokens = tokens,
                         .rounds = true,
                         .bytes = subject.layout.bytes,
                         .texels = m_device->info().maxTexelElements,
                         .room = m_partial.view().size / 4});
}

// Where the driver refuses one of them, the measurement finds out.
void ProjectionBench::prepare(std::span<const Tuning> tunings, const MatrixNeed& need, std::uint32_t tokens) {
  if (m_device->info().software) return;  // one takes long there: those are compiled that are measured
  std::vector<KernelKey> keys;
  for (const Tuning& tuning : tunings) {
    std::ranges::copy(kernelKeysOf(formOf(tuning, subjectOf(need, tokens), tokens)), std::back_inserter(keys));
  }
  static_cast<void>(m_kernels.compile(keys, {}, m_stop));
}

Result<vulkan::Commands> ProjectionBench::record(const ProjectionForm& form, const ProjectionKernels& kernels, const Subject& subject,
                                                 std::uint32_t tokens, std::uint32_t times, vulkan::TexelSets& sets) {
  const WeightLayout& layout = subject.layout;
  MINERVA_ASSIGN(vulkan::Commands commands, vulkan::Commands::create(m_device, true));
  m_stopwatch.begin(commands);
  for (std::uint32_t i = 0; i < subject.copies * times; ++i) {
    const vulkan::BufferView weights = m_weights.view().part(i % subject.copies * roomOf(layout), layout.bytes);
    VkDescriptorSet set = VK_NULL_HANDLE;
    if (kernels.product->texelBindings() > 0) {
      MINERVA_ASSIGN(set, sets.make(*kernels.product, texelsOf(weights, m_x.view(), m_device->info().maxTexelElements)));
    }
    dispatchProjection(commands, form, kernels, layout,
                       {weights.address, m_x.view().address, m_out.view().address, tokens, m_partial.view().address}, set);
    commands.barrier();
  }
  m_stopwatch.end(commands);
  MINERVA_TRY(commands.end());
  return commands;
}

Result<double> ProjectionBench::measure(const Tuning& tuning, const MatrixNeed& need, std::uint32_t tokens) {
  const Subject subject = subjectOf(need, tokens);
  const ProjectionForm form = formOf(tuning, subject, tokens);
  const auto kernels = kernelsOf(m_kernels, form);
  if (!kernels) return std::numeric_limits<double>::infinity();
  const auto timeOf = [&](std::uint32_t times) -> Result<double> {
    vulkan::TexelSets sets(m_device);
    MINERVA_ASSIGN(const vulkan::Commands commands, record(form, *kernels, subject, tokens, times, sets));
    return leastSteadyTime(m_device->info().software ? onCpu : onGpu, [&] { return m_stopwatch.run(m_timeline, commands); });
  };
  MINERVA_ASSIGN(const double once, timeOf(1));
  const std::uint32_t times = m_device->info().software ? 1 : m_stopwatch.repeatsFor(once);
  if (times == 1) return once / subject.copies;
  MINERVA_ASSIGN(const double all, timeOf(times));
  return all / times / subject.copies;
}

}  // namespace minerva::gpu
