// Without sign; 480 for the code that is not a number.
float e4m3Magnitude(uint c) {
  const uint exponent = c >> 3 & 15u;
  const float mantissa = float(int((c & 7u) + (exponent == 0u ? 0u : 8u)));
  return mantissa * uintBitsToFloat((max(exponent, 1u) + 117u) << 23);
}
float e4m3(uint c) {
  const float value = e4m3Magnitude(c);
  return (c & 0x7fu) == 0x7fu ? uintBitsToFloat(0x7fc00000u) : (c & 0x80u) != 0u ? -value : value;
}
