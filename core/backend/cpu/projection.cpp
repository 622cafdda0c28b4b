#include "core/backend/cpu/projection.h"

#include "core/backend/cpu/projection_layout.h"
#include "core/base/clock.h"
#include "core/base/spin.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace minerva::cpu {

namespace {

constexpr int stripColumns = 512;  // columns unpacked to float32 at once: 32 KB per panel
constexpr int stripThreshold = 9;
constexpr std::size_t cachedRowsBytes = 384 << 10;  // activations to keep in the L2 cache while panels stream through

bool isFloat(ElementType type) { return readsFloats(type); }

using SharedLayout = PreparedLayout;
SharedLayout sharedLayout(const Projector::Limits& limits, bool matrix) {
  const auto rows = static_cast<std::size_t>(limits.maxRows), columns = static_cast<std::size_t>(limits.maxColumns);
  SharedLayout l{};
  l.quantized = align(rows * columns * sizeof(float));
  l.high = l.quantized + rows * quantizedRowBytes(columns);
  const std::size_t tiles = matrix && limits.usesTiles() ? align(padRows(limits.maxRows) * columns * sizeof(std::uint16_t)) : 0;
  l.low = l.high + tiles;
  l.total = l.low + tiles;
  return l;
}

struct PrivateLayout {
  std::size_t quantized, results, weights, total;
};
PrivateLayout privateLayout(const Projector::Limits& limits) {
  constexpr std::size_t items = 8;
  const auto columns = static_cast<std::size_t>(limits.maxColumns);
  PrivateLayout l{};
  l.quantized = align(columns * sizeof(float));
  l.results = l.quantized + quantizedRowBytes(columns);
  l.weights = l.results + align(padRows(limits.maxRows) * items * panelRows * sizeof(float));
  l.total = l.weights + items * std::size_t{2048} * panelRows * sizeof(std::uint16_t);
  return l;
}
static_assert(stripColumns * sizeof(float) <= 2048 * sizeof(std::uint16_t));

}  // namespace

// A quantized weight rounded to bf16 has an error of 2^-9, as
// has the activation, so one product is enough. BF16 weights are exact in bf16, so two products keep 16 bits of the
// activation. F16 and F32 use both bf16 parts of weight and activation.
int productsOf(ElementType type) {
  if (type == ElementType::BF16) return 2;
  return type == ElementType::F16 || type == ElementType::F32 ? 3 : 1;
}
int productsOf(const Projection& p) {
  int most = 1;
  for (const ProjectionPart& part : p.parts) most = std::max(most, productsOf(part.matrix->type));
  return most;
}

std::uint64_t Projector::scratchNeeded(const Kernels& kernels, const Limits& limits, int threads) {
  return sharedLayout(limits, kernels.matrix != nullptr).total + groupedLayout(limits, kernels.matrix != nullptr).total +
         static_cast<std::uint64_t>(threads) * privateLayout(limits).total;
}

Result<Projector> Projector::create(const Kernels& kernels, const Limits& limits, ThreadPool& pool) {
  Projector projector;
  projector.m_kernels = &kernels;
  projector.m_pool = &pool;
  projector.m_limits = limits;
  MINERVA_ASSIGN(projector.m_shared, HostMemory::create(sharedLayout(limits, kernels.matrix != nullptr).total, true));
  if (limits.groupedRows > 0) {
    MINERVA_ASSIGN(projector.m_grouped, HostMemory::create(groupedLayout(limits, kernels.matrix != nullptr).total, true));
  }
  for (int i = 0; i < pool.size(); ++i) {
    MINERVA_ASSIGN(HostMemory memory, HostMemory::create(privateLayout(limits).total, true));
    projector.m_private.push_back(std::move(memory));
  }
  return projector;
}

std::uint64_t Projector::bytes() const {
  std::uint64_t sum = m_shared.size() + m_grouped.size();
  for (const HostMemory& memory : m_private) sum += memory.size();
  return sum;
}

