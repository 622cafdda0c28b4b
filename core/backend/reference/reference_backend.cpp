#include "core/backend/reference/reference_backend.h"

#include "core/backend/reference/ops.h"
#include "core/backend/slots.h"
#include "core/base/clock.h"

#include <algorithm>
#include <new>
#include <numeric>

namespace minerva::backend::reference {
namespace {

// Without their memory.
std::vector<KvStore> storesOf(const model::Plan& plan, const PlaceOptions& options) {
  const std::vector<KvGroup> groups = kvGroups(plan, options);
  const std::vector<int> groupOf = groupOfStates(groups);
  std::vector<KvStore> stores;
  for (std::size_t i = 0; i < plan.kv.size(); ++i) {
    const model::KvState& kv = plan.kv[i];
    stores.push_back({.group = groupOf[i],
                      .keyWidth = static_cast<std::size_t>(kv.kvHeadCount) * static_cast<std::size_t>(kv.headDim),
                      .valueWidth = static_cast<std::size_t>(kv.kvHeadCount) * static_cast<std::size_t>(kv.valueDim),
                      .type = keptKv(plan, options),
                      .pages = static_cast<std::size_t>(groups[static_cast<std::size_t>(groupOf[i])].pages),
                      .positions = static_cast<std::size_t>(storedPositions(options)),
                      .keys = {},
                      .values = {}});
  }
  return stores;
}

MemoryUse memoryOf(const model::Plan& plan, const PlaceOptions& options) {
  MemoryUse use;
  for (const model::Weight& weight : plan.weights) use.weights += storedBytes(weight.view);
  use.mapped = use.weights;
  for (const KvStore& store : storesOf(plan, options)) use.kv += (store.keyElements() + store.valueElements()) * sizeof(double);
  use.kv += static_cast<std::uint64_t>(options.slots + options.checkpoints) * plan.recurrentBytes() / sizeof(float) * sizeof(double);
  for (const model::Buffer& buffer : plan.buffers) {
    const auto rows = static_cast<std::uint64_t>(buffer.outputRows ? options.maxOutputRows : options.maxRows);
    use.scratch += rows * static_cast<std::uint64_t>(buffer.columns) * sizeof(double);
  }
  return use;
}

class ReferencePlacement final : public Placement {
 public:
  ReferencePlacement(const model::Plan& plan, const PlaceOptions& options, std::vector<KvStore> kv, std::vector<RecurrentStore> recurrent)
      : m_plan(plan),
        m_use(memoryOf(plan, options)),
        m_slots(plan, options),
        m_kv(std::move(kv)),
        m_recurrent(std::move(recurrent)),
        m_checkpoints(options.slots),
        m_buffers(plan.buffers.size()) {}

  Result<void> step(std::span<const StepRow> rows) override;
  Result<std::span<const float>> logits(int i) override;
  Result<void> copySlot(int from, int to, int length) override;
  Result<void> saveCheckpoint(int slot, int position, int checkpoint) override;
  Result<void> restoreCheckpoint(int checkpoint, int slot) override;
  [[nodiscard]] int pagesLeft(std::span<const StepRow> rows, std::span<const int> released) const override {
    return m_slots.pagesLeft(rows, released);
  }
  void release(int slot, int from) override { m_slots.release(slot, from); }
  void dropCheckpoint(int checkpoint) override { m_slots.dropCheckpoint(checkpoint); }
  [[nodiscard]] MemoryUse memory() const override;

 private:
  void copyPages(const std::vector<PageCopy>& copies);

  const model::Plan& m_plan;
  MemoryUse m_use;  // upper bound: buffers are only as large as each step needs
  Slots m_slots;
  std::vector<KvStore> m_kv;
  std::vector<RecurrentStore> m_recurrent;  // of the slots, then of the checkpoints
  int m_checkpoints;                        // index of the first checkpoint in them
  std::vector<Matrix> m_buffers;
  std::vector<float> m_logits;  // [output rows of the last step, columns of the plan's result]
};

Result<void> ReferencePlacement::step(std::span<const StepRow> rows) {
  MINERVA_TRY(m_slots.check(rows));
  copyPages(m_slots.advance(rows));
  const auto outputRows = static_cast<std::size_t>(std::ranges::count_if(rows, &StepRow::wantsLogits));
  for (std::size_t i = 0; i < m_buffers.size(); ++i) {
    const model::Buffer& buffer = m_plan.buffers[i];
    m_buffers[i].resize(buffer.outputRows ? outputRows : rows.size(), static_cast<std::size_t>(buffer.columns));
  }
  StepState state{m_plan, rows, m_buffers, m_kv, m_slots.pages(), m_recurrent};
  for (const model::Op& op : m_plan.ops) {
    std::visit([&state](const auto& o) { run(o, state); }, op);
  }
  const Matrix& logits = m_buffers[static_cast<std::size_t>(m_plan.result())];
  m_logits.assign(logits.values.begin(), logits.values.end());
  return {};
}

Result<std::span<const float>> ReferencePlacement::logits(int i) {
  const auto columns = static_cast<std::size_t>(m_plan.resultColumns());
  const auto index = static_cast<std::size_t>(i);
  if (i < 0 || (index + 1) * columns > m_logits.size()) {
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = "The last step did not compute these logits",
                 .expected = "below " + std::to_string(m_logits.size() / columns),
                 .actual = std::to_string(i)});
  }
  return std::span<const float>(m_logits).subspan(index * columns, columns);
}

