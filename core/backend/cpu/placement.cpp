#include "core/backend/cpu/placement.h"

#include "core/backend/cpu/codes.h"
#include "core/backend/cpu/projection_layout.h"
#include "core/backend/fit.h"
#include "core/model/mixer_inputs.h"
#include "core/base/system_memory.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

namespace minerva::cpu {

namespace {

int bufferRows(const model::Buffer& buffer, const backend::PlaceOptions& options) {
  return buffer.outputRows ? options.maxOutputRows : options.maxRows;
}

std::uint64_t bufferBytes(const model::Plan& plan, const backend::PlaceOptions& options) {
  std::uint64_t bytes = 0;
  for (const model::Buffer& buffer : plan.buffers) {
    bytes +=
        paddedColumns(static_cast<std::size_t>(buffer.columns)) * sizeof(float) * static_cast<std::uint64_t>(bufferRows(buffer, options));
  }
  return bytes;
}

std::size_t widestBuffer(const model::Plan& plan) {
  std::size_t widest = 0;
  for (const model::Buffer& buffer : plan.buffers) widest = std::max(widest, paddedColumns(static_cast<std::size_t>(buffer.columns)));
  return widest;
}

std::size_t threadFloats(const model::Plan& plan) { return std::max(widestBuffer(plan), recurrentScratch(plan)); }

// Sizes the scratch for grouped projections (experts and heads).
void addGroupedLimits(const model::Plan& plan, const backend::PlaceOptions& options, Projector::Limits& limits) {
  const auto typeOf = [&](model::WeightId weight) { return plan.weights[static_cast<std::size_t>(weight)].view.type; };
  const auto add = [&](int rows, int groups, int columns, ElementType type) {
    limits.groupedProducts = std::max(limits.groupedProducts, productsOf(type));
    limits.groupedRows = std::max(limits.groupedRows, rows);
    limits.groups = std::max(limits.groups, groups);
    limits.groupedColumns = std::max(limits.groupedColumns, static_cast<int>(paddedColumns(static_cast<std::size_t>(columns))));
  };
  for (const model::Op& op : plan.ops) {
    if (const auto* expert = std::get_if<model::ExpertOp>(&op)) {
      const int columns = plan.buffers[static_cast<std::size_t>(expert->in)].columns / (expert->perPlace ? expert->used : 1);
      for (const model::ExpertPart& part : expert->parts)
        for (const model::WeightId weight : part.weights) add(options.maxRows * expert->used, expert->experts, columns, typeOf(weight));
    } else if (const auto* heads = std::get_if<model::HeadProjOp>(&op)) {
      add(std::min(options.maxRows, headProjRows) * heads->heads, heads->heads,
          static_cast<int>(plan.weights[static_cast<std::size_t>(heads->weight)].view.shape.columns()), typeOf(heads->weight));
    }
  }
}

std::uint64_t rotationBytes(const model::Plan& plan, const backend::PlaceOptions& options) {
  std::uint64_t bytes = 0;
  for (const model::Rope& rope : plan.ropes) {
    bytes += static_cast<std::uint64_t>(options.maxRows) * static_cast<std::uint64_t>(rope.dimension) * sizeof(float);
  }
  return bytes;
}

int projectionColumns(const model::Plan& plan) {
  std::size_t columns = columnStep;
  const auto widen = [&](model::BufferId in) {
    columns = std::max(columns, paddedColumns(static_cast<std::size_t>(plan.buffers[static_cast<std::size_t>(in)].columns)));
  };
  for (const model::Op& op : plan.ops) {
    if (const auto* proj = std::get_if<model::ProjOp>(&op)) widen(proj->in);
    else if (const auto* head = std::get_if<model::HeadOp>(&op)) widen(head->in);
  }
  return static_cast<int>(columns);
}

Projector::Limits limitsOf(const model::Plan& plan, const backend::PlaceOptions& options) {
  Projector::Limits limits{
      .maxRows = options.maxRows, .maxColumns = projectionColumns(plan), .exact = options.precision == backend::Precision::exact};
  // The delta rule subtracts what its state predicts from what comes in, so that a rounding error of any input stays and grows: with
  // bf16, two of the reference cases of Qwen 3.5 were off by twice the tolerance; one still, where what mixers read is not rounded.
  limits.roundsInputs = std::ranges::none_of(plan.ops, [](const model::Op& op) { return std::holds_alternative<model::DeltaOp>(op); });
  limits.promptsAlike = options.alike == backend::Alike::always;
  addGroupedLimits(plan, options, limits);
  return limits;
}

// Ops whose jobs are dealt out in ranges.
bool streamsWeights(const model::Op& op) {
  return std::visit(
      [](const auto& one) {
        using Op = std::remove_cvref_t<decltype(one)>;
        return std::is_same_v<Op, model::ProjOp> || std::is_same_v<Op, model::HeadOp> || std::is_same_v<Op, model::ExpertOp> ||
               std::is_same_v<Op, model::HeadProjOp>;
      },
      op);
}

}  // namespace

CpuPlacement::CpuPlacement(std::shared_ptr<ThreadPool> pool, const Kernels& kernels, const model::Plan& plan,
                           const backend::PlaceOptions& options)
    : m_pool(std::move(pool)), m_kernels(kernels), m_plan(plan), m_options(options), m_slots(plan, options) {
  for (const model::Op& op : plan.ops) m_jobs.emplace_back(streamsWeights(op) ? m_pool->size() : 0);
}

backend::MemoryUse CpuPlacement::memoryNeeds(const Kernels& kernels, int threads, const model::Plan& plan,
                                             const backend::PlaceOptions& options) {
  const Weights::Bytes weights = Weights::bytesNeeded(plan);
  return {.weights = weights.allocated + weights.mapped,
          .kv = KvCache::bytesNeeded(plan, options) + RecurrentStates::bytesNeeded(plan, options),
          .scratch = bufferBytes(plan, options) + Projector::scratchNeeded(kernels, limitsOf(plan, options), threads) +
                     AttentionRuns::bytesNeeded(plan, options, threads) + rotationBytes(plan, options) +
                     static_cast<std::uint64_t>(threads) * threadFloats(plan) * sizeof(float),
          .mapped = weights.mapped};
}

Result<std::unique_ptr<backend::Placement>> CpuPlacement::create(std::shared_ptr<ThreadPool> pool, const Kernels& kernels,
                                                                 const model::Plan& plan, const backend::PlaceOptions& options,
                                                                 const backend::Progress& progress, std::stop_token stop) {
  MINERVA_TRY(backend::checkPlaceOptions(plan, options));
  MINERVA_TRY(Weights::check(plan));
  std::unique_ptr<CpuPlacement> placement(new CpuPlacement(std::move(pool), kernels, plan, options));
  const backend::DeviceNeed need{"cpu", memoryNeeds(kernels, placement->m_pool->size(), plan, options), systemMemory().available};
  if (!need.fits() && !options.evenIfTooLarge) return fail(backend::doesNotFit({.fits = false, .needs = {need}}));
  MINERVA_ASSIGN(placement->m_projector, Projector::create(kernels, limitsOf(plan, options), *placement->m_pool));
  MINERVA_TRY(placement->allocate());
  MINERVA_ASSIGN(placement->m_weights, Weights::place(plan, *placement->m_pool, progress, std::move(stop)));
  const std::vector<bool> mixed = model::mixerInputs(plan);
  placement->describeProjections(mixed);
  placement->describeGroups(mixed);
  return placement;
}

Result<void> CpuPlacement::allocate() {
  std::size_t offset = 0;
  for (const model::Buffer& buffer : m_plan.buffers) {
    m_bufferOffsets.push_back(offset);
    m_bufferStrides.push_back(paddedColumns(static_cast<std::size_t>(buffer.columns)));
    offset += m_bufferStrides.back() * static_cast<std::size_t>(bufferRows(buffer, m_options));
  }
  // Small pages, because small steps never touch most rows of the buffers, which are sized for large steps.
  MINERVA_ASSIGN(m_buffers, HostMemory::create(offset * sizeof(float), false));
  MINERVA_ASSIGN(m_attention, AttentionRuns::create(m_plan, m_options, m_pool->size()));
  MINERVA_ASSIGN(m_cache, KvCache::create(m_plan, m_options));
  MINERVA_ASSIGN(m_states, RecurrentStates::create(m_plan, m_options));
  m_threadRows.resize(static_cast<std::size_t>(m_pool->size()));
  m_threadFloats.resize(static_cast<std::size_t>(m_pool->size()));
  for (std::vector<float>& floats : m_threadFloats) floats.resize(threadFloats(m_plan));
  m_rows.reserve(static_cast<std::size_t>(m_options.maxRows));
  m_outputRows.reserve(static_cast<std::size_t>(m_options.maxOutputRows));
  for (const model::Rope& rope : m_plan.ropes) {
    m_cosSin.emplace_back(static_cast<std::size_t>(m_options.maxRows) * static_cast<std::size_t>(rope.dimension));
  }
  return {};
}

Rows CpuPlacement::rowsOf(model::BufferId id) const {
  const auto index = static_cast<std::size_t>(id);
  const auto count = m_plan.buffers[index].outputRows ? m_outputRows.size() : m_rows.size();
  return {reinterpret_cast<float*>(m_buffers.data()) + m_bufferOffsets[index], m_bufferStrides[index], static_cast<int>(count)};
}

Projection CpuPlacement::describe(const model::ProjOp& op, const std::vector<bool>& mixed) {
  std::vector<ProjectionPart>& parts = m_parts.emplace_back();
  for (const model::ProjPart& part : op.parts) parts.push_back({&m_weights.matrix(part.weight), m_weights.vector(part.bias), part.column});
  Projection p{};
  p.columns = m_plan.buffers[static_cast<std::size_t>(op.in)].columns;
  p.normalised = op.normalised;
  if (op.normalised) {
    p.norm = codeOf(op.norm.kind);
    p.epsilon = op.norm.epsilon;
    p.normWeight = m_weights.vector(op.norm.weight);
    p.normBias = m_weights.vector(op.norm.bias);
  }
  p.gated = op.epilogue == model::Epilogue::gated;
  const bool activates = p.gated || op.epilogue == model::Epilogue::activated;
  p.activation = activates ? codeOf(op.activation) : ActivationCode::none;
  p.add = op.epilogue == model::Epilogue::add;
  p.exact = op.chooses;
  p.fine = mixed[static_cast<std::size_t>(op.out)];
  p.scale = op.scale;
  return p;
}

Projection CpuPlacement::describe(const model::HeadOp& op) {
  m_parts.push_back({{&m_weights.matrix(op.weight), m_weights.vector(op.bias), 0}});
  Projection p{};
  p.columns = m_plan.buffers[static_cast<std::size_t>(op.in)].columns;
  p.normalised = true;
  p.norm = codeOf(op.norm.kind);
  p.epsilon = op.norm.epsilon;
  p.normWeight = m_weights.vector(op.norm.weight);
  p.normBias = m_weights.vector(op.norm.bias);
  p.activation = ActivationCode::none;
  p.softCap = op.softCap;
  p.scale = op.scale;
  return p;
}

// Sets all fields of each projection except its rows, which change with every step.
void CpuPlacement::describeProjections(const std::vector<bool>& mixed) {
  m_projections.resize(m_plan.ops.size());
  m_parts.reserve(m_plan.ops.size());
  for (std::size_t i = 0; i < m_plan.ops.size(); ++i) {
    if (const auto* proj = std::get_if<model::ProjOp>(&m_plan.ops[i])) m_projections[i] = describe(*proj, mixed);
    else if (const auto* head = std::get_if<model::HeadOp>(&m_plan.ops[i])) m_projections[i] = describe(*head);
    else continue;
    m_projections[i].parts = m_parts.back();
    m_jobs[i].allowRepeats(m_projector.mostRepeated(m_projections[i]));
  }
}

namespace {

// Rows [first, first + rows) of matrix `index` out of `count` stacked matrices.
Matrix slice(const Matrix& all, int count, int index, int first, int rows) {
  Matrix one = all;
  one.panels = all.panel((index * (all.rows / count) + first) / panelRows);
  one.rows = rows;
  return one;
}

}  // namespace

GroupedPart CpuPlacement::groupedPart(const model::ExpertPart& part, int experts, int first, int rows) const {
  const bool stacked = part.weights.size() == 1;
  const int all = m_weights.matrix(part.weights.front()).rows / (stacked ? experts : 1);
  GroupedPart out{{}, m_weights.vector(part.bias), all, first};
  for (int e = 0; e < experts; ++e) {
    const Matrix& matrix = m_weights.matrix(part.weights[stacked ? 0 : static_cast<std::size_t>(e)]);
    out.matrices.push_back(stacked ? slice(matrix, experts, e, first, rows) : slice(matrix, 1, 0, first, rows));
  }
  return out;
}

void CpuPlacement::describeGroups(const std::vector<bool>& mixed) {
  m_grouped.resize(m_plan.ops.size());
  for (std::size_t i = 0; i < m_plan.ops.size(); ++i) {
    Grouped& grouped = m_grouped[i];
    if (const auto* heads = std::get_if<model::HeadProjOp>(&m_plan.ops[i])) {
      const Shape& shape = m_plan.weights[static_cast<std::size_t>(heads->weight)].view.shape;
      grouped.parts.push_back(groupedPart({{heads->weight}, model::none}, heads->heads, 0, static_cast<int>(shape.dims[1])));
      grouped.projection.columns = static_cast<int>(shape.columns());
      grouped.projection.fine = mixed[static_cast<std::size_t>(heads->out)];
    } else if (const auto* op = std::get_if<model::ExpertOp>(&m_plan.ops[i])) {
      const int results = m_plan.buffers[static_cast<std::size_t>(op->out)].columns / op->used;
      grouped.projection.columns = m_plan.buffers[static_cast<std::size_t>(op->in)].columns / (op->perPlace ? op->used : 1);
      grouped.projection.gated = op->gated && op->gatePlace != model::GatePlace::alternating;
      grouped.projection.pairs = op->gated && op->gatePlace == model::GatePlace::alternating;
      grouped.projection.activation = codeOf(op->activation);
      grouped.parts.push_back(groupedPart(op->parts[0], op->experts, 0, grouped.projection.pairs ? 2 * results : results));
      const bool halves = op->gated && op->gatePlace == model::GatePlace::halves;
      if (grouped.projection.gated)
        grouped.parts.push_back(groupedPart(op->parts[halves ? 0 : 1], op->experts, halves ? results : 0, results));
    }
    grouped.projection.parts = grouped.parts;
  }
}

Result<void> CpuPlacement::step(std::span<const backend::StepRow> rows) {
  MINERVA_TRY(begin(rows));
  for (std::size_t part = 0; part < model::partCount(m_plan); ++part) MINERVA_TRY(runPart(part));
  return {};
}

Result<std::vector<double>> CpuPlacement::timeStep(std::span<const backend::StepRow> rows) {
  m_ends.assign(m_plan.ops.size(), {});
  TimePoint before = Clock::now();
  const Result<void> done = step(rows);
  const std::vector<TimePoint> ends = std::exchange(m_ends, {});
  MINERVA_TRY(done);
  std::vector<double> milliseconds;
  for (const TimePoint end : ends) milliseconds.push_back(millisecondsBetween(std::exchange(before, end), end));
  return milliseconds;
}

Result<void> CpuPlacement::begin(std::span<const backend::StepRow> rows) {
  MINERVA_TRY(m_slots.check(rows));
  m_cache.copy(m_slots.advance(rows));
  m_rows.assign(rows.begin(), rows.end());
  m_outputRows.clear();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].wantsLogits) m_outputRows.push_back(static_cast<int>(i));
  }
  if (!m_plan.recurrent.empty()) m_sequences.set(rows);
  m_attention.setRows(rows);
  const auto afterReplies = std::ranges::find_if(rows, [](const backend::StepRow& row) { return row.use != backend::RowUse::reply; });
  m_replies = static_cast<int>(afterReplies - rows.begin());
  for (OpJobs& jobs : m_jobs) jobs.reset();
  m_rotations.reset();
  return {};
}

