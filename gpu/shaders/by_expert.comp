// Lists the places of all rows by expert, so that a projection reads an expert's weights once for several rows: tiles of at most push.tile
// places of one expert, as uvec4 (expert, first entry, entries, unused), and behind push.tiles of these the entries: row * used + place.
// Tiles that are not needed have no entries. The order of an expert's entries is any: each is computed by itself. One workgroup.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint EXPERTS = 1;

#include "shared/push.h"
layout(push_constant) uniform Push { ByExpert push; };
#include "floats.glsl"
layout(buffer_reference, std430, buffer_reference_align = 16) writeonly buffer Tiles { uvec4 v[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) writeonly buffer Entries { uint v[]; };

shared uint counts[EXPERTS];
shared uint next[EXPERTS];

uint expertOf(uint entry) {
  const float chosen = Floats(push.route).v[entry / push.used * push.routeStride + entry % push.used];
  return min(uint(int(chosen)), EXPERTS - 1u);
}

void main() {
  const uint lane = gl_LocalInvocationID.x;
  const uint entries = push.rows * push.used;
  for (uint e = lane; e < EXPERTS; e += gl_WorkGroupSize.x) counts[e] = 0u;
  barrier();
  for (uint i = lane; i < entries; i += gl_WorkGroupSize.x) atomicAdd(counts[expertOf(i)], 1u);
  barrier();
  for (uint e = lane; e < EXPERTS; e += gl_WorkGroupSize.x) {
    uint first = 0u, tile = 0u;
    for (uint before = 0u; before < e; ++before) {
      first += counts[before];
      tile += (counts[before] + push.tile - 1u) / push.tile;
    }
    next[e] = first;
    for (uint done = 0u; done < counts[e]; done += push.tile) {
      Tiles(push.out_).v[tile++] = uvec4(e, first + done, min(push.tile, counts[e] - done), 0u);
    }
    if (e == EXPERTS - 1u) {
      for (; tile < push.tiles; ++tile) Tiles(push.out_).v[tile] = uvec4(0u);
    }
  }
  barrier();
  for (uint i = lane; i < entries; i += gl_WorkGroupSize.x) Entries(push.out_).v[4u * push.tiles + atomicAdd(next[expertOf(i)], 1u)] = i;
}
