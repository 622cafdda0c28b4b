// Two numbers of six bits for each row of a block. x, y: byte r has the low four bits of both; z: nibble r has the high two.
uvec3 loadPairs(uint plane, uint at) {
  const uint i = plane * 4u + 3u * at;
  return uvec3(word(i), word(i + 1u), word(i + 2u));
}
uint firstOf(uvec3 pairs, uint r) { return (pairs[r >> 2] >> (8u * (r & 3u)) & 15u) | (pairs.z >> (4u * r) & 3u) << 4; }
uint secondOf(uvec3 pairs, uint r) { return (pairs[r >> 2] >> (8u * (r & 3u) + 4u) & 15u) | (pairs.z >> (4u * r + 2u) & 3u) << 4; }
