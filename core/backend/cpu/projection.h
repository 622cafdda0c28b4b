// Matrix products of a step: rows of activations times weight matrices, with a norm before and an epilogue after.
//
// There are five methods, chosen by type, precision, and the use of the rows or their number:
//   dot     directly from the panels: decode and small batches; integer types with 16-bit activations
//   parts   the same for a single row, with high and low bytes of the activations, where all types have such kernels
//   bytes   the same with 8-bit activations, scaled by 32 columns, where results need not be fine and all types have such kernels
//   matrix  panels unpacked to bf16 tiles for the matrix unit (kernels.h): many rows
//   strip   panels unpacked to float32: exact precision, or float types with many rows and no matrix unit
// All functions run on all threads at once, inside ThreadPool::run.
#pragma once

#include "core/backend/backend.h"
#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/memory.h"
#include "core/backend/cpu/op_jobs.h"
#include "core/backend/cpu/weights.h"
#include "core/base/thread_pool.h"

#include <span>
#include <vector>

namespace minerva::cpu {

// A buffer of float rows. stride is in floats, a multiple of 32; padding after the columns is zero.
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
  int columns;  // columns of `in` without padding
  bool normalised;
  NormCode norm;
  float epsilon;
  const float* normWeight;
  const float* normBias;
  std::span<const ProjectionPart> parts;
  bool gated;  // two parts (gate and up), one result
  bool pairs;  // one part with alternating gate and up rows; half as many results
  ActivationCode activation;
  bool add;
  float scale;
  float softCap;
  bool exact;           // use float32 activations at any precision
  bool fine;            // results are what mixers read (mixer_inputs.h): activations of 8 bits are too coarse
  backend::RowUse use;  // of all rows
  Rows out;
  float* const* scatter;  // if not null: per row the destination of its results, instead of out
};

// Rows of activations that use different matrices (experts or heads), sorted by matrix.
struct GroupedRow {
  const float* in;
  float* out;
};
struct RowGroup {
  int first, count;  // range of rows
  int matrix;        // index into each part's matrices
  int place;         // index of its first row in the prepared inputs
  backend::RowUse use;
  int firstJob = 0;    // of those of all groups
  bool tiled = false;  // multiplied by the matrix unit
};
struct GroupedPart {
  std::vector<Matrix> matrices;
  const float* bias;  // [matrices][rows]; null: none
  int biasStride, biasFirst;
};
struct GroupedProjection {
  int columns;
  std::span<const GroupedPart> parts;  // two if gated
  bool gated, pairs;
  bool fine;
  ActivationCode activation;
};
// The rows of one step. Every thread sorts them into its own copy, to avoid synchronization. Sized for the largest step. Copies that are
// next to each other share no cache line.
struct alignas(64) GroupedRows {
  std::vector<GroupedRow> rows;
  std::vector<RowGroup> groups;
  std::vector<float*> scatter;  // per row its output
};

class Projector {
 public:
  struct Limits {
    int maxRows = 1;
    int maxColumns = 32;  // largest padded input
    bool exact = false;
    bool roundsInputs = true;   // whether 8-bit activations, or activations and weights rounded to bf16 tiles, are precise enough
    int groupedRows = 0;        // maximum rows of a grouped projection
    int groupedColumns = 32;    // its largest padded input
    int groups = 0;             // maximum number of matrices per part
    int groupedProducts = 1;    // bf16 products that the types of its weights need at most (projection_layout.h)
    bool promptsAlike = false;  // a prompt's rows of a group are computed in the same way however few they are
    [[nodiscard]] bool usesTiles() const { return !exact && roundsInputs; }
  };
  [[nodiscard]] static std::uint64_t scratchNeeded(const Kernels& kernels, const Limits& limits, int threads);
  [[nodiscard]] std::uint64_t bytes() const;  // allocated
  [[nodiscard]] static Result<Projector> create(const Kernels& kernels, const Limits& limits, ThreadPool& pool);

