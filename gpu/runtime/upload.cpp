#include "gpu/runtime/upload.h"

#include "core/base/mapped_ranges.h"
#include "core/tensor/arrangement.h"
#include "gpu/vulkan/commands.h"
#include "gpu/vulkan/timeline.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <thread>

namespace minerva::gpu {

namespace {

constexpr std::uint64_t chunkBytes = std::uint64_t{4} << 20;
constexpr unsigned copyThreads = 4;

// Some groups of one matrix: the unit of work of a thread.
struct Chunk {
  std::size_t matrix;
  std::uint32_t first, count;  // target groups
  std::uint64_t bytes;
};

std::vector<Chunk> cut(const MatrixPlan& matrices) {
  std::vector<Chunk> chunks;
  for (std::size_t i = 0; i < matrices.matrices.size(); ++i) {
    const WeightLayout& layout = matrices.matrices[i].layout;
    std::uint64_t perGroup = 0;
    for (std::size_t p = 0; p < layout.planes.size(); ++p) perGroup += groupBytes(layout, p);
    const auto step = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, chunkBytes / std::max<std::uint64_t>(1, perGroup)));
    for (std::uint32_t first = 0; first < layout.groups; first += step) {
      const std::uint32_t count = std::min(step, layout.groups - first);
      chunks.push_back({i, first, count, count * perGroup});
    }
  }
  return chunks;
}

// One thread's staging buffer for memory that is not host-visible.
struct Stage {
  vulkan::Buffer buffer;
  vulkan::Timeline timeline;

  static Result<Stage> create(const std::shared_ptr<vulkan::Device>& device, std::uint64_t bytes) {
    MINERVA_ASSIGN(vulkan::Buffer buffer, vulkan::Buffer::create(device, bytes, vulkan::MemoryKind::upload));
    MINERVA_ASSIGN(vulkan::Timeline timeline, vulkan::Timeline::create(device));
    return Stage{std::move(buffer), std::move(timeline)};
  }
};

class Uploader {
 public:
  Uploader(const std::shared_ptr<vulkan::Device>& device, const model::Plan& plan, const MatrixPlan& matrices, const Resident& resident)
      : m_device(device), m_plan(plan), m_matrices(matrices), m_resident(resident), m_chunks(cut(matrices)) {}

  Result<void> run(const backend::Progress& progress, const std::stop_token& stop);

 private:
  void work(const std::stop_token& stop);
  void placeChunks(const std::stop_token& stop);
  Result<void> place(const Chunk& chunk, std::optional<Stage>& stage, const std::stop_token& stop) const;
  Result<void> placeConstants() const;
  void releaseAll() const;
  void packChunk(const Chunk& chunk, const WeightLayout& layout, std::uint32_t targetOffset, std::span<std::byte> to,
                 const std::stop_token& stop) const;
  void finish(Result<void> result, std::uint64_t bytes);

  std::shared_ptr<vulkan::Device> m_device;
  const model::Plan& m_plan;
  const MatrixPlan& m_matrices;
  const Resident& m_resident;
  std::vector<Chunk> m_chunks;
  MappedRanges m_mapped = MappedRanges::read();
  std::atomic<std::size_t> m_next{0};
  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::uint64_t m_done = 0;      // bytes; guarded by m_mutex
  unsigned m_running = 0;        // threads; guarded by m_mutex
  std::optional<Error> m_error;  // the first one; guarded by m_mutex
  bool m_outOfMemory = false;    // of the host; guarded by m_mutex
};

// The rows of one weight that a chunk needs. If the file stores them in a different order (TensorView::arrangement),
// bringInOrder() makes an ordered copy.
class ChunkRows {
 public:
  ChunkRows(const TensorView& view, std::uint32_t first, std::uint32_t end) : m_view(view), m_first(first), m_end(end) {}
  void include(std::uint32_t first, std::uint32_t end) {
    m_first = std::min(m_first, first);
    m_end = std::max(m_end, end);
  }
  void bringInOrder(const MappedRanges& mapped, const std::stop_token& stop) {
    if (!m_view.arrangement) return;
    for (const auto& bytes : sourceOf(m_view, m_first, m_end - m_first)) mapped.bringIn(bytes, stop);
    if (!stop.stop_requested()) m_ordered = inOrder(m_view, m_first, m_end - m_first, m_storage);
  }
  void release(const MappedRanges& mapped) const {
    for (const auto& bytes : sourceOf(m_view, m_first, m_end - m_first)) mapped.release(bytes);
  }
  void pack(RowRun rows, std::uint32_t group, const WeightLayout& layout, std::uint32_t targetGroup, std::span<std::byte> to) const {
    if (m_view.arrangement) {
      // Translate to row indices of the ordered copy.
      const std::uint32_t skipped = std::min(rows.count, group * groupRows);
      rows = {rows.first + skipped * rows.stride - m_first, rows.stride, rows.count - skipped};
      group = 0;
    }
    packGroup(m_view.arrangement ? m_ordered : m_view, rows, group, layout, targetGroup, to);
  }

