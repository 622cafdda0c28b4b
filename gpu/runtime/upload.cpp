#include "gpu/runtime/upload.h"

#include "core/base/processors.h"
#include "core/base/start_thread.h"
#include "core/base/system_memory.h"
#include "core/tensor/arrangement.h"
#include "gpu/runtime/weight_chunks.h"
#include "gpu/vulkan/staging_ring.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <new>
#include <thread>

namespace minerva::gpu {

namespace {

constexpr std::uint64_t mappedChunkBytes = std::uint64_t{4} << 20;
constexpr unsigned packThreads = 6;

class Uploader {
 public:
  Uploader(const std::shared_ptr<vulkan::Device>& device, const model::Plan& plan, const MatrixPlan& matrices, const Resident& resident)
      : m_device(device), m_plan(plan), m_matrices(matrices), m_resident(resident) {}

  Result<void> run(const backend::Progress& progress, const std::stop_token& stop);

 private:
  Result<void> prepare();
  void work(const std::stop_token& stop);
  void placeChunks(const std::stop_token& stop);
  Result<void> place(const WeightChunk& chunk, const std::stop_token& stop);
  [[nodiscard]] WeightLayout layoutAlone(const WeightChunk& chunk) const;
  Result<void> placeConstants();
  Result<void> stageConstants(std::span<const std::byte> bytes);
  void releaseAll() const;
  void finish(Result<void> result, std::uint64_t bytes);

