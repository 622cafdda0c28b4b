#include "gpu/runtime/recorder.h"

#include "gpu/shaders/shared/choices.h"

#include <algorithm>
#include <string>

namespace minerva::gpu {

namespace {

constexpr std::uint32_t flatGroup = 64;  // workgroup of kernels without subgroup operations
constexpr std::uint32_t maxCountX = 65535;

std::uint32_t divideUp(std::uint32_t a, std::uint32_t b) { return (a + b - 1) / b; }

std::uint32_t activationChoice(model::Activation activation) {
  switch (activation) {
    case model::Activation::silu: return choice::activationSilu;
    case model::Activation::geluTanh: return choice::activationGeluTanh;
    case model::Activation::geluErf: return choice::activationGeluErf;
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

std::string typeName(ElementType type) { return std::string(traits(type).name); }

std::uint32_t quads(std::uint64_t bytes) { return static_cast<std::uint32_t>(bytes / 16); }

// The smallest of 1, 2, 4, 8 (at most `largest`) that holds n.
std::uint32_t columnsFor(std::uint32_t n, std::uint32_t largest) {
  std::uint32_t columns = 1;
  while (columns < n && columns < largest) columns *= 2;
  return columns;
}

}  // namespace

template <class Push>
void Recorder::dispatch(const vulkan::Pipeline& pipeline, const Push& push, VkDescriptorSet set, std::array<std::uint32_t, 3> groups,
                        std::initializer_list<Hazards::Resource> reads, std::initializer_list<Hazards::Resource> writes) {
  if (m_hazards.add(reads, writes)) m_commands->barrier();
  m_commands->dispatch(pipeline, &push, sizeof push, set, groups[0], groups[1], groups[2]);
}

Result<vulkan::Commands> Recorder::record(const StepShape& shape, const vulkan::BufferView& stepSource) {
  m_shape = shape;
  m_hazards.clear();
  MINERVA_ASSIGN(vulkan::Commands commands, vulkan::Commands::create(m_c.device, true));
  m_commands = &commands;
  if (!stepSource.empty()) {
    commands.copy(stepSource, m_c.resident.step, m_c.resident.step.size);
    commands.barrier();
  }
  for (std::size_t i = 0; i < m_c.plan.ops.size(); ++i) {
    const bool nothing = shape.outputs == 0 && !model::writes(m_c.plan.ops[i]).empty() &&
                         planBuffer(model::writes(m_c.plan.ops[i]).front()).outputRows;
    if (nothing) continue;
    MINERVA_TRY(std::visit([&](const auto& op) { return add(op, i); }, m_c.plan.ops[i]));
  }
  commands.barrierToHost();
  MINERVA_TRY(commands.end());
  m_commands = nullptr;
  return commands;
}

Result<void> Recorder::add(const model::EmbedOp& op, std::size_t index) {
  const MatrixUse& use = m_c.matrices.uses[index].front();
  const WeightLayout& layout = m_c.matrices.matrices[static_cast<std::size_t>(use.matrix)].layout;
  MINERVA_ASSIGN(const vulkan::Pipeline* kernel, m_c.kernels.get<push::Embed>("embed_" + typeName(layout.type), {flatGroup}, 0));
  const push::Embed p{.weights = m_c.resident.matrices[static_cast<std::size_t>(use.matrix)].address,
                      .tokens = stepAddress(m_c.resident.stepLayout.tokens),
                      .out_ = buffer(op.out).address,
                      .plane1 = quads(layout.planes[1]),
                      .plane2 = quads(layout.planes[2]),
                      .plane3 = quads(layout.planes[3]),
                      .blocks = layout.blocks,
                      .n = m_shape.rows,
                      .columns = layout.columns,
                      .outStride = stride(op.out),
                      .scale = op.scale};
  dispatch(*kernel, p, VK_NULL_HANDLE, {divideUp(m_shape.rows * layout.blocks, flatGroup), 1, 1}, {extra(step)}, {op.out});
  return {};
}

Result<Recorder::Input> Recorder::normalise(const model::Norm& norm, model::BufferId in) {
  const std::uint32_t kind = norm.kind == model::NormKind::rms ? choice::normRms : choice::normLayer;
  MINERVA_ASSIGN(const vulkan::Pipeline* kernel, m_c.kernels.get<push::NormRows>("norm", {m_c.tuning.lanes, kind}, m_c.tuning.lanes));
  const auto vector = [&](model::WeightId id) { return m_c.resident.constants.address + m_c.resident.vectors.at(id); };
  const push::NormRows p{.x = buffer(in).address,
                         .weight = vector(norm.weight),
                         .bias = norm.bias == model::none ? 0 : vector(norm.bias),
                         .out_ = m_c.resident.normed.address,
                         .columns = static_cast<std::uint32_t>(planBuffer(in).columns),
                         .n = rowsOf(in),
                         .xStride = stride(in),
                         .outStride = stride(in),
                         .epsilon = norm.epsilon,
                         .hasBias = norm.bias == model::none ? 0u : 1u};
  dispatch(*kernel, p, VK_NULL_HANDLE, {rowsOf(in), 1, 1}, {in}, {extra(normed)});
  return Input{&m_c.resident.normed, stride(in), extra(normed)};
}

bool Recorder::fitsTexels(int matrix) const {
  const WeightLayout& layout = m_c.matrices.matrices[static_cast<std::size_t>(matrix)].layout;
  const std::uint64_t limit = m_c.device->info().maxTexelElements;
  const bool readsWords = layout.type == ElementType::Q4_K || layout.type == ElementType::Q5_K;
  return layout.bytes / 16 <= limit && (!readsWords || layout.bytes / 4 <= limit);
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

Result<void> Recorder::project(const MatrixUse& use, const Input& in, const Output& out, std::uint32_t n) {
  const Matrix& matrix = m_c.matrices.matrices[static_cast<std::size_t>(use.matrix)];
  const WeightLayout& layout = matrix.layout;
  const MatvecChoice& form = n == 1 ? m_c.tuning.one : m_c.tuning.many;
  const std::uint32_t columns = columnsFor(n, form.columns);
  const std::uint32_t lanes = m_c.tuning.lanes;
  const std::uint32_t workgroup = lanes * form.teams;
  const bool texel = form.texel && fitsTexels(use.matrix);
  MINERVA_ASSIGN(const vulkan::Pipeline* kernel,
                 m_c.kernels.get<push::Matvec>((texel ? "matvec_texel_" : "matvec_") + typeName(layout.type),
                                               {workgroup, lanes, form.rows, columns, out.epilogue, out.activation}, lanes));
  MINERVA_ASSIGN(const VkDescriptorSet set, matrixSet(use, in, *kernel));
  const bool hasBias = !use.biases.empty();
  const push::Matvec p{.weights = m_c.resident.matrices[static_cast<std::size_t>(use.matrix)].address,
                       .x = in.view->address,
                       .bias = hasBias ? m_c.resident.constants.address + m_c.resident.biases.at(&use) : 0,
                       .aux = m_c.resident.aside.address,
                       .out_ = out.view->address + std::uint64_t{out.column} * 4,
                       .plane1 = quads(layout.planes[1]),
                       .plane2 = quads(layout.planes[2]),
                       .plane3 = quads(layout.planes[3]),
                       .rows = use.rows,
                       .groups = layout.groups,
                       .blocks = layout.blocks,
                       .n = n,
                       .xStride = in.stride,
                       .outStride = out.stride,
                       .auxStride = out.stride,
                       .hasBias = hasBias ? 1u : 0u,
                       .scale = out.scale};
  const std::uint32_t resultGroups = matrix.alternating ? layout.groups / 2 : layout.groups;
  const std::uint32_t workgroups = divideUp(resultGroups * (groupRows / form.rows), form.teams);
  const std::uint32_t z = divideUp(workgroups, maxCountX);
  const std::array<std::uint32_t, 3> groups{divideUp(workgroups, z), divideUp(n, columns), z};
  // With the add epilogue `out` is read as well; listing it as written covers that.
  if (out.epilogue == choice::epilogueAuxGated) dispatch(*kernel, p, set, groups, {in.resource, extra(aside)}, {out.resource});
  else dispatch(*kernel, p, set, groups, {in.resource}, {out.resource});
  return {};
}

Result<void> Recorder::add(const model::ProjOp& op, std::size_t index) {
  Input in{&buffer(op.in), stride(op.in), op.in};
  if (op.normalised) {
    MINERVA_ASSIGN(in, normalise(op.norm, op.in));
  }
  const std::uint32_t n = rowsOf(op.in);
  Output out{&buffer(op.out), stride(op.out), 0, op.out, epilogueChoice(op.epilogue), activationChoice(op.activation), 1.0f};
  for (const MatrixUse& use : m_c.matrices.uses[index]) {
    Output to = out;
    to.column = use.outColumn;
    if (use.role == Role::gate) {
      to.view = &m_c.resident.aside;
      to.resource = extra(aside);
      to.epilogue = choice::epilogueStore;
    }
    if (use.role == Role::gated) to.epilogue = choice::epilogueAuxGated;
    MINERVA_TRY(project(use, in, to, n));
  }
  return {};
}

Result<void> Recorder::add(const model::HeadOp& op, std::size_t index) {
  MINERVA_ASSIGN(const Input in, normalise(op.norm, op.in));
  const Output out{&buffer(op.out), stride(op.out), 0, op.out, choice::epilogueStore, 0, op.scale};
  return project(m_c.matrices.uses[index].front(), in, out, rowsOf(op.in));
}

Result<void> Recorder::add(const model::RopeKvOp& op, std::size_t) {
  const std::uint32_t layout = m_c.plan.rope.layout == model::RopeLayout::halves ? choice::ropeHalves : choice::ropeInterleaved;
  MINERVA_ASSIGN(const vulkan::Pipeline* kernel, m_c.kernels.get<push::RopeKv>(cacheVariant("rope_kv"), {flatGroup, layout}, 0));
  const std::uint32_t headStride = headStrideOf(op.headDim);
  const std::uint32_t rotary = op.rotary ? static_cast<std::uint32_t>(m_c.plan.rope.dimension) : 0;
  const push::RopeKv p{.qkv = buffer(op.qkv).address,
                       .rotation = stepAddress(m_c.resident.stepLayout.rotation),
                       .rows = stepAddress(m_c.resident.stepLayout.rows),
                       .keys = m_c.resident.keys[static_cast<std::size_t>(op.layer)].address,
                       .values = m_c.resident.values[static_cast<std::size_t>(op.layer)].address,
                       .n = m_shape.rows,
                       .stride = stride(op.qkv),
                       .heads = static_cast<std::uint32_t>(op.headCount),
                       .kvHeads = static_cast<std::uint32_t>(op.kvHeadCount),
                       .headDim = static_cast<std::uint32_t>(op.headDim),
                       .headStride = headStride,
                       .rotary = rotary,
                       .context = static_cast<std::uint32_t>(m_c.options.contextLength)};
  const std::uint32_t tasks = p.heads * (rotary / 2) + p.kvHeads * headStride;
  dispatch(*kernel, p, VK_NULL_HANDLE, {divideUp(tasks, flatGroup), m_shape.rows, 1}, {extra(step)}, {op.qkv, cacheOf(op.layer)});
  return {};
}

Result<void> Recorder::add(const model::AttentionOp& op, std::size_t) {
  const auto headDim = static_cast<std::uint32_t>(op.headDim);
  const std::uint32_t headStride = headStrideOf(op.headDim);
  const std::uint32_t lanes = m_c.tuning.lanes;
  const auto groupSize = static_cast<std::uint32_t>(op.headCount / op.kvHeadCount);
  // Registers grow with heads times their width: fewer at once when heads are wide.
  const std::uint32_t widest = std::max(1u, m_c.tuning.attentionHeads * 64 / std::max(64u, headStride));
  const std::uint32_t heads = std::min(groupSize, widest);
  const std::uint32_t words = divideUp(headStride / 2, lanes);
  const std::uint32_t cut = std::clamp(m_shape.positions / m_c.tuning.splitLength, 1u, maxSplits);
  const std::uint32_t splits = m_shape.rows <= maxSplitRows ? cut : 1;
  MINERVA_ASSIGN(const vulkan::Pipeline* kernel,
                 m_c.kernels.get<push::Attention>(
                     cacheVariant("attention"), {lanes, lanes, heads, headStride / 8, words, m_c.tuning.privateQueries ? 1u : 0u}, lanes));
  const push::Attention p{.qkv = buffer(op.qkv).address,
                          .rows = stepAddress(m_c.resident.stepLayout.rows),
                          .keys = m_c.resident.keys[static_cast<std::size_t>(op.layer)].address,
                          .values = m_c.resident.values[static_cast<std::size_t>(op.layer)].address,
                          .partial = m_c.resident.partial.address,
                          .out_ = buffer(op.out).address,
                          .n = m_shape.rows,
                          .stride = stride(op.qkv),
                          .heads = static_cast<std::uint32_t>(op.headCount),
                          .kvHeads = static_cast<std::uint32_t>(op.kvHeadCount),
                          .headDim = headDim,
                          .headStride = headStride,
                          .context = static_cast<std::uint32_t>(m_c.options.contextLength),
                          .window = static_cast<std::uint32_t>(op.window),
                          .splits = splits,
                          .splitLength = divideUp(m_shape.positions, splits),
                          .outStride = stride(op.out),
                          .scale = op.scale};
  const std::array<std::uint32_t, 3> groups{splits, p.kvHeads * divideUp(groupSize, heads), m_shape.rows};
  if (splits == 1) {
    dispatch(*kernel, p, VK_NULL_HANDLE, groups, {extra(step), op.qkv, cacheOf(op.layer)}, {op.out});
    return {};
  }
  dispatch(*kernel, p, VK_NULL_HANDLE, groups, {extra(step), op.qkv, cacheOf(op.layer)}, {extra(partial)});
  MINERVA_ASSIGN(const vulkan::Pipeline* join, m_c.kernels.get<push::Attention>("attention_join", {flatGroup}, 0));
  dispatch(*join, p, VK_NULL_HANDLE, {p.heads, m_shape.rows, 1}, {extra(partial)}, {op.out});
  return {};
}

Result<void> Recorder::add(const model::GatherOp& op, std::size_t) {
  MINERVA_ASSIGN(const vulkan::Pipeline* kernel, m_c.kernels.get<push::Gather>("gather", {flatGroup}, 0));
  const push::Gather p{.from = buffer(op.in).address,
                       .to = buffer(op.out).address,
                       .index = stepAddress(m_c.resident.stepLayout.outputs),
                       .columns = static_cast<std::uint32_t>(planBuffer(op.in).columns),
                       .fromStride = stride(op.in),
                       .toStride = stride(op.out),
                       .m = m_shape.outputs};
  dispatch(*kernel, p, VK_NULL_HANDLE, {divideUp(p.columns, flatGroup), m_shape.outputs, 1}, {extra(step), op.in}, {op.out});
  return {};
}

}  // namespace minerva::gpu
