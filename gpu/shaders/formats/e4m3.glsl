// Without sign; 480 for the code that is not a number. No branches, so that a compiler sees which calls are the same.
float e4m3Magnitude(uint c) {
  const uint exponent = c >> 3 & 15u;
  return float(int((c & 7u) | min(exponent, 1u) << 3)) * uintBitsToFloat((max(exponent, 1u) + 117u) << 23);
}
float e4m3(uint c) {
  const float value = uintBitsToFloat(floatBitsToUint(e4m3Magnitude(c)) | (c & 0x80u) << 24);
  const float none = uintBitsToFloat(0x7fc00000u);
  return (c & 0x7fu) == 0x7fu ? none : value;
}
