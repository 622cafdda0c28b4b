// Matrix products of a step: rows of activations times weight matrices, with norm before and epilogue after.
//
// There are three ways, chosen a part by its type, the number of rows and the precision asked for:
//   dot     straight from the panels: decode and small batches; integer types against 16-bit activations
//   matrix  panels unpacked to bf16 tiles for the matrix unit (kernels.h): many rows
//   strip   panels unpacked to float32: the exact precision; float types with many rows and no matrix unit
// All functions run inside ThreadPool::run on every thread at once.
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/memory.h"
#include "core/backend/cpu/weights.h"
#include "core/base/thread_pool.h"

#include <atomic>
#include <span>
#include <vector>

namespace minerva::cpu {

// A buffer of float rows. stride in floats, a multiple of 32 with zeros behind the columns.
struct Rows {
  float* data = nullptr;
  std::size_t stride = 0;
  int count = 0;

  [[nodiscard]] float* row(int i) const { return data + static_cast<std::size_t>(i) * stride; }
  [[nodiscard]] std::size_t strideBytes() const { return stride * sizeof(float); }
};

struct ProjectionPart {
  const Matrix* matrix;
  const float* bias;
  int column;
};

struct Projection {
  Rows in;
  int columns;  // of in, not padded
  bool normalised;
  NormCode norm;
  float epsilon;
  const float* normWeight;
  const float* normBias;
  std::span<const ProjectionPart> parts;
  bool gated;  // two parts, one result
  ActivationCode activation;
  bool add;
  float scale;
  Rows out;
};

class Projector {
 public:
  struct Limits {
    int maxRows = 1;
    int maxColumns = 32;  // largest padded input
    bool exact = false;
  };
  [[nodiscard]] static std::uint64_t scratchNeeded(const Kernels& kernels, const Limits& limits, int threads);
  [[nodiscard]] static Result<Projector> create(const Kernels& kernels, const Limits& limits, ThreadPool& pool);

  // jobs and preparation hand out work among the threads; zero when the first of them arrives. Ends without a barrier.
  void run(const Projection& p, int thread, std::atomic<int>& jobs, std::atomic<int>& preparation) const;

 private:
  enum class Way { dot, matrix, strip };
  struct Inputs {  // the forms of the input the parts ask for
    Rows floats;
    std::byte* quantized = nullptr;
    std::size_t quantizedStride = 0;
    std::uint16_t* high = nullptr;
    std::uint16_t* low = nullptr;
  };
  struct Item {  // a panel of a job
    const ProjectionPart* part;
    int panel;
  };
  static constexpr int maxItems = 8;
  struct Job {
    const Projection& p;
    const Inputs& in;
    Item items[maxItems];
    int count;         // gated: the first half are panels of part 0, the second half the same panels of part 1
    std::byte* scratch;
  };

  [[nodiscard]] Way wayOf(const Projection& p) const;
  [[nodiscard]] int itemsPerJob(const Projection& p, Way way) const;
  [[nodiscard]] bool makeJob(const Projection& p, int index, int items, Job& job) const;
  [[nodiscard]] Inputs prepare(const Projection& p, Way way, int thread, std::atomic<int>& preparation) const;
  void prepareRow(const Projection& p, int row, const Inputs& in, bool quantize) const;
  void dotJob(const Job& job) const;
  void stripJob(const Job& job) const;
  void matrixJob(const Job& job) const;
  // Results y of the job's items from row firstRow on: item i, row t at y + i * itemStride + t * rowStride (floats).
  void finish(const Job& job, int firstRow, int rows, const float* y, std::size_t itemStride, std::size_t rowStride) const;

  const Kernels* m_kernels = nullptr;
  ThreadPool* m_pool = nullptr;
  Limits m_limits;
  HostMemory m_shared;                 // prepared inputs of all rows
  std::vector<HostMemory> m_private;   // one a thread
};

}  // namespace minerva::cpu
