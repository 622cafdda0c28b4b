// Tensors of recurrent mixers in the order of a GGUF file.
#include "core/convert/mixers.h"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <vector>

namespace minerva::convert {
namespace {

TensorView zeros(std::initializer_list<std::int64_t> dims) {
  static const std::array<std::byte, 8192> all{};
  TensorView view;
  view.shape.rank = static_cast<int>(dims.size());
  std::ranges::copy(dims, view.shape.dims.begin());
  view.bytes = std::span(all).first(sizeof(float) * static_cast<std::size_t>(view.shape.elements()));
  return view;
}

// The values begin in the middle of the rows that have one scale.
TEST(Mixers, ValueHeadsOfAFusedMatrixKeepTheirScales) {
  const std::vector<std::byte> ones(20 * 32, std::byte{0x38});  // 1 as E4M3
  const std::array<float, 4> scales{1, 2, 3, 4};
  model::ModelConfig config;
  model::DeltaNet& net = config.layers.emplace_back().deltaNet;
  net.keyHeads = 2;
  net.valueHeads = 4;
  net.keyDim = 3;
  net.valueDim = 2;
  net.convolution = 4;
  net.q.weight = {.type = ElementType::F8_E4M3_SCALED32, .shape = {{20, 32, 1, 1}, 2}, .bytes = ones};
  net.q.weight.planes = {.scales = std::as_bytes(std::span(scales)), .biases = {}, .rowsPerScale = 5, .blocksPerScale = 1};
  net.z.weight = zeros({8, 32});
  net.b.weight = net.a.weight = zeros({4, 32});
  net.decay = net.stepBias = zeros({4});
  net.convolutionWeight = zeros({20, 4});
  net.norm.weight = zeros({2});
  net.out.weight = zeros({32, 8});
  const auto firstOfRows = [&](bool tiled) {
    std::vector<SourceTensor> tensors;
    EXPECT_TRUE(addDeltaNets(config, tiled, tensors).has_value());
    EXPECT_EQ(tensors.at(0).name, "blk.0.attn_qkv.weight");
    std::vector<float> out, row(32);
    for (const TensorView& part : tensors.at(0).parts) {
      for (std::int64_t i = 0; i < part.shape.rows(); ++i) {
        dequantizeRows(part, static_cast<std::size_t>(i), 1, row.data());
        out.push_back(row[0]);
      }
    }
    return out;
  };
  EXPECT_EQ(firstOfRows(false), (std::vector<float>{1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4}));
  // Rows 12, 13 and 16, 17 of the value heads' first tile, then 14, 15 and 18, 19.
  EXPECT_EQ(firstOfRows(true), (std::vector<float>{1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 3, 4, 4, 4}));
}

}  // namespace
}  // namespace minerva::convert