void ReferencePlacement::copyPages(const std::vector<PageCopy>& copies) {
  const auto copyPage = [](std::vector<double>& all, std::size_t elements, const PageCopy& copy) {
    const auto first = all.begin();
    const auto size = static_cast<std::ptrdiff_t>(elements);
    std::copy_n(first + size * copy.from, size, first + size * copy.to);
  };
  for (const PageCopy& copy : copies) {
    for (KvStore& kv : m_kv) {
      if (kv.group != copy.group) continue;
      copyPage(kv.keys, kv.positions * kv.keyWidth, copy);
      copyPage(kv.values, kv.positions * kv.valueWidth, copy);
    }
  }
}

MemoryUse ReferencePlacement::memory() const {
  MemoryUse use = m_use;
  for (const KvStore& kv : m_kv) {
    const auto held = static_cast<std::uint64_t>(m_slots.pages().used(kv.group));
    use.kvHeld += held * kv.positions * (kv.keyWidth + kv.valueWidth) * sizeof(double);
  }
  for (const RecurrentStore& store : m_recurrent) use.kvHeld += store.values.size() * sizeof(double);
  return use;
}

Result<void> ReferencePlacement::copySlot(int from, int to, int length) {
  MINERVA_TRY(m_slots.checkCopy(from, to, length));
  for (RecurrentStore& store : m_recurrent) std::ranges::copy(store.of(from), store.of(to).begin());
  m_slots.copy(from, to, length);
  return {};
}

Result<void> ReferencePlacement::saveCheckpoint(int slot, int position, int checkpoint) {
  MINERVA_TRY(m_slots.checkSave(slot, position, checkpoint));
  for (RecurrentStore& store : m_recurrent) std::ranges::copy(store.of(slot), store.of(m_checkpoints + checkpoint).begin());
  m_slots.save(slot, position, checkpoint);
  return {};
}

Result<void> ReferencePlacement::restoreCheckpoint(int checkpoint, int slot) {
  MINERVA_TRY(m_slots.checkRestore(checkpoint, slot));
  for (RecurrentStore& store : m_recurrent) std::ranges::copy(store.of(m_checkpoints + checkpoint), store.of(slot).begin());
  m_slots.restore(checkpoint, slot);
  return {};
}

class ReferenceBackend final : public Backend {
 public:
  [[nodiscard]] DeviceInfo info() const override {
    return {.id = "reference",
            .kind = "CPU",
            .name = "Reference",
            .detail = "double precision, one thread",
            .uuid = "",
            .software = true,
            .threads = 1,
            .split = ""};
  }
  Result<std::unique_ptr<Placement>> place(const model::Plan& plan, const PlaceOptions& options, const Progress& progress,
                                           std::stop_token stop) override;
  Result<std::vector<DeviceNeed>> memoryNeeds(const model::Plan& plan, const PlaceOptions& options) const override {
    MINERVA_TRY(checkPlaceOptions(plan, options));
    return std::vector<DeviceNeed>{{"reference", memoryOf(plan, options), 0}};
  }
  Result<BandwidthCurve> measureReadBandwidth(const StopAsked& stop) override;
};

Result<std::unique_ptr<Placement>> ReferenceBackend::place(const model::Plan& plan, const PlaceOptions& options, const Progress& progress,
                                                           std::stop_token stop) {
  MINERVA_TRY(checkPlaceOptions(plan, options));
  if (stop.stop_requested()) return fail({.kind = ErrorKind::cancelled, .what = "Loading was cancelled"});
  std::vector<KvStore> stores = storesOf(plan, options);
  std::vector<RecurrentStore> recurrent;
  std::uint64_t wanted = 0;
  try {
    for (KvStore& kv : stores) {
      wanted += (kv.keyElements() + kv.valueElements()) * sizeof(double);
      kv.keys.resize(kv.keyElements());
      kv.values.resize(kv.valueElements());
    }
    for (const model::RecurrentState& state : plan.recurrent) {
      RecurrentStore store{.size = static_cast<std::size_t>(state.rows) * static_cast<std::size_t>(state.columns), .values = {}};
      const std::size_t elements = static_cast<std::size_t>(options.slots + options.checkpoints) * store.size;
      wanted += elements * sizeof(double);
      store.values.resize(elements);
      recurrent.push_back(std::move(store));
    }
  } catch (const std::bad_alloc&) {
    return fail({.kind = ErrorKind::outOfMemory,
                 .what = "The states of the sequences do not fit into memory",
                 .expected = std::to_string(wanted) + " bytes or more",
                 .actual = "refused by the system",
                 .hint = "Choose a shorter context"});
  }
  const std::uint64_t bytes = plan.weightBytesPerToken();
  if (progress) progress(bytes, bytes);  // weights are read in place, so there is nothing to load
  return std::make_unique<ReferencePlacement>(plan, options, std::move(stores), std::move(recurrent));
}

// Measures one size only, because performance does not matter for this device.
Result<BandwidthCurve> ReferenceBackend::measureReadBandwidth(const StopAsked& stop) {
  if (stop && stop()) return measurementCancelled();
  const std::vector<double> data(std::size_t{32} << 20, 1.0);
  const std::uint64_t bytes = data.size() * sizeof(double);
  const auto read = [&](std::uint32_t times) -> Result<void> {
    for (std::uint32_t i = 0; i < times; ++i)
      if (std::accumulate(data.begin(), data.end(), 0.0) != static_cast<double>(data.size()))
        return fail({.what = "Reading memory gave wrong values"});
    return {};
  };
  MINERVA_ASSIGN(const double speed, fastestRead(bytes, read, stop));
  BandwidthCurve curve;
  curve.add({bytes, speed});
  return curve;
}

}  // namespace

std::unique_ptr<Backend> createReferenceBackend() { return std::make_unique<ReferenceBackend>(); }

}  // namespace minerva::backend::reference