Result<void> CpuPlacement::runPart(std::size_t part) {
  m_pool->run([this, part](int thread) noexcept { runOps(thread, part); });
  return {};
}

Result<backend::BufferRows> CpuPlacement::rows(model::BufferId buffer) {
  const Rows rows = rowsOf(buffer);
  return backend::BufferRows{rows.data, rows.stride, rows.count, m_plan.buffers[static_cast<std::size_t>(buffer)].columns};
}

Result<std::span<const float>> CpuPlacement::logits(int i) {
  if (i < 0 || i >= static_cast<int>(m_outputRows.size())) {
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = "The last step did not compute these logits",
                 .expected = "below " + std::to_string(m_outputRows.size()),
                 .actual = std::to_string(i)});
  }
  return std::span<const float>(rowsOf(m_plan.result()).row(i), static_cast<std::size_t>(m_plan.resultColumns()));
}

Result<void> CpuPlacement::copySlot(int from, int to, int length) {
  MINERVA_TRY(m_slots.checkCopy(from, to, length));
  m_states.copySlot(from, to);
  m_slots.copy(from, to, length);
  return {};
}

Result<void> CpuPlacement::saveCheckpoint(int slot, int position, int checkpoint) {
  MINERVA_TRY(m_slots.checkSave(slot, position, checkpoint));
  m_states.save(slot, checkpoint);
  m_slots.save(slot, position, checkpoint);
  return {};
}

Result<void> CpuPlacement::restoreCheckpoint(int checkpoint, int slot) {
  MINERVA_TRY(m_slots.checkRestore(checkpoint, slot));
  m_states.restore(checkpoint, slot);
  m_slots.restore(checkpoint, slot);
  return {};
}

backend::MemoryUse CpuPlacement::memory() const {
  const Weights::Bytes weights = m_weights.bytes();
  std::uint64_t scratch = m_buffers.size() + m_attention.bytes() + m_projector.bytes();
  for (const std::vector<float>& floats : m_threadFloats) scratch += floats.size() * sizeof(float);
  for (const std::vector<float>& rope : m_cosSin) scratch += rope.size() * sizeof(float);
  return {.weights = weights.allocated + weights.mapped,
          .kv = m_cache.bytes() + m_states.bytes(),
          .scratch = scratch,
          .mapped = weights.mapped,
          .kvHeld = m_cache.held(m_slots.pages()) + m_states.bytes()};
}

}  // namespace minerva::cpu