 private:
  const TensorView& m_view;
  std::uint32_t m_first, m_end;
  std::vector<std::byte> m_storage;
  TensorView m_ordered;
};

// Packs target groups [first, first + count) of the chunk to positions (group - targetOffset) of `layout` in `to`.
void Uploader::packChunk(const Chunk& chunk, const WeightLayout& layout, std::uint32_t targetOffset, std::span<std::byte> to,
                         const std::stop_token& stop) const {
  const Matrix& matrix = m_matrices.matrices[chunk.matrix];
  std::map<model::WeightId, ChunkRows> sources;
  for (std::uint32_t target = chunk.first; target < chunk.first + chunk.count; ++target) {
    const Matrix::Place place = matrix.locate(target);
    const RowRun& rows = place.source->rows;
    const std::uint32_t begin = place.group * groupRows, end = std::min(rows.count, begin + groupRows);
    const std::uint32_t first = rows.first + begin * rows.stride, last = rows.first + (end - 1) * rows.stride;
    const TensorView& view = m_plan.weights[static_cast<std::size_t>(place.source->weight)].view;
    sources.try_emplace(place.source->weight, view, first, last + 1).first->second.include(first, last + 1);
  }
  for (auto& [weight, rows] : sources) rows.bringInOrder(m_mapped, stop);
  if (stop.stop_requested()) return;
  for (std::uint32_t target = chunk.first; target < chunk.first + chunk.count; ++target) {
    const Matrix::Place place = matrix.locate(target);
    sources.at(place.source->weight).pack(place.source->rows, place.group, layout, target - targetOffset, to);
  }
  for (const auto& [weight, rows] : sources) rows.release(m_mapped);
}

Result<void> Uploader::place(const Chunk& chunk, std::optional<Stage>& stage, const std::stop_token& stop) const {
  const WeightLayout& layout = m_matrices.matrices[chunk.matrix].layout;
  const vulkan::BufferView& target = m_resident.matrices[chunk.matrix];
  if (target.mapped != nullptr) {
    packChunk(chunk, layout, 0, {target.mapped, target.size}, stop);
    return {};
  }
  // The same planes for these groups only; each plane's range is contiguous in source and target.
  const WeightLayout small = layoutOf(layout.type, chunk.count * groupRows, layout.columns);
  if (!stage || stage->buffer.view().size < small.bytes) {
    MINERVA_ASSIGN(Stage made, Stage::create(m_device, std::max(small.bytes, chunkBytes + (std::uint64_t{1} << 20))));
    stage.emplace(std::move(made));
  }
  packChunk(chunk, small, chunk.first, {stage->buffer.view().mapped, small.bytes}, stop);
  MINERVA_ASSIGN(vulkan::Commands commands, vulkan::Commands::create(m_device, false));
  for (std::size_t p = 0; p < layout.planes.size(); ++p) {
    const std::uint64_t perGroup = groupBytes(layout, p);
    if (perGroup == 0) continue;
    const std::uint64_t bytes = perGroup * chunk.count;
    commands.copy(stage->buffer.view().part(small.planes[p], bytes), target.part(layout.planes[p] + perGroup * chunk.first, bytes), bytes);
  }
  if (const std::uint64_t bytes = tableBytes(layout.type); bytes > 0 && chunk.first == 0) {
    commands.copy(stage->buffer.view().part(small.planes[1], bytes), target.part(layout.planes[1], bytes), bytes);
  }
  MINERVA_TRY(commands.end());
  return stage->timeline.run(commands.handle());
}

