// Stores a finished element of a projection. EPILOGUE and ACTIVATION are specialization constants of the kernel.
#include "activation.glsl"
#include "floats.glsl"

// y: element `row` of the result, stored in out[at]. With the gated epilogue, y is from the odd group (up) and gate from the
// even one. biasAt: index of the first bias of the matrix.
void store(uint at, uint biasAt, uint row, float y, float gate) {
  if (push.hasBias != 0u) {
    y += Floats(push.bias).v[biasAt + (EPILOGUE == epilogueGated ? push.rows + row : row)];
    if (EPILOGUE == epilogueGated) gate += Floats(push.bias).v[biasAt + row];
  }
  y *= push.scale;
  if (EPILOGUE == epilogueCapped) y = softCapped(y, push.softCap);
  Floats target = Floats(push.out_);
  if (EPILOGUE == epilogueAdd) y += target.v[at];
  if (EPILOGUE == epilogueActivated) y = activate(y, ACTIVATION);
  if (EPILOGUE == epilogueGated) y = gated(gate, y, ACTIVATION);
  if (EPILOGUE == epilogueAuxGated) y = gated(Floats(push.aux).v[at], y, ACTIVATION);
  target.v[at] = y;
}
