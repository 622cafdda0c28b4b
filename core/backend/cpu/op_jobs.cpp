#include "core/backend/cpu/op_jobs.h"

#include "core/base/spin.h"

namespace minerva::cpu {

void JobCounter::reset() {
  m_next.store(0, std::memory_order_relaxed);
  m_done.store(0, std::memory_order_relaxed);
}

void JobCounter::wait(int total) const {
  for (int i = 0; i < spinsBeforeSleep; ++i) {
    if (finished(total)) return;
    relax();
  }
  for (int done = m_done.load(std::memory_order_acquire); done < total; done = m_done.load(std::memory_order_acquire)) {
    m_done.wait(done, std::memory_order_acquire);
  }
}

void OpJobs::allowRepeats(int most) {
#if !defined(__SANITIZE_THREAD__)  // what a late thread reads is a race by the letter
  m_claims = std::make_unique<std::atomic<std::uint32_t>[]>(static_cast<std::size_t>(most));
  m_mostRepeated = most;
#else
  static_cast<void>(most);
#endif
}

void OpJobs::reset() {
  jobs.reset();
  preparation.reset();
  ++m_step;
}

}  // namespace minerva::cpu