bool Projector::takes(const Projection& p, Rounding rounding) const {
  const DotFunction* dot = m_kernels->dot[static_cast<int>(rounding)];
  return std::ranges::all_of(p.parts, [dot](const ProjectionPart& part) { return dot[part.matrix->layout] != nullptr; });
}

Projector::Way Projector::wayOf(const Projection& p) const {
  const auto many = [&p](int threshold) {
    return p.use == backend::RowUse::any ? p.in.count >= threshold : p.use == backend::RowUse::prompt;
  };
  const bool floats = std::ranges::all_of(p.parts, [](const ProjectionPart& part) { return isFloat(part.matrix->type); });
  if (m_limits.exact || p.exact) return floats && !many(stripThreshold) ? Way::dot : Way::strip;
  const MatrixUnit* unit = m_limits.usesTiles() ? m_kernels->matrix : nullptr;
  const bool bytes = m_limits.roundsInputs && takes(p, Rounding::bytes);
  const bool tiles = unit != nullptr && many(matrixThreshold) && productsOf(p) <= unit->mostProducts;
  if (tiles && (unit->beatsBytes || !bytes)) return Way::matrix;
  if (bytes && !p.fine) return Way::bytes;
  const bool anyFloat = std::ranges::any_of(p.parts, [](const ProjectionPart& part) { return isFloat(part.matrix->type); });
  if (anyFloat && many(stripThreshold)) return Way::strip;
  return p.in.count == 1 && takes(p, Rounding::parts) ? Way::parts : Way::dot;
}

bool Projector::runsApart(const Projection& p) const {
  Projection reply = p, prompt = p;
  reply.use = backend::RowUse::reply;
  prompt.use = backend::RowUse::prompt;
  return wayOf(reply) != wayOf(prompt);
}

// Enough jobs to balance the load among threads, but large enough to reuse inputs.
int Projector::itemsPerJob(const Projection& p, Way way) const {
  int panels = 0;
  for (const ProjectionPart& part : p.parts) panels += part.matrix->panelsInAll();
  const int most = way == Way::strip ? 4 : maxItems;
  const int wanted = panels / (m_pool->size() * (isDot(way) ? 8 : 4));
  return std::clamp(wanted / 2 * 2, p.gated || way == Way::matrix ? 2 : 1, most);
}

int Projector::jobsOf(const Projection& p, int items) {
  const auto jobs = [](int panels, int each) { return (panels + each - 1) / each; };
  if (p.gated) return jobs(p.parts[0].matrix->panelsInAll(), items / 2);
  int sum = 0;
  for (const ProjectionPart& part : p.parts) sum += jobs(part.matrix->panelsInAll(), items);
  return sum;
}

// Each stretch unpacks the weights again, which takes as long as multiplying some rows.
int stretchesOf(int jobs, int rows, int threads) {
  constexpr int most = 8, unpacking = matrixThreshold;
  const auto time = [&](int stretches) {  // of one panel and row: 1
    const int tiles = static_cast<int>(padRows(rows)) / matrixRows, longest = (tiles + stretches - 1) / stretches * matrixRows;
    return (jobs * stretches + threads - 1) / threads * (std::min(rows, longest) + unpacking);
  };
  int best = 1;
  for (int stretches = 2; jobs < 4 * threads && stretches <= most && rows / stretches >= matrixRows; stretches *= 2)
    if (time(stretches) < time(best)) best = stretches;
  return best;
}

// Whole multiplications of the matrix unit, and whole batches of quantized rows.
Projector::Stretch Projector::stretch(int rows, int stretches, int index) {
  static_assert(matrixRows % batchRows == 0);
  const int tiles = static_cast<int>(padRows(rows)) / matrixRows;
  const int first = tiles * index / stretches * matrixRows, end = tiles * (index + 1) / stretches * matrixRows;
  return {first, std::min(end, rows) - first};
}

