#include "core/backend/split/split_placement.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace minerva::backend {
namespace {

void copyRows(const BufferRows& from, const BufferRows& to) {
  for (int row = 0; row < from.rows; ++row) {
    std::memcpy(to.data + static_cast<std::size_t>(row) * to.stride, from.data + static_cast<std::size_t>(row) * from.stride,
                static_cast<std::size_t>(from.columns) * sizeof(float));
  }
}

}  // namespace

Error onDevice(Error error, const std::string& device) {
  if (error.kind == ErrorKind::cancelled || error.kind == ErrorKind::invalidArgument || error.where == device) return error;
  error.where = error.where.empty() ? device : device + ", " + error.where;
  return error;
}

SplitPlacement::SplitPlacement(model::SplitPlan plan, std::vector<std::string> devices)
    : m_plan(std::move(plan)), m_devices(std::move(devices)), m_placements(m_plan.plans.size()) {}

template <class Call>
Result<void> SplitPlacement::onAll(Call call) {
  for (std::size_t device = 0; device < m_placements.size(); ++device) {
    if (!m_placements[device]) continue;
    if (const Result<void> done = call(*m_placements[device]); !done) return fail(onDevice(done.error(), m_devices[device]));
  }
  return {};
}

Result<void> SplitPlacement::step(std::span<const StepRow> rows) {
  MINERVA_TRY(onAll([&](Placement& placement) { return placement.begin(rows); }));
  for (const model::SplitPart& part : m_plan.parts) {
    if (const Result<void> done = run(part); !done) return done;
  }
  return {};
}

// The rows of each buffer are copied once, from the host's view of the sender's memory to that of the receiver's.
Result<void> SplitPlacement::run(const model::SplitPart& part) {
  Placement& here = *m_placements[part.device];
  for (const model::Handover& handover : part.takes) {
    const auto from = m_placements[handover.sender]->rows(handover.from);
    if (!from) return fail(onDevice(from.error(), m_devices[handover.sender]));
    const auto to = here.rows(handover.to);
    if (!to) return fail(onDevice(to.error(), m_devices[part.device]));
    copyRows(*from, *to);
  }
  const Result<void> done = here.runPart(part.part);
  return done ? done : fail(onDevice(done.error(), m_devices[part.device]));
}

std::size_t SplitPlacement::resultDevice() const {
  const auto found = std::ranges::find_if(m_plan.plans, [](const model::Plan& plan) { return plan.result() != model::none; });
  return static_cast<std::size_t>(found - m_plan.plans.begin());
}

Result<std::span<const float>> SplitPlacement::logits(int i) {
  const std::size_t device = resultDevice();
  auto logits = m_placements[device]->logits(i);
  return logits ? logits : fail(onDevice(logits.error(), m_devices[device]));
}

std::optional<TopLogits> SplitPlacement::topLogits(int i) { return m_placements[resultDevice()]->topLogits(i); }

Result<void> SplitPlacement::copySlot(int from, int to, int length) {
  return onAll([&](Placement& placement) { return placement.copySlot(from, to, length); });
}

Result<void> SplitPlacement::saveCheckpoint(int slot, int position, int checkpoint) {
  return onAll([&](Placement& placement) { return placement.saveCheckpoint(slot, position, checkpoint); });
}

Result<void> SplitPlacement::restoreCheckpoint(int checkpoint, int slot) {
  return onAll([&](Placement& placement) { return placement.restoreCheckpoint(checkpoint, slot); });
}

int SplitPlacement::pagesLeft(std::span<const StepRow> rows, std::span<const int> released) const {
  int least = std::numeric_limits<int>::max();
  for (const auto& placement : m_placements) {
    if (placement) least = std::min(least, placement->pagesLeft(rows, released));
  }
  return least;
}

void SplitPlacement::release(int slot, int from) {
  for (const auto& placement : m_placements) {
    if (placement) placement->release(slot, from);
  }
}

void SplitPlacement::dropCheckpoint(int checkpoint) {
  for (const auto& placement : m_placements) {
    if (placement) placement->dropCheckpoint(checkpoint);
  }
}

MemoryUse SplitPlacement::memory() const {
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

}  // namespace minerva::backend
