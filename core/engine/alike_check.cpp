#include "core/engine/alike_check.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace minerva::engine {

namespace {

constexpr int fewAsked = 3;  // devices may have other kernels for these

}  // namespace

Result<bool> rowsAreAlike(backend::Placement& placement, const model::Plan& plan, const backend::PlaceOptions& placed) {
  const int count = std::min({backend::mostAlike, placed.contextLength, placed.maxRows, placed.maxOutputRows});
  std::vector<backend::StepRow> rows;
  for (int i = 0; i < count; ++i) rows.push_back({(i * i + 1) % plan.vocabularySize, i, 0, true, false, 0, backend::RowUse::reply});
  std::vector<std::vector<float>> alone;
  for (const backend::StepRow& row : rows) {
    MINERVA_TRY(placement.step({&row, 1}));
    MINERVA_ASSIGN(const std::span<const float> logits, placement.logits(0));
    alone.emplace_back(logits.begin(), logits.end());
  }
  for (const int together : {count, std::min(count, fewAsked)}) {
    MINERVA_TRY(placement.step(std::span(rows).first(static_cast<std::size_t>(together))));
    for (int i = 0; i < together; ++i) {
      MINERVA_ASSIGN(const std::span<const float> logits, placement.logits(i));
      if (std::memcmp(logits.data(), alone[static_cast<std::size_t>(i)].data(), logits.size_bytes()) != 0) return false;
    }
  }
  return true;
}

}  // namespace minerva::engine
