// Values of specialization constants that C++ and GLSL must agree on.
#ifndef MINERVA_CHOICES_H
#define MINERVA_CHOICES_H
#ifdef __cplusplus
namespace minerva::gpu::choice {
using uint = unsigned;
#define MINERVA_CHOICE inline constexpr uint
#else
#define MINERVA_CHOICE const uint
#endif

// Epilogue: how a projection stores its result y.
MINERVA_CHOICE epilogueStore = 0;      // out = y
MINERVA_CHOICE epilogueAdd = 1;        // out += y
MINERVA_CHOICE epilogueActivated = 2;  // out = activation(y)
MINERVA_CHOICE epilogueGated = 3;      // groups alternate between two matrices: out = activation(even) * odd
MINERVA_CHOICE epilogueAuxGated = 4;   // out = activation(aux) * y
MINERVA_CHOICE epilogueCapped = 5;     // out = softCap * tanh(y / softCap)

MINERVA_CHOICE activationSilu = 0;
MINERVA_CHOICE activationGeluTanh = 1;
MINERVA_CHOICE activationGeluErf = 2;
MINERVA_CHOICE activationClampedSwiglu = 3;  // gated projections only
MINERVA_CHOICE activationSigmoid = 4;
MINERVA_CHOICE activationReluSquared = 5;
MINERVA_CHOICE activationIdentity = 6;
MINERVA_CHOICE activationTanh = 7;
MINERVA_CHOICE activationRelu = 8;
MINERVA_CHOICE activationSoftplus = 9;  // gates only

// Which matrix a projection uses, or which part of it.
MINERVA_CHOICE placesNone = 0;      // the same for all
MINERVA_CHOICE placesRouted = 1;    // that of the expert given by the route buffer
MINERVA_CHOICE placesHeads = 2;     // one per head
MINERVA_CHOICE placesGathered = 3;  // that of an expert, for several rows that use it (by_expert.comp)
MINERVA_CHOICE placesRanges = 4;    // ranges of the columns of one, whose partial sums are stored one behind the other (matmul_join.comp)

// Of workgroups that are ordered by tokens first (runtime/projection_form.h): as many as every device takes beside each other.
MINERVA_CHOICE rowsOfPlane = 32768;

MINERVA_CHOICE normRms = 0;
MINERVA_CHOICE normLayer = 1;

// When a norm multiplies by silu(gate).
MINERVA_CHOICE gateNever = 0;
MINERVA_CHOICE gateFirst = 1;
MINERVA_CHOICE gateLast = 2;

// What a router's logits become.
MINERVA_CHOICE scoringSoftmax = 0;
MINERVA_CHOICE scoringSigmoid = 1;
MINERVA_CHOICE scoringSparseMixer = 2;

// How the rows of a text become one.
MINERVA_CHOICE poolMean = 0;
MINERVA_CHOICE poolFirst = 1;
MINERVA_CHOICE poolLast = 2;

MINERVA_CHOICE ropeHalves = 0;
MINERVA_CHOICE ropeInterleaved = 1;

// The type of the scales of formats/affine.glsl and signed_bytes.glsl.
MINERVA_CHOICE scaleF16 = 0;
MINERVA_CHOICE scaleBf16 = 1;
MINERVA_CHOICE scaleF32 = 2;
MINERVA_CHOICE scaleE8m0 = 3;
MINERVA_CHOICE scaleNone = 4;

// What the bytes of formats/signed_bytes.glsl are.
MINERVA_CHOICE codesE4m3 = 0;
MINERVA_CHOICE codesE5m2 = 1;
MINERVA_CHOICE codesWhole = 2;

// Types read by formats/grids.glsl.
MINERVA_CHOICE gridIq2Xxs = 0;
MINERVA_CHOICE gridIq2Xs = 1;
MINERVA_CHOICE gridIq2S = 2;
MINERVA_CHOICE gridIq3Xxs = 3;
MINERVA_CHOICE gridIq3S = 4;
MINERVA_CHOICE gridIq1S = 5;
MINERVA_CHOICE gridIq1M = 6;

#ifdef __cplusplus
}  // namespace minerva::gpu::choice
#endif
#undef MINERVA_CHOICE
#endif
