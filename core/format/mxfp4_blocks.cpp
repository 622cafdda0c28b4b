// MXFP4 as published for gpt-oss: X_blocks U8 [.., rows, columns / 32, 16] with element 2i in the low nibble of byte i, and
// X_scales U8 [.., rows, columns / 32], E8M0 exponents with bias 127 (OCP Microscaling Formats 1.0).
#include "core/format/assemble.h"

namespace minerva::format {

namespace {

constexpr std::int64_t blockBytes = 16;
constexpr std::int64_t blockElements = 32;

Result<void> assembleBlocks(RawTensor& blocks, RawTensor& scales, std::string name, ModelFileBuilder& builder) {
  const auto& shape = blocks.tensor.shape;
  if (shape.size() < 3 || shape.size() > 4 || shape.back() != blockBytes || blocks.tensor.bytes.empty()) {
    return contradiction(blocks, "is not made of MXFP4 blocks", "U8 [experts, rows, columns / 32, 16]",
                         blocks.tensor.dtype + " " + shapeText(shape));
  }
  const std::vector<std::int64_t> outer(shape.begin(), shape.end() - 1);
  if (scales.tensor.dtype != "U8" || scales.tensor.shape != outer) {
    return contradiction(scales, "does not fit its blocks", "U8 " + shapeText(outer),
                         scales.tensor.dtype + " " + shapeText(scales.tensor.shape));
  }
  TensorView view{.type = ElementType::MXFP4_PLANES,
                  .shape = withColumns(outer, outer.back() * blockElements),
                  .bytes = blocks.tensor.bytes,
                  .planes = {}};
  view.planes.scales = scales.tensor.bytes;
  blocks.taken = scales.taken = true;
  return addAssembled(blocks, std::move(name), view, builder);
}

}  // namespace

Result<void> assembleMxfp4Blocks(RawTensors& raw, ModelFileBuilder& builder) {
  for (RawTensor& blocks : raw.all()) {
    const std::string name(stemOf(blocks.tensor.name, "_blocks"));
    if (name.empty() || blocks.taken || blocks.tensor.dtype != "U8") continue;
    RawTensor* scales = raw.find(name + "_scales");
    if (!scales) return contradiction(blocks, "has no scales", name + "_scales", "nothing");
    MINERVA_TRY(assembleBlocks(blocks, *scales, name, builder));
  }
  return {};
}

}  // namespace minerva::format
