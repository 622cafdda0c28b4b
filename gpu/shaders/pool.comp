// out[m, columns]: the rows of a text as one. A text ends with row index[m]; it has one row more than that row's position.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint KIND = 0;

#include "shared/push.h"
layout(push_constant) uniform Push { Pool push; };
#include "shared/choices.h"
#include "floats.glsl"

void main() {
  const uint column = gl_GlobalInvocationID.x;
  const uint text = gl_WorkGroupID.y;
  if (column >= push.columns) return;
  const uint last = Uints(push.index).v[text];
  const uint first = last - Uints(push.rows).v[2u * last];
  const uint begin = KIND == poolLast ? last : first;
  const uint end = KIND == poolFirst ? first : last;
  float sum = 0.0;
  for (uint row = begin; row <= end; ++row) sum += Floats(push.from).v[row * push.fromStride + column];
  Floats(push.to).v[text * push.toStride + column] = sum / float(end - begin + 1u);
}
