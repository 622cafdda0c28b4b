// Activation functions with float32 accuracy. ACTIVATION is a specialization constant of the including kernel.
#include "numbers.glsl"
#include "shared/choices.h"

// erfc(|x|) from a polynomial fit of erfc(x) exp(x^2), relative error 1.2e-7 (erfcc in Numerical Recipes). Abramowitz and
// Stegun 7.1.26 is too coarse here: its error of 1.5e-7 is absolute, which is large relative to a small 1 - erf. One fit for
// all x also avoids the piecewise series and rational fits of W. J. Cody (1969).
float complementaryError(float x) {
  const float z = abs(x);
  const float t = 1.0 / (1.0 + 0.5 * z);
  float p = 0.17087277;
  p = p * t - 0.82215223;
  p = p * t + 1.48851587;
  p = p * t - 1.13520398;
  p = p * t + 0.27886807;
  p = p * t - 0.18628806;
  p = p * t + 0.09678418;
  p = p * t + 0.37409196;
  p = p * t + 1.00002368;
  const float y = t * exp(-z * z - 1.26551223 + t * p);
  return x >= 0.0 ? y : 2.0 - y;
}

float activate(float x, uint kind) {
  if (kind == activationSilu) return x / (1.0 + exp(-x));
  if (kind == activationSigmoid) return 1.0 / (1.0 + exp(-x));
  if (kind == activationRelu) return positive(x);
  if (kind == activationReluSquared) return positive(x) * positive(x);
  if (kind == activationIdentity) return x;
  if (kind == activationTanh) {
    // Near 0 its series: there the difference of the other form would have few digits.
    const float square = x * x;
    if (square < 0.04) return x * (1.0 + square * (-0.333333333 + square * (0.133333333 - 0.0539682540 * square)));
    return 1.0 - 2.0 / (exp(2.0 * x) + 1.0);
  }
  if (kind == activationGeluErf) return 0.5 * x * complementaryError(-x * 0.70710678);
  const float inner = 0.79788456 * (x + 0.044715 * x * x * x);
  return x / (1.0 + exp(-2.0 * inner));  // 0.5 (1 + tanh(a)) = 1 / (1 + exp(-2a))
}

// activation(gate) * up, or gpt-oss' variant: (clamp(up) + 1) * g * sigmoid(1.702 g) with g = min(gate, 7).
float gated(float gate, float up, uint kind) {
  if (kind == activationClampedSwiglu) {
    const float g = isNumber(gate) ? min(gate, 7.0) : gate;
    return (clamped(up, -7.0, 7.0) + 1.0) * g / (1.0 + exp(-1.702 * g));
  }
  return activate(gate, kind) * up;
}
