// A fixed team of threads that runs one function together, again and again (a model step, a load).
//
// run() calls the function once on every thread, the caller being thread 0, and returns when all are done; inside it
// barrier() lines the threads up. Waiting spins for some microseconds and then sleeps, so an idle team costs nothing.
// Any thread may call run(), though not from inside one: a second caller waits until the first's function has ended, so
// that several placements of a device can share its threads. The function must not throw.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace minerva {

class ThreadPool {
 public:
  // threads >= 1, the calling thread included.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  [[nodiscard]] int size() const { return m_size; }

  // function(int thread) on every thread. Does not allocate.
  template <class Function>
  void run(Function&& function) {
    using Plain = std::remove_reference_t<Function>;
    runErased([](void* context, int thread) { (*static_cast<Plain*>(context))(thread); },
              const_cast<void*>(static_cast<const void*>(&function)));
  }

  // Only inside run(), by all threads. What was written before it is seen by all after it.
  void barrier();

 private:
  using Task = void (*)(void*, int);
  void runErased(Task task, void* context);
  void work(int index);

  int m_size;
  std::mutex m_running;  // held by the caller whose function runs
  Task m_task = nullptr;
  void* m_context = nullptr;
  std::atomic<bool> m_quit{false};
  alignas(64) std::atomic<std::uint32_t> m_started{0};  // counts run() calls; workers wait for it to change
  alignas(64) std::atomic<std::uint32_t> m_passed{0};   // counts barriers passed
  alignas(64) std::atomic<int> m_arrived{0};
  std::vector<std::jthread> m_workers;
};

}  // namespace minerva
