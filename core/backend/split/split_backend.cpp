#include "core/backend/split/split_backend.h"

#include "core/backend/slots.h"
#include "core/model/plan_split.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <mutex>

namespace minerva::backend {
namespace {

constexpr int devices = 2;

void copyRows(const BufferRows& from, const BufferRows& to) {
  for (int row = 0; row < from.rows; ++row) {
    std::memcpy(to.data + static_cast<std::size_t>(row) * to.stride, from.data + static_cast<std::size_t>(row) * from.stride,
                static_cast<std::size_t>(from.columns) * sizeof(float));
  }
}

class SplitPlacement final : public Placement {
 public:
  explicit SplitPlacement(model::SplitPlan plan) : m_plan(std::move(plan)) {}

  [[nodiscard]] const model::Plan& planOf(int device) const { return m_plan.plans[static_cast<std::size_t>(device)]; }
  void place(int device, std::unique_ptr<Placement> placement) { m_placements[static_cast<std::size_t>(device)] = std::move(placement); }

  Result<void> step(std::span<const StepRow> rows) override {
    for (const auto& placement : m_placements) {
      if (placement) MINERVA_TRY(placement->begin(rows));
    }
    for (const model::SplitPart& part : m_plan.parts) {
      for (const model::Handover& handover : part.takes) {
        MINERVA_ASSIGN(const BufferRows from, at(1 - part.device).rows(handover.from));
        MINERVA_ASSIGN(const BufferRows to, at(part.device).rows(handover.to));
        copyRows(from, to);
      }
      MINERVA_TRY(at(part.device).runPart(part.part));
    }
    return {};
  }
  Result<std::span<const float>> logits(int i) override { return at(planOf(0).result() != model::none ? 0 : 1).logits(i); }
  std::optional<TopLogits> topLogits(int i) override { return at(planOf(0).result() != model::none ? 0 : 1).topLogits(i); }
  Result<void> copySlot(int from, int to, int length) override {
    for (const auto& placement : m_placements) {
      if (placement) MINERVA_TRY(placement->copySlot(from, to, length));
    }
    return {};
  }
  Result<void> saveCheckpoint(int slot, int checkpoint) override {
    for (const auto& placement : m_placements) {
      if (placement) MINERVA_TRY(placement->saveCheckpoint(slot, checkpoint));
    }
    return {};
  }
  Result<void> restoreCheckpoint(int checkpoint, int slot) override {
    for (const auto& placement : m_placements) {
      if (placement) MINERVA_TRY(placement->restoreCheckpoint(checkpoint, slot));
    }
    return {};
  }
  [[nodiscard]] int pagesLeft(std::span<const StepRow> rows, std::span<const int> released) const override {
    int least = std::numeric_limits<int>::max();
    for (const auto& placement : m_placements) {
      if (placement) least = std::min(least, placement->pagesLeft(rows, released));
    }
    return least;
  }
  void release(int slot) override {
    for (const auto& placement : m_placements) {
      if (placement) placement->release(slot);
    }
  }
  [[nodiscard]] MemoryUse memory() const override {
    MemoryUse sum;
    for (const auto& placement : m_placements) {
      if (!placement) continue;
      const MemoryUse use = placement->memory();
      sum.weights += use.weights;
      sum.kv += use.kv;
      sum.kvHeld += use.kvHeld;
      sum.scratch += use.scratch;
      sum.mapped += use.mapped;
    }
    return sum;
  }

 private:
  [[nodiscard]] Placement& at(int device) { return *m_placements[static_cast<std::size_t>(device)]; }

  model::SplitPlan m_plan;  // declared before the placements, which refer to its plans and must be destroyed first
  std::array<std::unique_ptr<Placement>, devices> m_placements;
};

class SplitBackend final : public Backend {
 public:
  SplitBackend(std::unique_ptr<Backend> accelerator, std::unique_ptr<Backend> host, const SplitChoice& choice)
      : m_backends{std::move(accelerator), std::move(host)}, m_choice(choice) {}

  DeviceInfo info() const override {
    const DeviceInfo a = m_backends[0]->info(), b = m_backends[1]->info();
    DeviceInfo both = a;
    both.id = a.id + "+" + b.id;
    both.kind = a.kind + " and " + b.kind;
    both.threads = b.threads;
    both.shares = false;
    const std::scoped_lock lock(m_mutex);
    if (m_bytesRead != std::array<std::uint64_t, devices>{})
      both.split = std::to_string(m_bytesRead[0]) + "+" + std::to_string(m_bytesRead[1]);
    both.detail = (m_shares.empty() ? "" : m_shares + "; ") + a.detail + "; " + b.name + ", " + b.detail;
    return both;
  }

