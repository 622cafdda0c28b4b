#include "core/backend/cpu/cpu_backend.h"

#include "core/backend/cpu/instruction_sets.h"
#include "core/backend/cpu/memory.h"
#include "core/backend/cpu/placement.h"
#include "core/backend/cpu/read_ahead.h"
#include "core/base/cpu_features.h"
#include "core/base/processors.h"
#include "core/base/thread_pool.h"
#include "core/base/system_memory.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <mutex>

namespace minerva::backend {

namespace {

Result<const cpu::Kernels*> chooseKernels(const std::string& wanted) {
  std::string runnable;
  for (const cpu::InstructionSet& set : cpu::instructionSets()) {
    if (!set.runsHere()) continue;
    const cpu::Kernels& kernels = set.kernels();
    if (wanted.empty() ? set.isFast() : wanted == kernels.name) return &kernels;
    runnable += (runnable.empty() ? "" : ", ") + std::string(kernels.name);
  }
  if (runnable.empty()) return fail(cpu::noInstructionSet(cpuFeatures()));
  return fail({.kind = ErrorKind::unsupported,
               .what = "This processor does not support that instruction set, or it does not exist",
               .expected = "one of " + runnable,
               .actual = wanted});
}

// How far ahead kernels fetch is measured once a process, whose backends have the same kernels.
void chooseReadAheadOnce(cpu::Fetched what, const cpu::Kernels& kernels, ThreadPool& pool, const std::string& cacheFolder,
                         const std::stop_token& stop) {
  static std::mutex choosing;
  static std::array<bool, cpu::fetchedKinds> done{};
  const std::scoped_lock lock(choosing);
  bool& chosen = done[static_cast<std::size_t>(what)];
  if (!chosen) chosen = cpu::chooseReadAhead(what, kernels, pool, cacheFolder, cpu::setReadAhead, stop);
}

class CpuBackend final : public Backend {
 public:
  CpuBackend(const cpu::Kernels& kernels, const CpuOptions& options)
      : m_kernels(kernels), m_threads(options.threads), m_cacheFolder(options.cacheFolder) {
    static_cast<void>(pool());
    if (const std::uint64_t bytes = firstCacheBytes(allowedCpus()); bytes > 0) cpu::setFirstCache(static_cast<int>(bytes));
  }

  [[nodiscard]] DeviceInfo info() const override {
    DeviceInfo info;
    info.id = "cpu";
    info.kind = "CPU";
    info.name = cpuFeatures().brand;
    info.detail = cpu::detailOf(m_kernels, cpuFeatures());
    info.alike = Alike::always;
    info.memoryTotal = systemMemory().total;
    info.memoryFree = systemMemory().available;
    const std::scoped_lock lock(m_changing);
    info.threads = m_pool->size();
    return info;
  }

  [[nodiscard]] Result<std::unique_ptr<Placement>> place(const model::Plan& plan, const PlaceOptions& options, const Progress& progress,
                                                         std::stop_token stop) override {
    const std::uint64_t fromMemory = cpu::beyondCaches();  // a smaller model lies in caches, more or less
    const std::shared_ptr<ThreadPool> threads = pool();
    MINERVA_ASSIGN(auto placement, cpu::CpuPlacement::create(threads, m_kernels, plan, options, progress, stop));
    const auto [panels, rows] = cpu::Weights::bytesNeeded(plan);
    const auto choose = [&](cpu::Fetched what) { chooseReadAheadOnce(what, m_kernels, *threads, m_cacheFolder, stop); };
    if (panels > fromMemory) choose(cpu::Fetched::panels);
    if (rows > fromMemory) choose(cpu::Fetched::rows);
    if (panels + rows > fromMemory) choose(cpu::Fetched::cache);
    return placement;
  }

