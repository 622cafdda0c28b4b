// Random blocks of every element type that a matrix may have.
#pragma once

#include "core/tensor/tensor_view.h"
#include "tests/support/random.h"

#include <span>
#include <vector>

namespace minerva::tests {

// Every element type that a matrix may have.
[[nodiscard]] std::vector<ElementTypeTraits> everyMatrixType();
// The same with only a few of MLX's affine types, for long tests.
[[nodiscard]] std::vector<ElementTypeTraits> matrixTypes();

// One or two types for each kind of code path in a backend, for behaviour that does not depend on the bit layout.
[[nodiscard]] std::vector<ElementTypeTraits> typesOfEveryWay();

// Quantized blocks get random bits, so that every code occurs, scaled to about this rms; floats are normally distributed.
void fillRandom(Random& random, const ElementTypeTraits& type, std::span<std::byte> blocks, double rms);

// Blocks split into their parts, for file formats that store codes, scales and biases separately.
struct SplitBlocks {
  std::vector<std::byte> codes, scales, biases;
};
[[nodiscard]] SplitBlocks splitBlocks(const ElementTypeTraits& type, std::span<const std::byte> blocks);

}  // namespace minerva::tests
