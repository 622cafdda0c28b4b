// What is not a number stays so: damaged weights must be seen in the logits, where an error is made of them, and not be replies of
// nonsense. min, max and clamp may return their other operand, and tanh of a driver may begin with one of them; and a compiler may assume
// that a comparison never sees such a value. So it is found by its bits.
#ifndef NUMBERS
#define NUMBERS

bool isNumber(uint bits) { return (bits & 0x7fffffffu) <= 0x7f800000u; }
bool isNumber(float x) { return isNumber(floatBitsToUint(x)); }

float clamped(float x, float low, float high) { return isNumber(x) ? clamp(x, low, high) : x; }
vec4 clamped(vec4 x, float low, float high) {
  return vec4(clamped(x.x, low, high), clamped(x.y, low, high), clamped(x.z, low, high), clamped(x.w, low, high));
}

// max(x, 0).
float positive(float x) { return isNumber(x) ? max(x, 0.0) : x; }

// What a head's score loses per position between query and key (core/model/model_config.h).
float alibiSlope(float largest, uint head, uint heads) {
  const uint whole = 1u << findMSB(heads);
  const float step = largest / float(whole);
  return exp2(-step * (head < whole ? float(head + 1u) : float(head - whole) + 0.5));
}

// cap * tanh(x / cap).
float softCapped(float x, float cap) { return isNumber(x) ? cap * tanh(clamp(x / cap, -20.0, 20.0)) : x; }
#endif
