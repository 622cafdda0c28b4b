// Views whose rows are stored in a different order: the values equal those of an element-by-element lookup.
#include "core/tensor/arrangement.h"

#include "core/tensor/half.h"
#include "tests/support/random.h"
#include "tests/support/random_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace minerva {
namespace {

Shape matrixShape(std::int64_t rows, std::int64_t columns) { return {{rows, columns, 1, 1}, 2}; }
Shape stackShape(std::int64_t count, std::int64_t rows, std::int64_t columns) { return {{count, rows, columns, 1}, 3}; }

// A matrix of random blocks; types with separate parts are stored in parts.
struct Stored {
  std::vector<std::byte> bytes;
  tests::SplitBlocks parts;
  TensorView view;

  Stored(ElementType type, std::int64_t rows, std::int64_t columns) {
    tests::Random random(static_cast<std::uint64_t>(type) + 5);
    bytes.resize(static_cast<std::size_t>(rows) * bytesOf(type, static_cast<std::size_t>(columns)));
    tests::fillRandom(random, traits(type), bytes, 0.5);
    view = {type, matrixShape(rows, columns), bytes};
    if (!view.apart()) return;
    parts = tests::splitBlocks(traits(type), bytes);
    view.bytes = parts.codes;
    view.planes.scales = parts.scales;
    view.planes.biases = parts.biases;
  }
  [[nodiscard]] float at(std::int64_t row, std::int64_t column) const {
    std::vector<float> values(static_cast<std::size_t>(view.shape.columns()));
    dequantizeRows(view, static_cast<std::size_t>(row), 1, values.data());
    return values[static_cast<std::size_t>(column)];
  }
};

using Element = std::function<float(std::int64_t row, std::int64_t column)>;

// Checks all rows at once, ranges starting at any row, and slices.
void expectValues(const TensorView& view, const Element& expected) {
  ASSERT_TRUE(wellFormed(view));
  EXPECT_FALSE(view.empty());
  const std::int64_t rows = view.shape.rows(), columns = view.shape.columns();
  EXPECT_EQ(storedBytes(view), static_cast<std::size_t>(rows) * view.rowBytes());
  const auto expectRows = [&](const TensorView& part, std::int64_t skipped, std::int64_t first, std::int64_t count) {
    std::vector<float> values(static_cast<std::size_t>(count * columns)), again(values.size());
    dequantizeRows(part, static_cast<std::size_t>(first - skipped), static_cast<std::size_t>(count), values.data());
    std::vector<std::byte> whole(static_cast<std::size_t>(count) * view.rowBytes());
    assembleRows(part, static_cast<std::size_t>(first - skipped), static_cast<std::size_t>(count), whole.data());
    traits(view.type).dequantize(whole.data(), again.data(), again.size());
    EXPECT_EQ(values, again);
    for (std::int64_t r = 0; r < count; ++r) {
      for (std::int64_t c = 0; c < columns; ++c)
        ASSERT_EQ(values[static_cast<std::size_t>(r * columns + c)], expected(first + r, c)) << first + r << ", " << c;
    }
  };
  expectRows(view, 0, 0, rows);
  for (std::int64_t first = 0; first < rows; first += 7) {
    const std::int64_t count = std::min<std::int64_t>(11, rows - first);
    expectRows(view, 0, first, count);
    const TensorView slice = sliceRows(view, first, count);
    ASSERT_TRUE(wellFormed(slice));
    expectRows(slice, first, first, count);
    expectRows(sliceRows(slice, count / 2, count - count / 2), first + count / 2, first + count / 2, count - count / 2);
  }
}

TEST(Arrangement, TransposedStacksOfEveryPlainType) {
  for (const ElementType type : {ElementType::F32, ElementType::F16, ElementType::BF16}) {
    const Stored stored(type, 3 * 37, 70);
    const TensorView view = transposedGroups(stored.view, stackShape(3, 70, 37), 37);
    EXPECT_EQ(view.type, type);
    expectValues(view, [&](std::int64_t row, std::int64_t column) { return stored.at(row / 70 * 37 + column, row % 70); });
    expectValues(transposedGroups(stored.view, matrixShape(70, 111), 0),
                 [&](std::int64_t row, std::int64_t column) { return stored.at(column, row); });
  }
}

// The first 18 rows of every group of 18 + 5, like the keys of latent attention.
TEST(Arrangement, TransposedPartsOfGroupsInAnyType) {
  for (const ElementType type : {ElementType::BF16, ElementType::Q8_0, ElementType::Q4_K, ElementType::MLX4_G64_F16}) {
    const Stored stored(type, 4 * 23, 256);
    const TensorView view = transposedGroups(stored.view, stackShape(4, 256, 18), 23);
    EXPECT_EQ(view.type, type == ElementType::BF16 ? type : ElementType::F32);
    expectValues(view, [&](std::int64_t row, std::int64_t column) { return stored.at(row / 256 * 23 + column, row % 256); });
  }
}

TEST(Arrangement, GroupsOfRowsInEveryType) {
  for (const ElementTypeTraits& type : tests::everyMatrixType()) {
    const Stored stored(type.type, 5 * 9, 256);
    const TensorView view = rowGroups(stored.view, stackShape(5, 4, 256), 4, 9, 5);
    EXPECT_EQ(view.type, type.type);
    SCOPED_TRACE(type.name);
    expectValues(view, [&](std::int64_t row, std::int64_t column) { return stored.at(row / 4 * 9 + 5 + row % 4, column); });
  }
}

// One scale for 128 rows, and for two blocks of a row.
TEST(Arrangement, RowsThatShareScalesKeepThem) {
  Stored stored(ElementType::F8_E4M3_SCALED, 260, 512);
  std::vector<float> scales(3 * 2);
  for (std::size_t i = 0; i < scales.size(); ++i) scales[i] = 0.5F + static_cast<float>(i);
  stored.view.planes = {
      .scales = std::as_bytes(std::span(scales)), .biases = {}, .scaleType = ElementType::F32, .rowsPerScale = 128, .blocksPerScale = 2};
  ASSERT_TRUE(wellFormed(stored.view));
  const TensorView view = rowGroups(stored.view, matrixShape(52, 512), 2, 10, 7);
  expectValues(view, [&](std::int64_t row, std::int64_t column) { return stored.at(row / 2 * 10 + 7 + row % 2, column); });
}

TEST(Arrangement, PiecesInTensorsOfTheirOwn) {
  const Stored a(ElementType::F16, 1, 24), b(ElementType::F16, 1, 24);
  TensorView first = a.view, second = b.view;
  first.shape = second.shape = {{24, 1, 1, 1}, 1};
  expectValues(joined({first, second}, matrixShape(2, 24)),
               [&](std::int64_t row, std::int64_t column) { return (row == 0 ? a : b).at(0, column); });
}

// sourceOf(), which determines what is prefetched and released, covers exactly the bytes that are read.
TEST(Arrangement, TheSourceIsAllThatIsRead) {
  const Stored stored(ElementType::MLX4_G64_F16, 45, 256);
  const TensorView groups = rowGroups(stored.view, stackShape(5, 4, 256), 4, 9, 5);
  const Stored plain(ElementType::BF16, 3 * 37, 70);
  const TensorView turned = transposedGroups(plain.view, stackShape(3, 70, 37), 37);
  for (const TensorView& view : {groups, turned, stored.view}) {
    const std::size_t first = 6, rows = 9;
    std::vector<std::byte> expected(rows * view.rowBytes()), found(expected.size());
    assembleRows(view, first, rows, expected.data());
    // Every other byte is inverted meanwhile.
    const TensorView& from = view.arrangement ? view.arrangement->stored.front() : view;
    const auto source = sourceOf(view, first, rows);
    const auto isSource = [&](const std::byte* at) {
      return std::ranges::any_of(source, [&](const auto& bytes) { return at >= bytes.data() && at < bytes.data() + bytes.size(); });
    };
    std::vector<std::pair<std::byte*, std::byte>> before;
    for (const auto& plane : {from.bytes, from.planes.scales, from.planes.biases}) {
      for (const std::byte& byte : plane) {
        if (isSource(&byte)) continue;
        before.emplace_back(const_cast<std::byte*>(&byte), byte);
        *before.back().first = ~byte;
      }
    }
    EXPECT_FALSE(before.empty());
    assembleRows(view, first, rows, found.data());
    EXPECT_TRUE(expected == found);
    for (const auto& [at, value] : before) *at = value;
  }
}

TEST(Arrangement, WhatIsNotInTheTensorIsNotWellFormed) {
  const Stored stored(ElementType::BF16, 40, 32);
  EXPECT_TRUE(wellFormed(rowGroups(stored.view, stackShape(4, 6, 32), 6, 10, 4)));
  EXPECT_FALSE(wellFormed(rowGroups(stored.view, stackShape(4, 6, 32), 6, 10, 5)));
  EXPECT_FALSE(wellFormed(rowGroups(stored.view, stackShape(5, 6, 32), 6, 10, 0)));
  EXPECT_FALSE(wellFormed(rowGroups(stored.view, stackShape(4, 6, 16), 6, 10, 0)));
  EXPECT_TRUE(wellFormed(transposedGroups(stored.view, stackShape(4, 32, 10), 10)));
  EXPECT_FALSE(wellFormed(transposedGroups(stored.view, stackShape(4, 32, 11), 10)));
  EXPECT_FALSE(wellFormed(transposedGroups(stored.view, stackShape(4, 31, 10), 10)));
  TensorView damaged = stored.view;
  damaged.bytes = damaged.bytes.first(100);
  EXPECT_FALSE(wellFormed(rowGroups(damaged, stackShape(4, 6, 32), 6, 10, 4)));
}

}  // namespace
}  // namespace minerva
