// The tiles of matmul.comp as floats: weights are dequantized.
const uint stepsPerBlock = 8u;            // vec4s per block of 32
const uint stride = stepsPerBlock + 1u;   // padded by one, so that adjacent rows start in different banks
const uint perShare = stepsPerBlock / share;
shared vec4 weightTile[GROUPS * 8u * stride];
shared vec4 inputTile[COLUMNS * TEAMS * stride];

void loadWeights(uint base, uint group0, uint block) {
  const uint m = gl_LocalInvocationID.x / share;
  const uint first = gl_LocalInvocationID.x % share * perShare;
  const uint group = base + min(group0 + (m >> 3), push.groups - 1u);  // clamped; results of rows past the last are not stored
  const uint r = m & 7u;
  firstRow = r;
  const Scales s = loadScales(group, block);
  const vec2 scale = scalesOf(s, r);
  const vec2 offset = offsetsOf(s, r);
  [[unroll]] for (uint i = 0; i < perShare; ++i) {
    const uint j = first + i;
    const vec4 raw = rawCodes(codesAt(group * 8u + r, block, j / stepsPerQuad), s, r, j) * codeUnit;
    weightTile[m * stride + j] = (j < 4u ? scale.x : scale.y) * raw - (j < 4u ? offset.x : offset.y);
  }
}

void loadInputs(Columns columns, uint block) {
  [[unroll]] for (uint i = 0; i < COLUMNS; ++i) {
    const uint task = gl_LocalInvocationID.x + i * THREADS;
    const Column column = columnAt(columns, task / stepsPerBlock);
    const uint j = task % stepsPerBlock;
    const uint at = column.row * push.xStride + (PLACES == placesNone ? 0u : column.place * push.xPlace);
    inputTile[task / stepsPerBlock * stride + j] = inputQuad((at >> 2) + block * stepsPerBlock + j);
  }
}

void loadTiles(uint base, uint group0, Columns columns, uint block) {
  loadWeights(base, group0, block);
  loadInputs(columns, block);
  barrier();
}

// Adds the products of rows m and tokens t, t + TEAMS, ... to acc.
void multiplyTiles(uint m, uint t) {
  for (uint j = 0; j < stepsPerBlock; ++j) {
    vec4 x[COLUMNS];
    [[unroll]] for (uint c = 0; c < COLUMNS; ++c) x[c] = inputTile[(t + c * TEAMS) * stride + j];
    [[unroll]] for (uint g = 0; g < GROUPS; ++g) {
      const vec4 w = weightTile[(g * 8u + m) * stride + j];
      [[unroll]] for (uint c = 0; c < COLUMNS; ++c) acc[g * COLUMNS + c] += dot(w, x[c]);
    }
  }
}
