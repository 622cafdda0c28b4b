float e4m3(uint c) {
  const uint exponent = c >> 3 & 15u;
  const float mantissa = float(int((c & 7u) + (exponent == 0u ? 0u : 8u)));
  const float value = mantissa * uintBitsToFloat((max(exponent, 1u) + 117u) << 23);
  return (c & 0x7fu) == 0x7fu ? uintBitsToFloat(0x7fc00000u) : (c & 0x80u) != 0u ? -value : value;
}
