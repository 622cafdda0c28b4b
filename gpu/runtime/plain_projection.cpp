#include "gpu/runtime/plain_projection.h"

#include "gpu/shaders/shared/choices.h"

namespace minerva::gpu {

namespace {

constexpr std::uint32_t joinThreads = 64;

}  // namespace

std::vector<KernelKey> kernelKeysOf(const ProjectionForm& form) {
  std::vector<KernelKey> keys{Kernels::keyOf<push::Matvec>(form.kernel, form.constants, form.lanes)};
  if (form.ranges.count > 1) keys.push_back(Kernels::keyOf<push::Matvec>("matmul_join", {joinThreads, choice::epilogueStore, 0}, 0));
  return keys;
}

Result<ProjectionKernels> kernelsOf(Kernels& kernels, const ProjectionForm& form) {
  const std::vector<KernelKey> keys = kernelKeysOf(form);
  ProjectionKernels found;
  MINERVA_ASSIGN(found.product, kernels.get(keys.front()));
  if (keys.size() > 1) {
    MINERVA_ASSIGN(found.join, kernels.get(keys.back()));
  }
  return found;
}

std::array<vulkan::Texels, 3> texelsOf(const vulkan::BufferView& weights, const vulkan::BufferView& x, std::uint32_t mostElements) {
  const std::uint64_t words = weights.size / 4 <= mostElements ? weights.size : 16;
  return {{{weights, VK_FORMAT_R32G32B32A32_UINT}, {weights.part(0, words), VK_FORMAT_R32_UINT}, {x, VK_FORMAT_R32G32B32A32_SFLOAT}}};
}

void dispatchProjection(vulkan::Commands& commands, const ProjectionForm& form, const ProjectionKernels& kernels,
                        const WeightLayout& layout, const PlainProjection& projection, VkDescriptorSet set) {
  const auto quads = [](std::uint64_t bytes) { return static_cast<std::uint32_t>(bytes / 16); };
  const std::uint32_t rows = layout.groups * groupRows;
  push::Matvec p{.weights = projection.weights,
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
  if (form.ranges.count == 1) {
    const std::array<std::uint32_t, 3> groups = form.tokensFirst ? tokensFirst(ofTokens, ofRows) : std::array{ofRows, ofTokens, 1U};
    commands.dispatch(*kernels.product, &p, sizeof p, set, groups[0], groups[1], groups[2]);
    return;
  }
  const push::Matvec sum = splitOperands(p, form.ranges, projection.partial);
  commands.dispatch(*kernels.product, &p, sizeof p, set, ofRows, ofTokens * form.ranges.count, 1);
  commands.barrier();
  commands.dispatch(*kernels.join, &sum, sizeof sum, VK_NULL_HANDLE, (rows + joinThreads - 1) / joinThreads, projection.tokens, 1);
}

}  // namespace minerva::gpu
