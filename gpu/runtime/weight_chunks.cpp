#include "gpu/runtime/weight_chunks.h"

#include "core/tensor/arrangement.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace minerva::gpu {

namespace {

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

// Packs groups of a layout, one after the other. packGroup() writes a few bytes here and there, and reads some of them back, which takes
// hundreds of nanoseconds each in memory that the host does not cache: there, a group is packed beside it first.
class GroupTarget {
 public:
  GroupTarget(const WeightLayout& layout, const vulkan::BufferView& to)
      : m_layout(layout), m_to(to), m_one(layoutOf(layout.type, groupRows, layout.columns)), m_beside(to.cached ? 0 : m_one.bytes) {}

  void pack(const ChunkRows& source, const RowRun& rows, std::uint32_t group, std::uint32_t target) {
    if (m_to.cached) return source.pack(rows, group, m_layout, target, {m_to.mapped, m_to.size});
    source.pack(rows, group, m_one, 0, m_beside);
    for (std::size_t p = 0; p < m_one.planes.size(); ++p) {
      const std::uint64_t bytes = groupBytes(m_one, p);
      if (bytes > 0) std::memcpy(m_to.mapped + m_layout.planes[p] + target * bytes, m_beside.data() + m_one.planes[p], bytes);
    }
    const std::uint64_t table = target == 0 ? tableBytes(m_layout.type) : 0;
    if (table > 0) std::memcpy(m_to.mapped + m_layout.planes[tablePlane], m_beside.data() + m_one.planes[tablePlane], table);
  }

 private:
  const WeightLayout& m_layout;
  const vulkan::BufferView& m_to;
  WeightLayout m_one;
  std::vector<std::byte> m_beside;
};

}  // namespace

std::vector<WeightChunk> cutIntoChunks(const MatrixPlan& matrices, std::uint64_t bytes) {
  std::vector<WeightChunk> chunks;
  for (std::size_t i = 0; i < matrices.matrices.size(); ++i) {
    const WeightLayout& layout = matrices.matrices[i].layout;
    std::uint64_t perGroup = 0;
    for (std::size_t p = 0; p < layout.planes.size(); ++p) perGroup += groupBytes(layout, p);
    const auto step = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, bytes / std::max<std::uint64_t>(1, perGroup)));
    for (std::uint32_t first = 0; first < layout.groups; first += step) {
      const std::uint32_t count = std::min(step, layout.groups - first);
      chunks.push_back({i, first, count, count * perGroup});
    }
  }
  return chunks;
}

void packChunk(const model::Plan& plan, const Matrix& matrix, const WeightChunk& chunk, const WeightLayout& layout, std::uint32_t offset,
               const vulkan::BufferView& to, const MappedRanges& mapped, const std::stop_token& stop) {
  std::map<model::WeightId, ChunkRows> sources;
  for (std::uint32_t target = chunk.first; target < chunk.first + chunk.count; ++target) {
    const Matrix::Place place = matrix.locate(target);
    const RowRun& rows = place.source->rows;
    const std::uint32_t begin = place.group * groupRows, end = std::min(rows.count, begin + groupRows);
    const std::uint32_t first = rows.first + begin * rows.stride, last = rows.first + (end - 1) * rows.stride;
    const TensorView& view = plan.weights[static_cast<std::size_t>(place.source->weight)].view;
    sources.try_emplace(place.source->weight, view, first, last + 1).first->second.include(first, last + 1);
  }
  for (auto& [weight, rows] : sources) rows.bringInOrder(mapped, stop);
  GroupTarget groups(layout, to);
  for (std::uint32_t target = chunk.first; target < chunk.first + chunk.count && !stop.stop_requested(); ++target) {
    const Matrix::Place place = matrix.locate(target);
    groups.pack(sources.at(place.source->weight), place.source->rows, place.group, target - offset);
  }
  for (const auto& [weight, rows] : sources) rows.release(mapped);
}

}  // namespace minerva::gpu
