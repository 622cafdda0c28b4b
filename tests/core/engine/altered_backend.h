// A device that says something else of itself than it is.
#pragma once

#include "core/backend/backend.h"

#include <optional>
#include <utility>
#include <vector>

namespace minerva::engine {

class AlteredBackend : public backend::Backend {
 public:
  explicit AlteredBackend(backend::Backend& inner) : m_inner(inner) {}
  std::optional<bool> alike = {};          // false: it rounds several rows in another way than one, as GPUs do
  std::optional<std::uint64_t> free = {};  // bytes of memory

  backend::DeviceInfo info() const override {
    backend::DeviceInfo info = m_inner.info();
    info.alike = alike.value_or(info.alike);
    return info;
  }
  Result<std::unique_ptr<backend::Placement>> place(const model::Plan& plan, const backend::PlaceOptions& options,
                                                    const backend::Progress& progress, std::stop_token stop) override {
    return m_inner.place(plan, options, progress, std::move(stop));
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
};

}  // namespace minerva::engine
