#include "app/hub/sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace minerva::app {
namespace {

constexpr std::size_t blockBytes = 64;
constexpr Sha256::State startState{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
alignas(16) constexpr std::array<std::uint32_t, 64> constants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t bigEndian(const unsigned char* bytes) {
  std::uint32_t value;
  std::memcpy(&value, bytes, sizeof value);
  return std::endian::native == std::endian::little ? std::byteswap(value) : value;
}

void compressPortable(Sha256::State& state, const unsigned char* blocks, std::size_t count) {
  for (; count > 0; --count, blocks += blockBytes) {
    std::array<std::uint32_t, 64> words;
    for (std::size_t i = 0; i < 16; ++i) words[i] = bigEndian(blocks + 4 * i);
    for (std::size_t i = 16; i < 64; ++i) {
      const std::uint32_t a = words[i - 15], b = words[i - 2];
      words[i] = words[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3)) + words[i - 7] + (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10));
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint32_t one = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + constants[i] + words[i];
      const std::uint32_t two = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + two;
    }
    const Sha256::State mixed{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) state[i] += mixed[i];
  }
}

#if defined(__x86_64__)
// The instructions keep the state as (A B E F) and (C D G H), and run two rounds at a time on a sum of words and constants.
__attribute__((target("sha,sse4.1,ssse3"))) void compressShaNi(Sha256::State& state, const unsigned char* blocks, std::size_t count) {
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
  const auto [a, b, c, d, e, f, g, h] = state;
  __m128i abef = _mm_set_epi32(static_cast<int>(a), static_cast<int>(b), static_cast<int>(e), static_cast<int>(f));
  __m128i cdgh = _mm_set_epi32(static_cast<int>(c), static_cast<int>(d), static_cast<int>(g), static_cast<int>(h));
  for (; count > 0; --count, blocks += blockBytes) {
    const __m128i abefBefore = abef, cdghBefore = cdgh;
    __m128i words[4];
    for (int i = 0; i < 16; ++i) {
      __m128i& now = words[i % 4];
      if (i < 4) {
        now = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(blocks) + i), swap);
      } else {
        // words[i - 16 ..]: now; [i - 12 ..], [i - 8 ..], [i - 4 ..]: the three after it
        const __m128i next = words[(i + 1) % 4], later = words[(i + 2) % 4], last = words[(i + 3) % 4];
        const __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(now, next), _mm_alignr_epi8(last, later, 4));
        now = _mm_sha256msg2_epu32(sum, last);
      }
      const __m128i input = _mm_add_epi32(now, _mm_load_si128(reinterpret_cast<const __m128i*>(constants.data()) + i));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, input);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(input, 0x0e));
    }
    abef = _mm_add_epi32(abef, abefBefore);
    cdgh = _mm_add_epi32(cdgh, cdghBefore);
  }
  alignas(16) std::array<std::uint32_t, 4> high, low;
  _mm_store_si128(reinterpret_cast<__m128i*>(high.data()), abef);
  _mm_store_si128(reinterpret_cast<__m128i*>(low.data()), cdgh);
  state = {high[3], high[2], low[3], low[2], high[1], high[0], low[1], low[0]};
}

bool hasShaNi() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & (1U << 29)) != 0;
}
#endif

Sha256::Compress bestCompress() {
#if defined(__x86_64__)
  static const bool shaNi = hasShaNi();
  if (shaNi) return &compressShaNi;
#endif
  return &compressPortable;
}

}  // namespace

Sha256::Sha256(Using instructions) : m_compress(instructions == Using::best ? bestCompress() : &compressPortable), m_state(startState) {}

void Sha256::add(QByteArrayView bytes) {
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  auto left = static_cast<std::size_t>(bytes.size());
  const std::size_t held = m_bytes % blockBytes;
  m_bytes += left;
  if (held > 0) {
    const std::size_t taken = std::min(left, blockBytes - held);
    std::memcpy(m_block.data() + held, data, taken);
    data += taken;
    left -= taken;
    if (held + taken < blockBytes) return;
    m_compress(m_state, m_block.data(), 1);
  }
  m_compress(m_state, data, left / blockBytes);
  std::memcpy(m_block.data(), data + left / blockBytes * blockBytes, left % blockBytes);
}

QByteArray Sha256::result() const {
  Sha256 last = *this;
  const std::uint64_t bits = m_bytes * 8;
  std::array<char, blockBytes + 8> padding{};
  padding[0] = static_cast<char>(0x80);
  const std::size_t length = (m_bytes % blockBytes < 56 ? 56 : 120) - m_bytes % blockBytes;
  for (std::size_t i = 0; i < 8; ++i) padding[length + i] = static_cast<char>(bits >> (56 - 8 * i));
  last.add(QByteArrayView(padding.data(), static_cast<qsizetype>(length + 8)));
  QByteArray bytes;
  for (const std::uint32_t word : last.m_state)
    for (int shift = 24; shift >= 0; shift -= 8) bytes.append(static_cast<char>(word >> shift));
  return bytes;
}

}  // namespace minerva::app
