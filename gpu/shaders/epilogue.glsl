// What a projection does with a finished element. EPILOGUE and ACTIVATION are specialization constants of the kernel.
#include "activation.glsl"
#include "floats.glsl"

// y: element `row` of the result (the odd group's with the gated epilogue, gate then the even one's), which goes to out[at];
// biasAt: where the biases of its matrix begin.
void store(uint at, uint biasAt, uint row, float y, float gate) {
  if (push.hasBias != 0u) {
    y += Floats(push.bias).v[biasAt + (EPILOGUE == epilogueGated ? push.rows + row : row)];
    if (EPILOGUE == epilogueGated) gate += Floats(push.bias).v[biasAt + row];
  }
  y *= push.scale;
  if (EPILOGUE == epilogueCapped) y = push.softCap * tanh(clamp(y / push.softCap, -20.0, 20.0));
  Floats target = Floats(push.out_);
  if (EPILOGUE == epilogueAdd) y += target.v[at];
  if (EPILOGUE == epilogueActivated) y = activate(y, ACTIVATION);
  if (EPILOGUE == epilogueGated) y = gated(gate, y, ACTIVATION);
  if (EPILOGUE == epilogueAuxGated) y = gated(Floats(push.aux).v[at], y, ACTIVATION);
  target.v[at] = y;
}
