// A placement of a layer that predicts, which notes what it was given.
#pragma once

#include "tests/core/engine/watched_placement.h"

#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace minerva::engine {

// Notes the pairs of rows of every step, by slot and the layer's position.
class PairsPlacement final : public WatchedPlacement {
 public:
  using Pairs = std::map<std::pair<int, int>, std::vector<float>>;
  PairsPlacement(std::unique_ptr<backend::Placement> inner, Notes& notes, model::BufferId pairs, Pairs& seen)
      : WatchedPlacement(std::move(inner), notes), m_pairs(pairs), m_seen(seen) {}
  Result<void> begin(std::span<const backend::StepRow> rows) override {
    m_rows.assign(rows.begin(), rows.end());
    return WatchedPlacement::begin(rows);
  }
  Result<void> runPart(std::size_t part) override {
    MINERVA_ASSIGN(const backend::BufferRows pairs, rows(m_pairs));
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
      const float* pair = pairs.data + i * pairs.stride;
      m_seen[{m_rows[i].slot, m_rows[i].position}].assign(pair, pair + pairs.columns);
    }
    return WatchedPlacement::runPart(part);
  }

 private:
  model::BufferId m_pairs;
  Pairs& m_seen;
  std::vector<backend::StepRow> m_rows;
};

}  // namespace minerva::engine
