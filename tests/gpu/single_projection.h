// Multiplies by a matrix on the first Vulkan device with a kernel by itself, without a model.
#pragma once

#include "gpu/runtime/plain_projection.h"
#include "gpu/vulkan/buffer.h"
#include "gpu/vulkan/texel_sets.h"
#include "gpu/vulkan/timeline.h"
#include "tests/gpu/validated_device.h"

#include <cstring>
#include <functional>
#include <optional>

namespace minerva::gpu {

class SingleProjection : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (m_device == nullptr) return;
    m_tuning = defaultTuning(m_device->info());
    m_kernels.emplace(m_device);
    auto timeline = vulkan::Timeline::create(m_device);
    ASSERT_TRUE(timeline.has_value());
    m_timeline.emplace(std::move(*timeline));
  }

  vulkan::Buffer buffer(std::uint64_t bytes, vulkan::MemoryKind kind) {
    auto made = vulkan::Buffer::create(m_device, bytes, kind);
    EXPECT_TRUE(made.has_value()) << made.error().message();
    return std::move(*made);
  }
  template <typename T>
  vulkan::Buffer filled(const std::vector<T>& values) {
    vulkan::Buffer made = buffer(values.size() * sizeof(T), vulkan::MemoryKind::upload);
    std::memcpy(made.view().mapped, values.data(), values.size() * sizeof(T));
    return made;
  }
  vulkan::Buffer packed(const TensorView& view, const WeightLayout& layout) {
    std::vector<std::byte> bytes(layout.bytes, std::byte{0xff});
    for (std::uint32_t g = 0; g < layout.groups; ++g) packGroup(view, {0, 1, layout.rows}, g, layout, g, bytes);
    return filled(bytes);
  }
  void run(const std::function<void(vulkan::Commands&)>& record) {
    auto commands = vulkan::Commands::create(m_device, false);
    ASSERT_TRUE(commands.has_value()) << commands.error().message();
    record(*commands);
    commands->barrierToHost();
    ASSERT_TRUE(commands->end());
    ASSERT_TRUE(m_timeline->run(commands->handle()));
  }
  static WeightLayout layoutOfView(const TensorView& view) {
    return layoutOf(view.type, static_cast<std::uint32_t>(view.shape.rows()), static_cast<std::uint32_t>(view.shape.columns()));
  }

  // x W^T of x [tokens, 32 * blocks]: [tokens, 8 * groups]. What the kernels do not write is not a number.
  std::vector<float> multiplied(const TensorView& view, const std::vector<float>& x, const ProjectionForm& form) {
    const WeightLayout layout = layoutOfView(view);
    const auto tokens = static_cast<std::uint32_t>(x.size() / (std::size_t{layout.blocks} * blockColumns));
    const std::vector<float> unwritten(std::size_t{tokens} * layout.groups * groupRows, NAN);
    const std::vector<float> unsummed(std::max<std::size_t>(4, form.ranges.floats), NAN);
    const vulkan::Buffer weights = packed(view, layout), input = filled(x), partial = filled(unsummed);
    const vulkan::Buffer out = buffer(unwritten.size() * 4, vulkan::MemoryKind::readback);
    std::memcpy(out.view().mapped, unwritten.data(), unwritten.size() * 4);
    const auto kernels = kernelsOf(*m_kernels, form);
    EXPECT_TRUE(kernels.has_value()) << kernels.error().message();
    vulkan::TexelSets sets(m_device);
    VkDescriptorSet set = VK_NULL_HANDLE;
    if (kernels->product->texelBindings() > 0) {
      const std::array<vulkan::Texels, 3> texels{{{weights.view(), VK_FORMAT_R32G32B32A32_UINT},
                                                  {weights.view(), VK_FORMAT_R32_UINT},
                                                  {input.view(), VK_FORMAT_R32G32B32A32_SFLOAT}}};
      const auto made = sets.make(*kernels->product, texels);
      EXPECT_TRUE(made.has_value()) << made.error().message();
      set = *made;
    }
    run([&](vulkan::Commands& commands) {
      dispatchProjection(commands, form, *kernels, layout,
                         {weights.view().address, input.view().address, out.view().address, tokens, partial.view().address}, set);
    });
    const auto* found = reinterpret_cast<const float*>(out.view().mapped);
    return {found, found + unwritten.size()};
  }

  Tuning m_tuning;
  std::optional<Kernels> m_kernels;
  std::optional<vulkan::Timeline> m_timeline;
};

}  // namespace minerva::gpu
