// Dot products of a panel with a few rows of activations, directly on the stored codes: for decode, small batches, and
// prefill without a matrix unit. A lane is a weight row, so there are no horizontal sums, and one load gets the scales of 16
// rows.
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/kernels/dot_codes.h"
#include "core/backend/cpu/kernels/dot_floats.h"

namespace minerva::cpu::MINERVA_ISA {
namespace {

// Whether codes are multiplied as integers (products.h). Only these formats depend on how the instruction set does that.
template <class Format>
constexpr bool multipliesCodes = !inRows<Format> && !(requires { Format::smallFloat; }) && !(requires { Format::columnsPerLine; });

template <class Format>
void dot(const std::byte* panel, int columns, const std::byte* x, std::size_t xStride, int n, float* y) {
  if constexpr (multipliesCodes<Format>) dotBatches<Format, Rounding::words>(panel, columns, x, xStride, n, y);
  else dotFloats<Format>(panel, columns, x, xStride, n, y);
}

// Whether there is a kernel for activations that are rounded so; all formats have one for words.
template <class Format, Rounding How>
constexpr bool hasProducts = How == Rounding::words;
template <class Format>
requires(requires { Format::largestCode; }) constexpr bool hasProducts<Format, Rounding::parts> = multipliesParts<Format::largestCode>;
template <class Format>
requires(
    requires { Format::largestCode; } &&
    !requires { requires Format::precise; }) constexpr bool hasProducts<Format, Rounding::bytes> = multipliesBytes<Format::largestCode>;

template <class Format, Rounding How>
constexpr DotFunction productFunction() {
  if constexpr (How == Rounding::words) return dot<Format>;
  else if constexpr (hasProducts<Format, How>) return dotBatches<Format, How>;
  else return nullptr;
}

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
