// TQ1_0: five base-3 digits a byte. The panel has the 52 bytes of a block as 13 words of a row, and the half d; digit n of a byte b is
// ((b * 3^n mod 256) * 3) >> 8 (core/tensor/types/few_bits.cpp), and a code minus 1 is the value.
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/kernels/formats.h"

namespace minerva::cpu::MINERVA_ISA {
namespace {

struct Digits : OneScale<HalfScale> {
  static constexpr int groupColumns = 256, codeBytes = 13 * lineBytes, zero = 1, largestCode = 2;
  static constexpr bool rare = true, costly = true;

  // The digit of each of four bytes for which `power` is 3^n. In the high half of 16 bits, a byte times 3^n loses its multiples of 256.
  [[gnu::always_inline]] static U digits(U bytes, std::uint16_t power) {
    using Halves = std::uint16_t __attribute__((vector_size(4 * Lanes)));
    const U even = (U)(((Halves)bytes << 8) * power), odd = (U)((Halves)(bytes & 0xff00ff00u) * power);
    return highProducts(even, 3) | highProducts(odd, 3) << 8;
  }
  // The first 160 columns are digits 0 to 4 of 32 bytes, the next 80 those of 16, the last 16 digits 0 to 3 of four bytes.
  [[gnu::always_inline]] static void words(const Header&, const std::byte* c, int sub, int lane, U* out) {
    constexpr std::uint16_t powers[5] = {1, 3, 9, 27, 81};
    if (sub < 5) {
#pragma GCC unroll 8
      for (int g = 0; g < 8; ++g) out[g] = digits(word(c, g, lane), powers[sub]);
      return;
    }
#pragma GCC unroll 4
    for (int g = 0; g < 4; ++g) {
      const U bytes = word(c, 8 + g, lane);
      out[g] = digits(bytes, powers[2 * (sub - 5)]);
      out[4 + g] = sub < 7 ? digits(bytes, powers[2 * (sub - 5) + 1]) : digits(word(c, 12, lane), powers[g]);
    }
  }
};

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
