// A fixed set of threads that run one function together, such as a model step or a load.
//
// run() calls the function once on every thread (the caller is thread 0) and returns when all have finished; barrier()
// synchronizes them meanwhile. Waiting threads spin for some microseconds and then sleep, so an idle pool costs nothing.
// run() may be called by any thread, but not from inside a function it runs; concurrent calls run one after the other, so
// several placements of a device can share its threads. A call holds the pool until it returns: a load is a single call
// (Weights::place), so the steps of other placements wait for all of it.
//
// If the function throws, run() rethrows the first exception on the calling thread once all threads have finished. A
// function whose threads wait for each other, as in barrier(), must be noexcept: they would wait for the one that threw.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace minerva {

class ThreadPool {
 public:
  // threads >= 1, the calling thread included. There are fewer if the system refuses to start so many.
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

  // Call inside run(), on all threads. Writes before it are visible to all threads after it.
  void barrier();

 private:
  using Task = void (*)(void*, int);
  void runErased(Task task, void* context);
  void call(int thread) noexcept;
  void work(int index);

  int m_size = 1;
  std::mutex m_running;  // held by the caller whose function runs
  Task m_task = nullptr;
  void* m_context = nullptr;
  std::mutex m_throwing;
  std::exception_ptr m_thrown;  // the first exception of the function that runs; guarded until all threads have finished
  std::atomic<bool> m_quit{false};
  alignas(64) std::atomic<std::uint32_t> m_started{0};  // counts run() calls; workers wait for it to change
  alignas(64) std::atomic<std::uint32_t> m_passed{0};   // counts barriers passed
  alignas(64) std::atomic<int> m_arrived{0};
  std::vector<std::jthread> m_workers;
};

}  // namespace minerva