bool Projector::makeJob(const Projection& p, int index, int items, Job& job) const {
  if (p.gated) {
    const int step = items / 2, panels = p.parts[0].matrix->panelsInAll(), first = index * step;
    if (first >= panels) return false;
    const int count = std::min(step, panels - first);
    for (int i = 0; i < count; ++i) {
      job.items[i] = {&p.parts[0], first + i};
      job.items[count + i] = {&p.parts[1], first + i};
    }
    job.count = 2 * count;
    return true;
  }
  for (const ProjectionPart& part : p.parts) {
    const int panels = part.matrix->panelsInAll(), jobs = (panels + items - 1) / items;
    if (index >= jobs) {
      index -= jobs;
      continue;
    }
    const int first = index * items;
    job.count = std::min(items, panels - first);
    for (int i = 0; i < job.count; ++i) job.items[i] = {&part, first + i};
    return true;
  }
  return false;
}

void Projector::prepareRow(const Projection& p, const float* x, int row, const Inputs& in, QuantizeFunction quantize) const {
  const auto padded = static_cast<int>(paddedColumns(static_cast<std::size_t>(p.columns)));
  if (p.normalised) {
    float* out = in.floats.row(row);
    m_kernels->normalise(x, p.columns, p.norm, p.epsilon, p.normWeight, p.normBias, out);
    std::fill(out + p.columns, out + padded, 0.0F);
    x = out;
  }
  if (quantize != nullptr) quantize(x, padded, quantizedRow(in.quantized, row, p.in.count, static_cast<std::size_t>(padded)));
}

bool Projector::isSingle(const Projection& p, Way way) { return p.in.count == 1 && way != Way::matrix; }

// A single row is prepared by every thread separately, which is cheaper than waiting for another thread. Several rows are
// shared among threads. repeats: the row is copied first (see OpJobs).
Projector::Inputs Projector::placeInputs(const Projection& p, Way way, bool repeats, int thread) const {
  const std::size_t columns = paddedColumns(static_cast<std::size_t>(p.columns));
  const bool single = isSingle(p, way);
  std::byte* base = single ? m_private[static_cast<std::size_t>(thread)].data() : m_shared.data();
  const SharedLayout shared = sharedLayout(m_limits, m_kernels->matrix != nullptr);
  Inputs in;
  in.floats = p.normalised || repeats ? Rows{reinterpret_cast<float*>(base), columns, p.in.count} : p.in;
  in.quantized = base + (single ? privateLayout(m_limits).quantized : shared.quantized);
  in.quantizedStride = quantizedRowBytes(columns);
  if (!single && way == Way::matrix) {
    in.high = reinterpret_cast<std::uint16_t*>(base + shared.high);
    in.low = productsOf(p) > 1 ? reinterpret_cast<std::uint16_t*>(base + shared.low) : nullptr;
  }
  return in;
}

bool Projector::copyInput(const Projection& p, const Inputs& in, JobCounter& jobs, int total) const {
  if (!jobs.beginReading(total)) return false;
  std::memcpy(in.floats.row(0), p.in.row(0), paddedColumns(static_cast<std::size_t>(p.columns)) * sizeof(float));
  jobs.endReading(total);
  return true;
}