  [[nodiscard]] Result<std::vector<DeviceNeed>> memoryNeeds(const model::Plan& plan, const PlaceOptions& options) const override {
    MINERVA_TRY(checkPlaceOptions(plan, options));
    MINERVA_TRY(cpu::Weights::check(plan));
    const MemoryUse use = cpu::CpuPlacement::memoryNeeds(m_kernels, poolSize(), plan, options);
    return std::vector<DeviceNeed>{{"cpu", use, systemMemory().available}};
  }

  [[nodiscard]] Result<BandwidthCurve> measureReadBandwidth(const StopAsked& stop) override {
    if (stop && stop()) return measurementCancelled();  // before a gigabyte is allocated and filled
    constexpr std::uint64_t least = std::uint64_t{64} << 20;
    const std::uint64_t wanted = std::max(std::uint64_t{1} << 30, std::bit_ceil(2 * cpu::beyondCaches()));
    const std::uint64_t most = std::bit_floor(std::clamp(systemMemory().available / 4, least, wanted));
    const std::shared_ptr<ThreadPool> team = pool();
    MINERVA_ASSIGN(const cpu::HostMemory memory, cpu::HostMemory::create(most, true));
    // Each thread reads its own range, whose pages it touched first.
    constexpr std::size_t page = 4096;
    const auto threads = static_cast<std::size_t>(team->size());
    const std::size_t stretch = static_cast<std::size_t>(most) / threads / page * page;
    const auto part = [&](int thread) { return memory.data() + static_cast<std::size_t>(thread) * stretch; };
    team->run([&](int thread) { std::memset(part(thread), thread + 1, stretch); });
    std::atomic<std::uint32_t> sink{0};
    BandwidthCurve curve;
    for (const std::uint64_t size : bandwidthSizes(most)) {
      const std::size_t share = std::clamp(static_cast<std::size_t>(size) / threads / page * page, page, stretch);
      const auto read = [&](std::uint32_t times) -> Result<void> {
        team->run([&](int thread) {
          std::uint32_t folded = 0;
          for (std::uint32_t i = 0; i < times; ++i) folded ^= m_kernels.read(part(thread), share);
          sink ^= folded;
        });
        return {};
      };
      MINERVA_ASSIGN(const double speed, fastestRead(share * threads, read, stop));
      curve.add({share * threads, speed});
    }
    return curve;
  }

 private:
  [[nodiscard]] int threadsWanted() const { return m_threads > 0 ? m_threads : physicalCores(); }

  // The threads for what is placed next. How many cores there are is looked at anew: processors are taken offline, and groups of processes
  // get other limits, while a program runs. What is placed keeps the threads that it has.
  std::shared_ptr<ThreadPool> pool() {
    const int wanted = threadsWanted();
    const std::scoped_lock lock(m_changing);
    if (!m_pool || m_pooled != wanted) m_pool = std::make_shared<ThreadPool>(wanted);
    m_pooled = wanted;
    return m_pool;
  }
  [[nodiscard]] int poolSize() const {  // of pool(), which may have fewer threads than wanted
    const int wanted = threadsWanted();
    const std::scoped_lock lock(m_changing);
    return m_pooled == wanted ? m_pool->size() : wanted;
  }

  const cpu::Kernels& m_kernels;
  int m_threads;  // 0: one for each core
  mutable std::mutex m_changing;
  std::shared_ptr<ThreadPool> m_pool;
  int m_pooled = 0;  // threads that m_pool was made for
  std::string m_cacheFolder;
};

}  // namespace

Result<std::unique_ptr<Backend>> createCpuBackend(const CpuOptions& options) {
  if (options.threads < 0 || options.threads > 1024) {
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = "The number of threads is out of range",
                 .expected = "0 (one per core) to 1024",
                 .actual = std::to_string(options.threads)});
  }
  MINERVA_ASSIGN(const cpu::Kernels* kernels, chooseKernels(options.instructionSet));
  return std::make_unique<CpuBackend>(*kernels, options);
}

}  // namespace minerva::backend
