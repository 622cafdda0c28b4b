#include "gpu/vulkan/pipeline.h"

#include "gpu/vulkan/result.h"

#include <utility>

namespace minerva::vulkan {

Result<Pipeline> Pipeline::create(std::shared_ptr<Device> device, const char* name, const Shader& shader, const PipelineOptions& options) {
  if (shader.pushConstantBytes != options.pushConstantBytes) {
    return fail({.kind = ErrorKind::internal,
                 .what = "A kernel's push constants differ from its C++ struct",
                 .where = name,
                 .expected = std::to_string(options.pushConstantBytes) + " bytes",
                 .actual = std::to_string(shader.pushConstantBytes) + " bytes"});
  }
  if (shader.specializations.size() != options.constants.size()) {
    return fail({.kind = ErrorKind::internal,
                 .what = "A kernel's number of specialization constants differs from its table row",
                 .where = name,
                 .expected = std::to_string(options.constants.size()),
                 .actual = std::to_string(shader.specializations.size())});
  }
  Pipeline pipeline(std::move(device));
  MINERVA_TRY(pipeline.createLayout(shader));
  MINERVA_TRY(pipeline.createPipeline(name, shader, options));
  return pipeline;
}

Result<void> Pipeline::createLayout(const Shader& shader) {
  const Api& api = m_device->api();
  m_texelBindings = shader.texelBindings;
  if (m_texelBindings > 0) {
    std::vector<VkDescriptorSetLayoutBinding> bindings(m_texelBindings);
    for (std::uint32_t i = 0; i < m_texelBindings; ++i) {
      bindings[i] = {i, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
    }
    VkDescriptorSetLayoutCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    info.bindingCount = m_texelBindings;
    info.pBindings = bindings.data();
    if (const VkResult r = api.CreateDescriptorSetLayout(m_device->handle(), &info, nullptr, &m_setLayout); r != VK_SUCCESS) {
      return failure(r, "The GPU could not create a descriptor set layout", m_device->info().name);
    }
  }
  const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, shader.pushConstantBytes};
  VkPipelineLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.setLayoutCount = m_texelBindings > 0 ? 1 : 0;
  info.pSetLayouts = &m_setLayout;
  info.pushConstantRangeCount = shader.pushConstantBytes > 0 ? 1 : 0;
  info.pPushConstantRanges = &range;
  if (const VkResult r = api.CreatePipelineLayout(m_device->handle(), &info, nullptr, &m_layout); r != VK_SUCCESS) {
    return failure(r, "The GPU could not create a pipeline layout", m_device->info().name);
  }
  return {};
}

Result<void> Pipeline::createPipeline(const char* name, const Shader& shader, const PipelineOptions& options) {
  const Api& api = m_device->api();
  VkShaderModuleCreateInfo moduleInfo{};
  moduleInfo.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  const std::vector<std::uint32_t> rounding = m_device->info().roundsHalves ? roundingHalves(shader.words) : std::vector<std::uint32_t>();
  const std::span<const std::uint32_t> code = rounding.empty() ? shader.words : std::span(rounding);
  moduleInfo.codeSize = code.size_bytes();
  moduleInfo.pCode = code.data();
  VkShaderModule module = VK_NULL_HANDLE;
  if (const VkResult r = api.CreateShaderModule(m_device->handle(), &moduleInfo, nullptr, &module); r != VK_SUCCESS) {
    return failure(r, "The GPU driver rejected a shader", name);
  }
  std::vector<VkSpecializationMapEntry> entries(options.constants.size());
  for (std::uint32_t i = 0; i < entries.size(); ++i) entries[i] = {i, i * 4, 4};
  const VkSpecializationInfo specialization{static_cast<std::uint32_t>(entries.size()), entries.data(), options.constants.size() * 4,
                                            options.constants.data()};
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup{};
  subgroup.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO;
  subgroup.requiredSubgroupSize = options.subgroupSize;
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.flags = VK_PIPELINE_CREATE_DISPATCH_BASE_BIT;  // a long dispatch may be cut into several
  if (m_device->info().compilerFigures) info.flags |= VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
  info.layout = m_layout;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.pNext = options.subgroupSize != 0 ? &subgroup : nullptr;
  info.stage.flags = options.fullSubgroups ? VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT : 0;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = "main";
  info.stage.pSpecializationInfo = &specialization;
  const VkResult r = api.CreateComputePipelines(m_device->handle(), options.cache, 1, &info, nullptr, &m_pipeline);
  api.DestroyShaderModule(m_device->handle(), module, nullptr);
  if (r != VK_SUCCESS) return failure(r, "The GPU driver could not compile a shader", name);
  return {};
}

namespace {

double valueOf(const VkPipelineExecutableStatisticKHR& statistic) {
  switch (statistic.format) {
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR: return statistic.value.b32;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR: return static_cast<double>(statistic.value.i64);
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR: return static_cast<double>(statistic.value.u64);
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR: return statistic.value.f64;
    default: return 0;
  }
}

}  // namespace

// A compute pipeline is one executable, the first.
std::vector<CompilerFigure> Pipeline::compilerFigures() const {
  const Api& api = m_device->api();
  if (!m_device->info().compilerFigures || api.GetPipelineExecutableStatisticsKHR == nullptr) return {};
  VkPipelineExecutableInfoKHR which{};
  which.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR;
  which.pipeline = m_pipeline;
  std::uint32_t count = 0;
  if (api.GetPipelineExecutableStatisticsKHR(m_device->handle(), &which, &count, nullptr) != VK_SUCCESS) return {};
  VkPipelineExecutableStatisticKHR empty{};
  empty.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR;
  std::vector<VkPipelineExecutableStatisticKHR> statistics(count, empty);
  if (api.GetPipelineExecutableStatisticsKHR(m_device->handle(), &which, &count, statistics.data()) != VK_SUCCESS) return {};
  std::vector<CompilerFigure> figures;
  for (const VkPipelineExecutableStatisticKHR& statistic : statistics) figures.push_back({statistic.name, valueOf(statistic)});
  return figures;
}

Pipeline::Pipeline(Pipeline&& other) noexcept
    : m_device(std::move(other.m_device)),
      m_pipeline(std::exchange(other.m_pipeline, VK_NULL_HANDLE)),
      m_layout(std::exchange(other.m_layout, VK_NULL_HANDLE)),
      m_setLayout(std::exchange(other.m_setLayout, VK_NULL_HANDLE)),
      m_texelBindings(other.m_texelBindings) {}

Pipeline::~Pipeline() {
  if (!m_device) return;
  const Api& api = m_device->api();
  if (m_pipeline != VK_NULL_HANDLE) api.DestroyPipeline(m_device->handle(), m_pipeline, nullptr);
  if (m_layout != VK_NULL_HANDLE) api.DestroyPipelineLayout(m_device->handle(), m_layout, nullptr);
  if (m_setLayout != VK_NULL_HANDLE) api.DestroyDescriptorSetLayout(m_device->handle(), m_setLayout, nullptr);
}

}  // namespace minerva::vulkan