void Projector::prepare(const Projection& p, Way way, const Rows& from, const Inputs& in, JobCounter& preparation) const {
  const QuantizeFunction quantize = quantizeFor(p, way);
  if (isSingle(p, way)) return prepareRow(p, from.row(0), 0, in, quantize);
  if (!p.normalised && quantize == nullptr && way != Way::matrix) return;
  // Rows of a tile of the matrix unit, or few enough for all threads; four quantized rows of a batch are whole cache lines.
  constexpr int most = 16, least = 4;
  const int step = way == Way::matrix ? most : std::clamp(p.in.count / (2 * m_pool->size()) / least * least, least, most);
  const std::size_t columns = paddedColumns(static_cast<std::size_t>(p.columns));
  const int tiles = way == Way::matrix ? static_cast<int>(padRows(p.in.count)) / step : (p.in.count + step - 1) / step;
  for (int tile = preparation.take(); tile < tiles; tile = preparation.take()) {
    const int first = tile * step, rows = std::clamp(p.in.count - first, 0, step);
    for (int row = first; row < first + rows; ++row) prepareRow(p, from.row(row), row, in, quantize);
    if (way == Way::matrix) {
      const std::size_t offset = static_cast<std::size_t>(first) * columns;
      m_kernels->matrix->packRows(in.floats.row(first), in.floats.strideBytes(), rows, static_cast<int>(columns), in.high + offset,
                                  in.low != nullptr ? in.low + offset : nullptr);
    }
    preparation.finish(tiles);
  }
  preparation.wait(tiles);
}

int Projector::mostRepeated(const Projection& p) const {
  Projection row = p;
  row.in.count = 1;
  const Way way = wayOf(row);
  return isDot(way) ? jobsOf(row, itemsPerJob(row, way)) : 0;
}

void Projector::run(const Projection& p, int thread, OpJobs& work) const {
  const Way way = wayOf(p);
  const int items = itemsPerJob(p, way), jobs = jobsOf(p, items);
  const int stretches = stretchesOf(jobs, p.in.count, m_pool->size()), total = jobs * stretches;
  const bool repeats = isDot(way) && p.in.count == 1 && work.repeats(total);
  if (work.jobs.finished(total)) return;  // the op finished before this thread started
  const TimePoint begun = Clock::now();
  const Inputs in = placeInputs(p, way, repeats, thread);
  Job job{p, in, {}, 0, m_private[static_cast<std::size_t>(thread)].data(), repeats ? &work : nullptr};
  const auto takeJob = [&] {
    job.index = work.next(thread, total);
    job.rows = stretch(p.in.count, stretches, job.index % stretches);
    return makeJob(p, job.index / stretches, items, job);
  };
  bool more = takeJob();
  // The input must not change while it is read. Without repeats that is guaranteed if this thread holds a job, or if there
  // are several rows, whose preparation all threads wait for. With repeats, other threads do not wait for this thread's job,
  // only for its copy of the input.
  if (repeats) {
    if (!copyInput(p, in, work.jobs, total)) return work.jobs.wait(total);
    prepare(p, way, in.floats, in, work.preparation);
  } else if (more || !isSingle(p, way)) {
    prepare(p, way, p.in, in, work.preparation);
  }
  int done = 0;
  if (way == Way::matrix) m_kernels->matrix->begin();
  for (; more; more = takeJob()) {
    if (runJob(job, way)) work.ranges.count(thread);
    ++done;
  }
  if (way == Way::matrix) m_kernels->matrix->end();
  // Another thread may have started its last job when this one finished its own, so only after twice a job's time is that
  // thread assumed to be descheduled.
  constexpr double leastMs = 0.01, withoutMeasureMs = 0.1;
  const double patience = done > 0 ? leastMs + 2 * millisecondsBetween(begun, Clock::now()) / done : withoutMeasureMs;
  if (repeats) repeatLate(job, {thread, items, total, patience});
  work.jobs.wait(total);
}

// Waits for jobs that other threads have started, and repeats those that are late. First each is repeated by one thread, because the
// others would only compete for memory; that thread may be descheduled too, so after the same time once more by all.
void Projector::repeatLate(Job& job, const Late& late) const {
  OpJobs& work = *job.claims;
  const auto patience =
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double, std::milli>(late.patienceMs));
  for (const bool again : {false, true}) {
    if (spinUntil([&] { return work.jobs.finished(late.total); }, patience)) return;
    for (int thread = 0; thread < m_pool->size(); ++thread) work.tell(thread, late.total);  // what a descheduled one has not told
    work.repeatLate(late.thread, late.total, again, [&](int index) {
      job.index = index;
      if (makeJob(job.p, index, late.items, job) && runJob(job, wayOf(job.p))) work.jobs.finish(late.total);
    });
  }
}

