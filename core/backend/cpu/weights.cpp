#include "core/backend/cpu/weights.h"

#include "core/backend/cpu/packing_order.h"
#include "core/base/clock.h"
#include "core/base/mapped_ranges.h"
#include "core/base/processors.h"
#include "core/tensor/arrangement.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <span>

namespace minerva::cpu {

namespace {

using model::WeightId;

// How the plan's ops use each weight.
struct Uses {
  std::vector<bool> matrix, vector;
  std::vector<int> taps;  // elements per channel of a convolution's weight, or of decays by channel; else 0
};

Uses usesOf(const model::Plan& plan) {
  Uses uses{std::vector<bool>(plan.weights.size()), std::vector<bool>(plan.weights.size()), std::vector<int>(plan.weights.size())};
  for (const model::Op& op : plan.ops) {
    for (const WeightId id : model::matricesOf(op)) uses.matrix[static_cast<std::size_t>(id)] = true;
    for (const WeightId id : model::vectorsOf(op)) uses.vector[static_cast<std::size_t>(id)] = true;
    if (const auto* conv = std::get_if<model::ConvOp>(&op)) uses.taps[static_cast<std::size_t>(conv->weight)] = conv->width;
    const auto* scan = std::get_if<model::ScanOp>(&op);
    if (scan != nullptr && scan->channelDecay) uses.taps[static_cast<std::size_t>(scan->decay)] = scan->stateSize;
  }
  return uses;
}

std::size_t matrixBytes(const TensorView& view) {
  return panelCount(static_cast<std::size_t>(view.shape.rows())) * panelBytes(view.type, static_cast<std::size_t>(view.shape.columns()));
}

// Float matrices gain little from panels, and copying them would dominate load time, so they stay in the mapped file.
bool staysInPlace(const TensorView& view) {
  const bool floats = view.type == ElementType::F32 || view.type == ElementType::F16 || view.type == ElementType::BF16;
  return floats && !view.arrangement && view.shape.rows() % panelRows == 0 &&
         view.shape.columns() % static_cast<std::int64_t>(columnStep) == 0;
}

// A range of panels of one matrix, small enough for prompt cancellation and progress.
struct Job {
  WeightId weight;
  std::size_t firstPanel, panels;
  std::size_t firstRow, rows;
  std::uint64_t bytes;
};

constexpr std::size_t jobBytes = std::size_t{4} << 20;

// pieces: of each matrix so many at least, if it has as many panels.
std::vector<Job> jobsOf(const model::Plan& plan, const Uses& uses, std::size_t pieces) {
  std::vector<Job> jobs;
  for (std::size_t w = 0; w < plan.weights.size(); ++w) {
    if (!uses.matrix[w]) continue;
    const TensorView& view = plan.weights[w].view;
    const auto rows = static_cast<std::size_t>(view.shape.rows());
    const std::size_t total = panelCount(rows);
    const std::size_t step = std::max<std::size_t>(1, std::min(jobBytes / (view.rowBytes() * panelRows), total / pieces));
    for (std::size_t p = 0; p < total; p += step) {
      const std::size_t count = std::min(step, total - p), first = p * panelRows;
      const std::size_t covered = std::min(rows - first, count * panelRows);
      jobs.push_back({static_cast<WeightId>(w), p, count, first, covered, covered * view.rowBytes()});
    }
  }
  return jobs;
}

// By matrix how many jobs it has.
std::vector<int> piecesOf(std::span<const Job> jobs) {
  std::vector<int> pieces;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    if (j == 0 || jobs[j].weight != jobs[j - 1].weight) pieces.push_back(0);
    ++pieces.back();
  }
  return pieces;
}

void packPanels(const TensorView& view, const Matrix& matrix, const Job& job) {
  std::vector<std::byte> storage;
  const TensorView rows = view.arrangement ? inOrder(view, job.firstRow, job.rows, storage) : view;
  const std::size_t before = view.arrangement ? job.firstPanel : 0;  // panels missing at the start of `rows`
  for (std::size_t p = job.firstPanel; p < job.firstPanel + job.panels; ++p) {
    packPanel(rows, p - before, const_cast<std::byte*>(matrix.panel(static_cast<int>(p))));
  }
}

// Has the jobs read from the disk in their order, some way ahead of those that are packed: threads that pack side by side would
// each read elsewhere. Not what stays in place if there are several memory nodes, because pages are on that of the thread that reads them.
class ReadingAhead {
 public:
  ReadingAhead(const model::Plan& plan, std::span<const Job> jobs, const MappedRanges& mapped, bool severalNodes)
      : m_plan(plan), m_jobs(jobs), m_mapped(mapped), m_severalNodes(severalNodes) {}

