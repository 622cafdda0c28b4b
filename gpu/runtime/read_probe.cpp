#include "gpu/runtime/read_probe.h"

#include "core/base/clock.h"
#include "gpu/vulkan/arena.h"
#include "gpu/vulkan/commands.h"
#include "gpu/vulkan/texel_sets.h"
#include "gpu/vulkan/timeline.h"

#include <algorithm>
#include <optional>

namespace minerva::gpu {

namespace {

constexpr std::uint64_t wantedBytes = std::uint64_t{1} << 30;
constexpr std::uint32_t unrolled = 8;  // as in read_probe.comp
constexpr double enoughSeconds = 0.3;

}  // namespace

Result<double> probeReadBandwidth(const std::shared_ptr<vulkan::Device>& device, Kernels& kernels, const Tuning& tuning) {
  const vulkan::DeviceInfo& info = device->info();
  const std::uint64_t free = vulkan::memoryBudget(device->instance(), info).free;
  const bool texel = tuning.one.texel;
  const std::uint64_t limit = texel ? std::uint64_t{info.maxTexelElements} * 16 : info.maxBuffer;
  const std::uint32_t workgroup = tuning.lanes * tuning.one.teams;
  const std::uint32_t workgroups = 2048;
  const std::uint64_t step = std::uint64_t{workgroup} * workgroups * 16 * unrolled;
  const std::uint64_t bytes = std::min({wantedBytes, free / 4, limit, info.maxAllocation}) / step * step;
  MINERVA_ASSIGN(vulkan::Buffer buffer, vulkan::Buffer::create(device, std::max(bytes, step), vulkan::MemoryKind::device));
  MINERVA_ASSIGN(vulkan::Buffer result, vulkan::Buffer::create(device, std::uint64_t{workgroups} * 4, vulkan::MemoryKind::device));
  MINERVA_ASSIGN(const vulkan::Pipeline* kernel, kernels.get<push::ReadProbe>(texel ? "read_probe_texel" : "read_probe", {workgroup}, 0));
  vulkan::TexelSets sets(device);
  VkDescriptorSet set = VK_NULL_HANDLE;
  if (texel) {
    const vulkan::Texels texels{buffer.view(), VK_FORMAT_R32G32B32A32_UINT};
    MINERVA_ASSIGN(set, sets.make(*kernel, {&texels, 1}));
  }
  MINERVA_ASSIGN(vulkan::Timeline timeline, vulkan::Timeline::create(device));
  MINERVA_ASSIGN(vulkan::Commands fill, vulkan::Commands::create(device, false));
  fill.fill(buffer.view(), 0x01020304u);
  MINERVA_TRY(fill.end());
  MINERVA_TRY(timeline.run(fill.handle()));
  MINERVA_ASSIGN(vulkan::Commands read, vulkan::Commands::create(device, true));
  const push::ReadProbe p{.from = buffer.view().address,
                          .out_ = result.view().address,
                          .quads = static_cast<std::uint32_t>(buffer.view().size / 16),
                          .unused = 0};
  read.dispatch(*kernel, &p, sizeof p, set, workgroups, 1, 1);
  read.barrier();
  MINERVA_TRY(read.end());
  MINERVA_TRY(timeline.run(read.handle()));  // warm
  double best = 0;
  double spent = 0;
  while (spent < enoughSeconds) {
    const TimePoint start = Clock::now();
    MINERVA_TRY(timeline.run(read.handle()));
    const double seconds = millisecondsBetween(start, Clock::now()) / 1000;
    best = std::max(best, static_cast<double>(buffer.view().size) / seconds);
    spent += seconds;
  }
  return best;
}

}  // namespace minerva::gpu
