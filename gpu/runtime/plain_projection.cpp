#include "gpu/runtime/plain_projection.h"

namespace minerva::gpu {

void dispatchProjection(vulkan::Commands& commands, const ProjectionForm& form, const vulkan::Pipeline& kernel, const WeightLayout& layout,
                        const PlainProjection& projection, VkDescriptorSet set) {
  const auto quads = [](std::uint64_t bytes) { return static_cast<std::uint32_t>(bytes / 16); };
  const std::uint32_t rows = layout.groups * groupRows;
  const push::Matvec p{.weights = projection.weights,
                       .x = projection.x,
                       .bias = 0,
                       .aux = 0,
                       .out_ = projection.out,
                       .route = 0,
                       .norm = 0,
                       .plane1 = quads(layout.planes[1]),
                       .plane2 = quads(layout.planes[2]),
                       .plane3 = quads(layout.planes[3]),
                       .rows = rows,
                       .groups = layout.groups,
                       .blocks = layout.blocks,
                       .n = projection.tokens,
                       .xStride = layout.blocks * blockColumns,
                       .outStride = rows,
                       .routeStride = 0,
                       .hasBias = 0,
                       .scale = 1.0f,
                       .softCap = 0.0f,
                       .places = 1,
                       .xPlace = 0,
                       .outPlace = 0,
                       .columns = layout.columns,
                       .epsilon = 0};
  const std::uint32_t ofRows = (rows + form.rows - 1) / form.rows, ofTokens = (projection.tokens + form.columns - 1) / form.columns;
  const std::array<std::uint32_t, 3> groups = form.tokensFirst ? tokensFirst(ofTokens, ofRows) : std::array{ofRows, ofTokens, 1U};
  commands.dispatch(kernel, &p, sizeof p, set, groups[0], groups[1], groups[2]);
}

}  // namespace minerva::gpu