  std::shared_ptr<vulkan::Device> m_device;
  const model::Plan& m_plan;
  const MatrixPlan& m_matrices;
  const Resident& m_resident;
  std::vector<WeightChunk> m_chunks;
  std::uint64_t m_slotBytes = 0;
  std::unique_ptr<vulkan::StagingRing> m_ring;  // null: the host maps all of the device's memory
  unsigned m_threads = 1;
  MappedRanges m_mapped = MappedRanges::read();
  std::atomic<std::size_t> m_next{0};
  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::uint64_t m_done = 0;      // bytes; guarded by m_mutex
  unsigned m_running = 0;        // threads; guarded by m_mutex
  std::optional<Error> m_error;  // the first one; guarded by m_mutex
  bool m_outOfMemory = false;    // of the host; guarded by m_mutex
};

// The chunk's groups as a layout of their own: each plane's range is contiguous in it and in the whole.
WeightLayout Uploader::layoutAlone(const WeightChunk& chunk) const {
  const WeightLayout& layout = m_matrices.matrices[chunk.matrix].layout;
  return layoutOf(layout.type, chunk.count * groupRows, layout.columns);
}

// Cuts the weights, and makes the ring where one is needed.
Result<void> Uploader::prepare() {
  m_threads = std::min(static_cast<unsigned>(physicalCores()), packThreads);
  const auto isMapped = [](const vulkan::BufferView& view) { return view.mapped != nullptr; };
  if (std::ranges::all_of(m_resident.matrices, isMapped) && isMapped(m_resident.constants)) {
    m_chunks = cutIntoChunks(m_matrices, mappedChunkBytes);
    return {};
  }
  const StagingSize size = stagingSize(m_device->info(), systemMemory().available);
  m_chunks = cutIntoChunks(m_matrices, size.slotBytes);
  m_slotBytes = std::min(size.slotBytes, m_resident.constants.size);
  for (const WeightChunk& chunk : m_chunks) m_slotBytes = std::max(m_slotBytes, layoutAlone(chunk).bytes);
  const std::size_t slots = std::clamp<std::size_t>(m_chunks.size(), 1, size.slots);
  m_threads = std::min(m_threads, static_cast<unsigned>(slots));
  MINERVA_ASSIGN(m_ring, vulkan::StagingRing::create(m_device, m_slotBytes, slots));
  return {};
}

Result<void> Uploader::place(const WeightChunk& chunk, const std::stop_token& stop) {
  const Matrix& matrix = m_matrices.matrices[chunk.matrix];
  const WeightLayout& layout = matrix.layout;
  const vulkan::BufferView& target = m_resident.matrices[chunk.matrix];
  if (target.mapped != nullptr) {
    packChunk(m_plan, matrix, chunk, layout, 0, target, m_mapped, stop);
    return {};
  }
  const WeightLayout alone = layoutAlone(chunk);
  MINERVA_ASSIGN(const std::size_t slot, m_ring->take());
  packChunk(m_plan, matrix, chunk, alone, chunk.first, m_ring->memory(slot), m_mapped, stop);
  std::vector<vulkan::StagingRing::Copy> copies;
  for (std::size_t p = 0; p < layout.planes.size(); ++p) {
    const std::uint64_t perGroup = groupBytes(layout, p), bytes = perGroup * chunk.count;
    if (bytes > 0) copies.push_back({alone.planes[p], target.part(layout.planes[p] + perGroup * chunk.first, bytes), bytes});
  }
  if (const std::uint64_t bytes = tableBytes(layout.type); bytes > 0 && chunk.first == 0) {
    copies.push_back({alone.planes[tablePlane], target.part(layout.planes[tablePlane], bytes), bytes});
  }
  return m_ring->send(slot, copies);
}

Result<void> Uploader::placeConstants() {
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
  if (m_resident.constants.mapped == nullptr) return stageConstants(bytes);
  std::memcpy(m_resident.constants.mapped, bytes.data(), bytes.size());
  return {};
}

Result<void> Uploader::stageConstants(std::span<const std::byte> bytes) {
  for (std::uint64_t at = 0; at < bytes.size(); at += m_slotBytes) {
    const std::uint64_t count = std::min(m_slotBytes, bytes.size() - at);
    MINERVA_ASSIGN(const std::size_t slot, m_ring->take());
    std::memcpy(m_ring->memory(slot).mapped, bytes.data() + at, count);
    const vulkan::StagingRing::Copy copy{.from = 0, .to = m_resident.constants.part(at, count), .bytes = count};
    MINERVA_TRY(m_ring->send(slot, {&copy, 1}));
  }
  return {};
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
  for (std::size_t i = m_next++; i < m_chunks.size() && !stop.stop_requested(); i = m_next++) {
    Result<void> result = place(m_chunks[i], stop);
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
  MINERVA_TRY(prepare());
  std::uint64_t total = 0;
  for (const WeightChunk& chunk : m_chunks) total += chunk.bytes;
  MINERVA_TRY(placeConstants());
  std::vector<std::jthread> threads(m_threads);
  m_running = 1;  // this one, which does all where the system has no thread to give
  for (std::jthread& thread : threads) {
    const std::scoped_lock lock(m_mutex);
    if (startThread(thread, [this, &stop] { work(stop); })) ++m_running;
  }
  if (!threads.front().joinable()) work(stop);
  std::unique_lock lock(m_mutex);
  m_running -= threads.front().joinable() ? 1 : 0;
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
  return m_ring ? m_ring->finish() : Result<void>();
}

}  // namespace

StagingSize stagingSize(const vulkan::DeviceInfo& device, std::uint64_t hostFree) {
  constexpr std::size_t slots = 8;
  constexpr std::uint64_t usual = std::uint64_t{16} << 20, least = std::uint64_t{1} << 20;
  std::uint64_t most = std::min({slots * usual, device.maxAllocation, device.maxBuffer});
  constexpr VkMemoryPropertyFlags visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  const int type = vulkan::findMemoryType(device, ~0U, visible, 0, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  if (type >= 0) most = std::min(most, device.memory.memoryHeaps[device.memory.memoryTypes[type].heapIndex].size / 8);
  if (hostFree > 0) most = std::min(most, hostFree / 16);
  return {std::max(most / slots, least), slots};
}

Result<void> upload(const std::shared_ptr<vulkan::Device>& device, const model::Plan& plan, const MatrixPlan& matrices,
                    const Resident& resident, const backend::Progress& progress, std::stop_token stop) {
  return Uploader(device, plan, matrices, resident).run(progress, stop);
}

}  // namespace minerva::gpu
