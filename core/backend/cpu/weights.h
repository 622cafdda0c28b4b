// A plan's weights on the CPU: matrices as panels, float matrices as stored in the file, vectors as float32. The embedding
// table stays in the file.
#pragma once

#include "core/backend/backend.h"
#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/memory.h"
#include "core/backend/cpu/panels.h"
#include "core/base/thread_pool.h"

#include <vector>

namespace minerva::cpu {

struct Matrix {
  const std::byte* panels = nullptr;
  std::size_t panelBytes = 0;
  ElementType type = ElementType::F32;
  WeightLayout layout = 0;
  int rows = 0;
  int columns = 0;  // padded, as kernels expect

  [[nodiscard]] int panelsInAll() const { return static_cast<int>(panelCount(static_cast<std::size_t>(rows))); }
  [[nodiscard]] const std::byte* panel(int i) const { return panels + static_cast<std::size_t>(i) * panelBytes; }
};

class Weights {
 public:
  // Errors: unsupported, naming the weight and its type.
  [[nodiscard]] static Result<void> check(const model::Plan& plan);
  // For the plan's matrices and vectors: the memory place() will allocate, and the bytes that stay in the mapped file.
  struct Bytes {
    std::uint64_t allocated = 0, mapped = 0;
  };
  [[nodiscard]] static Bytes bytesNeeded(const model::Plan& plan);
  [[nodiscard]] Bytes bytes() const;  // actual values
  // Packs matrices with all threads of the pool, and pages in those that stay in the file. Pages of mapped files are
  // released after copying. Errors: outOfMemory, cancelled.
  [[nodiscard]] static Result<Weights> place(const model::Plan& plan, ThreadPool& pool, const backend::Progress& progress,
                                             std::stop_token stop);

  [[nodiscard]] const Matrix& matrix(model::WeightId id) const { return m_matrices[static_cast<std::size_t>(id)]; }
  // Null for model::none. A convolution's weight is [width, channels], the decays of a scan by channel [stateSize, channels].
  [[nodiscard]] const float* vector(model::WeightId id) const { return id < 0 ? nullptr : m_vectors[static_cast<std::size_t>(id)].data(); }

 private:
  [[nodiscard]] static Result<Weights> allocate(const model::Plan& plan);

  std::vector<Matrix> m_matrices;             // by WeightId; empty for weights not used as matrices
  std::vector<std::vector<float>> m_vectors;  // by WeightId; empty for weights not used as vectors
  HostMemory m_panels;
  std::uint64_t m_mapped = 0, m_vectorBytes = 0;
};

}  // namespace minerva::cpu
