// A device that says something else of itself than it is.
#pragma once

#include "core/backend/backend.h"
#include "tests/core/engine/slow_placement.h"

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace minerva::engine {

// The logits of a step of several rows differ in the last bit from those of a step of one.
class UnlikePlacement : public WatchedPlacement {
 public:
  UnlikePlacement(std::unique_ptr<backend::Placement> inner, Notes& notes) : WatchedPlacement(std::move(inner), notes) {}
  Result<void> step(std::span<const backend::StepRow> rows) override {
    m_several = rows.size() > 1;
    return WatchedPlacement::step(rows);
  }
  Result<std::span<const float>> logits(int i) override {
    MINERVA_ASSIGN(const std::span<const float> found, WatchedPlacement::logits(i));
    m_logits.assign(found.begin(), found.end());
    if (m_several) m_logits.back() = std::nextafter(m_logits.back(), 0.0F);
    return std::span<const float>(m_logits);
  }

 private:
  bool m_several = false;
  std::vector<float> m_logits;
};

class AlteredBackend : public backend::Backend {
 public:
  explicit AlteredBackend(backend::Backend& inner) : m_inner(inner) {}
  std::optional<backend::Alike> alike = {};
  bool unlike = false;                     // it rounds several rows in another way than one, whatever it says
  std::optional<std::uint64_t> free = {};  // bytes of memory
  double rowMs = 0;                        // that a row takes beside its work, on a simulated clock

  backend::DeviceInfo info() const override {
    backend::DeviceInfo info = m_inner.info();
    info.alike = alike.value_or(info.alike);
    return info;
  }
  Result<std::unique_ptr<backend::Placement>> place(const model::Plan& plan, const backend::PlaceOptions& options,
                                                    const backend::Progress& progress, std::stop_token stop) override {
    auto placed = m_inner.place(plan, options, progress, std::move(stop));
    if (placed && unlike) placed = std::make_unique<UnlikePlacement>(std::move(*placed), m_notes);
    if (placed && rowMs > 0) placed = std::make_unique<SlowPlacement>(std::move(*placed), m_notes, 0, rowMs);
    return placed;
  }
  Result<std::vector<backend::DeviceNeed>> memoryNeeds(const model::Plan& plan, const backend::PlaceOptions& options) const override {
    auto needs = m_inner.memoryNeeds(plan, options);
    if (!needs) return needs;
    for (backend::DeviceNeed& need : *needs) need.free = free.value_or(need.free);
    return needs;
  }
  Result<backend::BandwidthCurve> measureReadBandwidth(const StopAsked& stop) override { return m_inner.measureReadBandwidth(stop); }

 private:
  backend::Backend& m_inner;
  WatchedPlacement::Notes m_notes;
};

}  // namespace minerva::engine
