#include "gpu/runtime/plain_projection.h"
#include "gpu/runtime/projection_form.h"
#include "gpu/runtime/recorder.h"
#include "gpu/shaders/shared/choices.h"

#include <algorithm>
#include <string>

namespace minerva::gpu {

namespace {

std::uint32_t epilogueChoice(model::Epilogue epilogue) {
  switch (epilogue) {
    case model::Epilogue::store: return choice::epilogueStore;
    case model::Epilogue::add: return choice::epilogueAdd;
    case model::Epilogue::gated: return choice::epilogueGated;
    case model::Epilogue::activated: return choice::epilogueActivated;
  }
  return choice::epilogueStore;
}

}  // namespace

Result<VkDescriptorSet> Recorder::matrixSet(const MatrixUse& use, const Input& in, const vulkan::Pipeline* pipeline) {
  if (pipeline == nullptr || pipeline->texelBindings() == 0) return VkDescriptorSet{VK_NULL_HANDLE};
  const auto key = std::make_pair(use.matrix, in.view->address);
  if (const auto found = m_c.matrixSets.find(key); found != m_c.matrixSets.end()) return found->second;
  const std::array<vulkan::Texels, 3> texels =
      texelsOf(m_c.resident.matrices[static_cast<std::size_t>(use.matrix)], *in.view, m_c.device->info().maxTexelElements);
  MINERVA_ASSIGN(const VkDescriptorSet set, m_c.sets.make(*pipeline, texels));
  m_c.matrixSets.emplace(key, set);
  return set;
}

// Workgroups along y of a token, or of a tile of gathered places: they read what belongs to it together.
std::uint32_t Recorder::alongY(const Places& places) { return places.summed || places.gathering.tokens > 0 ? 1 : places.count; }

// The product from a later token on, or of gathered places from a later tile on, whose entries stay where they are.
push::Matvec Recorder::runOf(push::Matvec product, const Places& places, std::uint32_t first) {
  if (places.gathering.tokens > 0) {
    product.route += std::uint64_t{first} * 16;
    product.routeStride -= first;
    return product;
  }
  product.x += std::uint64_t{first} * product.xStride * 4;
  product.out_ += std::uint64_t{first} * product.outStride * 4;
  product.aux += std::uint64_t{first} * product.outStride * 4;
  product.route += std::uint64_t{first} * product.routeStride * 4;
  return product;
}

// Whether the projection kernel can normalise its input itself.
bool Recorder::fusesNorm(const model::Norm& norm, model::BufferId in) const {
  return m_c.tuning.fusedNorm && opRows(in).chosenFor == 1 && norm.kind == model::NormKind::rms && norm.bias == model::none;
}

push::Matvec Recorder::operandsOf(const MatrixUse& use, const Input& in, const Output& out, std::uint32_t n, const Places& places) const {
  const WeightLayout& layout = matrixOf(use).layout;
  const bool hasBias = !use.biases.empty();
  return {.weights = m_c.resident.matrices[static_cast<std::size_t>(use.matrix)].address,
          .x = in.view->address,
          .bias = hasBias ? m_c.resident.constants.address + m_c.resident.biases.at(&use) : 0,
          .aux = places.shared == nullptr ? m_c.resident.aside.address : places.shared->view->address,
          .out_ = out.view->address + std::uint64_t{out.column} * 4,
          .route = places.route == nullptr ? 0 : places.route->view->address,
          .norm = in.norm == nullptr ? 0 : normWeights(*in.norm),
          .plane1 = quads(layout.planes[1]),
          .plane2 = quads(layout.planes[2]),
          .plane3 = quads(layout.planes[3]),
          .rows = use.rows,
          .groups = use.groups,
          .blocks = layout.blocks,
          .n = places.kind == choice::placesRouted ? places.experts : n,
          .xStride = in.stride,
          .outStride = out.stride,
          .routeStride = places.route == nullptr ? 0 : places.route->stride,
          .hasBias = hasBias ? 1u : 0u,
          .scale = out.scale,
          .softCap = out.softCap,
          .places = places.count,
          .xPlace = places.xPlace,
          .outPlace = places.outPlace,
          .columns = places.kind == choice::placesNone ? layout.columns : places.columns,
          .epsilon = in.norm == nullptr ? 0.0f : in.norm->epsilon};
}

// Its partial sums go behind those that wait to be added up.
void Recorder::splitColumns(push::Matvec& product, const ColumnRanges& ranges, const Output& out, Hazards::Resource written) {
  const auto end = m_partialUsed + static_cast<std::uint32_t>(ranges.floats);
  const push::Matvec sum = splitOperands(product, ranges, m_c.resident.partial.address + std::uint64_t{m_partialUsed} * 4);
  m_joins.push_back({.operands = sum, .out = out, .sums = {extra(partial), m_partialUsed, end}, .written = written});
  m_partialUsed = end;
}

Result<void> Recorder::joinRanges() {
  for (const Join& join : m_joins) {
    MINERVA_ASSIGN(const vulkan::Pipeline* kernel,
                   kernelOf<push::Matvec>("matmul_join", {flatGroup, join.out.epilogue, join.out.activation}, 0));
    const Hazards::Resource kept = join.out.epilogue == choice::epilogueAuxGated ? extra(aside) : join.sums;
    dispatch(kernel, join.operands, VK_NULL_HANDLE, {divideUp(join.operands.rows, flatGroup), join.operands.n, 1}, {join.sums, kept},
             {join.written});
  }
  m_joins.clear();
  m_partialUsed = 0;
  return {};
}

ProjectionForm Recorder::formOf(const MatrixUse& use, const Input& in, const Output& out, const RowsOfOp& rows,
                                const Places& places) const {
  const WeightLayout& layout = matrixOf(use).layout;
  const bool gathered = places.gathering.tokens > 0;
  const bool inRuns = places.kind == choice::placesRouted && rows.count > m_c.tuning.workgroups / alongY(places);
  return projectionForm(m_c.tuning, m_c.device->info().matrixUnit,
                        {.type = layout.type,
                         .groups = use.groups,
                         .blocks = layout.blocks,
                         .tokens = gathered ? places.gathering.tokens : rows.chosenFor,
                         .epilogue = out.epilogue,
                         .activation = out.activation,
                         .places = places.kind,
                         .alike = rows.alike,
                         .normed = in.norm != nullptr,
                         .summed = places.summed ? places.count : 0,
                         .shared = places.shared == nullptr ? 0u
                                   : places.sharedGate      ? 2u
                                                            : 1u,
                         .rounds = gathered ? places.gathering.rounds : mayRound() && !out.exact,
                         .bytes = layout.bytes,
                         .texels = inRuns ? 0 : m_c.device->info().maxTexelElements,  // a run's input begins at an address
                         .room = partialSums - m_partialUsed});
}

Result<void> Recorder::project(const MatrixUse& use, const Input& in, const Output& out, const RowsOfOp& rows, const Places& places) {
  const std::uint32_t n = rows.count;
  const ProjectionForm form = formOf(use, in, out, rows, places);
  const bool split = form.ranges.count > 1;
  if (!split && out.epilogue == choice::epilogueAuxGated) MINERVA_TRY(joinRanges());  // it reads `aside`
  MINERVA_ASSIGN(const vulkan::Pipeline* kernel, kernelOf<push::Matvec>(form.kernel, form.constants, form.lanes));
  MINERVA_ASSIGN(const VkDescriptorSet set, matrixSet(use, in, kernel));
  push::Matvec p = operandsOf(use, in, out, n, places);
  const std::uint32_t workgroups = divideUp(use.groups * groupRows, form.rows);
  const bool gathered = places.gathering.tokens > 0;
  const std::uint32_t tiles = gathered ? places.gathering.tiles : divideUp(n, form.columns) * alongY(places);
  const std::uint32_t y = tiles * form.ranges.count;
  const double results = gathered ? 1.0 * places.gathering.tiles * places.gathering.tile : 1.0 * n * places.count;
  const double flops = 2.0 * results * use.groups * groupRows * p.blocks * blockColumns;
  const double read = places.kind == choice::placesRouted ? std::min(1.0, results / places.experts) : 1.0;  // of the matrix
  DispatchWork work{.flops = flops, .bytes = read * static_cast<double>(matrixOf(use).layout.bytes), .units = form.units};
  const std::uint32_t z = rowsOfWorkgroups(workgroups, m_c.tuning.workgroups, flops / y, mostFlops(form.units));
  const std::array<std::uint32_t, 3> groups = form.tokensFirst ? tokensFirst(y, workgroups) : std::array{divideUp(workgroups, z), y, z};
  // The add epilogue also reads `out`; declaring the write covers that hazard.
  const Hazards::Resource routed = places.route == nullptr ? in.resource : places.route->resource;
  const Hazards::Resource kept = places.shared != nullptr                             ? places.shared->resource
                                 : out.epilogue == choice::epilogueAuxGated && !split ? extra(aside)
                                                                                      : in.resource;
  // Parts of a projection whose types differ, such as Q, K and V, write columns beside each other.
  const bool whole = places.kind != choice::placesNone;
  Hazards::Resource written = whole ? out.resource : Hazards::Resource(out.resource.id, out.column, out.column + use.rows);
  if (split) {
    splitColumns(p, form.ranges, out, written);
    written = m_joins.back().sums;
  }
  if (y <= m_c.tuning.workgroups || places.kind == choice::placesNone) {
    dispatch(kernel, p, set, groups, {in.resource, routed, kept}, {written}, work);
    return {};
  }
  const std::uint32_t each = alongY(places), most = m_c.tuning.workgroups / each * each;
  for (std::uint32_t first = 0; first < y; first += most) {
    const std::uint32_t count = std::min(most, y - first);
    work.flops = flops * count / y;
    dispatch(kernel, runOf(p, places, first / each), set, {groups[0], count, z}, {in.resource, routed, kept}, {written}, work);
  }
  return {};
}

// Partial sums are added up behind the last product, so that products of matrices of several types run beside each other.
Result<void> Recorder::projectAll(std::size_t index, const Input& in, const Output& out, const RowsOfOp& rows, const Places& places) {
  for (const MatrixUse& use : m_c.matrices.uses[index]) {
    Output to = out;
    to.column = use.outColumn;
    if (use.role == Role::gate) {
      to.view = &m_c.resident.aside;
      to.resource = extra(aside);
      to.epilogue = choice::epilogueStore;
    }
    if (use.role == Role::gated) to.epilogue = choice::epilogueAuxGated;
    MINERVA_TRY(project(use, in, to, rows, places));
  }
  return joinRanges();
}

Result<void> Recorder::add(const model::ProjOp& op, std::size_t index) {
  Input in = inputOf(op.in);
  if (op.normalised) {
    MINERVA_ASSIGN(in, normalise(op.norm, op.in));
  }
  const float scale = op.epilogue == model::Epilogue::add ? op.scale : 1.0f;
  return projectAll(
      index, in,
      {&buffer(op.out), stride(op.out), 0, op.out, epilogueChoice(op.epilogue), activationChoice(op.activation), scale, 0.0f, op.chooses},
      opRows(op.in), {});
}

Result<void> Recorder::add(const model::HeadOp& op, std::size_t index) {
  MINERVA_ASSIGN(const Input in, normalise(op.norm, op.in));
  const std::uint32_t epilogue = op.softCap > 0 ? choice::epilogueCapped : choice::epilogueStore;
  return projectAll(index, in, {&buffer(op.out), stride(op.out), 0, op.out, epilogue, 0, op.scale, op.softCap}, opRows(op.in), {});
}

Result<void> Recorder::add(const model::HeadProjOp& op, std::size_t index) {
  const MatrixUse& use = m_c.matrices.uses[index].front();
  const std::uint32_t columns = matrixOf(use).layout.columns;
  const auto rest = static_cast<std::uint32_t>(op.rest);
  const Places places{.kind = choice::placesHeads,
                      .count = static_cast<std::uint32_t>(op.heads),
                      .xPlace = columns + rest,
                      .outPlace = use.rows + rest,
                      .columns = columns};
  MINERVA_TRY(project(use, inputOf(op.in), {&buffer(op.out), stride(op.out), 0, op.out, choice::epilogueStore, 0, 1.0f, 0.0f},
                      opRows(op.in), places));
  if (rest == 0) return {};
  MINERVA_ASSIGN(const vulkan::Pipeline* kernel, kernelOf<push::Rest>("rest", {flatGroup}, 0));
  const push::Rest p{.in_ = buffer(op.in).address,
                     .out_ = buffer(op.out).address,
                     .columns = rest,
                     .heads = places.count,
                     .from = columns,
                     .to = use.rows,
                     .inStride = stride(op.in),
                     .inHead = places.xPlace,
                     .outStride = stride(op.out),
                     .outHead = places.outPlace};
  dispatch(kernel, p, VK_NULL_HANDLE, {divideUp(p.heads * rest, flatGroup), rowsOf(op.in), 1}, {op.in}, {op.out});
  return {};
}

}  // namespace minerva::gpu
