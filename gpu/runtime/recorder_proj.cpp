#include "gpu/runtime/recorder.h"
#include "gpu/shaders/shared/choices.h"

#include <algorithm>
#include <string>

namespace minerva::gpu {

namespace {

constexpr std::uint32_t maxCountX = 65535;

std::uint32_t activationChoice(model::Activation activation) {
  switch (activation) {
    case model::Activation::silu: return choice::activationSilu;
    case model::Activation::geluTanh: return choice::activationGeluTanh;
    case model::Activation::geluErf: return choice::activationGeluErf;
    case model::Activation::clampedSwiglu: return choice::activationClampedSwiglu;
  }
  return choice::activationSilu;
}

std::uint32_t epilogueChoice(model::Epilogue epilogue) {
  switch (epilogue) {
    case model::Epilogue::store: return choice::epilogueStore;
    case model::Epilogue::add: return choice::epilogueAdd;
    case model::Epilogue::gated: return choice::epilogueGated;
    case model::Epilogue::activated: return choice::epilogueActivated;
  }
  return choice::epilogueStore;
}

// The smallest of 1, 2, 4, 8 (at most `largest`) that holds n.
std::uint32_t columnsFor(std::uint32_t n, std::uint32_t largest) {
  std::uint32_t columns = 1;
  while (columns < n && columns < largest) columns *= 2;
  return columns;
}

bool readsSingleWords(ElementType type) {
  switch (type) {
    case ElementType::F32:
    case ElementType::F16:
    case ElementType::BF16:
    case ElementType::Q8_0:
    case ElementType::Q4_0:
    case ElementType::Q4_1:
    case ElementType::Q5_0:
    case ElementType::Q5_1:
    case ElementType::Q6_K: return false;
    default: return true;
  }
}

}  // namespace

bool Recorder::fitsTexels(int matrix) const {
  const WeightLayout& layout = m_c.matrices.matrices[static_cast<std::size_t>(matrix)].layout;
  const std::uint64_t limit = m_c.device->info().maxTexelElements;
  return layout.bytes / (readsSingleWords(layout.type) ? 4 : 16) <= limit;
}

Result<VkDescriptorSet> Recorder::matrixSet(const MatrixUse& use, const Input& in, const vulkan::Pipeline& pipeline) {
  if (pipeline.texelBindings() == 0) return VkDescriptorSet{VK_NULL_HANDLE};
  const auto key = std::make_pair(use.matrix, in.view->address);
  if (const auto found = m_c.matrixSets.find(key); found != m_c.matrixSets.end()) return found->second;
  const vulkan::BufferView& matrix = m_c.resident.matrices[static_cast<std::size_t>(use.matrix)];
  const std::uint64_t wordBytes = std::min<std::uint64_t>(matrix.size, std::uint64_t{m_c.device->info().maxTexelElements} * 4);
  const std::array<vulkan::Texels, 3> texels{{{matrix, VK_FORMAT_R32G32B32A32_UINT},
                                              {matrix.part(0, wordBytes), VK_FORMAT_R32_UINT},
                                              {*in.view, VK_FORMAT_R32G32B32A32_SFLOAT}}};
  MINERVA_ASSIGN(const VkDescriptorSet set, m_c.sets.make(pipeline, texels));
  m_c.matrixSets.emplace(key, set);
  return set;
}

// Tiles for matrix units: the largest of which there are enough to keep the device busy.
Result<Recorder::Form> Recorder::unitsFor(const MatrixUse& use, const Output& out, std::uint32_t n) {
  const FormatModule format = moduleOf(matrixOf(use).layout.type);
  const vulkan::MatrixUnit& unit = m_c.device->info().matrixUnit;
  const UnitsChoice& choice = m_c.tuning.units;
  const auto tokensOf = [&](const UnitTiles& t) { return t.along * t.m * unit.m; };
  const auto rowsOf = [&](const UnitTiles& t) { return t.threads / m_c.tuning.lanes / t.along * t.n * unit.n; };
  const auto* tiles = std::ranges::find_if(choice.tiles, [&](const UnitTiles& t) {
    return divideUp(use.groups * groupRows, rowsOf(t)) * divideUp(n, tokensOf(t)) >= choice.busy;
  });
  if (tiles == choice.tiles.end()) --tiles;
  MINERVA_ASSIGN(const vulkan::Pipeline* kernel,
                 m_c.kernels.get<push::Matvec>("matmul_units_" + format.name,
                                               format.behind({tiles->threads, tiles->threads, m_c.tuning.lanes, unit.m, unit.n, unit.k,
                                                              tiles->m, tiles->n, tiles->along, out.epilogue, out.activation}),
                                               m_c.tuning.lanes));
  return Form{kernel, rowsOf(*tiles), tokensOf(*tiles)};
}

// Whether the projection can normalise its input itself.
bool Recorder::fusesNorm(const model::Norm& norm, std::uint32_t n) const {
  return m_c.tuning.fusedNorm && n == 1 && norm.kind == model::NormKind::rms && norm.bias == model::none;
}

// The kernel for this many tokens: tiles from tuning.tiles.from on, else a team of lanes a few rows.
Result<Recorder::Form> Recorder::formFor(const MatrixUse& use, const Input& in, const Output& out, std::uint32_t n, const Places& places) {
  const FormatModule format = moduleOf(matrixOf(use).layout.type);
  const MatmulChoice& tiles = m_c.tuning.tiles;
  const bool each = places.kind != choice::placesNone;
  // Halves hold F32 weights too coarsely for what is promised of such files.
  const bool rounds = m_c.options.precision == backend::Precision::standard && matrixOf(use).layout.type != ElementType::F32;
  if (n >= m_c.tuning.units.from && rounds && !each) return unitsFor(use, out, n);
  if (n >= tiles.from && !each) {
    const std::uint32_t teams = tiles.threads / groupRows;
    const std::uint32_t columns = columnsFor(divideUp(n, teams), tiles.columns);
    MINERVA_ASSIGN(const vulkan::Pipeline* kernel,
                   m_c.kernels.get<push::Matvec>(
                       "matmul_" + format.name,
                       format.behind({tiles.threads, tiles.threads, tiles.groups, columns, out.epilogue, out.activation}), 0));
    return Form{kernel, tiles.groups * groupRows, columns * teams};
  }
  const MatvecChoice& form = n == 1 || each ? m_c.tuning.one : m_c.tuning.many;
  const std::uint32_t columns = each ? 1 : columnsFor(n, form.columns);
  const std::uint32_t lanes = m_c.tuning.lanes;
  const char* name = form.texel && fitsTexels(use.matrix) ? "matvec_texel_" : "matvec_";
  MINERVA_ASSIGN(const vulkan::Pipeline* kernel,
                 m_c.kernels.get<push::Matvec>(
                     name + format.name,
                     format.behind({lanes * form.teams, lanes, form.rows, columns, out.epilogue, out.activation, places.kind,
                                    in.norm != nullptr ? 1u : 0u}),
                     lanes));
  // With the gated epilogue a team takes its rows of two groups.
  return Form{kernel, form.rows * form.teams * (out.epilogue == choice::epilogueGated ? 2 : 1), columns};
}

Result<void> Recorder::project(const MatrixUse& use, const Input& in, const Output& out, std::uint32_t n, const Places& places) {
  const WeightLayout& layout = matrixOf(use).layout;
  MINERVA_ASSIGN(const Form form, formFor(use, in, out, n, places));
  MINERVA_ASSIGN(const VkDescriptorSet set, matrixSet(use, in, *form.kernel));
  const bool hasBias = !use.biases.empty();
  const push::Matvec p{.weights = m_c.resident.matrices[static_cast<std::size_t>(use.matrix)].address,
                       .x = in.view->address,
                       .bias = hasBias ? m_c.resident.constants.address + m_c.resident.biases.at(&use) : 0,
                       .aux = m_c.resident.aside.address,
                       .out_ = out.view->address + std::uint64_t{out.column} * 4,
                       .route = places.route == nullptr ? 0 : places.route->view->address,
                       .norm = in.norm == nullptr ? 0 : vectorAddress(in.norm->weight),
                       .plane1 = quads(layout.planes[1]),
                       .plane2 = quads(layout.planes[2]),
                       .plane3 = quads(layout.planes[3]),
                       .rows = use.rows,
                       .groups = use.groups,
                       .blocks = layout.blocks,
                       .n = n,
                       .xStride = in.stride,
                       .outStride = out.stride,
                       .routeStride = places.route == nullptr ? 0 : places.route->stride,
                       .hasBias = hasBias ? 1u : 0u,
                       .scale = out.scale,
                       .softCap = out.softCap,
                       .places = places.count,
                       .xPlace = places.xPlace,
                       .outPlace = places.outPlace,
                       .columns = places.kind == choice::placesHeads ? places.columns : layout.columns,
                       .epsilon = in.norm == nullptr ? 0.0f : in.norm->epsilon};
  const std::uint32_t workgroups = divideUp(use.groups * groupRows, form.rows);
  const std::uint32_t z = divideUp(workgroups, maxCountX);
  const std::array<std::uint32_t, 3> groups{divideUp(workgroups, z), divideUp(n, form.columns) * places.count, z};
  // With the add epilogue `out` is read as well; listing it as written covers that.
  const Hazards::Resource routed = places.route == nullptr ? in.resource : places.route->resource;
  const Hazards::Resource kept = out.epilogue == choice::epilogueAuxGated ? extra(aside) : in.resource;
  dispatch(*form.kernel, p, set, groups, {in.resource, routed, kept}, {out.resource});
  return {};
}

// Every matrix of an op, one after the other.
Result<void> Recorder::projectAll(std::size_t index, const Input& in, const Output& out, std::uint32_t n, const Places& places) {
  for (const MatrixUse& use : m_c.matrices.uses[index]) {
    Output to = out;
    to.column = use.outColumn;
    if (use.role == Role::gate) {
      to.view = &m_c.resident.aside;
      to.resource = extra(aside);
      to.epilogue = choice::epilogueStore;
    }
    if (use.role == Role::gated) to.epilogue = choice::epilogueAuxGated;
    MINERVA_TRY(project(use, in, to, n, places));
  }
  return {};
}

Result<void> Recorder::add(const model::ProjOp& op, std::size_t index) {
  Input in = inputOf(op.in);
  if (op.normalised) {
    MINERVA_ASSIGN(in, normalise(op.norm, op.in));
  }
  const float scale = op.epilogue == model::Epilogue::add ? op.scale : 1.0f;
  return projectAll(index, in,
                    {&buffer(op.out), stride(op.out), 0, op.out, epilogueChoice(op.epilogue), activationChoice(op.activation), scale, 0.0f},
                    rowsOf(op.in), {});
}

Result<void> Recorder::add(const model::HeadOp& op, std::size_t index) {
  MINERVA_ASSIGN(const Input in, normalise(op.norm, op.in));
  const std::uint32_t epilogue = op.softCap > 0 ? choice::epilogueCapped : choice::epilogueStore;
  return projectAll(index, in, {&buffer(op.out), stride(op.out), 0, op.out, epilogue, 0, op.scale, op.softCap}, rowsOf(op.in), {});
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
                      rowsOf(op.in), places));
  if (rest == 0) return {};
  MINERVA_ASSIGN(const vulkan::Pipeline* kernel, m_c.kernels.get<push::Rest>("rest", {flatGroup}, 0));
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
  dispatch(*kernel, p, VK_NULL_HANDLE, {divideUp(p.heads * rest, flatGroup), rowsOf(op.in), 1}, {op.in}, {op.out});
  return {};
}

Result<void> Recorder::add(const model::ExpertOp& op, std::size_t index) {
  const Input route = inputOf(op.route);
  const auto used = static_cast<std::uint32_t>(op.used);
  const Places places{.kind = choice::placesRouted,
                      .count = used,
                      .xPlace = op.perPlace ? stride(op.in) / used : 0,
                      .outPlace = stride(op.out) / used,
                      .columns = 0,
                      .route = &route};
  const std::uint32_t epilogue = op.gated ? choice::epilogueGated : choice::epilogueStore;
  return projectAll(index, inputOf(op.in),
                    {&buffer(op.out), stride(op.out), 0, op.out, epilogue, activationChoice(op.activation), 1.0f, 0.0f}, rowsOf(op.in), places);
}

}  // namespace minerva::gpu
