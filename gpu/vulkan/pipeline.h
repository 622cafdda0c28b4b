// A compute pipeline: a shader with its specialization constants set. Owns pipeline, layout and descriptor set layout.
#pragma once

#include "gpu/vulkan/device.h"
#include "gpu/vulkan/shader.h"

#include <memory>
#include <string>
#include <vector>

namespace minerva::vulkan {

struct PipelineOptions {
  std::vector<std::uint32_t> constants;    // value of specialization constant i; one for each of the shader's ids 0, 1, ...
  std::uint32_t pushConstantBytes = 0;     // size of the C++ struct; must equal the shader's
  std::uint32_t subgroupSize = 0;          // 0: the driver's choice
  bool fullSubgroups = false;              // every subgroup has all its lanes active (the workgroup size is a multiple)
  VkPipelineCache cache = VK_NULL_HANDLE;  // the driver's cache of compiled shaders; may be null
};

// A figure of the driver's compiler: registers, spills, instructions, ..., under the driver's own name.
struct CompilerFigure {
  std::string name;
  double value = 0;
};

class Pipeline {
 public:
  // Errors: internal (C++ and shader disagree about push constants or specialization constants), unsupported, outOfMemory.
  [[nodiscard]] static Result<Pipeline> create(std::shared_ptr<Device> device, const char* name, const Shader& shader,
                                               const PipelineOptions& options);
  Pipeline(Pipeline&& other) noexcept;
  Pipeline& operator=(Pipeline&&) = delete;
  ~Pipeline();

  // Empty unless DeviceInfo::compilerFigures.
  [[nodiscard]] std::vector<CompilerFigure> compilerFigures() const;

  [[nodiscard]] VkPipeline handle() const { return m_pipeline; }
  [[nodiscard]] VkPipelineLayout layout() const { return m_layout; }
  [[nodiscard]] VkDescriptorSetLayout setLayout() const { return m_setLayout; }  // null: no descriptors
  [[nodiscard]] std::uint32_t texelBindings() const { return m_texelBindings; }

 private:
  explicit Pipeline(std::shared_ptr<Device> device) : m_device(std::move(device)) {}
  Result<void> createLayout(const Shader& shader);
  Result<void> createPipeline(const char* name, const Shader& shader, const PipelineOptions& options);

  std::shared_ptr<Device> m_device;
  VkPipeline m_pipeline = VK_NULL_HANDLE;
  VkPipelineLayout m_layout = VK_NULL_HANDLE;
  VkDescriptorSetLayout m_setLayout = VK_NULL_HANDLE;
  std::uint32_t m_texelBindings = 0;
};

}  // namespace minerva::vulkan
