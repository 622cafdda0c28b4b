#include "gpu/runtime/step_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>

namespace minerva::gpu {

namespace {

using Rows = std::span<const backend::StepRow>;

// (cos, sin) per row and pair, in double precision: float32 has no precision left for angles of thousands of turns.
void writeRotations(const model::Rope& rope, Rows rows, std::byte* to) {
  const auto half = static_cast<std::size_t>(rope.dimension / 2);
  std::vector<float> rotation(2 * half);
  for (std::size_t i = 0; i < rows.size() && half > 0; ++i) {
    const std::vector<float>& frequencies = rows[i].longRope && !rope.longFrequencies.empty() ? rope.longFrequencies : rope.frequencies;
    for (std::size_t k = 0; k < half; ++k) {
      const double angle = static_cast<double>(rows[i].position) * static_cast<double>(frequencies[k]);
      rotation[2 * k] = static_cast<float>(std::cos(angle) * static_cast<double>(rope.magnitude));
      rotation[2 * k + 1] = static_cast<float>(std::sin(angle) * static_cast<double>(rope.magnitude));
    }
    std::memcpy(to + 8 * half * i, rotation.data(), 8 * half);
  }
}

void writeRanges(const model::Visible& visible, Rows rows, std::byte* to) {
  std::map<int, int> lengths;  // of the slots' sequences after the step
  for (const backend::StepRow& row : rows) lengths[row.slot] = row.position + 1;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::array range{static_cast<std::uint32_t>(visible.begin(rows[i].position)),
                           static_cast<std::uint32_t>(visible.end(rows[i].position, lengths[rows[i].slot])),
                           static_cast<std::uint32_t>(rows[i].slot), static_cast<std::uint32_t>(rows[i].position)};
    std::memcpy(to + 16 * i, range.data(), 16);
  }
}

void writeTemperatures(const model::QueryTemperature& temperature, Rows rows, std::byte* to) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto factor = static_cast<float>(temperature.at(rows[i].position));
    std::memcpy(to + 4 * i, &factor, 4);
  }
}

// The tables of the step's slots.
void writePages(const StepLayout& layout, const backend::KvPages& pages, int group, Rows rows, std::byte* to) {
  int before = -1;
  for (const backend::StepRow& row : rows) {
    if (row.slot == before) continue;
    before = row.slot;
    const std::span<const int> table = pages.table(group, row.slot);
    const std::uint64_t ofSlot = std::uint64_t{4} * layout.slotPages * static_cast<std::uint64_t>(row.slot);
    std::memcpy(to + layout.pages[static_cast<std::size_t>(group)] + ofSlot, table.data(), table.size_bytes());
  }
}

// The rows of each slot together, in their order; then empty sequences, as kernels run for as many as a step of so many rows may have.
void writeSequences(const StepLayout& layout, Rows rows, std::byte* to) {
  std::vector<std::uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return rows[i].slot; });
  std::memcpy(to + layout.order, order.data(), 4 * order.size());
  std::vector<std::array<std::uint32_t, 4>> sequences;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const backend::StepRow& row = rows[order[i]];
    const auto slot = static_cast<std::uint32_t>(row.slot);
    if (sequences.empty() || sequences.back()[2] != slot) {
      sequences.push_back({static_cast<std::uint32_t>(i), 0, slot, row.position == 0 ? 1U : 0U});
    }
    ++sequences.back()[1];
  }
  sequences.resize(std::min<std::size_t>(layout.sequenceCount, rows.size()));
  std::memcpy(to + layout.sequences, sequences.data(), 16 * sequences.size());
}

}  // namespace

void writeStepValues(const model::Plan& plan, const StepLayout& layout, const backend::KvPages& pages,
                     std::span<const backend::StepRow> rows, std::byte* to) {
  std::uint32_t outputs = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const backend::StepRow& row = rows[i];
    const auto token = static_cast<std::uint32_t>(row.token);
    const std::array place{static_cast<std::uint32_t>(row.position), static_cast<std::uint32_t>(row.slot)};
    const auto type = static_cast<std::uint32_t>(row.type);
    std::memcpy(to + layout.tokens + 4 * i, &token, 4);
    std::memcpy(to + layout.types + 4 * i, &type, 4);
    std::memcpy(to + layout.rows + 8 * i, place.data(), 8);
    if (row.wantsLogits) {
      const auto index = static_cast<std::uint32_t>(i);
      const float factor = std::min(1.0F / row.temperature, std::numeric_limits<float>::max());
      std::memcpy(to + layout.factors + 4 * std::uint64_t{outputs}, &factor, 4);
      std::memcpy(to + layout.outputs + 4 * std::uint64_t{outputs++}, &index, 4);
    }
  }
  for (std::size_t i = 0; i < plan.ropes.size(); ++i) writeRotations(plan.ropes[i], rows, to + layout.rotations[i]);
  for (const auto& [visible, at] : layout.ranges) writeRanges(visible, rows, to + at);
  for (const auto& [temperature, at] : layout.temperatures) writeTemperatures(temperature, rows, to + at);
  for (std::size_t group = 0; group < layout.pages.size(); ++group) writePages(layout, pages, static_cast<int>(group), rows, to);
  if (layout.sequenceCount > 0) writeSequences(layout, rows, to);
}

std::vector<vulkan::ByteRange> stepRanges(const model::Plan& plan, const StepLayout& layout, std::uint32_t rows, std::uint32_t outputs) {
  const std::uint64_t r = rows, o = outputs;
  std::vector<vulkan::ByteRange> all{
      {layout.tokens, 4 * r}, {layout.rows, 8 * r}, {layout.outputs, 4 * o}, {layout.types, 4 * r}, {layout.factors, 4 * o}};
  for (std::size_t i = 0; i < plan.ropes.size(); ++i)
    all.push_back({layout.rotations[i], 8 * r * static_cast<std::uint64_t>(plan.ropes[i].dimension / 2)});
  for (const auto& [visible, at] : layout.ranges) all.push_back({at, 16 * r});
  for (const auto& [temperature, at] : layout.temperatures) all.push_back({at, 4 * r});
  // The tables of all slots: a recording serves steps of any.
  if (!layout.pages.empty()) {
    const std::uint64_t end = layout.sequenceCount > 0 ? layout.sequences : layout.bytes;
    all.push_back({layout.pages.front(), end - layout.pages.front()});
  }
  if (layout.sequenceCount > 0) {
    all.push_back({layout.sequences, 16 * std::min<std::uint64_t>(layout.sequenceCount, r)});
    all.push_back({layout.order, 4 * r});
  }
  std::erase_if(all, [](const vulkan::ByteRange& range) { return range.bytes == 0; });
  std::ranges::sort(all, {}, &vulkan::ByteRange::at);
  constexpr std::uint64_t close = 512;
  std::vector<vulkan::ByteRange> merged;
  for (const vulkan::ByteRange& range : all) {
    if (!merged.empty() && range.at <= merged.back().at + merged.back().bytes + close)
      merged.back().bytes = range.at + range.bytes - merged.back().at;
    else merged.push_back(range);
  }
  return merged;
}

}  // namespace minerva::gpu
