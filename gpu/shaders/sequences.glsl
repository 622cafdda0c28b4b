// The rows of a step by sequence, for kernels that keep a recurrent state (push.h). Rows of several sequences may interleave.
layout(buffer_reference, std430, buffer_reference_align = 16) readonly restrict buffer Sequences { uvec4 v[]; };

struct Sequence {
  uint begin, count;  // its entries of `order`; count is 0 if the step has fewer sequences
  uint slot;
  bool fresh;  // begins at position 0, where all states are zeros
};

Sequence sequenceAt(uint i) {
  const uvec4 s = Sequences(push.sequences).v[i];
  return Sequence(s.x, s.y, s.z, s.w != 0u);
}
// Index in the step of the i-th row of the sequence.
uint rowAt(Sequence s, uint i) { return Uints(push.order).v[s.begin + i]; }
