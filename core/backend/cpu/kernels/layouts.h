// Maps each weight layout to its format. Calls visit.template operator()<Format>(layout) for each of them.
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/kernels/digits.h"
#include "core/backend/cpu/kernels/formats.h"
#include "core/backend/cpu/kernels/grids.h"

namespace minerva::cpu::MINERVA_ISA {
namespace {

// The nine consecutive types of one bit width.
template <int Bits, class Visit>
constexpr void visitAffine(Visit& visit, ElementType first) {
  for (int i = 0; i < 9; ++i) visit.template operator()<Affine<Bits>>(panelsOf(first) + i);
}

template <class Visit>
constexpr void visitLayouts(Visit visit) {
  using enum ElementType;
  visit.template operator()<Singles>(panelsOf(F32));
  visit.template operator()<Halves>(panelsOf(F16));
  visit.template operator()<Brains>(panelsOf(BF16));
  visit.template operator()<SingleRows>(rowsOf(F32));
  visit.template operator()<HalfRows>(rowsOf(F16));
  visit.template operator()<BrainRows>(rowsOf(BF16));
  visit.template operator()<Bytes<32, HalfScale>>(panelsOf(Q8_0));
  visit.template operator()<Bytes<32, HalfScale>>(panelsOf(Q8_1));
  visit.template operator()<Bytes<256, SingleScale<256>>>(panelsOf(Q8_K));
  visit.template operator()<Nibbles<4, false>>(panelsOf(Q4_0));
  visit.template operator()<Nibbles<4, true>>(panelsOf(Q4_1));
  visit.template operator()<Nibbles<5, false>>(panelsOf(Q5_0));
  visit.template operator()<Nibbles<5, true>>(panelsOf(Q5_1));
  visit.template operator()<Twos>(panelsOf(Q2_K));
  visit.template operator()<Threes>(panelsOf(Q3_K));
  visit.template operator()<Digits>(panelsOf(TQ1_0));
  visit.template operator()<FewBits<2, 256>>(panelsOf(TQ2_0));
  visit.template operator()<FewBits<2, 64>>(panelsOf(Q2_0));
  visit.template operator()<FewBits<1, 128>>(panelsOf(Q1_0));
  visit.template operator()<Grouped<4>>(panelsOf(Q4_K));
  visit.template operator()<Grouped<5>>(panelsOf(Q5_K));
  visit.template operator()<Sixes>(panelsOf(Q6_K));
  visit.template operator()<TableBlocks<NonLinear, HalfScale>>(panelsOf(IQ4_NL));
  visit.template operator()<NonLinearGrouped>(panelsOf(IQ4_XS));
  visit.template operator()<PowerBlocks>(panelsOf(MXFP4));
  visit.template operator()<PowerBlocks>(panelsOf(MXFP4_PLANES));
  visit.template operator()<SixteenFours<false>>(panelsOf(NVFP4));
  visit.template operator()<SixteenFours<true>>(panelsOf(NVFP4_PLANES));
  visit.template operator()<SmallFloats<E4m3, WholePowerScale>>(panelsOf(MXFP8_PLANES));
  visit.template operator()<SmallFloats<E4m3, NoScale>>(panelsOf(F8_E4M3));
  visit.template operator()<SmallFloats<E5m2, NoScale>>(panelsOf(F8_E5M2));
  visit.template operator()<SmallFloats<E4m3, SingleScale<128>>>(panelsOf(F8_E4M3_SCALED));
  visit.template operator()<SmallFloats<E5m2, SingleScale<128>>>(panelsOf(F8_E5M2_SCALED));
  visit.template operator()<SmallFloats<E4m3, SingleScale<32>>>(panelsOf(F8_E4M3_SCALED32));
  visit.template operator()<SmallFloats<E5m2, SingleScale<32>>>(panelsOf(F8_E5M2_SCALED32));
  visit.template operator()<Iq1S>(panelsOf(IQ1_S));
  visit.template operator()<Iq1M>(panelsOf(IQ1_M));
  visit.template operator()<Iq2Xxs>(panelsOf(IQ2_XXS));
  visit.template operator()<Iq2Xs>(panelsOf(IQ2_XS));
  visit.template operator()<Iq2S>(panelsOf(IQ2_S));
  visit.template operator()<Iq3Xxs>(panelsOf(IQ3_XXS));
  visit.template operator()<Iq3S>(panelsOf(IQ3_S));
  visitAffine<2>(visit, MLX2_G32_F16);
  visitAffine<3>(visit, MLX3_G32_F16);
  visitAffine<4>(visit, MLX4_G32_F16);
  visitAffine<5>(visit, MLX5_G32_F16);
  visitAffine<6>(visit, MLX6_G32_F16);
  visitAffine<8>(visit, MLX8_G32_F16);
}

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
