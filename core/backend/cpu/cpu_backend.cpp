#include "core/backend/cpu/cpu_backend.h"

#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/memory.h"
#include "core/backend/cpu/placement.h"
#include "core/base/clock.h"
#include "core/base/cpu_features.h"
#include "core/base/thread_pool.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

namespace minerva::backend {

namespace {

struct InstructionSet {
  const cpu::Kernels& (*kernels)();
  bool (*runsHere)();
};

// Best first.
constexpr std::array<InstructionSet, 5> instructionSets{{
    {cpu::amxKernels, [] { return requestTiles(); }},
    {cpu::avx512Kernels, [] { return cpuFeatures().avx512; }},
    {cpu::avxVnniKernels, [] { return cpuFeatures().avxVnni; }},
    {cpu::avx2Kernels, [] { return cpuFeatures().avx2; }},
    {cpu::baselineKernels, [] { return true; }},
}};

Result<const cpu::Kernels*> chooseKernels(const std::string& wanted) {
  std::string runnable;
  for (const InstructionSet& set : instructionSets) {
    if (!set.runsHere()) continue;
    const cpu::Kernels& kernels = set.kernels();
    if (wanted.empty() || wanted == kernels.name) return &kernels;
    runnable += (runnable.empty() ? "" : ", ") + std::string(kernels.name);
  }
  return fail({.kind = ErrorKind::unsupported,
               .what = "This processor does not run that instruction set, or it is not one we know",
               .expected = "one of " + runnable,
               .actual = wanted});
}

class CpuBackend final : public Backend {
 public:
  CpuBackend(const cpu::Kernels& kernels, int threads) : m_kernels(kernels), m_pool(std::make_shared<ThreadPool>(threads)) {}

  [[nodiscard]] DeviceInfo info() const override {
    DeviceInfo info;
    info.id = "cpu";
    info.kind = "CPU";
    info.name = cpuFeatures().brand;
    info.detail = m_kernels.detail;
    info.memoryTotal = cpu::totalMemory();
    info.memoryFree = cpu::availableMemory();
    info.threads = m_pool->size();
    return info;
  }

  [[nodiscard]] Result<std::unique_ptr<Placement>> place(const model::Plan& plan, const PlaceOptions& options, const Progress& progress,
                                                         std::stop_token stop) override {
    return cpu::CpuPlacement::create(m_pool, m_kernels, plan, options, progress, std::move(stop));
  }

  [[nodiscard]] Result<std::vector<DeviceNeed>> memoryNeeds(const model::Plan& plan, const PlaceOptions& options) const override {
    MINERVA_TRY(checkPlaceOptions(plan, options));
    MINERVA_TRY(cpu::Weights::check(plan));
    const MemoryUse use = cpu::CpuPlacement::memoryNeeds(m_kernels, m_pool->size(), plan, options);
    return std::vector<DeviceNeed>{{"cpu", use, cpu::availableMemory()}};
  }

  [[nodiscard]] Result<double> measureReadBandwidth() override {
    constexpr std::uint64_t wanted = std::uint64_t{1} << 30, least = std::uint64_t{64} << 20;
    const std::uint64_t bytes = std::clamp(cpu::availableMemory() / 4, least, wanted) >> 20 << 20;
    MINERVA_ASSIGN(const cpu::HostMemory memory, cpu::HostMemory::create(bytes, true));
    const auto share = static_cast<std::size_t>(bytes) / static_cast<std::size_t>(m_pool->size()) / 4096 * 4096;
    const auto part = [&](int thread) { return memory.data() + static_cast<std::size_t>(thread) * share; };
    m_pool->run([&](int thread) { std::memset(part(thread), thread + 1, share); });
    double best = 0;
    std::atomic<std::uint32_t> sink{0};
    const TimePoint start = Clock::now();
    for (int pass = 0; pass < 3 || (pass < 20 && millisecondsBetween(start, Clock::now()) < 250); ++pass) {
      const TimePoint from = Clock::now();
      m_pool->run([&](int thread) { sink ^= m_kernels.read(part(thread), share); });
      const double seconds = millisecondsBetween(from, Clock::now()) / 1000;
      best = std::max(best, static_cast<double>(share) * m_pool->size() / seconds);
    }
    return best;
  }

 private:
  const cpu::Kernels& m_kernels;
  std::shared_ptr<ThreadPool> m_pool;
};

}  // namespace

Result<std::unique_ptr<Backend>> createCpuBackend(const CpuOptions& options) {
  if (options.threads < 0 || options.threads > 1024) {
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = "The number of threads is out of range",
                 .expected = "0 (one a core) to 1024",
                 .actual = std::to_string(options.threads)});
  }
  MINERVA_ASSIGN(const cpu::Kernels* kernels, chooseKernels(options.instructionSet));
  return std::make_unique<CpuBackend>(*kernels, options.threads > 0 ? options.threads : physicalCores());
}

}  // namespace minerva::backend
