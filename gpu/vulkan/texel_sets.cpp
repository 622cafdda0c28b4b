#include "gpu/vulkan/texel_sets.h"

#include "gpu/vulkan/result.h"

namespace minerva::vulkan {

namespace {

constexpr std::uint32_t setsPerPool = 256, bindingsPerSet = 4;

std::uint64_t texelBytes(VkFormat format) { return format == VK_FORMAT_R32_UINT ? 4 : 16; }

}  // namespace

TexelSets::~TexelSets() {
  const Api& api = m_device->api();
  for (const VkDescriptorPool pool : m_pools) api.DestroyDescriptorPool(m_device->handle(), pool, nullptr);
  for (const VkBufferView view : m_views) api.DestroyBufferView(m_device->handle(), view, nullptr);
}

Result<VkBufferView> TexelSets::makeView(const Texels& texels) {
  const std::uint64_t bytes = texelBytes(texels.format);
  if (texels.view.size / bytes > m_device->info().maxTexelElements) {
    return fail({.kind = ErrorKind::limit,
                 .what = "A buffer has more texels than the GPU allows",
                 .where = m_device->info().name,
                 .expected = "at most " + std::to_string(m_device->info().maxTexelElements),
                 .actual = std::to_string(texels.view.size / bytes)});
  }
  VkBufferViewCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO;
  info.buffer = texels.view.buffer;
  info.format = texels.format;
  info.offset = texels.view.offset;
  info.range = texels.view.size / bytes * bytes;
  VkBufferView view = VK_NULL_HANDLE;
  if (const VkResult r = m_device->api().CreateBufferView(m_device->handle(), &info, nullptr, &view); r != VK_SUCCESS) {
    return failure(r, "The GPU could not create a buffer view", m_device->info().name);
  }
  m_views.push_back(view);
  return view;
}

Result<VkDescriptorSet> TexelSets::make(const Pipeline& pipeline, std::span<const Texels> texels) {
  const Api& api = m_device->api();
  if (m_left == 0) {
    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, setsPerPool * bindingsPerSet};
    VkDescriptorPoolCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
    info.maxSets = setsPerPool;
    info.poolSizeCount = 1;
    info.pPoolSizes = &size;
    VkDescriptorPool pool = VK_NULL_HANDLE;
    if (const VkResult r = api.CreateDescriptorPool(m_device->handle(), &info, nullptr, &pool); r != VK_SUCCESS) {
      return failure(r, "The GPU could not create a descriptor pool", m_device->info().name);
    }
    m_pools.push_back(pool);
    m_left = setsPerPool;
  }
  const VkDescriptorSetLayout layout = pipeline.setLayout();
  VkDescriptorSetAllocateInfo allocation{};
  allocation.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  allocation.descriptorPool = m_pools.back();
  allocation.descriptorSetCount = 1;
  allocation.pSetLayouts = &layout;
  VkDescriptorSet set = VK_NULL_HANDLE;
  if (const VkResult r = api.AllocateDescriptorSets(m_device->handle(), &allocation, &set); r != VK_SUCCESS) {
    return failure(r, "The GPU could not create a descriptor set", m_device->info().name);
  }
  --m_left;
  std::vector<VkBufferView> views;
  std::vector<VkWriteDescriptorSet> writes(texels.size());
  for (const Texels& t : texels) {
    MINERVA_ASSIGN(const VkBufferView view, makeView(t));
    views.push_back(view);
  }
  for (std::uint32_t i = 0; i < writes.size(); ++i) {
    writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    writes[i].dstSet = set;
    writes[i].dstBinding = i;
    writes[i].descriptorCount = 1;
    writes[i].descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
    writes[i].pTexelBufferView = &views[i];
  }
  api.UpdateDescriptorSets(m_device->handle(), static_cast<std::uint32_t>(writes.size()), writes.data(), 0, nullptr);
  return set;
}

}  // namespace minerva::vulkan
