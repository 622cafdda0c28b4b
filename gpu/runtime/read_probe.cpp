#include "gpu/runtime/read_probe.h"

#include "gpu/runtime/stopwatch.h"
#include "gpu/vulkan/arena.h"
#include "gpu/vulkan/commands.h"
#include "gpu/vulkan/texel_sets.h"
#include "gpu/vulkan/timeline.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

namespace minerva::gpu {

namespace {

constexpr std::uint64_t wantedBytes = std::uint64_t{1} << 30;
constexpr std::uint32_t unrolled = 8;  // must match read_probe.comp
constexpr std::uint64_t mostGroups = 2048;

// Commands that read one amount `times` times in one dispatch: the shader ignores the workgroup's y, so y repeats the reads.
Result<vulkan::Commands> readCommands(const std::shared_ptr<vulkan::Device>& device, const vulkan::Pipeline& kernel, VkDescriptorSet set,
                                      const push::ReadProbe& push, const Stopwatch& stopwatch, std::uint32_t groups, std::uint32_t times) {
  MINERVA_ASSIGN(vulkan::Commands commands, vulkan::Commands::create(device, true));
  stopwatch.begin(commands);
  commands.dispatch(kernel, &push, sizeof push, set, groups, times, 1);
  commands.barrier();
  stopwatch.end(commands);
  MINERVA_TRY(commands.end());
  return commands;
}

// By one kind of memory access.
Result<backend::BandwidthCurve> probe(const std::shared_ptr<vulkan::Device>& device, Kernels& kernels, const Tuning& tuning, bool texel,
                                      const std::function<bool()>& stop) {
  const vulkan::DeviceInfo& info = device->info();
  const std::uint64_t free = vulkan::memoryBudget(device->instance(), info).free;
  const std::uint64_t limit = texel ? std::uint64_t{info.maxTexelElements} * 16 : info.maxBuffer;
  const std::uint32_t workgroup = tuning.lanes * tuning.one.teams;
  const std::uint64_t step = std::uint64_t{workgroup} * 16 * unrolled;  // bytes per workgroup and iteration
  const std::uint64_t most = std::max(std::bit_floor(std::min({wantedBytes, free / 4, limit, info.maxAllocation})), std::bit_ceil(step));
  MINERVA_ASSIGN(vulkan::Buffer buffer, vulkan::Buffer::create(device, most, vulkan::MemoryKind::device));
  MINERVA_ASSIGN(vulkan::Buffer result, vulkan::Buffer::create(device, mostGroups * 4, vulkan::MemoryKind::device));
  MINERVA_ASSIGN(const vulkan::Pipeline* kernel, kernels.get<push::ReadProbe>(texel ? "read_probe_texel" : "read_probe", {workgroup}, 0));
  vulkan::TexelSets sets(device);
  VkDescriptorSet set = VK_NULL_HANDLE;
  if (texel) {
    const vulkan::Texels texels{buffer.view(), VK_FORMAT_R32G32B32A32_UINT};
    MINERVA_ASSIGN(set, sets.make(*kernel, {&texels, 1}));
  }
  MINERVA_ASSIGN(vulkan::Timeline timeline, vulkan::Timeline::create(device));
  MINERVA_ASSIGN(const Stopwatch stopwatch, Stopwatch::create(device));
  MINERVA_ASSIGN(vulkan::Commands fill, vulkan::Commands::create(device, false));
  fill.fill(buffer.view(), 0x01020304u);
  MINERVA_TRY(fill.end());
  MINERVA_TRY(timeline.run(fill.handle()));
  backend::BandwidthCurve curve;
  for (const std::uint64_t size : backend::bandwidthSizes(most)) {
    const std::uint64_t groups = std::clamp<std::uint64_t>(size / step, 1, mostGroups);
    const std::uint64_t used = std::max<std::uint64_t>(size / (groups * step), 1) * groups * step;  // a whole number of iterations
    const push::ReadProbe p{
        .from = buffer.view().address, .out_ = result.view().address, .quads = static_cast<std::uint32_t>(used / 16), .unused = 0};
    std::optional<vulkan::Commands> commands;
    std::uint32_t recorded = 0;
    const auto read = [&](std::uint32_t times) -> Result<double> {
      if (recorded != times) {
        commands.reset();
        MINERVA_ASSIGN(vulkan::Commands made, readCommands(device, *kernel, set, p, stopwatch, static_cast<std::uint32_t>(groups), times));
        commands.emplace(std::move(made));
        recorded = times;
      }
      return stopwatch.run(timeline, *commands);
    };
    MINERVA_ASSIGN(const double speed, backend::fastestTimedRead(used, read, stop));
    curve.add({size, speed});
  }
  return curve;
}

}  // namespace

// An upper bound for all kernels: where both kinds of access have hardware of their own, the faster one counts.
Result<backend::BandwidthCurve> probeReadBandwidth(const std::shared_ptr<vulkan::Device>& device, Kernels& kernels, const Tuning& tuning,
                                                   const std::function<bool()>& stop) {
  if (stop && stop()) return backend::measurementCancelled();  // before a gigabyte is allocated and filled
  MINERVA_ASSIGN(backend::BandwidthCurve curve, probe(device, kernels, tuning, tuning.one.texel, stop));
  if (device->info().software) return curve;
  MINERVA_ASSIGN(const backend::BandwidthCurve other, probe(device, kernels, tuning, !tuning.one.texel, stop));
  curve.raiseTo(other);
  return curve;
}

}  // namespace minerva::gpu
