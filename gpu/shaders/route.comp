// Selects the `used` experts with the largest logits of each row (on ties the lower index first) and their shares:
// out[row] = [expert indices, as floats | shares | share of the shared expert]. With groups, only experts of the groupsUsed
// groups with the largest logits are considered. One workgroup of one subgroup per row. Definition: RouteOp in
// core/model/plan.h.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_KHR_shader_subgroup_arithmetic : require

layout(local_size_x_id = 0) in;

#include "shared/push.h"
layout(push_constant) uniform Push { Route push; };
#include "floats.glsl"

const float lowest = -3.0e38;

float logitOf(uint e) { return Floats(push.logits).v[gl_WorkGroupID.x * push.inStride + e]; }

float largestOfGroup(uint g) {
  const uint size = push.experts / push.groups;
  float best = lowest;
  for (uint e = g * size; e < (g + 1u) * size; ++e) best = max(best, logitOf(e));
  return best;
}

// Bit g is set if group g's experts may be chosen. At most 32 groups.
uint allowedGroups() {
  uint mask = 0u;
  for (uint g = 0; g < push.groups; ++g) {
    const float mine = largestOfGroup(g);
    uint before = 0u;
    for (uint other = 0; other < push.groups; ++other) {
      const float its = largestOfGroup(other);
      if (its > mine || (its == mine && other < g)) ++before;
    }
    if (before < push.groupsUsed) mask |= 1u << g;
  }
  return mask;
}

void main() {
  const uint lane = gl_LocalInvocationID.x;
  const uint allowed = push.groups > 1u ? allowedGroups() : 1u;
  const uint groupSize = push.experts / push.groups;
  Floats target = Floats(push.out_);
  const uint at = gl_WorkGroupID.x * push.outStride;

  float best = lowest;
  for (uint e = lane; e < push.experts; e += gl_WorkGroupSize.x) best = max(best, logitOf(e));
  const float largest = subgroupMax(best);
  float sum = 0.0;
  for (uint e = lane; e < push.experts; e += gl_WorkGroupSize.x) sum += exp(logitOf(e) - largest);
  sum = subgroupAdd(sum);

  // Each round selects the next expert in sorted order (larger logit first, then lower index).
  float lastLogit = 3.0e38;
  uint lastIndex = 0u;
  float chosenSum = 0.0;
  for (uint s = 0; s < push.used; ++s) {
    float mine = lowest;
    uint index = 0xffffffffu;
    for (uint e = lane; e < push.experts; e += gl_WorkGroupSize.x) {
      const float logit = logitOf(e);
      const bool behind = s == 0u || logit < lastLogit || (logit == lastLogit && e > lastIndex);
      if (behind && (allowed >> (e / groupSize) & 1u) != 0u && (index == 0xffffffffu || logit > mine)) {
        mine = logit;
        index = e;
      }
    }
    lastLogit = subgroupMax(mine);
    lastIndex = subgroupMin(mine == lastLogit ? index : 0xffffffffu);
    const float weight = exp(lastLogit - largest);
    chosenSum += weight;
    if (lane == 0u) {
      target.v[at + s] = float(lastIndex);
      target.v[at + push.used + s] = weight;
    }
  }
  if (lane != 0u) return;
  const float scale = push.scale / (push.normalised != 0u ? chosenSum : sum);
  for (uint s = 0; s < push.used; ++s) target.v[at + push.used + s] *= scale;
  if (push.sharedGate != 0u) target.v[at + 2u * push.used] = 1.0 / (1.0 + exp(-logitOf(push.experts)));
}
