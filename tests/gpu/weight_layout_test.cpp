// Planes contain exactly the stored bits, in no more bytes. (tests/conformance checks that kernels read the same values.)
#include "gpu/runtime/weight_layout.h"
#include "tests/support/random_model.h"

#include <gtest/gtest.h>

#include <bit>

namespace minerva::gpu {
namespace {

std::uint64_t onesIn(std::span<const std::byte> bytes) {
  std::uint64_t ones = 0;
  for (const std::byte b : bytes) ones += static_cast<std::uint64_t>(std::popcount(std::to_integer<unsigned>(b)));
  return ones;
}

std::vector<ElementTypeTraits> typesWithModules() {
  std::vector<ElementTypeTraits> types = tests::everyMatrixType();
  std::erase_if(types, [](const ElementTypeTraits& t) { return moduleOf(t.type).name.empty(); });
  return types;
}

// Counts the 1 bits of a weight, over all its parts.
std::uint64_t onesIn(const TensorView& view) { return onesIn(view.bytes) + onesIn(view.planes.scales) + onesIn(view.planes.biases); }

TEST(WeightLayout, TakesNoMoreBytesThanTheFile) {
  for (const ElementTypeTraits& t : typesWithModules()) {
    if (layoutOf(t.type, 8, 256).bytes == 0) continue;  // a type without kernels (support.h)
    const WeightLayout layout = layoutOf(t.type, 2048, 5632);
    EXPECT_LE(tableBytes(t.type), 4096U) << t.name;
    EXPECT_EQ(layout.bytes, 2048 * bytesOf(t.type, 5632) + tableBytes(t.type)) << t.name;
    for (const std::uint64_t plane : layout.planes) EXPECT_EQ(plane % 16, 0U) << t.name;
  }
}

// Rearranging moves bits and loses none: the number of 1 bits stays the same. Q8_0 flips one bit of each code.
TEST(WeightLayout, KeepsEveryBit) {
  tests::TensorStore store(7);
  for (const ElementTypeTraits& t : typesWithModules()) {
    if (layoutOf(t.type, 8, 256).bytes == 0) continue;  // a type without kernels (support.h)
    const TensorView view = store.matrix(t.type, 24, 512, 1.0);
    const WeightLayout layout = layoutOf(t.type, 24, 512);
    const RowRun all{0, 1, 24};
    std::vector<std::byte> device(layout.bytes, std::byte{0xff});
    for (std::uint32_t group = 0; group < layout.groups; ++group) packGroup(view, all, group, layout, group, device);
    ASSERT_EQ(device.size(), storedBytes(view) + tableBytes(t.type)) << t.name;
    device.resize(device.size() - tableBytes(t.type));
    if (t.type == ElementType::Q8_0) {
      for (std::size_t i = 0; i < layout.planes[1]; ++i) device[i] ^= std::byte{0x80};
    }
    EXPECT_EQ(onesIn(device), onesIn(view)) << t.name;
  }
}

TEST(WeightLayout, AbsentRowsAndColumnsAreZero) {
  tests::TensorStore store(8);
  const TensorView view = store.matrix(ElementType::F32, 3, 33, 1.0);
  const WeightLayout layout = layoutOf(ElementType::F32, 3, 33);
  EXPECT_EQ(layout.groups, 1U);
  EXPECT_EQ(layout.blocks, 2U);
  std::vector<std::byte> device(layout.bytes, std::byte{0xff});
  packGroup(view, {0, 1, 3}, 0, layout, 0, device);
  EXPECT_EQ(onesIn(device), onesIn(view.bytes));
}

TEST(WeightLayout, GroupsTouchOnlyTheirOwnBytes) {
  tests::TensorStore store(9);
  for (const ElementTypeTraits& t : typesWithModules()) {
    if (layoutOf(t.type, 8, 256).bytes == 0) continue;  // a type without kernels (support.h)
    const TensorView view = store.matrix(t.type, 16, 256, 1.0);
    const WeightLayout layout = layoutOf(t.type, 16, 256);
    const RowRun all{0, 1, 16};
    std::vector<std::byte> forwards(layout.bytes), backwards(layout.bytes);
    for (const std::uint32_t group : {0U, 1U}) packGroup(view, all, group, layout, group, forwards);
    for (const std::uint32_t group : {1U, 0U}) packGroup(view, all, group, layout, group, backwards);
    EXPECT_EQ(forwards, backwards) << t.name;
  }
}

}  // namespace
}  // namespace minerva::gpu
