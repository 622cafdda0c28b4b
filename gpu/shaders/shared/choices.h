// Values of specialization constants that C++ and GLSL must agree on.
#ifdef __cplusplus
#pragma once
namespace minerva::gpu::choice {
using uint = unsigned;
#define MINERVA_CHOICE inline constexpr uint
#else
#define MINERVA_CHOICE const uint
#endif

// What a projection does with its result y.
MINERVA_CHOICE epilogueStore = 0;      // out = y
MINERVA_CHOICE epilogueAdd = 1;        // out += y
MINERVA_CHOICE epilogueActivated = 2;  // out = activation(y)
MINERVA_CHOICE epilogueGated = 3;      // groups alternate between two matrices: out = activation(even) * odd
MINERVA_CHOICE epilogueAuxGated = 4;   // out = activation(aux) * y

MINERVA_CHOICE activationSilu = 0;
MINERVA_CHOICE activationGeluTanh = 1;
MINERVA_CHOICE activationGeluErf = 2;

MINERVA_CHOICE normRms = 0;
MINERVA_CHOICE normLayer = 1;

MINERVA_CHOICE ropeHalves = 0;
MINERVA_CHOICE ropeInterleaved = 1;

#ifdef __cplusplus
}  // namespace minerva::gpu::choice
#endif
#undef MINERVA_CHOICE
