// A command buffer with its pool. States: recording (from create) -> executable (after end).
//
// Not thread-safe. Pipelines, buffers and descriptor sets used in it must outlive its last execution.
#pragma once

#include "gpu/vulkan/buffer.h"
#include "gpu/vulkan/pipeline.h"

#include <array>
#include <memory>
#include <span>

namespace minerva::vulkan {

// Their index begins at `first`; kernels see `count` as the number of them.
struct Workgroups {
  std::array<std::uint32_t, 3> first, count;
};

struct ByteRange {
  std::uint64_t at = 0, bytes = 0;
};

class Commands {
 public:
  // Begins recording, with a barrier() for what was submitted before to the same queue. reusable: may be submitted repeatedly, one
  // execution at a time. On a transfer queue: copies and fills alone.
  [[nodiscard]] static Result<Commands> create(std::shared_ptr<Device> device, bool reusable, QueueKind queue = QueueKind::compute);
  Commands(Commands&& other) noexcept;
  Commands& operator=(Commands&&) = delete;
  ~Commands();

  // Dispatches workgroups with `push` of pushBytes (the pipeline's pushConstantBytes); set may be null.
  void dispatch(const Pipeline& pipeline, const void* push, std::uint32_t pushBytes, VkDescriptorSet set, std::uint32_t x, std::uint32_t y,
                std::uint32_t z) {
    dispatch(pipeline, push, pushBytes, set, {{0, 0, 0}, {x, y, z}});
  }
  void dispatch(const Pipeline& pipeline, const void* push, std::uint32_t pushBytes, VkDescriptorSet set, const Workgroups& workgroups);
  // Makes all earlier shader writes and copies visible to all later shader accesses and copies.
  void barrier();
  // Makes all earlier shader writes and copies visible to the host.
  void barrierToHost();
  void copy(const BufferView& from, const BufferView& to, std::uint64_t bytes);
  // Of both, the same ranges. REQUIRES one at least.
  void copy(const BufferView& from, const BufferView& to, std::span<const ByteRange> ranges);
  void fill(const BufferView& view, std::uint32_t word);
  [[nodiscard]] Result<void> end();

  [[nodiscard]] VkCommandBuffer handle() const { return m_buffer; }

 private:
  explicit Commands(std::shared_ptr<Device> device) : m_device(std::move(device)) {}
  void memoryBarrier(VkPipelineStageFlags2 stages, VkAccessFlags2 access);

  std::shared_ptr<Device> m_device;
  VkCommandPool m_pool = VK_NULL_HANDLE;
  VkCommandBuffer m_buffer = VK_NULL_HANDLE;
  VkPipeline m_bound = VK_NULL_HANDLE;
};

}  // namespace minerva::vulkan
