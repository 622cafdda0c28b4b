// Small random models: a ModelConfig that owns its weights, of any element type and with odd sizes.
#pragma once

#include "core/model/model_config.h"
#include "core/model/plan.h"
#include "tests/support/random.h"
#include "tests/support/random_blocks.h"

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

namespace minerva::tests {

// Owns tensors of random values. Views stay valid as long as the store, also after a move; a copy's would be of the original.
class TensorStore {
 public:
  explicit TensorStore(std::uint64_t seed) : m_random(seed) {}
  TensorStore(TensorStore&&) = default;
  TensorStore& operator=(TensorStore&&) = default;

  // Quantized blocks get random bits, so that every code occurs, scaled to about this rms.
  TensorView matrix(ElementType type, std::int64_t rows, std::int64_t columns, double rms);
  // centre + normal noise.
  TensorView vector(ElementType type, std::int64_t columns, double centre, double noise);
  TensorView values(const std::vector<float>& values, std::int64_t rows, std::int64_t columns);  // F32
  Random& random() { return m_random; }

 private:
  std::span<std::byte> allocate(std::size_t bytes);
  Random m_random;
  std::deque<std::vector<std::byte>> m_storage;
};

struct ModelShape {
  ElementType type = ElementType::F32;        // of matrices
  ElementType vectorType = ElementType::F32;  // of norms and biases
  int vocabulary = 67, hidden = 64, layers = 2;
  int heads = 4, kvHeads = 2, headDim = 16, feedForward = 96;
  int window = 0;  // window of every second layer, starting with the first
  int context = 64;
  model::NormKind norm = model::NormKind::rms;
  model::Activation activation = model::Activation::silu;
  model::RopeLayout layout = model::RopeLayout::halves;
  int ropeDimension = -1;  // -1: headDim; 0: none
  float ropeMagnitude = 1.0F;
  bool biases = false, gated = true, tied = false;
  std::uint64_t seed = 1;
};

struct RandomModel {
  TensorStore store;
  model::ModelConfig config;
};

// Logits of such a model have a standard deviation of about 3.
[[nodiscard]] RandomModel randomModel(const ModelShape& shape);
// A matrix whose rows cannot be put in order: that would take more memory than a process can have. None of its bytes exist.
[[nodiscard]] TensorView tooLargeToArrange(const Shape& shape);
// "Q4_0 h256 4/2x64", for failure messages.
[[nodiscard]] std::string describe(const ModelShape& shape);

}  // namespace minerva::tests
