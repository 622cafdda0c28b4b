// A projection by itself, of rows that nothing else is done with: for measurements and checks.
#pragma once

#include "gpu/runtime/kernels.h"
#include "gpu/runtime/projection_form.h"
#include "gpu/vulkan/commands.h"

namespace minerva::gpu {

// Addresses on the device: a matrix, float [tokens, 32 * blocks], float [tokens, 8 * groups].
struct PlainProjection {
  VkDeviceAddress weights, x, out;
  std::uint32_t tokens;
};

// Records the dispatch of out = x W^T by a kernel that was made for `form`. set: of its texel buffers, if it has any.
void dispatchProjection(vulkan::Commands& commands, const ProjectionForm& form, const vulkan::Pipeline& kernel, const WeightLayout& layout,
                        const PlainProjection& projection, VkDescriptorSet set);

}  // namespace minerva::gpu
