#include "core/backend/cpu/op_jobs.h"

#include "core/base/spin.h"

namespace minerva::cpu {

void JobCounter::reset() {
  m_next.store(0, std::memory_order_relaxed);
  m_state.store(0, std::memory_order_relaxed);
}

void JobCounter::wait(int total) const {
  if (spinUntil([&] { return finished(total); }, spinBeforeSleep)) return;
  for (auto state = m_state.load(std::memory_order_acquire); !isFinished(state, total); state = m_state.load(std::memory_order_acquire)) {
    m_state.wait(state, std::memory_order_acquire);
  }
}

bool JobCounter::beginReading(int total) {
  const std::uint32_t before = m_state.fetch_add(oneReader, std::memory_order_acq_rel);
  if (before % oneReader < static_cast<std::uint32_t>(total)) return true;
  endReading(total);
  return false;
}

void OpJobs::allowRepeats(int most) {
  m_claims = std::make_unique<Claims[]>(static_cast<std::size_t>(most));
  m_mostRepeated = most;
}

void OpJobs::reset() {
  jobs.reset();
  preparation.reset();
  if (ranges.threads() == 0) return;
  ranges.reset();
  ++m_step;
}

}  // namespace minerva::cpu
