#include "core/base/thread_pool.h"

#include "core/base/spin.h"

#include <utility>

namespace minerva {

namespace {

// Spins, then sleeps, until `counter` differs from `old`.
void waitForChange(const std::atomic<std::uint32_t>& counter, std::uint32_t old) {
  if (spinUntil([&] { return counter.load(std::memory_order_acquire) != old; }, spinBeforeSleep)) return;
  while (counter.load(std::memory_order_acquire) == old) counter.wait(old, std::memory_order_acquire);
}

// Of a change that others wait for. notify_all() first looks whether anybody sleeps. In libstdc++ that look may come before a change that
// is only a release, and miss a thread that finds the old value and goes to sleep for ever.
constexpr auto beforeNotify = std::memory_order_seq_cst;

}  // namespace

ThreadPool::ThreadPool(int threads) {
  try {
    for (; m_size < threads; ++m_size) m_workers.emplace_back([this, index = m_size] { work(index); });
  } catch (const std::exception&) {  // a limit of threads or memory; the pool works with those that were started
  }
}

ThreadPool::~ThreadPool() {
  m_quit.store(true, std::memory_order_relaxed);
  m_started.fetch_add(1, beforeNotify);
  m_started.notify_all();
}

void ThreadPool::runErased(Task task, void* context) {
  const std::scoped_lock lock(m_running);
  m_task = task;
  m_context = context;
  m_started.fetch_add(1, beforeNotify);
  m_started.notify_all();
  call(0);
  barrier();
  if (m_thrown) std::rethrow_exception(std::exchange(m_thrown, nullptr));
}

void ThreadPool::call(int thread) noexcept {
  try {
    m_task(m_context, thread);
  } catch (...) {
    const std::scoped_lock lock(m_throwing);
    if (!m_thrown) m_thrown = std::current_exception();
  }
}

void ThreadPool::work(int index) {
  std::uint32_t seen = 0;
  for (;;) {
    waitForChange(m_started, seen);
    ++seen;
    if (m_quit.load(std::memory_order_relaxed)) return;
    call(index);
    barrier();
  }
}

void ThreadPool::barrier() {
  if (m_size == 1) return;
  const std::uint32_t round = m_passed.load(std::memory_order_relaxed);
  if (m_arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == m_size) {
    m_arrived.store(0, std::memory_order_relaxed);
    m_passed.store(round + 1, beforeNotify);
    m_passed.notify_all();
    return;
  }
  waitForChange(m_passed, round);
}

}  // namespace minerva
