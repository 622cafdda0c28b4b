// Projections whose rows use different matrices: each group of rows is a separate projection, but the inputs of all groups
// are prepared together. Decode reads only the matrices of the chosen experts; in a prompt, all rows of an expert form one
// matrix product.
#include "core/backend/cpu/projection_layout.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace minerva::cpu {

namespace {

constexpr int tileRows = 16;

int tilesOf(const RowGroup& group) { return (group.count + tileRows - 1) / tileRows; }

}  // namespace

std::size_t groupedCapacity(const Projector::Limits& limits, bool tiles) {
  const int leastRows = limits.promptsAlike ? 1 : matrixThreshold;
  const int padded = tiles ? std::min(limits.groups, limits.groupedRows / leastRows) : 0;
  return static_cast<std::size_t>(limits.groupedRows) + static_cast<std::size_t>(padded) * (matrixRows - 1);
}

std::size_t placeGroups(std::span<RowGroup> groups) {
  std::size_t taken = 0;
  for (const bool tiled : {true, false}) {
    for (RowGroup& group : groups) {
      if (group.tiled != tiled) continue;
      group.place = static_cast<int>(taken);
      taken += tiled ? padRows(group.count) : static_cast<std::size_t>(group.count);
    }
  }
  return taken;
}

PreparedLayout groupedLayout(const Projector::Limits& limits, bool matrix) {
  const bool usesTiles = matrix && limits.usesTiles();
  const std::size_t rows = groupedCapacity(limits, usesTiles), columns = static_cast<std::size_t>(limits.groupedColumns);
  PreparedLayout l{};
  if (rows == 0) return l;
  l.quantized = align(rows * columns * sizeof(float));
  l.high = l.quantized + (limits.exact ? 0 : rows * quantizedRowBytes(columns));
  const std::size_t tiles = usesTiles ? align(rows * columns * sizeof(std::uint16_t)) : 0;
  l.low = l.high + tiles;
  l.total = l.low + (limits.groupedProducts > 1 ? tiles : 0);
  return l;
}

Projection Projector::projectionOf(const GroupedProjection& p, const GroupedRows& rows, const RowGroup& group,
                                   ProjectionPart* parts) const {
  Projection one{};
  for (std::size_t i = 0; i < p.parts.size(); ++i) {
    const GroupedPart& part = p.parts[i];
    const float* bias = part.bias == nullptr ? nullptr : part.bias + group.matrix * part.biasStride + part.biasFirst;
    parts[i] = {&part.matrices[static_cast<std::size_t>(group.matrix)], bias, 0};
  }
  one.columns = p.columns;
  one.in.count = group.count;
  one.use = group.use;
  one.fine = p.fine;
  one.parts = {parts, p.parts.size()};
  one.gated = p.gated;
  one.pairs = p.pairs;
  one.activation = p.activation;
  one.scale = 1.0F;
  one.scatter = rows.scatter.data() + group.first;
  return one;
}

bool Projector::runsApart(const GroupedProjection& p) const {
  ProjectionPart parts[2];
  return runsApart(projectionOf(p, {}, {0, 1, 0, 0, backend::RowUse::any}, parts));
}

Projector::Inputs Projector::inputsOf(const Inputs& all, const Projection& one, const RowGroup& group, int columns) const {
  const auto place = static_cast<std::size_t>(group.place);
  Inputs in = all;
  in.floats.data += place * all.floats.stride;
  in.floats.count = group.count;
  in.quantized += place * all.quantizedStride;
  in.high += place * static_cast<std::size_t>(columns);
  in.low = productsOf(one) > 1 ? in.low + place * static_cast<std::size_t>(columns) : nullptr;
  return in;
}

