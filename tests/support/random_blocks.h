// Random blocks of every element type a matrix may have.
#pragma once

#include "core/tensor/tensor_view.h"
#include "tests/support/random.h"

#include <span>
#include <vector>

namespace minerva::tests {

// Every type a matrix may have.
[[nodiscard]] std::vector<ElementTypeTraits> everyMatrixType();
// The same with a few of MLX's affine types for all: for tests that are long.
[[nodiscard]] std::vector<ElementTypeTraits> matrixTypes();

// One or two of each way a backend may take with a type: for what does not depend on how the bits lie.
[[nodiscard]] std::vector<ElementTypeTraits> typesOfEveryWay();

// Every code of a quantized block occurs (random bits), scaled so that the values have about this rms; floats are normal.
void fillRandom(Random& random, const ElementTypeTraits& type, std::span<std::byte> blocks, double rms);

// Parts of blocks in one piece, as files have them that keep codes, scales and biases apart.
struct SplitBlocks {
  std::vector<std::byte> codes, scales, biases;
};
[[nodiscard]] SplitBlocks splitBlocks(const ElementTypeTraits& type, std::span<const std::byte> blocks);

}  // namespace minerva::tests
