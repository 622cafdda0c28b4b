// A backend that is another one with chosen answers: its free memory, its speed, a placement that fails. Several may lend the same.
#pragma once

#include "core/backend/backend.h"

#include <string>
#include <utility>

namespace minerva::tests {

struct LentAnswers {
  std::string id = {};           // "": its own
  std::uint64_t free = 0;        // 0: its own
  double bytesPerSecond = 0;     // 0: its own
  int placementsThatRunOut = 0;  // of memory: so many, from the first one on
  ErrorKind failing = ErrorKind::outOfMemory;
  bool shares = false;  // also if it does not itself
};

class LentBackend final : public backend::Backend {
 public:
  LentBackend(backend::Backend& lent, LentAnswers answers) : m_lent(lent), m_answers(std::move(answers)) {}

  backend::DeviceInfo info() const override {
    backend::DeviceInfo info = m_lent.info();
    if (!m_answers.id.empty()) info.id = m_answers.id;
    info.shares = info.shares || m_answers.shares;
    if (m_answers.bytesPerSecond > 0) info.uuid.clear();  // so that its speed is asked for, not that of the device lent
    return info;
  }
  Result<std::unique_ptr<backend::Placement>> place(const model::Plan& plan, const backend::PlaceOptions& options,
                                                    const backend::Progress& progress, std::stop_token stop) override {
    if (m_answers.placementsThatRunOut-- > 0) return fail({.kind = m_answers.failing, .what = "The device is full"});
    return m_lent.place(plan, options, progress, std::move(stop));
  }
  Result<std::vector<backend::DeviceNeed>> memoryNeeds(const model::Plan& plan, const backend::PlaceOptions& options) const override {
    MINERVA_ASSIGN(auto needs, m_lent.memoryNeeds(plan, options));
    if (m_answers.free > 0) needs.front().free = m_answers.free;
    return needs;
  }
  Result<backend::BandwidthCurve> measureReadBandwidth(const StopAsked& stop) override {
    if (m_answers.bytesPerSecond == 0) return m_lent.measureReadBandwidth(stop);
    backend::BandwidthCurve curve;
    curve.add({1 << 20, m_answers.bytesPerSecond});
    return curve;
  }

 private:
  backend::Backend& m_lent;
  LentAnswers m_answers;
};

}  // namespace minerva::tests
