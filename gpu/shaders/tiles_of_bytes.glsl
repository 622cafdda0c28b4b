// The tiles of matmul.comp as bytes, for types whose codes are bytes: inputs are rounded to 8 bits, with a scale for each block of a token,
// and codes and inputs are multiplied four at a time as whole numbers. With sums of codes c times inputs q, and x = d * q,
//   sum of (scale * c - offset) * x = d * (scale * sum of c * q - offset * sum of q),
// where each half of a block has a scale and an offset of its own if the type says so (SPLIT_SCALES).
#extension GL_EXT_spirv_intrinsics : require

// OpSDot of two words of four signed bytes each (SPV_KHR_integer_dot_product; in SPIR-V since 1.6).
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6018, 6019], id = 4450)
int dotOfBytes(uint a, uint b, spirv_literal int packedFormat);
int dotOf(uint a, uint b) { return dotOfBytes(a, b, 0); }

const uint words = 8u;           // per block of 32
const uint stride = words + 4u;  // padded by 16 bytes, so that adjacent rows start in different banks
const uint perShare = words / share;
const uint tokens = COLUMNS * TEAMS;
#if !defined(OWN_VALUES)
const bool above = codeMask > 127u;  // such codes are stored as 128 less
#else
const bool above = false;
#endif
shared uint weightTile[GROUPS * 8u * stride];
shared vec4 weightScales[GROUPS * 8u];  // scales and offsets of both halves
shared uint inputTile[tokens * stride];
shared float inputScales[tokens];
shared int inputSums[2u * tokens];      // of both halves
shared uint inputLargest[words * tokens];

void loadWeights(uint base, uint group0, uint block) {
  const uint m = gl_LocalInvocationID.x / share;
  const uint first = gl_LocalInvocationID.x % share * perShare;
  const uint group = base + min(group0 + (m >> 3), push.groups - 1u);  // clamped; results of rows past the last are not stored
  const uint r = m & 7u;
  firstRow = r;
  const Scales s = loadScales(group, block);
  if (first == 0u) {
    const vec2 scale = scalesOf(s, r);
    weightScales[m] = vec4(scale, offsetsOf(s, r) - (above ? 128.0 * scale : vec2(0.0)));
  }
  [[unroll]] for (uint i = 0; i < perShare; ++i) {
    const uint j = first + i;
    const uint codes = bytesOf(codesAt(group * 8u + r, block, j / stepsPerQuad)[wordOf(r, j)], s, r, j);
    weightTile[m * stride + j] = above ? codes ^ 0x80808080u : codes;
  }
}

// The largest of four magnitudes, as bits: their order is that of the numbers, and what is not a number is above all.
uint largestOf(vec4 x) {
  const uvec4 bits = floatBitsToUint(x) & 0x7fffffffu;
  return max(max(bits.x, bits.y), max(bits.z, bits.w));
}

// Each invocation has four elements of COLUMNS tokens, whose block is in eight neighbouring ones.
void loadInputs(Columns columns, uint block) {
  vec4 x[COLUMNS];
  [[unroll]] for (uint i = 0; i < COLUMNS; ++i) {
    const uint task = gl_LocalInvocationID.x + i * THREADS, token = task / words, j = task % words;
    const Column column = columnAt(columns, token);
    const uint at = column.row * push.xStride + (PLACES == placesNone ? 0u : column.place * push.xPlace);
    x[i] = inputQuad((at >> 2) + block * words + j);
    inputLargest[task] = largestOf(x[i]);
    if (j < 2u) inputSums[2u * token + j] = 0;
  }
  barrier();
  [[unroll]] for (uint i = 0; i < COLUMNS; ++i) {
    const uint task = gl_LocalInvocationID.x + i * THREADS, token = task / words, j = task % words;
    uint largest = 0u;
    [[unroll]] for (uint k = 0; k < words; ++k) largest = max(largest, inputLargest[token * words + k]);
    const float d = uintBitsToFloat(largest) / 127.0;
    const float inverse = d > 1e-35 ? 1.0 / d : 0.0;
    const uvec4 q = uvec4(ivec4(roundEven(clamp(x[i] * inverse, -127.0, 127.0)))) & 0xffu;
    const uint bytes = q.x | q.y << 8 | q.z << 16 | q.w << 24;
    inputTile[token * stride + j] = bytes;
    atomicAdd(inputSums[2u * token + j / 4u], dotOf(bytes, 0x01010101u));
    if (j == 0u) inputScales[token] = d;
  }
}

void loadTiles(uint base, uint group0, Columns columns, uint block) {
  loadWeights(base, group0, block);
  loadInputs(columns, block);
  barrier();
}

uvec4 weightWords(uint row, uint half_) {
  const uint at = row * stride + 4u * half_;
  return uvec4(weightTile[at], weightTile[at + 1u], weightTile[at + 2u], weightTile[at + 3u]);
}
uvec4 inputWords(uint token, uint half_) {
  const uint at = token * stride + 4u * half_;
  return uvec4(inputTile[at], inputTile[at + 1u], inputTile[at + 2u], inputTile[at + 3u]);
}
int dotOf(uvec4 a, uvec4 b) { return dotOf(a.x, b.x) + dotOf(a.y, b.y) + dotOf(a.z, b.z) + dotOf(a.w, b.w); }

// Adds the products of rows m and tokens t, t + TEAMS, ... to acc.
void multiplyTiles(uint m, uint t) {
  uvec4 x[2u * COLUMNS];
  float d[COLUMNS];
  vec2 sums[COLUMNS];  // of the inputs
  [[unroll]] for (uint c = 0; c < COLUMNS; ++c) {
    const uint token = t + c * TEAMS;
    x[2u * c] = inputWords(token, 0u);
    x[2u * c + 1u] = inputWords(token, 1u);
    d[c] = inputScales[token];
    sums[c] = vec2(ivec2(inputSums[2u * token], inputSums[2u * token + 1u]));
  }
  [[unroll]] for (uint g = 0; g < GROUPS; ++g) {
    const uint row = g * 8u + m;
    const uvec4 first = weightWords(row, 0u), second = weightWords(row, 1u);
    const vec4 s = weightScales[row];
    [[unroll]] for (uint c = 0; c < COLUMNS; ++c) {
      const int low = dotOf(first, x[2u * c]), high = dotOf(second, x[2u * c + 1u]);
#ifdef SPLIT_SCALES
      acc[g * COLUMNS + c] += d[c] * (dot(s.xy, vec2(ivec2(low, high))) - dot(s.zw, sums[c]));
#else
      acc[g * COLUMNS + c] += d[c] * (s.x * float(low + high) - s.z * (sums[c].x + sums[c].y));
#endif
    }
  }
}