  // Both run()s return when all jobs are done, whichever threads did them.
  void run(const Projection& p, int thread, OpJobs& work) const;
  // In grouped_projection.cpp. Each thread passes its own `rows` with identical contents; run() sets the groups' places.
  void run(const GroupedProjection& p, GroupedRows& rows, int thread, OpJobs& work) const;
  // Whether rows of replies are computed in another way than those of prompts, so that a step with both runs them apart.
  [[nodiscard]] bool runsApart(const Projection& p) const;
  [[nodiscard]] bool runsApart(const GroupedProjection& p) const;
  // Number of jobs of a one-row projection that can be repeated if their thread is late; 0: none.
  [[nodiscard]] int mostRepeated(const Projection& p) const;

 private:
  enum class Way { dot, parts, bytes, matrix, strip };
  static constexpr bool isDot(Way way) { return way == Way::dot || way == Way::parts || way == Way::bytes; }
  static constexpr Rounding roundingOf(Way way) {
    return way == Way::parts ? Rounding::parts : way == Way::bytes ? Rounding::bytes : Rounding::words;
  }
  struct Inputs {  // the input in the formats that the parts need
    Rows floats;
    std::byte* quantized = nullptr;
    std::size_t quantizedStride = 0;
    std::uint16_t* high = nullptr;
    std::uint16_t* low = nullptr;
  };
  struct Item {  // one panel of a job
    const ProjectionPart* part;
    int panel;
  };
  struct Stretch {  // of rows
    int first, count;
  };
  static constexpr int maxItems = 8;
  struct Job {
    const Projection& p;
    const Inputs& in;
    Item items[maxItems];
    int count;  // gated: the first half are panels of part 0, the second half the corresponding panels of part 1
    std::byte* scratch;
    OpJobs* claims = nullptr;  // not null if other threads may repeat the job
    int index = 0;
    Stretch rows{0, p.in.count};
  };

  [[nodiscard]] bool takes(const Projection& p, Rounding rounding) const;  // whether all parts have such a kernel
  [[nodiscard]] Way wayOf(const Projection& p) const;
  [[nodiscard]] static bool isSingle(const Projection& p, Way way);
  [[nodiscard]] int itemsPerJob(const Projection& p, Way way) const;
  [[nodiscard]] static int jobsOf(const Projection& p, int items);  // of all rows
  [[nodiscard]] static Stretch stretch(int rows, int stretches, int index);
  [[nodiscard]] bool makeJob(const Projection& p, int index, int items, Job& job) const;
  [[nodiscard]] Inputs placeInputs(const Projection& p, Way way, bool repeats, int thread) const;
  // False if the op has already finished, so that its input may be in use again.
  [[nodiscard]] bool copyInput(const Projection& p, const Inputs& in, JobCounter& jobs, int total) const;
  void prepare(const Projection& p, Way way, const Rows& from, const Inputs& in, JobCounter& preparation) const;
  void prepareRow(const Projection& p, const float* x, int row, const Inputs& in, QuantizeFunction quantize) const;
  [[nodiscard]] QuantizeFunction quantizeFor(const Projection& p, Way way) const;  // null: the way takes floats
  struct Late {
    int thread, items, total;  // of the op, as run() has them
    double patienceMs;         // until a job counts as late
  };
  void repeatLate(Job& job, const Late& late) const;
  // False if another thread claimed the job's results first.
  [[nodiscard]] bool dotJob(const Job& job, Way way) const;
  void stripJob(const Job& job) const;
  void matrixJob(const Job& job) const;
  [[nodiscard]] Projection projectionOf(const GroupedProjection& p, const GroupedRows& rows, const RowGroup& group,
                                        ProjectionPart* parts) const;
  [[nodiscard]] Inputs inputsOf(const Inputs& all, const Projection& one, const RowGroup& group, int columns) const;
  void prepareGroups(const GroupedProjection& p, const GroupedRows& rows, const Inputs& in, JobCounter& preparation) const;
  [[nodiscard]] bool runJob(const Job& job, Way way) const;
  // Applies the epilogue to results y of the job's items from row firstRow on: item i, row t at y + i * itemStride + t *
  // rowStride (floats).
  void finish(const Job& job, int firstRow, int rows, const float* y, std::size_t itemStride, std::size_t rowStride) const;

  const Kernels* m_kernels = nullptr;
  ThreadPool* m_pool = nullptr;
  Limits m_limits;
  HostMemory m_shared;                // prepared inputs of all rows
  HostMemory m_grouped;               // the same for grouped projections
  std::vector<HostMemory> m_private;  // one per thread
};

}  // namespace minerva::cpu
