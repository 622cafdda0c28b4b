// Kernels of every instruction set that this processor supports, compared in double precision on the dequantized weights.
#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/panels.h"
#include "core/tensor/half.h"
#include "tests/support/random_blocks.h"
#include "tests/support/runnable_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

namespace minerva::cpu {
namespace {

using tests::runnableKernels;

constexpr int words = static_cast<int>(Rounding::words), bytes = static_cast<int>(Rounding::bytes);

struct SetAndRounding {
  const Kernels* k;
  Rounding rounding;
};
std::vector<SetAndRounding> withRoundings(std::initializer_list<Rounding> roundings) {
  std::vector<SetAndRounding> all;
  for (const Kernels* k : runnableKernels()) {
    for (const Rounding rounding : roundings) all.push_back({k, rounding});
  }
  return all;
}

// A matrix of an element type with random codes, and its exact values.
struct TestMatrix {
  std::vector<std::byte> bytes;  // all rows, contiguous
  tests::SplitBlocks parts;
  std::vector<float> values;
  TensorView view;
};

TestMatrix makeMatrix(ElementType type, int rows, int columns, std::mt19937& random) {
  const auto count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  tests::Random blocks(random());
  TestMatrix m;
  m.bytes.resize(bytesOf(type, count));
  tests::fillRandom(blocks, traits(type), m.bytes, 0.05);
  m.values.resize(count);
  traits(type).dequantize(m.bytes.data(), m.values.data(), count);
  m.view.type = type;
  m.view.shape = {{rows, columns, 1, 1}, 2};
  m.view.bytes = m.bytes;
  if (m.view.apart()) {
    m.parts = tests::splitBlocks(traits(type), m.bytes);
    m.view.bytes = m.parts.codes;
    m.view.planes.scales = m.parts.scales;
    m.view.planes.biases = m.parts.biases;
  }
  return m;
}

bool isFloat(ElementType type) { return traits(type).kind == ElementKind::plain; }

// Various column counts if a block is one element; otherwise multiples of the block size.
std::vector<int> columnsOf(ElementType type) {
  const int block = static_cast<int>(traits(type).blockElements);
  if (block == 1) return {1, 7, 100, 512};
  return {block, 7 * block, 1280};
}

std::vector<std::vector<std::byte>> packed(const TestMatrix& m, std::size_t columns) {
  std::vector<std::vector<std::byte>> panels;
  for (std::size_t p = 0; p < panelCount(static_cast<std::size_t>(m.view.shape.rows())); ++p) {
    panels.emplace_back(panelBytes(m.view.type, columns), std::byte{0xff});
    packPanel(m.view, p, panels.back().data());
  }
  return panels;
}

class KernelTest : public testing::TestWithParam<ElementType> {
 protected:
  std::mt19937 random{7};
};

// The products of a panel with n rows of `columns` floats; empty if the set has none for this rounding.
std::vector<float> productsOf(const SetAndRounding& how, ElementType type, WeightLayout layout, const std::vector<std::byte>& panel,
                              std::size_t columns, const std::vector<float>& x, int n) {
  const DotFunction dot = how.k->dot[static_cast<int>(how.rounding)][layout];
  if (dot == nullptr) return {};
  const std::size_t stride = readsFloats(type) ? columns * sizeof(float) : quantizedRowBytes(columns);
  std::vector<std::byte> rows(stride * static_cast<std::size_t>(n));
  for (int t = 0; t < n; ++t) {
    const float* from = x.data() + static_cast<std::size_t>(t) * columns;
    if (readsFloats(type)) std::memcpy(rows.data() + static_cast<std::size_t>(t) * stride, from, stride);
    else how.k->quantize[static_cast<int>(how.rounding)](from, static_cast<int>(columns), quantizedRow(rows.data(), t, n, columns));
  }
  std::vector<float> y(static_cast<std::size_t>(n) * panelRows, 1e9F);
  dot(panel.data(), static_cast<int>(columns), rows.data(), stride, n, y.data());
  return y;
}

TEST_P(KernelTest, UnpackGivesTheExactValues) {
  const ElementType type = GetParam();
  for (const int columns : columnsOf(type)) {
    const int rows = 37;
    const TestMatrix m = makeMatrix(type, rows, columns, random);
    const auto panels = packed(m, static_cast<std::size_t>(columns));
    const int padded = static_cast<int>(paddedColumns(static_cast<std::size_t>(columns)));
    std::vector<float> strip(static_cast<std::size_t>(padded) * panelRows);
    for (const Kernels* k : runnableKernels()) {
      for (int r = 0; r < static_cast<int>(panels.size()) * panelRows; ++r) {
        k->unpack[panelsOf(type)](panels[static_cast<std::size_t>(r / panelRows)].data(), padded, 0, padded, strip.data());
        for (int c = 0; c < padded; ++c) {
          const float exact = r < rows && c < columns ? m.values[static_cast<std::size_t>(r * columns + c)] : 0.0F;
          const float found = strip[static_cast<std::size_t>(c * panelRows + r % panelRows)];
          ASSERT_NEAR(found, exact, 1e-6F * std::max(1.0F, std::fabs(exact))) << k->name << " row " << r << " column " << c;
        }
      }
    }
  }
}

TEST_P(KernelTest, DotAgreesWithDoublePrecision) {
  const ElementType type = GetParam();
  std::uniform_real_distribution<float> uniform(-1.0F, 1.0F);
  for (const int columns : columnsOf(type)) {
    const TestMatrix m = makeMatrix(type, panelRows, columns, random);
    const auto panels = packed(m, static_cast<std::size_t>(columns));
    const auto padded = paddedColumns(static_cast<std::size_t>(columns));
    for (const int n : {1, 2, 3, 5, 7, 8, 9, 16, 17, 45}) {
      std::vector<float> x(static_cast<std::size_t>(n) * padded, 0.0F);
      for (int t = 0; t < n; ++t) {
        for (int c = 0; c < columns; ++c)
          x[static_cast<std::size_t>(t) * padded + static_cast<std::size_t>(c)] = uniform(random) * (c % 5 == 0 ? 8.0F : 1.0F);
      }
      for (const auto& [k, rounding] : withRoundings({Rounding::words, Rounding::parts})) {
        const std::vector<float> y = productsOf({k, rounding}, type, panelsOf(type), panels[0], padded, x, n);
        if (y.empty()) continue;
        for (int t = 0; t < n; ++t) {
          for (int r = 0; r < panelRows; ++r) {
            double exact = 0, size = 0, weights = 0;
            for (int c = 0; c < columns; ++c) {
              const double term = static_cast<double>(m.values[static_cast<std::size_t>(r * columns + c)]) *
                                  static_cast<double>(x[static_cast<std::size_t>(t) * padded + static_cast<std::size_t>(c)]);
              exact += term;
              size += std::fabs(term);
              weights += std::fabs(static_cast<double>(m.values[static_cast<std::size_t>(r * columns + c)]));
            }
            // For quantized types, activations are rounded by up to half a step of 1/32512 of the block's largest value,
            // which is at most 8.
            const double rounding = readsFloats(type) ? 0.0 : 8.0 / 65024.0 * weights;
            ASSERT_NEAR(y[static_cast<std::size_t>(t * panelRows + r)], exact, rounding + 2e-6 * size)
                << k->name << " rounding " << static_cast<int>(rounding) << " n " << n << " columns " << columns << " row " << r << " of x "
                << t;
          }
        }
      }
    }
  }
}

// What a request is answered does not depend on who else is there: to the last bit.
TEST_P(KernelTest, ARowsProductsAreTheSameInAnyCompany) {
  const ElementType type = GetParam();
  const int columns = columnsOf(type).back(), most = 45;
  const auto padded = static_cast<std::size_t>(columns);
  ASSERT_EQ(padded, paddedColumns(padded));
  const TestMatrix m = makeMatrix(type, panelRows, columns, random);
  std::vector<std::pair<WeightLayout, std::vector<std::byte>>> layouts{{panelsOf(type), packed(m, padded).front()}};
  if (isFloat(type)) layouts.emplace_back(rowsOf(type), m.bytes);
  std::uniform_real_distribution<float> uniform(-1.0F, 1.0F);
  std::vector<float> x(padded * most);
  for (float& value : x) value = uniform(random);
  for (const auto& how : withRoundings({Rounding::words, Rounding::parts, Rounding::bytes})) {
    for (const auto& [layout, weights] : layouts) {
      std::vector<float> alone;
      for (std::size_t t = 0; t < most; ++t) {
        const auto row = x.begin() + static_cast<std::ptrdiff_t>(t * padded);
        const std::vector<float> y = productsOf(how, type, layout, weights, padded, {row, row + columns}, 1);
        alone.insert(alone.end(), y.begin(), y.end());
      }
      for (const int n : {2, 3, 5, 6, 7, 8, 9, 15, 16, 17, 32, 33, most}) {
        const std::vector<float> together = productsOf(how, type, layout, weights, padded, x, n);
        for (std::size_t i = 0; i < together.size(); ++i) {
          ASSERT_EQ(together[i], alone[i]) << how.k->name << " rounding " << static_cast<int>(how.rounding) << " layout " << layout << ", "
                                           << n << " rows, row " << i / panelRows << ", result " << i % panelRows;
        }
      }
    }
  }
}

// With 8-bit activations, the rounded ones are known, so that the products must be as exact.
TEST_P(KernelTest, DotOfBytesIsThatOfTheRoundedActivations) {
  const ElementType type = GetParam();
  const WeightLayout layout = panelsOf(type);
  const bool any = std::ranges::any_of(runnableKernels(), [&](const Kernels* k) { return k->dot[bytes][layout] != nullptr; });
  if (!any) GTEST_SKIP() << "this type has no such kernel";
  std::normal_distribution<float> normal(0.0F, 1.0F);
  const int columns = 512;
  const TestMatrix m = makeMatrix(type, panelRows, columns, random);
  const auto panels = packed(m, static_cast<std::size_t>(columns));
  for (const Kernels* k : runnableKernels()) {
    if (k->dot[bytes][layout] == nullptr) continue;
    for (const int n : {1, 2, 3, 4, 5, 8, 15, 16, 17, 45}) {
      const std::size_t stride = quantizedRowBytes(columns);
      std::vector<std::byte> rows(stride * static_cast<std::size_t>(n));
      std::vector<std::vector<double>> rounded;
      for (int t = 0; t < n; ++t) {
        std::vector<float> x(static_cast<std::size_t>(columns));
        for (float& value : x) value = normal(random) * (t == 2 ? 1e4F : 1.0F);
        if (t == 1) std::fill(x.begin(), x.begin() + 64, 0.0F);
        const QuantizedRow to = quantizedRow(rows.data(), t, n, columns);
        k->quantize[bytes](x.data(), columns, to);
        std::vector<double>& own = rounded.emplace_back();
        for (int c = 0; c < columns; ++c) {
          const auto* block = reinterpret_cast<const QuantizedBlock*>(to.first + static_cast<std::size_t>(c / 32) * to.step);
          own.push_back(static_cast<double>(block->scale) * static_cast<std::int8_t>(block->q[c % 32 / 4 * 8 + c % 4]));
          ASSERT_LE(std::fabs(own.back() - static_cast<double>(x[static_cast<std::size_t>(c)])), 0.501 * static_cast<double>(block->scale));
        }
      }
      std::vector<float> y(static_cast<std::size_t>(n) * panelRows, 1e9F);
      k->dot[bytes][layout](panels[0].data(), columns, rows.data(), stride, n, y.data());
      for (int t = 0; t < n; ++t) {
        for (int r = 0; r < panelRows; ++r) {
          double exact = 0, size = 0;
          for (int c = 0; c < columns; ++c) {
            const double term = static_cast<double>(m.values[static_cast<std::size_t>(r * columns + c)]) *
                                rounded[static_cast<std::size_t>(t)][static_cast<std::size_t>(c)];
            exact += term;
            size += std::fabs(term);
          }
          // The offset of a block and its products are added apart, and are larger than the block's values.
          ASSERT_NEAR(y[static_cast<std::size_t>(t * panelRows + r)], exact, 1e-5 * size)
              << k->name << " n " << n << " row " << r << " of x " << t;
        }
      }
    }
  }
}

// Sums in 16 bits hold the largest products: every code of a type is its largest one or its smallest, and every activation a rounded one
// whose bytes are as large as they can be.
TEST_P(KernelTest, TheLargestProductsFit) {
  const ElementType type = GetParam();
  const ElementTypeTraits& t = traits(type);
  if (readsFloats(type) || t.quantize == nullptr) GTEST_SKIP() << "this type has no codes that are made here";
  constexpr int columns = 512;
  constexpr std::size_t count = std::size_t{panelRows} * columns;
  for (const float rest : {1.0F, 31.0F / 32, 0.875F, -1.0F}) {  // of a block whose first value is -1 or 0
    for (const float first : {-1.0F, 0.0F}) {
      TestMatrix m;
      m.values.assign(count, rest);
      for (std::size_t i = 0; i < count; i += static_cast<std::size_t>(t.blockElements) == 256 ? 16 : 32) m.values[i] = first;
      m.bytes.resize(bytesOf(type, count));
      t.quantize(m.values.data(), m.bytes.data(), count);
      t.dequantize(m.bytes.data(), m.values.data(), count);
      m.view.type = type;
      m.view.shape = {{panelRows, columns, 1, 1}, 2};
      m.view.bytes = m.bytes;
      if (m.view.apart()) return;
      const auto panels = packed(m, columns);
      for (const int q : {126 * 256 + 127, 126 * 256 - 128, 32512}) {
        std::vector<float> x(columns, static_cast<float>(q) / 32512.0F);
        for (std::size_t i = 0; i < x.size(); i += 32) x[i] = 1.0F;
        for (const auto& [k, rounding] : withRoundings({Rounding::words, Rounding::parts, Rounding::bytes})) {
          const DotFunction dot = k->dot[static_cast<int>(rounding)][panelsOf(type)];
          if (dot == nullptr) continue;
          for (const int n : {1, 5}) {
            std::vector<std::byte> rows(quantizedRowBytes(columns) * static_cast<std::size_t>(n));
            for (int r = 0; r < n; ++r)
              k->quantize[static_cast<int>(rounding)](x.data(), columns, quantizedRow(rows.data(), r, n, columns));
            std::vector<float> y(static_cast<std::size_t>(n) * panelRows);
            dot(panels[0].data(), columns, rows.data(), quantizedRowBytes(columns), n, y.data());
            double exact = 0, size = 0;
            for (std::size_t c = 0; c < columns; ++c) {
              exact += static_cast<double>(m.values[c]) * static_cast<double>(x[c]);
              size += std::fabs(static_cast<double>(m.values[c]) * static_cast<double>(x[c]));
            }
            const double tolerance = rounding == Rounding::bytes ? 5e-3 : 1e-4;  // of the rounding, all of whose errors are the same here
            for (const float found : y) ASSERT_NEAR(found, exact, tolerance * size + 1e-3) << k->name << ", q " << q << ", n " << n;
          }
        }
      }
    }
  }
}

// Kernels that read the file's row-major rows agree with those that read packed panels.
TEST_P(KernelTest, RowsInPlaceAgreeWithPanels) {
  const ElementType type = GetParam();
  if (!isFloat(type)) return;  // only float weights are used in place
  constexpr int columns = 160, n = 9;
  const TestMatrix m = makeMatrix(type, panelRows, columns, random);
  const auto panels = packed(m, columns);
  std::normal_distribution<float> normal;
  std::vector<float> x(static_cast<std::size_t>(n) * columns);
  for (float& value : x) value = normal(random);
  for (const Kernels* k : runnableKernels()) {
    std::vector<float> a(n * panelRows), b(n * panelRows), stripA(96 * panelRows), stripB(96 * panelRows);
    const auto* rows = reinterpret_cast<const std::byte*>(x.data());
    k->dot[words][panelsOf(type)](panels[0].data(), columns, rows, columns * sizeof(float), n, a.data());
    k->dot[words][rowsOf(type)](m.bytes.data(), columns, rows, columns * sizeof(float), n, b.data());
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 2e-6) << k->name << " result " << i;
    k->unpack[panelsOf(type)](panels[0].data(), columns, 64, 96, stripA.data());
    k->unpack[rowsOf(type)](m.bytes.data(), columns, 64, 96, stripB.data());
    EXPECT_EQ(stripA, stripB) << k->name;
    if (k->matrix == nullptr) continue;
    std::vector<std::uint16_t> high[2], low[2];
    for (int i = 0; i < 2; ++i) {
      high[i].resize(96 * panelRows);
      low[i].resize(96 * panelRows);
    }
    k->matrix->unpack[panelsOf(type)](panels[0].data(), columns, 64, 96, high[0].data(), low[0].data());
    k->matrix->unpack[rowsOf(type)](m.bytes.data(), columns, 64, 96, high[1].data(), low[1].data());
    EXPECT_EQ(high[0], high[1]);
    EXPECT_EQ(low[0], low[1]);
    for (int c = 0; c < 96; ++c) {
      for (int r = 0; r < panelRows; ++r) {
        const std::size_t at = static_cast<std::size_t>(c / 2 * 32 + r * 2 + c % 2);
        const float value = m.values[static_cast<std::size_t>(r * columns + 64 + c)];
        ASSERT_NEAR(bfloatToFloat(high[1][at]) + bfloatToFloat(low[1][at]), value, std::fabs(value) * 1.6e-5F);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, KernelTest, testing::ValuesIn([] {
                           std::vector<ElementType> types;
                           for (const ElementTypeTraits& type : tests::everyMatrixType()) types.push_back(type.type);
                           return types;
                         }()),
                         [](const auto& info) { return std::string(traits(info.param).name); });

// Every number of rows of the two tiles, both panels, and a second run of columns that is added to the first.
TEST(MatrixUnit, ProductsOfEveryNumberOfRows) {
  constexpr int columns = 96, first = 64;  // columns of the first run
  std::mt19937 random{11};
  std::uniform_real_distribution<float> uniform(-1.0F, 1.0F);
  const TestMatrix m = makeMatrix(ElementType::F32, 2 * panelRows, columns, random);
  const auto panels = packed(m, columns);
  for (const Kernels* k : runnableKernels()) {
    if (k->matrix == nullptr) continue;
    const MatrixUnit& unit = *k->matrix;
    std::vector<std::uint16_t> weights(2 * panelRows * columns), low(weights.size());
    for (std::size_t p = 0; p < 2; ++p) {
      unit.unpack[panelsOf(ElementType::F32)](panels[p].data(), columns, 0, columns, weights.data() + p * panelRows * columns,
                                              low.data() + p * panelRows * columns);
    }
    unit.begin();
    for (int rows = 1; rows <= 32; ++rows) {
      std::vector<float> x(32 * columns, std::nanf(""));  // rows that do not count must not be read
      for (int i = 0; i < rows * columns; ++i) x[static_cast<std::size_t>(i)] = uniform(random);
      std::vector<std::uint16_t> tiles(32 * columns), lowTiles(tiles.size());
      for (int tile = 0; tile < 2; ++tile) {
        const std::size_t at = static_cast<std::size_t>(tile) * 16 * columns;
        unit.packRows(x.data() + at, columns * sizeof(float), std::clamp(rows - tile * 16, 0, 16), columns, tiles.data() + at,
                      lowTiles.data() + at);
      }
      std::vector<float> y(32 * 2 * panelRows, 1e9F);
      for (const auto& [from, count] : {std::pair{0, first}, std::pair{first, columns - first}}) {
        const auto offset = static_cast<std::size_t>(from) * panelRows;
        const MatrixUnit::Product product{tiles.data() + offset, weights.data() + offset};
        unit.multiply(&product, 1, 16 * columns, panelRows * columns, rows, count, from != 0, y.data(), 2 * panelRows * sizeof(float));
      }
      for (int i = 0; i < rows * 2 * panelRows; ++i) {
        const int t = i / (2 * panelRows), r = i % (2 * panelRows);
        double exact = 0, size = 0;
        for (int c = 0; c < columns; ++c) {
          const double term = static_cast<double>(m.values[static_cast<std::size_t>(r * columns + c)]) *
                              static_cast<double>(x[static_cast<std::size_t>(t * columns + c)]);
          exact += term;
          size += std::fabs(term);
        }
        ASSERT_NEAR(y[static_cast<std::size_t>(i)], exact, size / 256) << k->name << " rows " << rows << ", " << r << " of " << t;
      }
    }
    unit.end();
  }
}

TEST(Quantize, KeepsFifteenBitsOfABlocksLargestValue) {
  std::mt19937 random{3};
  std::normal_distribution<float> normal;
  constexpr int columns = 96;
  for (const Kernels* k : runnableKernels()) {
    std::vector<float> x(columns);
    for (float& value : x) value = normal(random);
    std::fill(x.begin() + 32, x.begin() + 64, 0.0F);
    std::vector<std::byte> row(quantizedRowBytes(columns));
    k->quantize[words](x.data(), columns, quantizedRow(row.data(), 0, 1, columns));
    const auto* blocks = reinterpret_cast<const QuantizedBlock*>(row.data());
    for (int block = 0; block < 3; ++block) {
      double sums[2] = {};
      float amplitude = 0;
      for (int i = 0; i < 32; ++i) {
        sums[i / 16] += static_cast<double>(x[static_cast<std::size_t>(block * 32 + i)]);
        amplitude = std::max(amplitude, std::fabs(x[static_cast<std::size_t>(block * 32 + i)]));
      }
      const QuantizedBlock& found = blocks[block];
      const auto scale = static_cast<double>(found.scale);
      EXPECT_FLOAT_EQ(found.scale, amplitude / 32512.0F) << k->name;
      for (int half = 0; half < 2; ++half) EXPECT_NEAR(static_cast<double>(found.halves[half]), sums[half], 8.1 * scale) << k->name;
      EXPECT_NEAR(static_cast<double>(found.sum), sums[0] + sums[1], 16.1 * scale) << k->name;
    }
  }
}

// Formats whose codes begin at one of these zeros read what the block's sum is worth to them, instead of multiplying it for every panel.
TEST(KernelTest, BlocksOfBytesHoldTheirSumsTimesTheZerosOfFormats) {
  std::mt19937 random{5};
  std::normal_distribution<float> normal;
  for (const Kernels* k : runnableKernels()) {
    std::vector<float> x(32);
    for (float& value : x) value = normal(random);
    std::vector<std::byte> row(quantizedRowBytes(32));
    k->quantize[static_cast<int>(Rounding::bytes)](x.data(), 32, quantizedRow(row.data(), 0, 1, 32));
    const auto& block = *reinterpret_cast<const QuantizedBlock*>(row.data());
    for (int i = 0; i < zeroSumCount; ++i) {
      const auto& [zero, half] = zeroSums[i];
      float found = 0;
      std::memcpy(&found, block.q + zeroSumOffset(i), sizeof found);
      EXPECT_EQ(zeroSumIndex(zero, half), i);
      EXPECT_EQ(found, static_cast<float>(-zero) * (half < 0 ? block.sum : block.halves[half])) << k->name << ", zero " << zero;
    }
  }
}

}  // namespace
}  // namespace minerva::cpu
