#include "app/compare/compare_job.h"

#include "app/compare/compare_session.h"
#include "core/base/start_thread.h"

namespace minerva::app {

CompareJob::~CompareJob() { m_thread.request_stop(); }

void CompareJob::start(CompareOrder order) {
  if (isRunning()) return;
  CompareProgress progress;
  progress.running = true;
  for (const CompareModel& model : order.models) progress.columns.emplace_back().model = model;
  {
    const std::scoped_lock guard(m_lock);
    m_progress = std::move(progress);
  }
  m_running.store(true, std::memory_order_release);
  const Result<void> started = startThread(m_thread, [this, order = std::move(order)](const std::stop_token& stop) {
    CompareSession(order, stop, [this](const std::function<void(CompareProgress&)>& with) {
      const std::scoped_lock guard(m_lock);
      with(m_progress);
    }).run();
    const std::scoped_lock guard(m_lock);
    m_progress.running = false;
    m_running.store(false, std::memory_order_release);
  });
  if (started) return;
  const std::scoped_lock guard(m_lock);
  m_progress.running = false;
  m_progress.refusal = started.error();
  m_running.store(false, std::memory_order_release);
}

CompareProgress CompareJob::progress() const {
  const std::scoped_lock guard(m_lock);
  return m_progress;
}

}  // namespace minerva::app
