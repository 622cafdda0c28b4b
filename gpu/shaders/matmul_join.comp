// Adds the partial sums of a projection whose columns were split into ranges (placesRanges), first range first, and stores the results as
// the projection would have: x is float [places, n, xStride], with the rows of the matrix as they are stored.
// Workgroup (x, y) = (results, token).
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint EPILOGUE = 0;
layout(constant_id = 2) const uint ACTIVATION = 0;

#include "shared/push.h"
layout(push_constant) uniform Push { Matvec push; };
#include "epilogue.glsl"

float sumAt(uint at) {
  float sum = 0.0;
  for (uint range = 0; range < push.places; ++range) sum += Floats(push.x).v[range * push.xPlace + at];
  return sum;
}

void main() {
  const uint row = gl_GlobalInvocationID.x;
  const uint token = gl_WorkGroupID.y;
  if (row >= push.rows) return;
  const uint at = token * push.outStride + row;
  const uint from = token * push.xStride;
  if (EPILOGUE == epilogueGated) {
    const uint gate = from + row / 8u * 16u + row % 8u;
    store(at, 0u, row, sumAt(gate + 8u), sumAt(gate));
  } else {
    store(at, 0u, row, sumAt(from + row), 0.0);
  }
}