  // Any thread, when it takes this job.
  void upTo(std::size_t job) {
    constexpr std::size_t ahead = (std::size_t{64} << 20) / jobBytes;
    for (std::size_t next = m_next; next < std::min(m_jobs.size(), job + ahead);) {
      if (!m_next.compare_exchange_weak(next, next + 1)) continue;
      const Job& coming = m_jobs[next++];
      const TensorView& view = m_plan.weights[static_cast<std::size_t>(coming.weight)].view;
      if (view.arrangement || (m_severalNodes && staysInPlace(view))) continue;  // the first need all of their matrix (run)
      for (const auto& bytes : sourceOf(view, coming.firstRow, coming.rows)) m_mapped.expect(bytes);
    }
  }

 private:
  const model::Plan& m_plan;
  std::span<const Job> m_jobs;
  const MappedRanges& m_mapped;
  bool m_severalNodes;
  std::atomic<std::size_t> m_next{0};
};

// Returns early if stop is requested.
void run(const Job& job, const TensorView& view, const Matrix& matrix, const MappedRanges& mapped, const std::stop_token& stop) {
  const auto source = sourceOf(view, job.firstRow, job.rows);
  // Transposed rows need all of a large matrix; reading it from a slow disk must not delay cancellation.
  if (staysInPlace(view) || view.arrangement) {
    for (const auto& bytes : source) mapped.bringIn(bytes, stop);
  }
  if (staysInPlace(view) || stop.stop_requested()) return;
  packPanels(view, matrix, job);
  for (const auto& bytes : source) mapped.release(bytes);
}

// Reading a page maps its neighbours too (a huge page, where the page cache has one), so that copying one weight maps pages
// of weights that were released before. Only when everything is copied do released pages stay released.
void releaseCopied(const model::Plan& plan, const Uses& uses, const MappedRanges& mapped) {
  for (std::size_t w = 0; w < plan.weights.size(); ++w) {
    const TensorView& view = plan.weights[w].view;
    if (uses.matrix[w] && staysInPlace(view)) continue;
    for (const auto& bytes : sourceOf(view, 0, static_cast<std::size_t>(view.shape.rows()))) mapped.release(bytes);
  }
}

// Padded, because kernels read whole SIMD vectors.
std::size_t vectorFloats(const TensorView& view) { return paddedColumns(static_cast<std::size_t>(view.shape.elements())) + panelRows; }

// taps > 0: [channels, taps] becomes [taps, channels], because a SIMD lane is a channel.
std::vector<float> asFloats(const model::Weight& weight, int taps) {
  const TensorView& view = weight.view;
  std::vector<float> values(vectorFloats(view), 0.0F);
  dequantizeRows(view, 0, static_cast<std::size_t>(view.shape.rows()), values.data());
  const auto elements = static_cast<std::size_t>(view.shape.elements());
  for (std::size_t i = 0; i < elements; ++i) values[i] = weight.form(values[i]);
  if (taps == 0) return values;
  std::vector<float> turned(values.size(), 0.0F);
  const auto width = static_cast<std::size_t>(taps), channels = elements / width;
  for (std::size_t i = 0; i < elements; ++i) turned[i % width * channels + i / width] = values[i];
  return turned;
}

// Bytes that are read from the mapped file again and again: matrices that stay in place, and position embeddings, all of whose
// rows are read as a context fills. The few rows that tokens take from an embedding table are not counted.
std::size_t mappedBytes(const model::Plan& plan, const Uses& uses) {
  std::size_t bytes = 0;
  for (std::size_t w = 0; w < plan.weights.size(); ++w) {
    if (uses.matrix[w] && staysInPlace(plan.weights[w].view)) bytes += plan.weights[w].view.bytes.size();
  }
  for (const model::Op& op : plan.ops) {
    const auto* embed = std::get_if<model::EmbedOp>(&op);
    if (embed == nullptr || embed->positions == model::none) continue;
    const auto positions = static_cast<std::size_t>(embed->positions);
    if (!uses.matrix[positions]) bytes += plan.weights[positions].view.bytes.size();
  }
  return bytes;
}

}  // namespace

Weights::Bytes Weights::bytesNeeded(const model::Plan& plan) {
  const Uses uses = usesOf(plan);
  Bytes bytes{.mapped = mappedBytes(plan, uses)};
  for (std::size_t w = 0; w < plan.weights.size(); ++w) {
    const TensorView& view = plan.weights[w].view;
    if (uses.matrix[w] && !staysInPlace(view)) bytes.allocated += matrixBytes(view);
    if (uses.vector[w]) bytes.allocated += vectorFloats(view) * sizeof(float);
  }
  return bytes;
}

