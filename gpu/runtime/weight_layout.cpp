#include "gpu/runtime/weight_layout.h"

#include "core/tensor/types/grid_data.h"
#include "gpu/runtime/weight_planes.h"

namespace minerva::gpu {

namespace {

std::uint64_t roundUp(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

}  // namespace

std::optional<Affine> affineOf(ElementType type) {
  switch (type) {
    case ElementType::TQ2_0: return Affine{2, 256, choice::scaleF16, false};
    case ElementType::Q2_0: return Affine{2, 64, choice::scaleF16, false};
    case ElementType::Q1_0: return Affine{1, 128, choice::scaleF16, false};
    default: break;
  }
  if (type < ElementType::MLX2_G32_F16 || type > ElementType::MLX8_G128_F32) return std::nullopt;
  const auto index = static_cast<std::uint32_t>(type) - static_cast<std::uint32_t>(ElementType::MLX2_G32_F16);
  constexpr std::array<std::uint32_t, 6> bits{2, 3, 4, 5, 6, 8};
  constexpr std::array<std::uint32_t, 3> groups{32, 64, 128};
  constexpr std::array<std::uint32_t, 3> scales{choice::scaleF16, choice::scaleBf16, choice::scaleF32};
  return Affine{bits[index / 9], groups[index / 3 % 3], scales[index % 3], true};
}

std::optional<SignedBytes> signedBytesOf(ElementType type) {
  switch (type) {
    case ElementType::F8_E4M3: return SignedBytes{choice::codesE4m3, choice::scaleNone, blockColumns};
    case ElementType::F8_E5M2: return SignedBytes{choice::codesE5m2, choice::scaleNone, blockColumns};
    case ElementType::F8_E4M3_SCALED: return SignedBytes{choice::codesE4m3, choice::scaleF32, 128};
    case ElementType::F8_E5M2_SCALED: return SignedBytes{choice::codesE5m2, choice::scaleF32, 128};
    case ElementType::F8_E4M3_SCALED32: return SignedBytes{choice::codesE4m3, choice::scaleF32, 32};
    case ElementType::F8_E5M2_SCALED32: return SignedBytes{choice::codesE5m2, choice::scaleF32, 32};
    case ElementType::MXFP8_PLANES: return SignedBytes{choice::codesE4m3, choice::scaleE8m0, 32};
    case ElementType::Q8_1: return SignedBytes{choice::codesWhole, choice::scaleF16, 32};
    case ElementType::Q8_K: return SignedBytes{choice::codesWhole, choice::scaleF32, 256};
    default: return std::nullopt;
  }
}

Grid gridOf(ElementType type) {
  switch (type) {
    case ElementType::IQ2_XXS: return {types::grids::iq2Xxs, choice::gridIq2Xxs};
    case ElementType::IQ2_XS: return {types::grids::iq2Xs, choice::gridIq2Xs};
    case ElementType::IQ2_S: return {types::grids::iq2S, choice::gridIq2S};
    case ElementType::IQ3_XXS: return {types::grids::iq3Xxs, choice::gridIq3Xxs};
    case ElementType::IQ3_S: return {types::grids::iq3S, choice::gridIq3S};
    case ElementType::IQ1_S: return {types::grids::iq1S, choice::gridIq1S};
    case ElementType::IQ1_M: return {types::grids::iq1S, choice::gridIq1M};
    default: return {};
  }
}

Planes planesOf(ElementType type) {
  const auto codes = [](std::uint32_t bytes) { return Plane{bytes * groupRows, 0}; };
  if (const auto affine = affineOf(type)) {
    return {codes(4 * affine->lowBits()),
            Plane{0, (affine->biases ? 2 : 1) * groupRows * affine->scaleBytes(), affine->group / blockColumns},
            codes(4 * (affine->bits - affine->lowBits()))};
  }
  switch (type) {
    case ElementType::F32: return {codes(128)};
    case ElementType::F16:
    case ElementType::BF16: return {codes(64)};
    case ElementType::Q8_0: return {codes(32), Plane{16, 0}};
    case ElementType::Q4_0: return {codes(16), Plane{16, 0}};
    case ElementType::MXFP4:
    case ElementType::MXFP4_PLANES: return {codes(16), Plane{8, 0}};
    case ElementType::Q4_1: return {codes(16), Plane{32, 0}};
    case ElementType::Q5_0: return {codes(16), Plane{16, 0}, Plane{32, 0}};
    case ElementType::Q5_1: return {codes(16), Plane{32, 0}, Plane{32, 0}};
    case ElementType::Q4_K: return {codes(16), Plane{0, 32}, Plane{12, 0}};
    case ElementType::Q5_K: return {codes(16), Plane{0, 32}, Plane{12, 0}, Plane{32, 0}};
    case ElementType::Q6_K: return {codes(16), Plane{0, 16}, Plane{16, 0}, Plane{64, 0}};
    case ElementType::Q2_K: return {codes(8), Plane{0, 32}, Plane{16, 0}};
    case ElementType::Q3_K: return {codes(8), Plane{0, 16}, Plane{12, 0}, Plane{32, 0}};
    case ElementType::IQ4_NL: return {codes(16), Plane{16, 0}};
    case ElementType::IQ4_XS: return {codes(16), Plane{0, 64}};
    case ElementType::NVFP4:
    case ElementType::NVFP4_PLANES: return {codes(16), Plane{16, 0}};
    case ElementType::IQ2_XXS: return {codes(4), Plane{0, 16}, Plane{32, 0}};
    case ElementType::IQ2_XS: return {codes(4), Plane{0, 80}, Plane{32, 0}};
    case ElementType::IQ2_S: return {codes(4), Plane{0, 144}, Plane{32, 0}};
    case ElementType::IQ3_XXS: return {codes(8), Plane{0, 16}, Plane{32, 0}};
    case ElementType::IQ3_S: return {codes(8), Plane{0, 112}, Plane{32, 0}};
    case ElementType::IQ1_S: return {codes(4), Plane{0, 144}};
    case ElementType::IQ1_M: return {codes(4), Plane{0, 192}};
    case ElementType::TQ1_0: return {Plane{0, 432}};
    case ElementType::F8_E4M3:
    case ElementType::F8_E5M2: return {codes(32)};
    case ElementType::F8_E4M3_SCALED:
    case ElementType::F8_E5M2_SCALED: return {codes(32), Plane{0, 32, 4}};
    case ElementType::F8_E4M3_SCALED32:
    case ElementType::F8_E5M2_SCALED32: return {codes(32), Plane{0, 32, 1}};
    case ElementType::MXFP8_PLANES: return {codes(32), Plane{8, 0}};
    case ElementType::Q8_1: return {codes(32), Plane{32, 0}};
    case ElementType::Q8_K: return {codes(32), Plane{0, 32}, Plane{0, 256}};
    default: break;
  }
  return {};
}

FormatModule moduleOf(ElementType type) {
  if (const auto affine = affineOf(type)) {
    return {"AFFINE", {affine->group / blockColumns, affine->scale, affine->bits, affine->biases ? 1u : 0u}};
  }
  if (const auto bytes = signedBytesOf(type)) return {"SIGNED", {bytes->group / blockColumns, bytes->scale, bytes->codes}};
  if (const Grid grid = gridOf(type); !grid.entries.empty()) return {"GRID", {grid.choice}};
  switch (type) {
    case ElementType::MXFP4:
    case ElementType::MXFP4_PLANES: return {"E2M1", {}};
    case ElementType::NVFP4:
    case ElementType::NVFP4_PLANES: return {"NVFP4", {type == ElementType::NVFP4 ? 1u : 0u}};
    case ElementType::IQ4_NL:
    case ElementType::IQ4_XS: return {"IQ4", {type == ElementType::IQ4_XS ? 1u : 0u}};
    default: break;
  }
  const Plane codes = planesOf(type)[0];
  if (codes.bytesPerBlock == 0 && codes.bytesPerSuper == 0) return {};
  return {std::string(traits(type).name), {}};
}

std::uint64_t tableBytes(ElementType type) { return gridOf(type).entries.size_bytes(); }

std::uint64_t groupBytes(const WeightLayout& layout, std::size_t plane) {
  const Plane p = planesOf(layout.type)[plane];
  return std::uint64_t{p.bytesPerBlock} * layout.blocks + std::uint64_t{p.bytesPerSuper} * (layout.blocks / p.blocksPerSuper);
}

WeightLayout layoutOf(ElementType type, std::uint32_t rows, std::uint32_t columns) {
  WeightLayout layout;
  layout.type = type;
  layout.rows = rows;
  layout.columns = columns;
  layout.groups = (rows + groupRows - 1) / groupRows;
  layout.blocks = (columns + blockColumns - 1) / blockColumns;
  for (std::size_t p = 0; p < layout.planes.size(); ++p) {
    layout.planes[p] = layout.bytes;
    layout.bytes += roundUp(groupBytes(layout, p) * layout.groups, 16);
  }
  if (tableBytes(type) > 0) {
    layout.planes[tablePlane] = layout.bytes;
    layout.bytes += roundUp(tableBytes(type), 16);
  }
  return layout;
}

}  // namespace minerva::gpu
