#include "gpu/runtime/compile_ahead.h"

#include "gpu/runtime/attention_form.h"
#include "gpu/runtime/projection_form.h"

#include <algorithm>
#include <bit>
#include <set>

namespace minerva::gpu {

std::vector<StepShape> shapesAhead(const Tuning& tuning, const vulkan::MatrixUnit& unit, const model::Plan& plan,
                                   const backend::PlaceOptions& options) {
  const auto maxRows = static_cast<std::uint32_t>(options.maxRows);
  const auto maxOutputs = static_cast<std::uint32_t>(options.maxOutputRows);
  const std::uint32_t furthest = std::bit_ceil(static_cast<std::uint32_t>(options.contextLength));
  const std::size_t parts = model::partCount(plan);
  std::vector<StepShape> shapes;
  const auto add = [&](std::uint32_t rows, std::uint32_t positions) {
    for (std::uint32_t part = 0; part < parts; ++part) {
      shapes.push_back({.rows = rows, .outputs = std::min(rows, maxOutputs), .positions = positions, .oneSlot = true, .part = part});
    }
  };
  for (std::uint32_t positions = 1; positions <= furthest; positions *= 2) {
    add(1, positions);
    if (maxRows > 1) add(2, positions);
  }
  std::set<std::uint32_t> counts{maxSplitRows + 1};
  for (const model::Op& op : plan.ops) {
    const auto* attention = std::get_if<model::AttentionOp>(&op);
    if (attention == nullptr) continue;
    counts.insert(unitAttentionFrom(tuning, static_cast<std::uint32_t>(attention->headCount / attention->kvHeadCount)));
  }
  for (const std::uint32_t start : formStarts(tuning, unit, maxRows)) {
    counts.insert(start);
    for (const model::Op& op : plan.ops) {
      const auto* expert = std::get_if<model::ExpertOp>(&op);
      if (expert == nullptr) continue;
      const auto experts = static_cast<std::uint32_t>(expert->experts), used = static_cast<std::uint32_t>(expert->used);
      counts.insert((start * experts + used - 1) / used);
    }
  }
  for (const std::uint32_t rows : counts) {
    if (rows > 2 && rows <= maxRows) add(rows, furthest);
  }
  // Rows of replies that are alike are attended as one is, and projected as one or as several; those of prompts always in one way.
  const std::uint32_t few = std::min(3U, maxRows);
  for (std::uint32_t part = 0; options.alike != backend::Alike::never && part < parts; ++part) {
    StepShape alike{.rows = few, .outputs = std::min(few, maxOutputs), .positions = 1, .oneSlot = true, .part = part, .alike = {{few, 1}}};
    shapes.push_back(alike);
    alike.prompts = true;
    if (options.alike == backend::Alike::always) shapes.push_back(alike);
  }
  return shapes;
}

}  // namespace minerva::gpu
