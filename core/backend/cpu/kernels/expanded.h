// Types that are hard to decode with vector instructions (grids, base-3 digits): their own function (core/tensor) expands a
// group of 16 rows to bytes and scales in the L1 cache, which are then multiplied like any other format. The panel holds the
// stored blocks, [group][16 rows].
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/kernels/formats.h"

namespace minerva::cpu::MINERVA_ISA {
namespace {

template <ElementType Type>
struct ExpandedType {
  static constexpr bool expanded = true;
  static constexpr ElementType type = Type;
};

struct ExpandedGroup {
  alignas(64) std::uint32_t words[64][16];  // four codes each, offset by 128
  alignas(64) float scales[16][16];         // per 16 columns
  [[nodiscard]] const std::byte* codes() const { return reinterpret_cast<const std::byte*>(words); }
};

struct Expander {
  ExpandFunction function;
  int columns;  // per group, which is one block
  std::size_t bytes;

  explicit Expander(ElementType type) {
    const ElementTypeTraits& t = traits(type);
    function = t.expand;
    columns = static_cast<int>(t.blockElements);
    bytes = t.blockBytes;
  }
  void expand(const std::byte* panel, std::size_t group, ExpandedGroup& out) const {
    const std::byte* block = panel + group * 16 * bytes;
    ExpandedBlock rows[16];
    for (int r = 0; r < 16; ++r, block += bytes) {
      function(block, rows[r]);
      for (int s = 0; s < columns / 16; ++s) out.scales[s][r] = rows[r].scales[s];
    }
    interleave(rows, out);
  }
  // Transposes the codes so that each row becomes a lane.
  void interleave(const ExpandedBlock* rows, ExpandedGroup& out) const {
    int w = 0;
#if MINERVA_LANES == 16
    for (; w + 16 <= columns / 4; w += 16) {
      __m512i words[16];
      for (int r = 0; r < 16; ++r) words[r] = loadAs<__m512i>(rows[r].codes + 4 * w);
      transpose(words);
      for (int i = 0; i < 16; ++i)
        _mm512_store_si512(out.words[w + i], _mm512_xor_si512(words[i], _mm512_set1_epi32(static_cast<int>(0x80808080u))));
    }
#endif
    for (; w < columns / 4; ++w) {
      for (int r = 0; r < 16; ++r) out.words[w][r] = loadAs<std::uint32_t>(rows[r].codes + 4 * w) ^ 0x80808080u;
    }
  }
};

struct ExpandedFormat {
  static constexpr int groupColumns = 32, halves = 2, zero = 128, largestCode = 255;
  static constexpr bool hasOffset = false;
  struct Header {
    const float* scales;
  };
  static Header load(const ExpandedGroup& group, int lane) { return {&group.scales[0][lane]}; }
  static F scale(const Header& h, int sub, int half) { return loadF(h.scales + (sub * 2 + half) * 16); }
  static F offset(const Header&, int, int) { return F{}; }
  static U codes(const std::byte* c, int sub, int g, int lane) { return word(c, sub * 8 + g, lane); }
};

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
