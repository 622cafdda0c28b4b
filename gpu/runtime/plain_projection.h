// A projection by itself, of rows that nothing else is done with: for measurements and checks.
#pragma once

#include "gpu/runtime/kernels.h"
#include "gpu/runtime/projection_form.h"
#include "gpu/vulkan/commands.h"
#include "gpu/vulkan/texel_sets.h"

#include <array>

namespace minerva::gpu {

// Addresses on the device: a matrix, float [tokens, 32 * blocks], float [tokens, 8 * groups].
struct PlainProjection {
  VkDeviceAddress weights, x, out;
  std::uint32_t tokens;
  VkDeviceAddress partial = 0;  // float [form.ranges.floats]
};

// What multiplies, and what adds partial sums if the form has several ranges.
struct ProjectionKernels {
  const vulkan::Pipeline* product = nullptr;
  const vulkan::Pipeline* join = nullptr;
};
[[nodiscard]] Result<ProjectionKernels> kernelsOf(Kernels& kernels, const ProjectionForm& form);
[[nodiscard]] std::vector<KernelKey> kernelKeysOf(const ProjectionForm& form);

// The texel buffers of a product, by binding (shaders/weights.glsl). Of a matrix with more words than such a buffer has elements at most,
// only kernels that read no words are chosen (projection_form.h); theirs are any.
[[nodiscard]] std::array<vulkan::Texels, 3> texelsOf(const vulkan::BufferView& weights, const vulkan::BufferView& x,
                                                     std::uint32_t mostElements);

// Records out = x W^T by the kernels of `form`. set: of texel buffers, if the product has any.
void dispatchProjection(vulkan::Commands& commands, const ProjectionForm& form, const ProjectionKernels& kernels,
                        const WeightLayout& layout, const PlainProjection& projection, VkDescriptorSet set);

}  // namespace minerva::gpu
