// Q8_0: value = d * (code - 128).
const uint codeQuads = 2;
const vec4 codeUnit = bytesUnit;

struct Scales { uvec4 d; };
Scales loadScales(uint group, uint block) { return Scales(quad(push.plane1 + group * push.blocks + block)); }
vec2 scalesOf(Scales s, uint r) { return vec2(halfOf(s.d, r)); }
vec2 offsetsOf(Scales s, uint r) { return 128.0 * scalesOf(s, r); }

const uint codeMask = 0xffu;
uint bytesOf(uint w, Scales s, uint r, uint j) { return w; }
