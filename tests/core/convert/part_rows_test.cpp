// Rows in any order, transposed or with an offset added, and in pieces of any size, equal the definition.
#include "core/convert/part_rows.h"
#include "core/tensor/arrangement.h"
#include "tests/support/random_blocks.h"
#include "tests/support/random_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <new>

namespace minerva::convert {
namespace {

// All output rows as float32, converted in pieces of this many rows.
std::vector<float> inPieces(const SourceTensor& tensor, std::size_t piece) {
  ThreadPool threads(3);
  PartRows rows(tensor, 0, ElementType::F32);
  std::vector<float> values;
  for (std::size_t first = 0; first < rows.rows(); first += piece) {
    const auto bytes = rows.convert(first, std::min(piece, rows.rows() - first), threads).value();
    const std::size_t before = values.size();
    values.resize(before + bytes.size() / sizeof(float));
    std::memcpy(values.data() + before, bytes.data(), bytes.size());
  }
  return values;
}

// Output value (row, column) according to the definition in source.h.
float byDefinition(const SourceTensor& tensor, std::int64_t row, std::int64_t column) {
  const TensorView& part = tensor.parts.front();
  const std::int64_t chosen = tensor.order(row), width = part.shape.columns();
  std::vector<float> values(static_cast<std::size_t>(width));
  const bool turned = tensor.transposed.rows > 0;
  const std::int64_t stored = turned ? chosen / width * tensor.transposed.pitch + column : chosen;
  dequantizeRows(part, static_cast<std::size_t>(stored), 1, values.data());
  float value = values[static_cast<std::size_t>(turned ? chosen % width : tensor.columns(column))];
  if (tensor.negativeExponential) value = static_cast<float>(-std::exp(static_cast<double>(value)));
  return value * (tensor.factors.empty() ? 1.0F : tensor.factors.front()) + tensor.plus;
}

TEST(PartRows, PiecesOfAnySizeAreTheSame) {
  tests::TensorStore store(3);
  const TensorView matrix = store.matrix(ElementType::BF16, 24, 10, 1.0);  // 4 blocks of 6 rows
  const auto shape = [](std::int64_t rows, std::int64_t columns) { return Shape{.dims = {rows, columns, 1, 1}, .rank = 2}; };
  const RowOrder pairs{.counts = {2, 6, 2}, .steps = {12, 1, 6}}, grouped{.counts = {3, 4, 2}, .steps = {2, 6, 1}};
  const RowOrder odd{.counts = {1, 4, 5}, .steps = {0, 10, 2}, .first = 1};
  const SourceTensor cases[] = {
      {.name = "plain", .parts = {matrix}, .shape = shape(24, 10)},
      {.name = "pairs", .parts = {matrix}, .shape = shape(24, 10), .order = pairs},
      {.name = "grouped", .parts = {matrix}, .shape = shape(24, 10), .order = grouped, .plus = 1},
      {.name = "transposed", .parts = {matrix}, .shape = shape(40, 6), .transposed = {.rows = 6, .pitch = 6}},
      {.name = "part of each block", .parts = {matrix}, .shape = shape(40, 4), .transposed = {.rows = 4, .pitch = 6}},
      {.name = "transposed, every other row",
       .parts = {matrix},
       .shape = shape(20, 6),
       .transposed = {.rows = 6, .pitch = 6},
       .order = odd},
      {.name = "tiled columns", .parts = {matrix}, .shape = shape(24, 10), .columns = {.counts = {1, 5, 2}, .steps = {0, 1, 5}}, .plus = 1},
      {.name = "exponential, with a factor", .parts = {matrix}, .shape = shape(24, 10), .factors = {0.75F}, .negativeExponential = true},
      {.name = "groups of rows", .parts = {rowGroups(matrix, shape(8, 10), 2, 6, 1)}, .shape = shape(8, 10), .factors = {2.0F}},
  };
  for (const SourceTensor& tensor : cases) {
    SCOPED_TRACE(tensor.name);
    ASSERT_TRUE(fits(tensor));
    std::vector<float> expected;
    for (std::int64_t r = 0; r < tensor.shape.dims[0]; ++r) {
      for (std::int64_t c = 0; c < tensor.shape.dims[1]; ++c) expected.push_back(byDefinition(tensor, r, c));
    }
    for (const std::size_t piece : {1U, 3U, 7U, 100U}) EXPECT_EQ(inPieces(tensor, piece), expected) << piece;
  }
}

TEST(PartRows, Mxfp4KeepsItsCodes) {
  tests::TensorStore store(4);
  std::vector<std::byte> codes(3 * 2 * 16), scales(3 * 2);
  for (std::byte& code : codes) code = static_cast<std::byte>(store.random().below(256));
  for (std::byte& scale : scales) scale = static_cast<std::byte>(100 + store.random().below(60));
  TensorView view{.type = ElementType::MXFP4_PLANES, .shape = {.dims = {3, 64, 1, 1}, .rank = 2}, .bytes = codes};
  view.planes.scales = scales;
  const SourceTensor tensor{.name = "experts", .parts = {view}, .shape = view.shape};
  ASSERT_TRUE(fits(tensor));
  ThreadPool threads(2);
  PartRows rows(tensor, 0, ElementType::MXFP4);
  const auto bytes = rows.convert(0, 3, threads).value();
  TensorView written{.type = ElementType::MXFP4, .shape = view.shape, .bytes = bytes};
  ASSERT_TRUE(wellFormed(written));
  std::vector<float> before(3 * 64), after(3 * 64);
  dequantizeRows(view, 0, 3, before.data());
  dequantizeRows(written, 0, 3, after.data());
  EXPECT_EQ(before, after);
  for (std::size_t block = 0; block < scales.size(); ++block) EXPECT_EQ(bytes[block * 17], scales[block]);
}

// As llama-quantize, which checks what it has written.
TEST(PartRows, ValuesThatTheTypeCannotHoldAreRefused) {
  constexpr float infinite = std::numeric_limits<float>::infinity();
  struct Case {
    float value;
    ElementType type;
    bool good;
  };
  const Case cases[] = {{NAN, ElementType::F32, false},         {NAN, ElementType::Q8_0, false},   {-infinite, ElementType::Q4_K, false},
                        {1e30F, ElementType::Q8_0, false},      {1e30F, ElementType::Q4_K, false}, {70000, ElementType::F16, false},
                        {70000, ElementType::Q8_0, true},       {-65504, ElementType::F16, true},  {1e30F, ElementType::BF16, true},
                        {3.4028e38F, ElementType::BF16, false}, {1e30F, ElementType::F32, true}};
  for (const Case& one : cases) {
    std::vector<float> values(std::size_t{4} * 256, 0.5F);
    values[2 * 256 + 7] = one.value;
    const TensorView view{
        .type = ElementType::F32, .shape = {.dims = {4, 256, 1, 1}, .rank = 2}, .bytes = std::as_bytes(std::span(values)), .planes = {}};
    const SourceTensor tensor{.name = "blk.0.ffn_down.weight", .parts = {view}, .shape = view.shape};
    ThreadPool threads(3);
    const auto made = PartRows(tensor, 0, one.type).convert(1, 3, threads);
    EXPECT_EQ(made.has_value(), one.good) << one.value << " as " << traits(one.type).name;
    EXPECT_EQ(made ? "" : made.error().where, made ? "" : "blk.0.ffn_down.weight, row 2") << one.value;
  }
}

TEST(PartRows, TooLittleMemoryOnAnyThreadIsThrownToTheCaller) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "skipped: a sanitizer ends the program when an allocation fails";
#endif
  const TensorView matrix = tests::tooLargeToArrange({.dims = {8, 32, 1, 1}, .rank = 2});
  const SourceTensor plain{.name = "plain", .parts = {matrix}, .shape = matrix.shape};
  SourceTensor turned = plain;
  turned.transposed = {.rows = 8, .pitch = 8};
  for (const SourceTensor& tensor : {plain, turned}) {
    for (const int count : {1, 3}) {
      ThreadPool threads(count);
      PartRows rows(tensor, 0, ElementType::F16);
      EXPECT_THROW(static_cast<void>(rows.convert(0, rows.rows(), threads)), std::bad_alloc);
    }
  }
}

TEST(PartRows, WhatDoesNotFitIsSeen) {
  tests::TensorStore store(5);
  const TensorView matrix = store.matrix(ElementType::F32, 8, 4, 1.0);
  const SourceTensor good{.name = "good", .parts = {matrix}, .shape = matrix.shape};
  EXPECT_TRUE(fits(good));
  const auto with = [&](auto change) {
    SourceTensor tensor = good;
    change(tensor);
    return fits(tensor);
  };
  EXPECT_FALSE(with([](SourceTensor& t) { t.shape.dims[0] = 9; }));
  EXPECT_FALSE(with([](SourceTensor& t) { t.shape.dims = {4, 8, 1, 1}; }));
  EXPECT_FALSE(with([](SourceTensor& t) { t.shape = {}; }));
  EXPECT_FALSE(with([](SourceTensor& t) { t.parts.front().bytes = t.parts.front().bytes.first(16); }));
  EXPECT_FALSE(with([](SourceTensor& t) { t.order = {.counts = {1, 2, 4}, .steps = {0, 4, 1}, .first = 1}; }));
  EXPECT_FALSE(with([](SourceTensor& t) { t.order = {.counts = {1, 0, 2}, .steps = {0, 0, 1}}; }));
  EXPECT_FALSE(with([](SourceTensor& t) { t.columns = {.counts = {1, 2, 2}, .steps = {0, 2, 2}}; }));
  EXPECT_FALSE(with([](SourceTensor& t) { t.columns = {.counts = {1, 1, 3}, .steps = {0, 0, 1}}; }));
  EXPECT_FALSE(with([](SourceTensor& t) { t.factors = {1, 2}; }));
  EXPECT_FALSE(with([](SourceTensor& t) { t.transposed = {.rows = 3, .pitch = 3}; }));
  EXPECT_FALSE(with([](SourceTensor& t) { t.transposed = {.rows = 5, .pitch = 4}; }));
}

}  // namespace
}  // namespace minerva::convert
