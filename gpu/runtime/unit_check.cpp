#include "gpu/runtime/unit_check.h"

#include "gpu/runtime/plain_projection.h"
#include "gpu/vulkan/buffer.h"
#include "gpu/vulkan/timeline.h"

#include <cstring>
#include <vector>

namespace minerva::gpu {

namespace {

// Not multiples of any tile size, so that the kernels must discard out-of-range results.
constexpr std::uint32_t rows = 200, columns = 96, tokens = 75;

constexpr ElementType checkedType = ElementType::Q8_0;

// Integers that are exact as stored and as float16, and so are their sums; those of a block are larger than what float16 holds if the
// kernel does not scale them.
int weightAt(std::uint32_t row, std::uint32_t column) { return static_cast<int>((row * 5 + column * 3) % 7) - 3; }
int inputAt(std::uint32_t token, std::uint32_t column) { return (static_cast<int>((token * 3 + column) % 5) - 2) * 4096; }

std::vector<std::byte> packedWeights(const WeightLayout& layout) {
  std::vector<std::byte> stored;  // blocks of Q8_0: a float16 scale, 1, and 32 bytes
  for (std::uint32_t r = 0; r < rows; ++r) {
    for (std::uint32_t c = 0; c < columns; ++c) {
      if (c % blockColumns == 0) stored.insert(stored.end(), {std::byte{0x00}, std::byte{0x3c}});
      stored.push_back(static_cast<std::byte>(weightAt(r, c)));
    }
  }
  const TensorView view{checkedType, Shape{{rows, columns, 1, 1}, 2}, stored};
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

Result<bool> unitsAreRight(const std::shared_ptr<vulkan::Device>& device, Kernels& kernels, const Tuning& tuning, bool halfSums) {
  const WeightLayout layout = layoutOf(checkedType, rows, columns);
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
    only.units.halfSums = halfSums;
    only.units.tiles.fill(tiles);
    ProjectionChoice choice;
    choice.unitsFrom = 1;
    choice.halfSums = halfSums;
    only.measured = {{kindOf(checkedType, layout.groups * groupRows), choice}};
    const ProjectionForm form =
        projectionForm(only, device->info().matrixUnit, {.type = checkedType, .groups = layout.groups, .tokens = tokens, .rounds = true});
    const auto made = kernelsOf(kernels, form);
    if (!made) return false;
    std::memset(out.view().mapped, 0xff, outBytes);
    MINERVA_ASSIGN(vulkan::Commands commands, vulkan::Commands::create(device, false));
    dispatchProjection(commands, form, *made, layout, {weights.view().address, x.view().address, out.view().address, tokens},
                       VK_NULL_HANDLE);
    commands.barrierToHost();
    MINERVA_TRY(commands.end());
    MINERVA_TRY(timeline.run(commands.handle()));
    if (!isRight(reinterpret_cast<const float*>(out.view().mapped))) return false;
  }
  return true;
}

}  // namespace minerva::gpu
