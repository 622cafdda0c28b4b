// TQ1_0: value = d * (digit - 1), with the digits of base 3 of 256 elements in the bytes of the file: of blocks 0 to 4 digit 0 to 4 of 32
// bytes, of blocks 5 to 7 the digits of 16 bytes, and in the second half of block 7 four digits of 4 bytes. Eight rows of a super-block are
// 27 quads of plane 0: three per row, a word per row, d.
const uint codeQuads = 2;
const vec4 codeUnit = bytesUnit;
#define OWN_CODES

struct Scales {
  uvec4 d;
  uint block;  // of the super-block
};

uint superAt(uint group, uint block) { return 27u * (group * (push.blocks >> 3) + (block >> 3)); }
Scales loadScales(uint group, uint block) { return Scales(quad(superAt(group, block) + 26u), block & 7u); }
vec2 scalesOf(Scales s, uint r) { return vec2(halfOf(s.d, r)); }
vec2 offsetsOf(Scales s, uint r) { return scalesOf(s, r); }

// A digit n of four bytes at once: times 3^n, modulo 256, times 3, it is above bit 8.
const uint codeMask = 3u;
uint bytesOf(uint w, Scales s, uint r, uint j) {
  const uint n = s.block < 5u ? s.block : s.block < 7u ? 2u * s.block - 10u + (j >> 2) : j < 4u ? 4u : j - 4u;
  const uint power = n == 0u ? 1u : n == 1u ? 3u : n == 2u ? 9u : n == 3u ? 27u : 81u;
  const uint even = ((w & 0x00ff00ffu) * power & 0x00ff00ffu) * 3u >> 8 & 0x00030003u;
  const uint odd = ((w >> 8 & 0x00ff00ffu) * power & 0x00ff00ffu) * 3u & 0x03000300u;
  return even | odd;
}
vec4 rawOf(uint w, Scales s, uint r, uint j) { return codesOf(bytesOf(w, s, r, j), codeMask); }

bool isLast(uint block, uint s) { return s == 1u && (block & 7u) == 7u; }
uint lastWord(uint row, uint block) { return word(4u * superAt(row >> 3, block) + 96u + (row & 7u)); }
uint quadOf(uint row, uint block, uint s) { return superAt(row >> 3, block) + 3u * (row & 7u) + ((block & 7u) < 5u ? s : 2u); }
uvec4 codesAt(uint row, uint block, uint s) {
  if (isLast(block, s)) return uvec4(lastWord(row, block));
  return quad(quadOf(row, block, s));
}
vec4 rawAt(uint row, uint block, Scales s, uint r, uint j) {
  const uint w = isLast(block, j >> 2) ? lastWord(row, block) : word(4u * quadOf(row, block, j >> 2) + (j & 3u));
  return rawOf(w, s, r, j);
}
