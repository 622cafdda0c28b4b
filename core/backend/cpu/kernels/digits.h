// TQ1_0: five base-3 digits a byte. The panel has the 52 bytes of a block as 13 words of a row, and the half d; digit n of a byte b is
// ((b * 3^n mod 256) * 3) >> 8 (core/tensor/types/few_bits.cpp), and a code minus 1 is the value.
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/kernels/formats.h"

namespace minerva::cpu::MINERVA_ISA {
namespace {

struct Digits {
  static constexpr int groupColumns = 256, headerBytes = 32, codeBytes = 13 * lineBytes, halves = 1, zero = 1, largestCode = 2;
  static constexpr bool hasOffset = false, rare = true, costly = true;
  struct Header {
    F scale;
  };
  static Header load(const std::byte* header, int lane) { return {loadHalves(header + lane * 2)}; }
  static F scale(const Header& h, int, int) { return h.scale; }
  static F offset(const Header&, int, int) { return F{}; }

  // The digit of each of four bytes for which `power` is 3^n. Bytes 0 and 2 in 16 bits each, then 1 and 3.
  [[gnu::always_inline]] static U digits(U bytes, unsigned power) {
    const U even = multiply16(bytes & 0x00ff00ffu, power) & 0x00ff00ffu, odd = multiply16(bytes >> 8 & 0x00ff00ffu, power) & 0x00ff00ffu;
    return ((even + (even << 1)) >> 8 & 0x00030003u) | ((odd + (odd << 1)) & 0x03000300u);
  }
  // The first 160 columns are digits 0 to 4 of 32 bytes, the next 80 those of 16, the last 16 digits 0 to 3 of four bytes.
  [[gnu::always_inline]] static void words(const Header&, const std::byte* c, int sub, int lane, U* out) {
    constexpr unsigned powers[5] = {1, 3, 9, 27, 81};
#pragma GCC unroll 2
    for (int half = 0; half < 2; ++half) {
      const bool ofFour = sub == 7 && half == 1;
      const int line = sub < 5 ? 4 * half : ofFour ? 12 : 8, digit = sub < 5 ? sub : 2 * (sub - 5) + half;
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) out[4 * half + i] = digits(word(c, ofFour ? line : line + i, lane), powers[ofFour ? i : digit]);
    }
  }
};

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
