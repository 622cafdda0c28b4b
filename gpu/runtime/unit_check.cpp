#include "gpu/runtime/unit_check.h"

#include "gpu/runtime/projection_form.h"
#include "gpu/vulkan/buffer.h"
#include "gpu/vulkan/commands.h"
#include "gpu/vulkan/timeline.h"

#include <cstring>
#include <vector>

namespace minerva::gpu {

namespace {

// Not multiples of any tile size, so that the kernels must discard out-of-range results.
constexpr std::uint32_t rows = 200, columns = 96, tokens = 75;

// Small integers: exact as stored, as float16, and their sums as floats.
int weightAt(std::uint32_t row, std::uint32_t column) { return static_cast<int>((row * 5 + column * 3) % 7) - 3; }
int inputAt(std::uint32_t token, std::uint32_t column) { return static_cast<int>((token * 3 + column) % 5) - 2; }

std::vector<std::byte> packedWeights(const WeightLayout& layout) {
  std::vector<std::byte> stored(std::size_t{rows} * columns * 2);
  const ElementTypeTraits& stands = traits(ElementType::BF16);
  std::vector<float> row(columns);
  for (std::uint32_t r = 0; r < rows; ++r) {
    for (std::uint32_t c = 0; c < columns; ++c) row[c] = static_cast<float>(weightAt(r, c));
    stands.quantize(row.data(), stored.data() + std::size_t{r} * columns * 2, columns);
  }
  const TensorView view{ElementType::BF16, Shape{{rows, columns, 1, 1}, 2}, stored};
  std::vector<std::byte> packed(layout.bytes);
  for (std::uint32_t g = 0; g < layout.groups; ++g) packGroup(view, {0, 1, rows}, g, layout, g, packed);
  return packed;
}

bool isRight(const float* out) {
  for (std::uint32_t t = 0; t < tokens; ++t) {
    for (std::uint32_t r = 0; r < rows; ++r) {
      int expected = 0;
      for (std::uint32_t c = 0; c < columns; ++c) expected += weightAt(r, c) * inputAt(t, c);
      if (out[std::size_t{t} * rows + r] != static_cast<float>(expected)) return false;
    }
  }
  return true;
}

}  // namespace

Result<bool> unitsAreRight(const std::shared_ptr<vulkan::Device>& device, Kernels& kernels, const Tuning& tuning) {
  const WeightLayout layout = layoutOf(ElementType::BF16, rows, columns);
  const std::vector<std::byte> packed = packedWeights(layout);
  constexpr std::uint64_t outBytes = std::uint64_t{tokens} * rows * 4;
  MINERVA_ASSIGN(vulkan::Buffer weights, vulkan::Buffer::create(device, packed.size(), vulkan::MemoryKind::upload));
  MINERVA_ASSIGN(vulkan::Buffer x, vulkan::Buffer::create(device, std::uint64_t{tokens} * columns * 4, vulkan::MemoryKind::upload));
  MINERVA_ASSIGN(vulkan::Buffer out, vulkan::Buffer::create(device, outBytes, vulkan::MemoryKind::readback));
  MINERVA_ASSIGN(vulkan::Timeline timeline, vulkan::Timeline::create(device));
  std::memcpy(weights.view().mapped, packed.data(), packed.size());
  for (std::uint32_t i = 0; i < tokens * columns; ++i) {
    const auto value = static_cast<float>(inputAt(i / columns, i % columns));
    std::memcpy(x.view().mapped + 4 * std::size_t{i}, &value, 4);
  }
  for (const UnitTiles& tiles : tuning.units.tiles) {
    Tuning only = tuning;
    only.units.from = 1;
    only.units.tiles.fill(tiles);
    const ProjectionForm form = projectionForm(only, device->info().matrixUnit,
                                               {.type = ElementType::BF16, .groups = layout.groups, .tokens = tokens, .rounds = true});
    const auto kernel = kernels.get<push::Matvec>(form.kernel, form.constants, form.lanes);
    if (!kernel) return false;
    std::memset(out.view().mapped, 0xff, outBytes);
    const push::Matvec p{.weights = weights.view().address,
                         .x = x.view().address,
                         .bias = 0,
                         .aux = 0,
                         .out_ = out.view().address,
                         .route = 0,
                         .norm = 0,
                         .plane1 = 0,
                         .plane2 = 0,
                         .plane3 = 0,
                         .rows = rows,
                         .groups = layout.groups,
                         .blocks = layout.blocks,
                         .n = tokens,
                         .xStride = columns,
                         .outStride = rows,
                         .routeStride = 0,
                         .hasBias = 0,
                         .scale = 1.0f,
                         .softCap = 0.0f,
                         .places = 1,
                         .xPlace = 0,
                         .outPlace = 0,
                         .columns = columns,
                         .epsilon = 0};
    MINERVA_ASSIGN(vulkan::Commands commands, vulkan::Commands::create(device, false));
    commands.dispatch(**kernel, &p, sizeof p, VK_NULL_HANDLE, (layout.groups * groupRows + form.rows - 1) / form.rows,
                      (tokens + form.columns - 1) / form.columns, 1);
    commands.barrierToHost();
    MINERVA_TRY(commands.end());
    MINERVA_TRY(timeline.run(commands.handle()));
    if (!isRight(reinterpret_cast<const float*>(out.view().mapped))) return false;
  }
  return true;
}

}  // namespace minerva::gpu