  Result<std::unique_ptr<Placement>> place(const model::Plan& plan, const PlaceOptions& options, const Progress& progress,
                                           std::stop_token stop) override {
    MINERVA_TRY(checkPlaceOptions(plan, options));
    MINERVA_ASSIGN(model::SplitPlan split, splitFor(plan, options));
    describe(plan, split);
    auto placement = std::make_unique<SplitPlacement>(std::move(split));
    std::array<std::uint64_t, devices + 1> before{};
    for (int device = 0; device < devices; ++device) {
      std::uint64_t bytes = 0;
      for (const model::Weight& weight : placement->planOf(device).weights) bytes += storedBytes(weight.view);
      before[static_cast<std::size_t>(device) + 1] = before[static_cast<std::size_t>(device)] + bytes;
    }
    for (int device = 0; device < devices; ++device) {
      if (placement->planOf(device).ops.empty()) continue;
      const auto d = static_cast<std::size_t>(device);
      const auto own = [&](std::uint64_t done, std::uint64_t total) {
        if (progress && total > 0) {
          const double share = static_cast<double>(done) / static_cast<double>(total);
          progress(before[d] + static_cast<std::uint64_t>(share * static_cast<double>(before[d + 1] - before[d])), before[devices]);
        }
      };
      MINERVA_ASSIGN(auto part, m_backends[d]->place(placement->planOf(device), options, own, stop));
      placement->place(device, std::move(part));
    }
    if (progress) progress(before[devices], before[devices]);
    return placement;
  }

  Result<std::vector<DeviceNeed>> memoryNeeds(const model::Plan& plan, const PlaceOptions& options) const override {
    MINERVA_ASSIGN(const model::SplitPlan split, splitFor(plan, options));
    std::vector<DeviceNeed> all;
    for (std::size_t d = 0; d < devices; ++d) {
      if (split.plans[d].ops.empty()) continue;
      MINERVA_ASSIGN(const std::vector<DeviceNeed> needs, m_backends[d]->memoryNeeds(split.plans[d], options));
      all.insert(all.end(), needs.begin(), needs.end());
    }
    return all;
  }

  // For the last model placed: its bytes divided by the time both devices take one after the other. Before that, the
  // accelerator's curve.
  Result<BandwidthCurve> measureReadBandwidth(const StopAsked& stop) override {
    MINERVA_ASSIGN(const BandwidthCurve accelerator, m_backends[0]->measureReadBandwidth(stop));
    MINERVA_ASSIGN(const BandwidthCurve host, m_backends[1]->measureReadBandwidth(stop));
    const std::scoped_lock lock(m_mutex);
    const auto first = static_cast<double>(m_bytesRead[0]), all = first + static_cast<double>(m_bytesRead[1]);
    if (all == 0) return accelerator;
    BandwidthCurve both;
    for (const BandwidthPoint& point : accelerator.points()) {
      const double size = static_cast<double>(point.bytes), here = size * first / all, there = size - here;
      both.add({point.bytes, size / (here / accelerator.at(here) + there / host.at(there))});
    }
    return both;
  }

 private:
  Result<model::SplitOptions> sharesFor(const model::Plan& plan, const PlaceOptions& options) const {
    const bool apart = m_choice.experts != HostExperts::none;
    if (m_choice.layers != SplitChoice::mostThatFit)
      return model::SplitOptions{.layers = m_choice.layers, .hostExperts = apart ? m_choice.layers : 0};
    const auto needs = [this](const model::Plan& part, const PlaceOptions& wanted) { return m_backends[0]->memoryNeeds(part, wanted); };
    MINERVA_ASSIGN(const model::SplitOptions shares, splitThatFits(needs, plan, options, m_choice.experts));
    if (shares.layers > 0 || model::layerCount(plan) == 0) return shares;
    MINERVA_ASSIGN(const model::SplitPlan one,
                   model::splitPlan(plan, {.layers = 1, .hostExperts = apart && model::hasExperts(plan) ? 1 : 0}));
    MINERVA_ASSIGN(std::vector<DeviceNeed> need, needs(one.plans[0], options));
    Error error = doesNotFit({.fits = false, .needs = std::move(need)});
    error.what = "Not even one layer of the model fits into memory";
    return fail(std::move(error));
  }
  Result<model::SplitPlan> splitFor(const model::Plan& plan, const PlaceOptions& options) const {
    MINERVA_ASSIGN(const model::SplitOptions shares, sharesFor(plan, options));
    return model::splitPlan(plan, shares);
  }
  void describe(const model::Plan& whole, const model::SplitPlan& split) {
    const std::scoped_lock lock(m_mutex);
    m_shares =
        std::to_string(split.layers) + " of " + std::to_string(model::layerCount(whole)) + " layers on " + m_backends[0]->info().id +
        (split.hostExperts > 0 ? ", the experts of " + std::to_string(split.hostExperts) + " of them on " + m_backends[1]->info().id : "");
    for (std::size_t d = 0; d < devices; ++d) m_bytesRead[d] = split.plans[d].weightBytesPerToken();
  }

  std::array<std::unique_ptr<Backend>, devices> m_backends;
  SplitChoice m_choice;
  mutable std::mutex m_mutex;
  // Of the last plan placed; guarded by m_mutex.
  std::string m_shares;
  std::array<std::uint64_t, devices> m_bytesRead{};  // bytes per token
};

}  // namespace

std::unique_ptr<Backend> createSplitBackend(std::unique_ptr<Backend> accelerator, std::unique_ptr<Backend> host,
                                            const SplitChoice& choice) {
  return std::make_unique<SplitBackend>(std::move(accelerator), std::move(host), choice);
}

}  // namespace minerva::backend
