// Push constants and sizes of the kernels that list the best logits of a row, shared by C++ and GLSL. Apart from push.h, because these
// say nothing to the other kernels.
#ifndef MINERVA_TOP_H
#define MINERVA_TOP_H
#ifdef __cplusplus
#include "gpu/shaders/shared/push.h"
namespace minerva::gpu::choice {
#define MINERVA_TOP inline constexpr unsigned
#else
#include "shared/push.h"
#define MINERVA_TOP const uint
#endif

MINERVA_TOP topMost = 256;        // entries of a list
MINERVA_TOP topHeader = 2;        // pairs of words before them
MINERVA_TOP topChunkLength = 32;  // logits of a chunk at most

#ifdef __cplusplus
// Of a row with so many logits: so that there are enough chunks to tell the best from the others by.
constexpr unsigned topChunkLengthOf(unsigned columns) {
  constexpr unsigned chunks = 1024;
  const unsigned length = (columns + chunks - 1) / chunks;
  return length < 1 ? 1 : length > topChunkLength ? topChunkLength : length;
}
constexpr unsigned topChunksOf(unsigned columns) { return (columns + topChunkLengthOf(columns) - 1) / topChunkLengthOf(columns); }
}  // namespace minerva::gpu::choice
namespace minerva::gpu::push {
#endif

struct TopChunks {
  Address logits;   // float [n, stride]
  Address factors;  // float [n]: 1 / temperature
  Address keys;     // uint [n, chunks]
  Address sums;     // float [n, chunks]
  uint columns, stride, chunks, chunkLength;
};

struct TopLogits {
  Address logits, factors, keys, sums;  // as above
  Address out_;                         // uvec2 [n, topHeader + topMost]: (entries, largest logit), (sum, unused), then (token, logit) each
  uint columns, stride, chunks, chunkLength;
};

#ifdef __cplusplus
}  // namespace minerva::gpu::push
#endif
#undef MINERVA_TOP
#endif
