// A recorded command buffer, with the pool it lives in. States: recording (from create) -> recorded (after end).
//
// Used by one thread at a time. Pipelines, buffers and sets named in it must outlive its last execution.
#pragma once

#include "gpu/vulkan/buffer.h"
#include "gpu/vulkan/pipeline.h"

#include <memory>

namespace minerva::vulkan {

class Commands {
 public:
  // Begins recording. reusable: may be submitted any number of times (one at a time).
  [[nodiscard]] static Result<Commands> create(std::shared_ptr<Device> device, bool reusable);
  Commands(Commands&& other) noexcept;
  Commands& operator=(Commands&&) = delete;
  ~Commands();

  // Runs groups (x, y, z) of the pipeline with `push` [pipeline's pushConstantBytes]; set may be null.
  void dispatch(const Pipeline& pipeline, const void* push, std::uint32_t pushBytes, VkDescriptorSet set, std::uint32_t x, std::uint32_t y,
                std::uint32_t z);
  // Everything before is finished and visible to everything after, in shaders and copies.
  void barrier();
  // ... and to the host.
  void barrierToHost();
  void copy(const BufferView& from, const BufferView& to, std::uint64_t bytes);
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