Weights::Bytes Weights::bytes() const { return {.allocated = m_panels.size() + m_vectorBytes, .mapped = m_mapped}; }

Result<void> Weights::check(const model::Plan& plan) {
  const Uses uses = usesOf(plan);
  for (std::size_t w = 0; w < plan.weights.size(); ++w) {
    const model::Weight& weight = plan.weights[w];
    if (!uses.matrix[w] || hasPanels(weight.view.type)) continue;
    return fail({.kind = ErrorKind::unsupported,
                 .what = "The CPU backend has no kernel for this element type",
                 .where = weight.name,
                 .actual = std::string(traits(weight.view.type).name)});
  }
  return {};
}

Result<Weights> Weights::allocate(const model::Plan& plan) {
  const Uses uses = usesOf(plan);
  Weights weights;
  weights.m_mapped = mappedBytes(plan, uses);
  weights.m_matrices.resize(plan.weights.size());
  weights.m_vectors.resize(plan.weights.size());
  std::size_t matrices = 0;
  for (std::size_t w = 0; w < plan.weights.size(); ++w) {
    if (uses.matrix[w] && !staysInPlace(plan.weights[w].view)) matrices += matrixBytes(plan.weights[w].view);
    if (uses.vector[w]) weights.m_vectors[w] = asFloats(plan.weights[w], uses.taps[w]);
    weights.m_vectorBytes += weights.m_vectors[w].size() * sizeof(float);
  }
  MINERVA_ASSIGN(weights.m_panels, HostMemory::create(matrices, true));
  std::byte* next = weights.m_panels.data();
  for (std::size_t w = 0; w < plan.weights.size(); ++w) {
    if (!uses.matrix[w]) continue;
    const TensorView& view = plan.weights[w].view;
    const auto columns = static_cast<std::size_t>(view.shape.columns());
    Matrix& matrix = weights.m_matrices[w];
    matrix = {next,
              panelBytes(view.type, columns),
              view.type,
              panelsOf(view.type),
              static_cast<int>(view.shape.rows()),
              static_cast<int>(paddedColumns(columns))};
    if (staysInPlace(view)) {
      matrix.panels = view.bytes.data();
      matrix.panelBytes = panelRows * view.rowBytes();
      matrix.layout = rowsOf(view.type);
    } else {
      next += matrixBytes(view);
    }
  }
  return weights;
}

Result<Weights> Weights::place(const model::Plan& plan, ThreadPool& pool, const backend::Progress& progress, std::stop_token stop) {
  MINERVA_ASSIGN(Weights weights, allocate(plan));
  const Uses uses = usesOf(plan);
  const bool severalNodes = memoryNodes(allowedCpus()) > 1;
  const std::vector<Job> jobs = jobsOf(plan, uses, severalNodes ? static_cast<std::size_t>(pool.size()) : 1);
  const MappedRanges mapped = MappedRanges::read();
  std::uint64_t total = 0;
  for (const Job& job : jobs) total += job.bytes;
  ReadingAhead ahead(plan, jobs, mapped, severalNodes);
  PackingOrder order(piecesOf(jobs), pool.size(), severalNodes);
  std::atomic<std::uint64_t> done{0};
  std::atomic<bool> outOfMemory{false};
  const auto work = [&](int thread) {
    TimePoint reported = Clock::now();
    for (std::size_t j = order.take(thread); j < jobs.size() && !stop.stop_requested() && !outOfMemory; j = order.take(thread)) {
      const TensorView& view = plan.weights[static_cast<std::size_t>(jobs[j].weight)].view;
      ahead.upTo(j);
      run(jobs[j], view, weights.matrix(jobs[j].weight), mapped, stop);
      done += jobs[j].bytes;
      if (thread == 0 && progress && millisecondsBetween(reported, Clock::now()) > 30) {
        progress(done.load(), total);
        reported = Clock::now();
      }
    }
  };
  pool.run([&](int thread) {
    try {
      work(thread);
    } catch (const std::bad_alloc&) {  // putting rows in order needs memory; the other threads stop too
      outOfMemory = true;
    }
  });
  if (outOfMemory) {
    return fail({.kind = ErrorKind::outOfMemory,
                 .what = "There is not enough memory to rearrange the model's weights",
                 .hint = "Close other programs, or choose a smaller model or context."});
  }
  if (stop.stop_requested()) return fail({.kind = ErrorKind::cancelled, .what = "Loading was cancelled"});
  releaseCopied(plan, uses, mapped);
  if (progress) progress(total, total);
  return weights;
}

}  // namespace minerva::cpu
