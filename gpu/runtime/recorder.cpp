#include "gpu/runtime/recorder.h"

#include "gpu/runtime/fusions.h"
#include "gpu/runtime/step_values.h"
#include "gpu/shaders/shared/choices.h"

#include <algorithm>
#include <string>
#include <utility>

namespace minerva::gpu {

Result<Recorder::Recorded> Recorder::record(const StepShape& shape, const vulkan::BufferView& stepSource, StepSubmitter& submitter,
                                            const vulkan::Timestamps* clock) {
  m_shape = shape;
  m_clock = clock;
  m_submitter = &submitter;
  m_parted = {};
  m_hazards.clear();
  MINERVA_ASSIGN(vulkan::Commands first, vulkan::Commands::create(m_c.device, true));
  m_commands = &m_recording.emplace(std::move(first));
  if (!stepSource.empty() && shape.part == 0) {
    m_commands->copy(stepSource, m_c.resident.step, stepRanges(m_c.plan, m_c.resident.stepLayout, shape.rows, shape.outputs));
    m_commands->barrier();
  }
  const model::PlanPart* part = m_c.plan.parts.empty() ? nullptr : &m_c.plan.parts[shape.part];
  if (part != nullptr) exchange(part->received, Direction::fromHost);
  if (clock != nullptr) clock->begin(*m_commands);
  MINERVA_TRY(addOps());
  if (!m_parted) return fail(m_parted.error());
  if (clock != nullptr) clock->record(*m_commands, static_cast<std::uint32_t>(m_c.plan.ops.size()));
  if (part != nullptr) exchange(part->sent, Direction::toHost);
  submitter.sign(*m_commands, m_part);
  MINERVA_TRY(m_commands->end());
  m_commands = nullptr;
  m_submitter = nullptr;
  m_clock = nullptr;
  return Recorded{std::move(*m_recording), m_part, m_work};
}

// Of a step of one token, bytes alone: operations are supposed to be those of a slow device's worst kernel, and it waits for its memory.
double Recorder::workOf(const DispatchWork& work, const std::array<std::uint32_t, 3>& groups) const {
  constexpr double usualBytes = 1024;  // of a workgroup of a kernel that has an element for each invocation
  const double bytes = work.bytes > 0 ? work.bytes : usualBytes * groups[0] * groups[1] * groups[2];
  const double flops = m_shape.rows == 1 ? 0 : work.flops;
  return std::max(flops / m_c.tuning.submissionFlops, bytes / m_c.tuning.submissionBytes);
}

// Begins another command buffer where the one that is recorded has enough to do. Whether it did so.
bool Recorder::makeRoom(double work) {
  const double limit = m_submitter == nullptr ? 1 : m_submitter->limit();
  if (m_work == 0 || m_work + work <= limit || !m_parted) {
    m_work += work;
    return false;
  }
  const double before = std::exchange(m_work, work);
  ++m_part;
  if (m_submitter == nullptr) return false;
  m_parted = nextCommands(before);
  return m_parted.has_value();
}

// A barrier applies to all commands before it, also to those of an earlier submission.
Result<void> Recorder::nextCommands(double work) {
  MINERVA_ASSIGN(vulkan::Commands next, vulkan::Commands::create(m_c.device, true));
  m_submitter->sign(*m_commands, m_part - 1);
  MINERVA_TRY(m_commands->end());
  vulkan::Commands done = std::move(*m_recording);
  m_commands = &m_recording.emplace(std::move(next));
  m_commands->barrier();
  m_hazards.clear();
  return m_submitter->submit(std::move(done), m_part - 1, work);
}

Result<bool> Recorder::collect(const StepShape& shape, std::set<KernelKey>& kernels) {
  m_shape = shape;
  m_collected = &kernels;
  const std::size_t before = kernels.size();
  MINERVA_TRY(addOps());
  m_collected = nullptr;
  return kernels.size() > before;
}

Result<vulkan::Commands> Recorder::recordCompilation(const StepShape& shape, std::set<const vulkan::Pipeline*>& ran) {
  m_shape = shape;
  m_ran = &ran;
  MINERVA_ASSIGN(vulkan::Commands commands, vulkan::Commands::create(m_c.device, false));
  m_commands = &commands;
  MINERVA_TRY(addOps());
  MINERVA_TRY(commands.end());
  m_commands = nullptr;
  m_ran = nullptr;
  return commands;
}

Result<void> Recorder::addOps() {
  m_part = 0;
  m_work = 0;
  m_gathered = {model::none, 0};
  m_normLater.clear();
  m_joins.clear();
  m_partialUsed = 0;
  m_countsByOp.assign(m_collected == nullptr ? 0 : m_c.plan.ops.size(), {});
  const auto [first, last] = model::opsOfPart(m_c.plan, m_shape.part);
  for (std::size_t i = first; i < last; ++i) {
    if (m_clock != nullptr && i > first) m_clock->record(*m_commands, static_cast<std::uint32_t>(i));
    const bool nothing =
        m_shape.outputs == 0 && !model::writes(m_c.plan.ops[i]).empty() && planBuffer(model::writes(m_c.plan.ops[i]).front()).outputRows;
    if (nothing) continue;
    for (const model::BufferId written : model::writes(m_c.plan.ops[i])) m_normLater.erase(written);
    const Counts before = m_counts;
    MINERVA_TRY(std::visit([&](const auto& op) { return add(op, i); }, m_c.plan.ops[i]));
    countSince(before, i);
  }
  if (last < m_c.plan.ops.size()) return {};
  const Counts before = m_counts;
  MINERVA_TRY(addLists());
  countSince(before, last - 1);  // the lists are the head's
  return {};
}

RowsOfOp Recorder::opRows(model::BufferId id) const {
  const std::uint32_t count = rowsOf(id);
  if (m_shape.alike.empty()) return {count, count, 1};
  if (!m_shape.prompts || planBuffer(id).outputRows) return {count, 1, count};
  return {count, static_cast<std::uint32_t>(m_c.options.maxRows), 1};
}

void Recorder::countSince(const Counts& before, std::size_t index) {
  if (m_collected == nullptr) return;
  m_countsByOp[index].dispatches += m_counts.dispatches - before.dispatches;
  m_countsByOp[index].barriers += m_counts.barriers - before.barriers;
  m_countsByOp[index].unitKernels += m_counts.unitKernels - before.unitKernels;
  m_countsByOp[index].flops += m_counts.flops - before.flops;
  m_countsByOp[index].occupied += m_counts.occupied - before.occupied;
}

// Only buffers that the host does not see, or reads slowly, have a copy there.
void Recorder::exchange(const std::vector<model::BufferId>& buffers, Direction direction) {
  if (direction == Direction::toHost) m_commands->barrier();
  for (const model::BufferId id : buffers) {
    const auto host = m_c.hostRows.find(id);
    const std::uint64_t bytes = std::uint64_t{rowsOf(id)} * stride(id) * 4;
    if (host == m_c.hostRows.end() || bytes == 0) continue;
    if (direction == Direction::fromHost) m_commands->copy(host->second.view(), buffer(id), bytes);
    else m_commands->copy(buffer(id), host->second.view(), bytes);
  }
  if (direction == Direction::fromHost) m_commands->barrier();
}

Result<void> Recorder::embedRows(const MatrixUse& use, VkDeviceAddress index, std::uint32_t indexStride, float scale, bool onTop,
                                 model::BufferId out) {
  const WeightLayout& layout = matrixOf(use).layout;
  const FormatModule format = moduleOf(layout.type);
  MINERVA_ASSIGN(const vulkan::Pipeline* kernel, kernelOf<push::Embed>("embed_" + format.name, format.behind({flatGroup}), 0));
  push::Embed p{.weights = m_c.resident.matrices[static_cast<std::size_t>(use.matrix)].address,
                .index = index,
                .out_ = buffer(out).address,
                .plane1 = quads(layout.planes[1]),
                .plane2 = quads(layout.planes[2]),
                .plane3 = quads(layout.planes[3]),
                .blocks = layout.blocks,
                .n = m_shape.rows,
                .columns = layout.columns,
                .outStride = stride(out),
                .scale = scale,
                .indexStride = indexStride,
                .add = onTop ? 1u : 0u,
                .rows = use.rows,
                .unused = 0};
  const std::uint32_t atOnce = std::max(1U, m_c.tuning.workgroups * flatGroup / layout.blocks);
  for (std::uint32_t first = 0; first < m_shape.rows; first += atOnce) {
    p.n = std::min(atOnce, m_shape.rows - first);
    p.index = index + std::uint64_t{first} * indexStride * 4;
    p.out_ = buffer(out).address + std::uint64_t{first} * p.outStride * 4;
    dispatch(kernel, p, VK_NULL_HANDLE, {divideUp(p.n * layout.blocks, flatGroup), 1, 1}, {extra(step)}, {out});
  }
  return {};
}

Result<void> Recorder::add(const model::EmbedOp& op, std::size_t index) {
  const std::vector<MatrixUse>& uses = m_c.matrices.uses[index];
  MINERVA_TRY(embedRows(uses[0], stepAddress(m_c.resident.stepLayout.tokens), 1, op.scale, false, op.out));
  if (op.positions != model::none) {
    MINERVA_TRY(embedRows(uses[1], stepAddress(m_c.resident.stepLayout.rows), 2, 1.0f, true, op.out));
  }
  if (op.types == model::none) return {};
  return embedRows(uses.back(), stepAddress(m_c.resident.stepLayout.types), 1, 1.0f, true, op.out);
}

Result<void> Recorder::norm(const model::Norm& norm, const NormPlace& place, std::initializer_list<Hazards::Resource> reads,
                            Hazards::Resource written) {
  const std::uint32_t kind = norm.kind == model::NormKind::rms ? choice::normRms : choice::normLayer;
  const std::uint32_t lanes = m_c.tuning.lanes;
  const std::uint32_t teams = rowTeams(place.columns);
  MINERVA_ASSIGN(const vulkan::Pipeline* kernel, kernelOf<push::NormRows>("norm", {lanes * teams, teams, kind, place.gating}, lanes));
  const push::NormRows p{.x = place.x,
                         .weight = normWeights(norm),
                         .bias = vectorAddress(norm.bias),
                         .out_ = place.out,
                         .gate = place.gate,
                         .columns = place.columns,
                         .n = place.rows,
                         .xStride = place.xStride,
                         .outStride = place.outStride,
                         .run = place.run,
                         .weightRun = place.weightRun,
                         .epsilon = norm.epsilon,
                         .scale = place.scale,
                         .hasBias = norm.bias == model::none ? 0u : 1u,
                         .add = place.add ? 1u : 0u,
                         .gateStride = place.gateStride,
                         .unused = 0};
  const double bytes = 8.0 * place.rows * place.runs * place.columns;
  dispatch(kernel, p, VK_NULL_HANDLE, {place.rows, place.runs, 1}, reads, {written}, {.flops = 0, .bytes = bytes});
  return {};
}

Result<Recorder::Input> Recorder::normalise(const model::Norm& how, model::BufferId in) {
  if (fusesNorm(how, in)) return Input{&buffer(in), stride(in), in, &how};
  MINERVA_TRY(norm(how,
                   {.x = buffer(in).address,
                    .out = m_c.resident.normed.address,
                    .xStride = stride(in),
                    .outStride = stride(in),
                    .columns = static_cast<std::uint32_t>(planBuffer(in).columns),
                    .rows = rowsOf(in)},
                   {in}, extra(normed)));
  return Input{&m_c.resident.normed, stride(in), extra(normed), nullptr};
}

Result<void> Recorder::add(const model::NormOp& op, std::size_t index) {
  if (fusesNorm(op.norm, op.in) && readersNormalise(m_c.plan, index)) {
    m_normLater[op.out] = &op;
    return {};
  }
  const auto columns = static_cast<std::uint32_t>(planBuffer(op.in).columns);
  const std::uint32_t group = op.group > 0 ? static_cast<std::uint32_t>(op.group) : columns;
  return norm(op.norm,
              {.x = buffer(op.in).address,
               .out = buffer(op.out).address,
               .xStride = stride(op.in),
               .outStride = stride(op.out),
               .columns = group,
               .rows = rowsOf(op.in),
               .runs = columns / group,
               .run = group,
               .weightRun = weightRunOf(op.norm, group),
               .scale = op.scale,
               .add = op.add},
              {op.in}, op.out);
}

Result<void> Recorder::add(const model::PoolOp& op, std::size_t) {
  const std::uint32_t kind = op.pooling == model::Pooling::mean    ? choice::poolMean
                             : op.pooling == model::Pooling::first ? choice::poolFirst
                                                                   : choice::poolLast;
  MINERVA_ASSIGN(const vulkan::Pipeline* kernel, kernelOf<push::Pool>("pool", {flatGroup, kind}, 0));
  const push::Pool p{.from = buffer(op.in).address,
                     .to = buffer(op.out).address,
                     .index = stepAddress(m_c.resident.stepLayout.outputs),
                     .rows = stepAddress(m_c.resident.stepLayout.rows),
                     .columns = static_cast<std::uint32_t>(planBuffer(op.in).columns),
                     .fromStride = stride(op.in),
                     .toStride = stride(op.out),
                     .m = m_shape.outputs};
  dispatch(kernel, p, VK_NULL_HANDLE, {divideUp(p.columns, flatGroup), m_shape.outputs, 1}, {extra(step), op.in}, {op.out});
  return {};
}

Result<void> Recorder::add(const model::GatherOp& op, std::size_t) {
  MINERVA_ASSIGN(const vulkan::Pipeline* kernel, kernelOf<push::Gather>("gather", {flatGroup}, 0));
  const push::Gather p{.from = buffer(op.in).address,
                       .to = buffer(op.out).address,
                       .index = stepAddress(m_c.resident.stepLayout.outputs),
                       .columns = static_cast<std::uint32_t>(planBuffer(op.in).columns),
                       .fromStride = stride(op.in),
                       .toStride = stride(op.out),
                       .m = m_shape.outputs};
  dispatch(kernel, p, VK_NULL_HANDLE, {divideUp(p.columns, flatGroup), m_shape.outputs, 1}, {extra(step), op.in}, {op.out});
  return {};
}

}  // namespace minerva::gpu
