// Shared by kernels whose workgroup keeps some columns of a head's state in registers, over all rows of a sequence. The keys of a
// column are divided among SPLITS invocations, KEYS each; rows past the last key are zeros. Operands that all columns share are loaded
// for CHUNK rows at a time.
const uint WIDTH = KEYS * SPLITS;
const uint THREADS = COLUMNS * SPLITS;  // the workgroup size

// log(1 + e^x). A small e^-|x| would lose its digits in the sum; there, the first terms of the logarithm's series are more accurate.
float softplus(float x) {
  const float small = exp(-abs(x));
  const float rest = small < 0.02 ? small * (1.0 - small * (0.5 - small * 0.33333333)) : log(1.0 + small);
  return max(x, 0.0) + rest;
}

shared vec2 splitSums[SPLITS > 1 ? 2 * THREADS : 1];

// The sum over the splits of a column, the same for all of them. Consecutive rows use other halves of the array, so that one barrier
// per row is enough.
vec2 sumOfSplits(vec2 mine, uint row, uint column) {
  if (SPLITS == 1u) return mine;
  const uint half_ = (row & 1u) * THREADS;
  splitSums[half_ + gl_LocalInvocationID.x] = mine;
  barrier();
  vec2 sum = vec2(0.0);
  for (uint p = 0; p < SPLITS; ++p) sum += splitSums[half_ + placeOf(column, p)];
  return sum;
}
