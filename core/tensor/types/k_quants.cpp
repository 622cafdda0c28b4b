// Super-blocks of 256 elements with two levels of scales. Layouts as in the GGUF files:
//   Q4_K  half d, half dmin, 12 bytes of eight 6-bit (scale, minimum) pairs, 128 bytes of nibbles
//         value = (d * scale) * q - (dmin * minimum), eight groups of 32
//   Q5_K  the same with 32 bytes of fifth bits before the nibbles
//   Q6_K  128 bytes of low nibbles, 64 bytes of two high bits, 16 x int8 scales, half d
//         value = (d * scale) * (q - 32), sixteen groups of 16
// The quantizers follow the published search of ggml's reference: a grid of candidate scales a group, each refitted by
// weighted least squares, then the groups' scales rounded to 6 or 8 bits and the codes taken anew.
#include "core/tensor/half.h"
#include "core/tensor/types/bits.h"
#include "core/tensor/types/group_fit.h"
#include "core/tensor/types/rows.h"

#include <algorithm>
#include <cmath>

namespace minerva::types {

namespace {

constexpr std::size_t superSize = 256;
constexpr std::size_t groupSize = 32;
constexpr std::size_t groups = superSize / groupSize;

struct ScalePair {
  unsigned scale;
  unsigned minimum;
};

// Groups 0..3 sit in the low six bits of bytes 0..3 (scales) and 4..7 (minima); groups 4..7 have four low bits in the
// nibbles of bytes 8..11 and two high bits on top of bytes 0..3 and 4..7.
ScalePair unpackScales(const std::byte* packed, std::size_t group) {
  if (group < 4) return {toUnsigned(packed[group]) & 63u, toUnsigned(packed[group + 4]) & 63u};
  const unsigned low = toUnsigned(packed[group + 4]);
  return {(low & 15u) | (toUnsigned(packed[group - 4]) >> 6) << 4, low >> 4 | (toUnsigned(packed[group]) >> 6) << 4};
}

void packScales(const std::array<ScalePair, groups>& pairs, std::byte* packed) {
  for (std::size_t i = 0; i < 4; ++i) {
    packed[i] = static_cast<std::byte>(pairs[i].scale | (pairs[i + 4].scale >> 4) << 6);
    packed[i + 4] = static_cast<std::byte>(pairs[i].minimum | (pairs[i + 4].minimum >> 4) << 6);
    packed[i + 8] = static_cast<std::byte>((pairs[i + 4].scale & 15u) | (pairs[i + 4].minimum & 15u) << 4);
  }
}

template <int Bits>
struct GroupedLayout {
  static constexpr std::size_t minimumAt = 2;
  static constexpr std::size_t scalesAt = 4;
  static constexpr std::size_t highBitsAt = 16;
  static constexpr std::size_t nibblesAt = Bits == 5 ? 48 : 16;
  static constexpr std::size_t bytes = nibblesAt + 128;
  static constexpr int largest = (1 << Bits) - 1;
};

template <int Bits>
void dequantizeGrouped(const std::byte* block, float* values, std::size_t n) {
  using L = GroupedLayout<Bits>;
  for (std::size_t b = 0; b < n / superSize; ++b, block += L::bytes) {
    const float scale = loadHalf(block);
    const float minimum = loadHalf(block + L::minimumAt);
    for (std::size_t g = 0; g < groups; ++g, values += groupSize) {
      const ScalePair pair = unpackScales(block + L::scalesAt, g);
      const float groupScale = scale * static_cast<float>(pair.scale);
      const float groupMinimum = minimum * static_cast<float>(pair.minimum);
      const std::byte* nibbles = block + L::nibblesAt + g / 2 * groupSize;
      for (std::size_t i = 0; i < groupSize; ++i) {
        unsigned code = toUnsigned(nibbles[i]) >> (g % 2 * 4) & 15u;
        if constexpr (Bits == 5) code |= (toUnsigned(block[L::highBitsAt + i]) >> g & 1u) << 4;
        values[i] = groupScale * static_cast<float>(code) - groupMinimum;
      }
    }
  }
}

using GroupFit = Fit<groupSize>;

GroupFit fitGroup(const float* x, int largest, SearchGrid grid) {
  float squares = 0.0f;
  for (std::size_t i = 0; i < groupSize; ++i) squares += x[i] * x[i];
  const float typical = std::sqrt(squares / static_cast<float>(groupSize));
  std::array<float, groupSize> weights;
  for (std::size_t i = 0; i < groupSize; ++i) weights[i] = typical + std::fabs(x[i]);
  return searchFit<groupSize, false>(x, weights, largest, grid);
}

template <int Bits>
void storeGrouped(const std::array<GroupFit, groups>& fits, std::byte* block) {
  using L = GroupedLayout<Bits>;
  std::fill(block + L::highBitsAt, block + L::bytes, std::byte{0});
  for (std::size_t g = 0; g < groups; ++g) {
    std::byte* nibbles = block + L::nibblesAt + g / 2 * groupSize;
    for (std::size_t i = 0; i < groupSize; ++i) {
      nibbles[i] |= static_cast<std::byte>((fits[g].codes[i] & 15u) << (g % 2 * 4));
      if constexpr (Bits == 5) block[L::highBitsAt + i] |= static_cast<std::byte>((fits[g].codes[i] >> 4) << g);
    }
  }
}

template <int Bits>
void quantizeSuper(const float* x, std::byte* block, SearchGrid grid) {
  using L = GroupedLayout<Bits>;
  std::array<GroupFit, groups> fits;
  float largestScale = 0.0f;
  float largestMinimum = 0.0f;
  for (std::size_t g = 0; g < groups; ++g) {
    fits[g] = fitGroup(x + g * groupSize, L::largest, grid);
    largestScale = std::max(largestScale, fits[g].scale);
    largestMinimum = std::max(largestMinimum, fits[g].minimum);
  }
  const float inverseScale = largestScale > 0.0f ? 63.0f / largestScale : 0.0f;
  const float inverseMinimum = largestMinimum > 0.0f ? 63.0f / largestMinimum : 0.0f;
  storeHalf(block, largestScale / 63.0f);
  storeHalf(block + L::minimumAt, largestMinimum / 63.0f);
  const float scale = loadHalf(block);
  const float minimum = loadHalf(block + L::minimumAt);
  std::array<ScalePair, groups> pairs;
  for (std::size_t g = 0; g < groups; ++g) {
    pairs[g] = {static_cast<unsigned>(nearest(inverseScale * fits[g].scale, 0, 63)),
                static_cast<unsigned>(nearest(inverseMinimum * fits[g].minimum, 0, 63))};
    const float groupScale = scale * static_cast<float>(pairs[g].scale);
    const float groupMinimum = minimum * static_cast<float>(pairs[g].minimum);
    if (groupScale == 0.0f) continue;
    for (std::size_t i = 0; i < groupSize; ++i) {
      const float code = (x[g * groupSize + i] + groupMinimum) / groupScale;
      fits[g].codes[i] = static_cast<std::uint8_t>(nearest(code, 0, L::largest));
    }
  }
  packScales(pairs, block + L::scalesAt);
  storeGrouped<Bits>(fits, block);
}

void quantizeQ4(const float* values, std::byte* blocks, std::size_t n) {
  for (std::size_t b = 0; b < n / superSize; ++b) {
    quantizeSuper<4>(values + b * superSize, blocks + b * GroupedLayout<4>::bytes, {-1.0f, 0.1f, 20});
  }
}

void quantizeQ5(const float* values, std::byte* blocks, std::size_t n) {
  for (std::size_t b = 0; b < n / superSize; ++b) {
    quantizeSuper<5>(values + b * superSize, blocks + b * GroupedLayout<5>::bytes, {-0.5f, 0.1f, 15});
  }
}

namespace q6 {

constexpr std::size_t group = 16;
constexpr std::size_t highBitsAt = 128;
constexpr std::size_t scalesAt = 192;
constexpr std::size_t scaleAt = 208;
constexpr std::size_t bytes = 210;

// Where element i of a super-block keeps its low nibble and its two high bits: each half of 128 elements is four
// quarters of 32 that share 64 bytes of nibbles and 32 bytes of high bits.
struct Place {
  std::size_t low;
  unsigned lowShift;
  std::size_t high;
  unsigned highShift;
};
constexpr Place place(std::size_t i) {
  const std::size_t half = i / 128;
  const std::size_t quarter = i % 128 / 32;
  const std::size_t lane = i % 32;
  return {half * 64 + quarter % 2 * 32 + lane, quarter >= 2 ? 4u : 0u, highBitsAt + half * 32 + lane, static_cast<unsigned>(quarter) * 2};
}

void dequantize(const std::byte* block, float* values, std::size_t n) {
  for (std::size_t b = 0; b < n / superSize; ++b, block += bytes, values += superSize) {
    const float scale = loadHalf(block + scaleAt);
    for (std::size_t i = 0; i < superSize; ++i) {
      const Place p = place(i);
      const unsigned code = (toUnsigned(block[p.low]) >> p.lowShift & 15u) | (toUnsigned(block[p.high]) >> p.highShift & 3u) << 4;
      const float groupScale = scale * static_cast<float>(static_cast<std::int8_t>(block[scalesAt + i / group]));
      values[i] = groupScale * static_cast<float>(static_cast<int>(code) - 32);
    }
  }
}

struct Fit {
  float scale = 0.0f;  // of either sign
  std::array<int, group> codes{};
};

// One group of 16: candidates around -32 / extreme, refitted with weights x².
Fit fitGroup(const float* x) {
  float extreme = 0.0f;
  for (std::size_t i = 0; i < group; ++i) {
    if (std::fabs(x[i]) > std::fabs(extreme)) extreme = x[i];
  }
  Fit best;
  best.codes.fill(-32);
  if (std::fabs(extreme) < 1e-15f) return best;
  float bestGain = 0.0f;
  const auto consider = [&](int step) {
    Fit candidate;
    const float inverse = -(32.0f + 0.1f * static_cast<float>(step)) / extreme;
    float wlx = 0, wll = 0;
    for (std::size_t i = 0; i < group; ++i) {
      candidate.codes[i] = nearest(inverse * x[i], -32, 31);
      const float l = static_cast<float>(candidate.codes[i]);
      const float w = x[i] * x[i];
      wlx += w * x[i] * l;
      wll += w * l * l;
    }
    if (step != 0 && !(wll > 0.0f && wlx * wlx > bestGain * wll)) return;
    candidate.scale = wll > 0.0f ? wlx / wll : 0.0f;
    bestGain = candidate.scale * wlx;
    best = candidate;
  };
  consider(0);
  for (int step = -9; step <= 9; ++step) {
    if (step != 0) consider(step);
  }
  return best;
}

void quantizeSuper(const float* x, std::byte* block) {
  std::fill(block, block + bytes, std::byte{0});
  std::array<Fit, superSize / group> fits;
  float extreme = 0.0f;
  for (std::size_t g = 0; g < fits.size(); ++g) {
    fits[g] = fitGroup(x + g * group);
    if (std::fabs(fits[g].scale) > std::fabs(extreme)) extreme = fits[g].scale;
  }
  if (std::fabs(extreme) < 1e-15f) return;
  const float inverse = -128.0f / extreme;
  storeHalf(block + scaleAt, 1.0f / inverse);
  const float scale = loadHalf(block + scaleAt);
  for (std::size_t g = 0; g < fits.size(); ++g) {
    const int rounded = nearest(inverse * fits[g].scale, -128, 127);
    block[scalesAt + g] = static_cast<std::byte>(rounded);
    const float groupScale = scale * static_cast<float>(rounded);
    for (std::size_t i = g * group; i < (g + 1) * group; ++i) {
      const int kept = fits[g].codes[i - g * group];
      const int code = groupScale == 0.0f ? kept : nearest(x[i] / groupScale, -32, 31);
      const auto stored = static_cast<unsigned>(code + 32);
      const Place p = place(i);
      block[p.low] |= static_cast<std::byte>((stored & 15u) << p.lowShift);
      block[p.high] |= static_cast<std::byte>((stored >> 4) << p.highShift);
    }
  }
}

void quantize(const float* values, std::byte* blocks, std::size_t n) {
  for (std::size_t b = 0; b < n / superSize; ++b) quantizeSuper(values + b * superSize, blocks + b * bytes);
}

}  // namespace q6

}  // namespace

const std::array<ElementTypeTraits, 3> superRows{{
    {ElementType::Q4_K, "Q4_K", 12, 256, GroupedLayout<4>::bytes, dequantizeGrouped<4>, quantizeQ4},
    {ElementType::Q5_K, "Q5_K", 13, 256, GroupedLayout<5>::bytes, dequantizeGrouped<5>, quantizeQ5},
    {ElementType::Q6_K, "Q6_K", 14, 256, q6::bytes, q6::dequantize, q6::quantize},
}};

}  // namespace minerva::types