QuantizeFunction Projector::quantizeFor(const Projection& p, Way way) const {
  const bool codes = std::ranges::any_of(p.parts, [](const ProjectionPart& part) { return !isFloat(part.matrix->type); });
  return isDot(way) && codes ? m_kernels->quantize[static_cast<int>(roundingOf(way))] : nullptr;
}

bool Projector::runJob(const Job& job, Way way) const {
  if (isDot(way)) return dotJob(job, way);
  if (way == Way::strip) stripJob(job);
  else matrixJob(job);
  return true;
}

void Projector::finish(const Job& job, int firstRow, int rows, const float* y, std::size_t itemStride, std::size_t rowStride) const {
  const Projection& p = job.p;
  const int results = p.gated ? job.count / 2 : job.count;
  for (int i = 0; i < results; ++i) {
    const ProjectionPart& part = *job.items[i].part;
    const int first = job.items[i].panel * panelRows;
    Finish how;
    how.rows = std::min(panelRows, part.matrix->rows - first);
    how.bias = part.bias != nullptr ? part.bias + first : nullptr;
    if (p.gated) {
      const ProjectionPart& partner = *job.items[results + i].part;
      how.partner = y + static_cast<std::size_t>(results + i) * itemStride;
      how.partnerBias = partner.bias != nullptr ? partner.bias + first : nullptr;
    }
    how.activation = p.activation;
    how.add = p.add;
    how.scale = p.scale;
    how.softCap = p.softCap;
    how.pairs = p.pairs;
    const int column = (p.gated ? 0 : part.column) + (p.pairs ? first / 2 : first);
    const float* results0 = y + static_cast<std::size_t>(i) * itemStride;
    if (p.scatter == nullptr) {
      how.outStride = p.out.strideBytes();
      m_kernels->finish(results0, rowStride * sizeof(float), rows, how, p.out.row(firstRow) + column);
      continue;
    }
    for (int t = 0; t < rows; ++t) {
      m_kernels->finish(results0 + static_cast<std::size_t>(t) * rowStride, 0, 1, how, p.scatter[firstRow + t] + column);
      if (how.partner != nullptr) how.partner += rowStride;
    }
  }
}

bool Projector::dotJob(const Job& job, Way way) const {
  auto* y = reinterpret_cast<float*>(job.scratch + privateLayout(m_limits).results);
  const auto fitting = static_cast<int>(cachedRowsBytes / (job.in.quantizedStride));
  const int step = std::clamp(fitting / batchRows * batchRows, batchRows, std::max(batchRows, m_limits.maxRows));
  const int end = job.rows.first + job.rows.count;
  for (int row = job.rows.first; row < end; row += step) {
    const int rows = std::min(step, end - row);
    const std::size_t itemStride = static_cast<std::size_t>(rows) * panelRows;
    for (int i = 0; i < job.count; ++i) {
      const Matrix& m = *job.items[i].part->matrix;
      const bool floats = isFloat(m.type);
      const std::size_t stride = floats ? job.in.floats.strideBytes() : job.in.quantizedStride;
      const std::byte* x = floats ? reinterpret_cast<const std::byte*>(job.in.floats.data) : job.in.quantized;
      const DotFunction dot = m_kernels->dot[static_cast<int>(roundingOf(way))][m.layout];
      dot(m.panel(job.items[i].panel), m.columns, x + static_cast<std::size_t>(row) * stride, stride, rows,
          y + static_cast<std::size_t>(i) * itemStride);
    }
    if (job.claims != nullptr && !job.claims->claimResults(job.index)) return false;
    finish(job, row, rows, y, itemStride, panelRows);
  }
  return true;
}

