#include "gpu/vulkan/commands.h"

#include "gpu/vulkan/result.h"

#include <utility>
#include <vector>

namespace minerva::vulkan {

namespace {

constexpr VkPipelineStageFlags2 workStages = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_TRANSFER_BIT;
constexpr VkAccessFlags2 workReads = VK_ACCESS_2_SHADER_READ_BIT | VK_ACCESS_2_TRANSFER_READ_BIT;
constexpr VkAccessFlags2 workWrites = VK_ACCESS_2_SHADER_WRITE_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT;

}  // namespace

Result<Commands> Commands::create(std::shared_ptr<Device> device, bool reusable, QueueKind queue) {
  Commands commands(std::move(device));
  const Device& d = *commands.m_device;
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.queueFamilyIndex = d.familyOf(queue);
  if (const VkResult r = d.api().CreateCommandPool(d.handle(), &pool, nullptr, &commands.m_pool); r != VK_SUCCESS) {
    return failure(r, "The GPU could not create a command pool", d.info().name);
  }
  VkCommandBufferAllocateInfo allocation{};
  allocation.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocation.commandPool = commands.m_pool;
  allocation.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocation.commandBufferCount = 1;
  if (const VkResult r = d.api().AllocateCommandBuffers(d.handle(), &allocation, &commands.m_buffer); r != VK_SUCCESS) {
    return failure(r, "The GPU could not create a command buffer", d.info().name);
  }
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = reusable ? 0 : VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  if (const VkResult r = d.api().BeginCommandBuffer(commands.m_buffer, &begin); r != VK_SUCCESS) {
    return failure(r, "The GPU could not record commands", d.info().name);
  }
  // That the host has waited for an earlier submission makes nothing visible to this one.
  if (queue == QueueKind::compute) commands.barrier();
  return commands;
}

Commands::Commands(Commands&& other) noexcept
    : m_device(std::move(other.m_device)),
      m_pool(std::exchange(other.m_pool, VK_NULL_HANDLE)),
      m_buffer(std::exchange(other.m_buffer, VK_NULL_HANDLE)),
      m_bound(std::exchange(other.m_bound, VK_NULL_HANDLE)) {}

Commands::~Commands() {
  if (m_device && m_pool != VK_NULL_HANDLE) m_device->api().DestroyCommandPool(m_device->handle(), m_pool, nullptr);
}

void Commands::dispatch(const Pipeline& pipeline, const void* push, std::uint32_t pushBytes, VkDescriptorSet set,
                        const Workgroups& workgroups) {
  const Api& api = m_device->api();
  if (m_bound != pipeline.handle()) {
    api.CmdBindPipeline(m_buffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle());
    m_bound = pipeline.handle();
  }
  if (set != VK_NULL_HANDLE) {
    api.CmdBindDescriptorSets(m_buffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout(), 0, 1, &set, 0, nullptr);
  }
  if (pushBytes > 0) api.CmdPushConstants(m_buffer, pipeline.layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0, pushBytes, push);
  const auto& [first, count] = workgroups;
  if (first == std::array<std::uint32_t, 3>{}) api.CmdDispatch(m_buffer, count[0], count[1], count[2]);
  else api.CmdDispatchBase(m_buffer, first[0], first[1], first[2], count[0], count[1], count[2]);
}

void Commands::memoryBarrier(VkPipelineStageFlags2 stages, VkAccessFlags2 access) {
  VkMemoryBarrier2 barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2;
  barrier.srcStageMask = workStages;
  barrier.srcAccessMask = workWrites;
  barrier.dstStageMask = stages;
  barrier.dstAccessMask = access;
  VkDependencyInfo dependency{};
  dependency.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
  dependency.memoryBarrierCount = 1;
  dependency.pMemoryBarriers = &barrier;
  m_device->api().CmdPipelineBarrier2(m_buffer, &dependency);
}

void Commands::barrier() { memoryBarrier(workStages, workReads | workWrites); }

void Commands::barrierToHost() { memoryBarrier(VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT); }

void Commands::copy(const BufferView& from, const BufferView& to, std::uint64_t bytes) {
  const VkBufferCopy region{from.offset, to.offset, bytes};
  m_device->api().CmdCopyBuffer(m_buffer, from.buffer, to.buffer, 1, &region);
}

void Commands::copy(const BufferView& from, const BufferView& to, std::span<const ByteRange> ranges) {
  std::vector<VkBufferCopy> regions;
  for (const ByteRange& range : ranges) regions.push_back({from.offset + range.at, to.offset + range.at, range.bytes});
  m_device->api().CmdCopyBuffer(m_buffer, from.buffer, to.buffer, static_cast<std::uint32_t>(regions.size()), regions.data());
}

void Commands::fill(const BufferView& view, std::uint32_t word) {
  m_device->api().CmdFillBuffer(m_buffer, view.buffer, view.offset, view.size / 4 * 4, word);
}

Result<void> Commands::end() {
  const VkResult r = m_device->api().EndCommandBuffer(m_buffer);
  if (r != VK_SUCCESS) return failure(r, "The GPU could not record commands", m_device->info().name);
  return {};
}

}  // namespace minerva::vulkan
