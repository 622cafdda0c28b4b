// Buffers of plain floats and uints, accessed by address.
layout(buffer_reference, std430, buffer_reference_align = 4) restrict buffer Floats { float v[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) readonly restrict buffer Uints { uint v[]; };