void Projector::stripJob(const Job& job) const {
  const PrivateLayout layout = privateLayout(m_limits);
  auto* y = reinterpret_cast<float*>(job.scratch + layout.results);
  auto* strips = reinterpret_cast<float*>(job.scratch + layout.weights);
  const std::size_t itemStride = static_cast<std::size_t>(job.rows.count) * panelRows;
  const int columns = job.items[0].part->matrix->columns;
  constexpr int rowStep = 12;
  for (int begin = 0; begin < columns; begin += stripColumns) {
    const int count = std::min(stripColumns, columns - begin);
    for (int i = 0; i < job.count; ++i) {
      const Matrix& m = *job.items[i].part->matrix;
      m_kernels->unpack[m.layout](m.panel(job.items[i].panel), columns, begin, count,
                                  strips + static_cast<std::size_t>(i) * stripColumns * panelRows);
    }
    for (int row = 0; row < job.rows.count; row += rowStep) {
      const int rows = std::min(rowStep, job.rows.count - row);
      for (int i = 0; i < job.count; ++i) {
        m_kernels->multiply(strips + static_cast<std::size_t>(i) * stripColumns * panelRows, count,
                            job.in.floats.row(job.rows.first + row) + begin, job.in.floats.strideBytes(), rows, begin != 0,
                            y + static_cast<std::size_t>(i) * itemStride + static_cast<std::size_t>(row) * panelRows);
      }
    }
  }
  finish(job, job.rows.first, job.rows.count, y, itemStride, panelRows);
}

void Projector::matrixJob(const Job& job) const {
  const MatrixUnit& unit = *m_kernels->matrix;
  const PrivateLayout layout = privateLayout(m_limits);
  auto* y = reinterpret_cast<float*>(job.scratch + layout.results);
  auto* high = reinterpret_cast<std::uint16_t*>(job.scratch + layout.weights);
  const int columns = job.items[0].part->matrix->columns;
  const int productCount = productsOf(job.p);
  const int step = productCount > 1 ? 1024 : 2048;  // columns unpacked at once; with several products, high and low parts share the scratch
  const std::size_t panelElements = static_cast<std::size_t>(step) * panelRows;
  std::uint16_t* low = productCount > 2 ? high + maxItems * panelElements : nullptr;
  const int pairs = (job.count + 1) / 2;
  const std::size_t rowStride = static_cast<std::size_t>(pairs) * 2 * panelRows;
  const std::size_t tileStride = static_cast<std::size_t>(columns) * panelRows;  // elements per tile of 16 rows
  for (int begin = 0; begin < columns; begin += step) {
    const int count = std::min(step, columns - begin);
    for (int i = 0; i < job.count; ++i) {
      const Matrix& m = *job.items[i].part->matrix;
      const std::size_t at = static_cast<std::size_t>(i) * panelElements;
      unit.unpack[m.layout](m.panel(job.items[i].panel), columns, begin, count, high + at, low != nullptr ? low + at : nullptr);
    }
    for (int row = 0; row < job.rows.count; row += matrixRows) {
      const int rows = std::min(matrixRows, job.rows.count - row), of = job.rows.first + row;
      const std::size_t in = static_cast<std::size_t>(of) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(begin) * panelRows;
      for (int pair = 0; pair < pairs; ++pair) {
        const std::size_t at = static_cast<std::size_t>(pair) * 2 * panelElements;
        MatrixUnit::Product products[3] = {{job.in.high + in, high + at}, {}, {}};
        if (productCount > 1) products[1] = {job.in.low + in, high + at};
        if (productCount > 2) products[2] = {job.in.high + in, low + at};
        unit.multiply(products, productCount, tileStride, panelElements, rows, count, begin != 0,
                      y + static_cast<std::size_t>(row) * rowStride + pair * 2 * panelRows, rowStride * sizeof(float));
      }
      // While the results are in the L1 cache, and row by row, because each row of the output is in a page of its own.
      if (begin + count == columns) finish(job, of, rows, y + static_cast<std::size_t>(row) * rowStride, panelRows, rowStride);
    }
  }
}

}  // namespace minerva::cpu