Result<void> Uploader::placeConstants() const {
  std::vector<std::byte> bytes(m_resident.constants.size);
  const auto write = [&](model::WeightId id, const RowRun& run, std::uint64_t at) {
    const model::Weight& weight = m_plan.weights[static_cast<std::size_t>(id)];
    std::vector<float> values(static_cast<std::size_t>(weight.view.shape.elements()));
    dequantizeRows(weight.view, 0, static_cast<std::size_t>(weight.view.shape.rows()), values.data());
    for (std::uint32_t i = 0; i < run.count; ++i) {
      const float value = weight.form(values[run.first + std::size_t{i} * run.stride]);
      std::memcpy(bytes.data() + at + 4 * std::uint64_t{i}, &value, 4);
    }
  };
  const std::vector<float> ones(m_resident.onesCount, 1.0F);
  if (!ones.empty()) std::memcpy(bytes.data() + m_resident.ones, ones.data(), 4 * ones.size());
  for (const auto& [id, at] : m_resident.vectors) {
    const auto elements = m_plan.weights[static_cast<std::size_t>(id)].view.shape.elements();
    write(id, {0, 1, static_cast<std::uint32_t>(elements)}, at);
  }
  for (const auto& [use, start] : m_resident.biases) {
    std::uint64_t at = start;
    for (const BiasRun& run : use->biases) {
      if (run.vector != model::none) write(run.vector, run.elements, at);
      at += 4 * std::uint64_t{run.elements.count};
    }
  }
  if (m_resident.constants.mapped != nullptr) {
    std::memcpy(m_resident.constants.mapped, bytes.data(), bytes.size());
    return {};
  }
  MINERVA_ASSIGN(Stage stage, Stage::create(m_device, bytes.size()));
  std::memcpy(stage.buffer.view().mapped, bytes.data(), bytes.size());
  MINERVA_ASSIGN(vulkan::Commands commands, vulkan::Commands::create(m_device, false));
  commands.copy(stage.buffer.view(), m_resident.constants, bytes.size());
  MINERVA_TRY(commands.end());
  return stage.timeline.run(commands.handle());
}

// Reading a page maps its neighbours too (a huge page, where the page cache has one), so that copying one chunk maps pages of
// chunks that were released before. Only when everything is copied do released pages stay released.
void Uploader::releaseAll() const {
  for (const model::Weight& weight : m_plan.weights) {
    for (const auto& bytes : sourceOf(weight.view, 0, static_cast<std::size_t>(weight.view.shape.rows()))) m_mapped.release(bytes);
  }
}

void Uploader::finish(Result<void> result, std::uint64_t bytes) {
  const std::scoped_lock lock(m_mutex);
  if (!result && !m_error) m_error = std::move(result.error());
  m_done += bytes;
  m_changed.notify_one();
}

void Uploader::placeChunks(const std::stop_token& stop) {
  std::optional<Stage> stage;
  for (std::size_t i = m_next++; i < m_chunks.size() && !stop.stop_requested(); i = m_next++) {
    Result<void> result = place(m_chunks[i], stage, stop);
    const bool failed = !result;
    finish(std::move(result), m_chunks[i].bytes);
    if (failed) break;
  }
}

void Uploader::work(const std::stop_token& stop) {
  bool outOfMemory = false;
  try {
    placeChunks(stop);
  } catch (const std::bad_alloc&) {  // putting rows in order needs memory
    outOfMemory = true;
  }
  const std::scoped_lock lock(m_mutex);
  m_outOfMemory = m_outOfMemory || outOfMemory;
  --m_running;
  m_changed.notify_one();
}

Result<void> Uploader::run(const backend::Progress& progress, const std::stop_token& stop) {
  std::uint64_t total = 0;
  for (const Chunk& chunk : m_chunks) total += chunk.bytes;
  MINERVA_TRY(placeConstants());
  std::vector<std::jthread> threads;
  m_running = std::clamp(std::thread::hardware_concurrency(), 1u, copyThreads);
  for (unsigned i = m_running; i > 0; --i) threads.emplace_back([this, &stop] { work(stop); });
  std::unique_lock lock(m_mutex);
  for (bool more = true; more;) {  // one more round after the last thread has ended, to report 100%
    more = m_running > 0;
    if (more) m_changed.wait_for(lock, std::chrono::milliseconds(50));
    if (m_error || m_outOfMemory) m_next = m_chunks.size();
    if (!progress) continue;
    const std::uint64_t done = m_done;
    lock.unlock();
    progress(done, total);
    lock.lock();
  }
  lock.unlock();
  threads.clear();
  releaseAll();
  if (m_error) return fail(*m_error);
  if (m_outOfMemory) {
    return fail({.kind = ErrorKind::outOfMemory,
                 .what = "There is not enough memory to rearrange the model's weights",
                 .hint = "Close other programs, or choose a smaller model or context."});
  }
  if (stop.stop_requested()) return fail({.kind = ErrorKind::cancelled, .what = "Loading was cancelled"});
  return {};
}

}  // namespace

Result<void> upload(const std::shared_ptr<vulkan::Device>& device, const model::Plan& plan, const MatrixPlan& matrices,
                    const Resident& resident, const backend::Progress& progress, std::stop_token stop) {
  return Uploader(device, plan, matrices, resident).run(progress, stop);
}

}  // namespace minerva::gpu
