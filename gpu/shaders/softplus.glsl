// log(1 + e^x). A small e^-|x| would lose its digits in the sum; there, the first terms of the logarithm's series are more accurate.
float softplus(float x) {
  const float small = exp(-abs(x));
  const float rest = small < 0.02 ? small * (1.0 - small * (0.5 - small * 0.33333333)) : log(1.0 + small);
  return max(x, 0.0) + rest;
}