void Projector::prepareGroups(const GroupedProjection& p, const GroupedRows& rows, const Inputs& in, JobCounter& preparation) const {
  const auto padded = static_cast<int>(in.floats.stride);
  const auto bytes = static_cast<std::size_t>(p.columns) * sizeof(float);
  std::size_t g = 0;
  int before = 0;  // tiles of the groups before g
  for (int tile = preparation.take(); g < rows.groups.size(); tile = preparation.take()) {
    while (g < rows.groups.size() && tile >= before + tilesOf(rows.groups[g])) before += tilesOf(rows.groups[g++]);
    if (g == rows.groups.size()) break;
    const RowGroup& group = rows.groups[g];
    ProjectionPart parts[2];
    const Projection one = projectionOf(p, rows, group, parts);
    const Way way = wayOf(one);
    const Inputs to = inputsOf(in, one, group, padded);
    const int first = (tile - before) * tileRows, count = std::min(tileRows, group.count - first);
    const QuantizeFunction quantize = quantizeFor(one, way);
    for (int row = first; row < first + count; ++row) {
      float* x = to.floats.row(row);
      std::memcpy(x, rows.rows[static_cast<std::size_t>(group.first + row)].in, bytes);
      std::fill(x + p.columns, x + padded, 0.0F);
      if (quantize != nullptr) quantize(x, padded, quantizedRow(to.quantized, row, group.count, in.floats.stride));
    }
    if (way != Way::matrix) continue;
    const std::size_t offset = static_cast<std::size_t>(first) * static_cast<std::size_t>(padded);
    const auto pack = [&](int rows, std::size_t at) {
      m_kernels->matrix->packRows(to.floats.row(first), to.floats.strideBytes(), rows, padded, to.high + at,
                                  to.low != nullptr ? to.low + at : nullptr);
    };
    pack(count, offset);
    // The matrix unit processes tiles in pairs, so pad an odd last tile.
    if (first + tileRows < group.count || (group.count - 1) / tileRows % 2 == 1) continue;
    pack(0, offset + static_cast<std::size_t>(tileRows) * static_cast<std::size_t>(padded));
  }
}

void Projector::run(const GroupedProjection& p, GroupedRows& rows, int thread, OpJobs& work) const {
  const std::size_t columns = paddedColumns(static_cast<std::size_t>(p.columns));
  int total = 0;
  rows.scatter.resize(rows.rows.size());
  std::ranges::transform(rows.rows, rows.scatter.begin(), &GroupedRow::out);
  for (RowGroup& group : rows.groups) {
    ProjectionPart parts[2];
    const Projection one = projectionOf(p, rows, group, parts);
    const Way way = wayOf(one);
    group.tiled = way == Way::matrix;
    group.firstJob = total;
    total += jobsOf(one, itemsPerJob(one, way));
  }
  placeGroups(rows.groups);
  const PreparedLayout layout = groupedLayout(m_limits, m_kernels->matrix != nullptr);
  std::byte* base = m_grouped.data();
  Inputs in;
  in.floats = {reinterpret_cast<float*>(base), columns, 0};
  in.quantized = base + layout.quantized;
  in.quantizedStride = quantizedRowBytes(columns);
  in.high = reinterpret_cast<std::uint16_t*>(base + layout.high);
  in.low = reinterpret_cast<std::uint16_t*>(base + layout.low);
  prepareGroups(p, rows, in, work.preparation);
  m_pool->barrier();

  bool tiles = false;
  for (int index = work.ranges.take(thread, total); index < total; index = work.ranges.take(thread, total)) {
    const RowGroup& group = *std::prev(std::ranges::upper_bound(rows.groups, index, {}, &RowGroup::firstJob));
    ProjectionPart parts[2];
    const Projection one = projectionOf(p, rows, group, parts);
    const Way way = wayOf(one);
    const Inputs own = inputsOf(in, one, group, static_cast<int>(columns));
    Job job{one, own, {}, 0, m_private[static_cast<std::size_t>(thread)].data()};
    if (!makeJob(one, index - group.firstJob, itemsPerJob(one, way), job)) continue;
    if (way == Way::matrix && !tiles) m_kernels->matrix->begin();
    tiles = tiles || way == Way::matrix;
    static_cast<void>(runJob(job, way));  // grouped jobs are never repeated, so the result is always true
  }
  if (tiles) m_kernels->matrix->end();
  m_pool->barrier();
}

}  // namespace minerva::cpu
