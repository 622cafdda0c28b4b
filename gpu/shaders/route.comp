// Selects the `used` experts with the best choice value of each row (on ties the lower index first) and their shares:
// out[row] = [expert indices, as floats | shares | share of the shared expert]. With groups, only experts of the groupsUsed
// groups with the best rank are considered. One workgroup of one subgroup per row. Definition: RouteOp in
// core/model/plan.h.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_KHR_shader_subgroup_arithmetic : require

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint SCORING = 0;
layout(constant_id = 2) const uint RANKED_BY_TWO = 0;  // a group's rank: the sum of its two largest choice values, or the largest

#include "shared/push.h"
layout(push_constant) uniform Push { Route push; };
#include "floats.glsl"
#include "numbers.glsl"
#include "shared/choices.h"

const float lowest = -3.0e38;
const uint maxGroups = 32u;

shared float ranks[maxGroups];

// Of all logits of the row.
struct Logits {
  float largest;
  float sum;  // of e^(logit - largest)
  bool numbers;  // these, and the biases
};

float logitOf(uint e) { return Floats(push.logits).v[gl_WorkGroupID.x * push.inStride + e]; }

float scoreOf(float logit, Logits all) {
  if (SCORING == scoringSigmoid) return 1.0 / (1.0 + exp(-logit));
  return exp(logit - all.largest) / all.sum;
}

// What experts are chosen by. Without a bias the logits have the scores' order, and rounding cannot make two of them equal.
float choiceOf(uint e, Logits all) {
  const float logit = logitOf(e);
  if (RANKED_BY_TWO == 0u && push.hasSelectionBias == 0u) return logit;
  return scoreOf(logit, all) + (push.hasSelectionBias != 0u ? Floats(push.selectionBias).v[e] : 0.0);
}

float rankOf(uint g, Logits all) {
  const uint size = push.experts / push.groups;
  float best = lowest;
  float second = lowest;
  for (uint e = g * size; e < (g + 1u) * size; ++e) {
    const float choice = choiceOf(e, all);
    second = max(second, min(best, choice));
    best = max(best, choice);
  }
  return RANKED_BY_TWO != 0u && size > 1u ? best + second : best;
}

// Bit g is set if group g's experts may be chosen.
uint allowedGroups(Logits all) {
  for (uint g = gl_LocalInvocationID.x; g < push.groups; g += gl_WorkGroupSize.x) ranks[g] = rankOf(g, all);
  barrier();
  uint mask = 0u;
  for (uint g = 0; g < push.groups; ++g) {
    uint before = 0u;
    for (uint other = 0; other < push.groups; ++other) {
      if (ranks[other] > ranks[g] || (ranks[other] == ranks[g] && other < g)) ++before;
    }
    if (before < push.groupsUsed) mask |= 1u << g;
  }
  return mask;
}

Logits allLogits() {
  float best = lowest;
  uint strange = 0u;
  for (uint e = gl_LocalInvocationID.x; e < push.experts; e += gl_WorkGroupSize.x) {
    best = max(best, logitOf(e));
    if (!isNumber(logitOf(e)) || (push.hasSelectionBias != 0u && !isNumber(Floats(push.selectionBias).v[e]))) ++strange;
  }
  Logits all;
  all.numbers = subgroupAdd(strange) == 0u;
  all.largest = subgroupMax(best);
  float sum = 0.0;
  for (uint e = gl_LocalInvocationID.x; e < push.experts; e += gl_WorkGroupSize.x) sum += exp(logitOf(e) - all.largest);
  all.sum = subgroupAdd(sum);
  return all;
}

// The last expert chosen. Those not chosen yet are behind it in the order of choice.
struct Chosen {
  float choice;
  uint expert;
};

bool behind(float choice, uint e, Chosen last) { return choice < last.choice || (choice == last.choice && e > last.expert); }

// The share of the next expert, whose logit is `best`: softmax over the experts behind `last` with logits near the best.
float mixedShare(float best, Chosen last, bool isFirst) {
  float sum = 0.0;
  for (uint e = gl_LocalInvocationID.x; e < push.experts; e += gl_WorkGroupSize.x) {
    const float logit = logitOf(e);
    if (!isFirst && !behind(logit, e, last)) continue;
    if (best - logit <= 0.02 * max(abs(logit), best)) sum += exp(logit - best);
  }
  return 1.0 / subgroupAdd(sum);
}

void main() {
  const uint lane = gl_LocalInvocationID.x;
  const Logits all = allLogits();
  const uint allowed = push.groups > 1u ? allowedGroups(all) : 1u;
  const uint groupSize = push.experts / push.groups;
  Floats target = Floats(push.out_);
  const uint at = gl_WorkGroupID.x * push.outStride;

  // Each round chooses the next expert in sorted order (larger value first, then lower index).
  Chosen last = Chosen(0.0, 0u);
  float sum = 0.0;
  for (uint s = 0; s < push.used; ++s) {
    float mine = lowest;
    uint index = 0xffffffffu;
    for (uint e = lane; e < push.experts; e += gl_WorkGroupSize.x) {
      const float choice = choiceOf(e, all);
      const bool free = s == 0u || behind(choice, e, last);
      if (free && (allowed >> (e / groupSize) & 1u) != 0u && (index == 0xffffffffu || choice > mine)) {
        mine = choice;
        index = e;
      }
    }
    Chosen next;
    next.choice = subgroupMax(mine);
    next.expert = subgroupMin(mine == next.choice ? index : 0xffffffffu);
    next.expert = min(next.expert, push.experts - 1u);  // logits that are not numbers have no order
    const float share = SCORING == scoringSparseMixer ? mixedShare(next.choice, last, s == 0u) : scoreOf(logitOf(next.expert), all);
    sum += share;
    last = next;
    if (lane == 0u) {
      target.v[at + s] = float(next.expert);
      target.v[at + push.used + s] = share;
    }
  }
  if (lane != 0u) return;
  const float scale = push.scale / (push.normalised != 0u && SCORING != scoringSparseMixer ? sum : 1.0);
  for (uint s = 0; s < push.used; ++s) {
    float share = scale * target.v[at + push.used + s];
    if (push.hasExpertScale != 0u) share *= Floats(push.expertScale).v[uint(target.v[at + s])];
    target.v[at + push.used + s] = all.numbers ? share : uintBitsToFloat(0x7fc00000u);
  }
  if (push.sharedGate != 0u) target.v[at + 2u * push.used] = 1.0 / (1.0 + exp(-logitOf(push.experts)));
}
