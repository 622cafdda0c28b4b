// Shared by kernels whose workgroup keeps some columns of a head's state in registers, over all rows of a sequence. The keys of a
// column are divided among SPLITS invocations, KEYS each; rows past the last key are zeros. Operands that all columns share are loaded
// for CHUNK rows at a time.
#include "softplus.glsl"

const uint WIDTH = KEYS * SPLITS;
const uint THREADS = COLUMNS * SPLITS;  // the workgroup size

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
