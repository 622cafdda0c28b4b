// Logits as keys: whole numbers in the order of the logits. Zeros of both signs are equal, and what is not a number is above all others.
#include "numbers.glsl"
#include "shared/top.h"

const uint notANumber = 0xffffffffu;
const uint minusInfinity = 0x007fffffu;  // the key of the smallest logit

uint keyOf(uint bits) {
  if (!isNumber(bits)) return notANumber;
  if ((bits & 0x7fffffffu) == 0u) return 0x80000000u;
  return (bits & 0x80000000u) != 0u ? ~bits : bits | 0x80000000u;
}

uint bitsOf(uint key) { return (key & 0x80000000u) != 0u ? key & 0x7fffffffu : ~key; }

// e^((logit - largest) * factor), in a row with a largest logit that is finite.
float massOf(uint key, uint largest, float factor) {
  if (key <= minusInfinity) return 0.0;
  return exp((uintBitsToFloat(bitsOf(key)) - uintBitsToFloat(bitsOf(largest))) * factor);
}
