#include "gpu/runtime/fusions.h"
#include "gpu/runtime/projection_form.h"
#include "gpu/runtime/recorder.h"
#include "gpu/shaders/shared/choices.h"

#include <algorithm>

namespace minerva::gpu {

Result<void> Recorder::add(const model::RouteOp& op, std::size_t) {
  m_gathered = {model::none, 0};  // the buffer may be another layer's as well
  const std::uint32_t scoring = op.scoring == model::Scoring::softmax   ? choice::scoringSoftmax
                                : op.scoring == model::Scoring::sigmoid ? choice::scoringSigmoid
                                                                        : choice::scoringSparseMixer;
  const bool byTwo = op.groups > 1 && op.groupRank == model::GroupRank::twoLargest;
  MINERVA_ASSIGN(const vulkan::Pipeline* kernel,
                 kernelOf<push::Route>("route", {m_c.tuning.lanes, scoring, byTwo ? 1U : 0U}, m_c.tuning.lanes));
  const push::Route p{.logits = buffer(op.logits).address,
                      .out_ = buffer(op.out).address,
                      .selectionBias = vectorAddress(op.selectionBias),
                      .expertScale = vectorAddress(op.expertScale),
                      .experts = static_cast<std::uint32_t>(op.experts),
                      .used = static_cast<std::uint32_t>(op.used),
                      .groups = static_cast<std::uint32_t>(op.groups),
                      .groupsUsed = static_cast<std::uint32_t>(op.groupsUsed),
                      .inStride = stride(op.logits),
                      .outStride = stride(op.out),
                      .normalised = op.normalised ? 1u : 0u,
                      .sharedGate = op.sharedGate ? 1u : 0u,
                      .scale = op.scale,
                      .hasSelectionBias = op.selectionBias == model::none ? 0U : 1U,
                      .hasExpertScale = op.expertScale == model::none ? 0U : 1U,
                      .unused = 0};
  dispatch(kernel, p, VK_NULL_HANDLE, {rowsOf(op.logits), 1, 1}, {op.logits}, {op.out});
  return {};
}

Result<void> Recorder::add(const model::SpreadOp& op, std::size_t) {
  MINERVA_ASSIGN(const vulkan::Pipeline* kernel, kernelOf<push::Spread>("spread", {flatGroup}, 0));
  const auto used = static_cast<std::uint32_t>(op.used);
  const push::Spread p{.in_ = buffer(op.in).address,
                       .route = buffer(op.route).address,
                       .out_ = buffer(op.out).address,
                       .columns = static_cast<std::uint32_t>(planBuffer(op.in).columns),
                       .used = used,
                       .inStride = stride(op.in),
                       .routeStride = stride(op.route),
                       .outStride = stride(op.out),
                       .outPlace = stride(op.out) / used};
  dispatch(kernel, p, VK_NULL_HANDLE, {divideUp(p.columns, flatGroup), rowsOf(op.in), used}, {op.in, op.route}, {op.out});
  return {};
}

Gathering Recorder::gatheringFor(const model::ExpertOp& op, std::size_t index) const {
  const auto experts = static_cast<std::uint32_t>(op.experts), used = static_cast<std::uint32_t>(op.used);
  const bool rounds = mayRound() && std::ranges::all_of(m_c.matrices.uses[index], [&](const MatrixUse& use) {
                        const ElementType type = matrixOf(use).layout.type;
                        return takesUnits(type) && !splitsInput(type);
                      });
  return gatheringOf(m_c.tuning, m_c.device->info().matrixUnit, opRows(op.route), experts, used, rounds);
}

// Lists the places of the rows by expert, once for all projections of a route that take tiles of the same size.
Result<Gathering> Recorder::gather(const model::ExpertOp& op, std::size_t index) {
  const Gathering gathering = gatheringFor(op, index);
  const std::uint32_t rows = rowsOf(op.route);
  const auto experts = static_cast<std::uint32_t>(op.experts), used = static_cast<std::uint32_t>(op.used);
  const auto wanted = std::pair(op.route, gathering.tile);
  if (gathering.tokens == 0 || m_gathered == wanted) return gathering;
  MINERVA_ASSIGN(const vulkan::Pipeline* kernel, kernelOf<push::ByExpert>("by_expert", {128, experts}, 0));
  const push::ByExpert p{.route = buffer(op.route).address,
                         .out_ = m_c.resident.byExpert.address,
                         .rows = rows,
                         .used = used,
                         .routeStride = stride(op.route),
                         .tile = gathering.tile,
                         .tiles = gathering.tiles,
                         .unused = 0};
  dispatch(kernel, p, VK_NULL_HANDLE, {1, 1, 1}, {op.route}, {extra(byExpert)});
  m_gathered = wanted;
  return gathering;
}

// Whether the projection runs in the place of the sum of its results: its teams are the places of a row.
bool Recorder::sumsItsResults(const model::ExpertOp& op, std::size_t index) const {
  const auto sum = m_c.tuning.summedPlaces ? sumOfExperts(m_c.plan, index) : std::nullopt;
  if (!sum || m_c.matrices.uses[index].size() != 1 || gatheringFor(op, index).tokens > 0) return false;
  const auto& combine = std::get<model::CombineOp>(m_c.plan.ops[*sum]);
  const vulkan::DeviceInfo& device = m_c.device->info();
  const auto teams = static_cast<std::uint32_t>(op.used);
  const std::uint32_t most =
      std::min(device.maxWorkgroupInvocations / m_c.tuning.lanes, device.maxWorkgroupSubgroups == 0 ? teams : device.maxWorkgroupSubgroups);
  return teams <= most && (combine.shared == model::none || stride(combine.shared) == stride(combine.out));
}

Result<void> Recorder::add(const model::ExpertOp& op, std::size_t index) {
  if (sumsItsResults(op, index)) return {};  // recorded by the sum
  MINERVA_ASSIGN(const Gathering gathering, gather(op, index));
  const bool gathered = gathering.tokens > 0;
  const Input route = gathered ? Input{&m_c.resident.byExpert, gathering.tiles, extra(byExpert)} : inputOf(op.route);
  const auto used = static_cast<std::uint32_t>(op.used);
  const Places places{.kind = gathered ? choice::placesGathered : choice::placesRouted,
                      .count = used,
                      .experts = static_cast<std::uint32_t>(op.experts),
                      .xPlace = op.perPlace ? stride(op.in) / used : 0,
                      .outPlace = stride(op.out) / used,
                      .columns = static_cast<std::uint32_t>(planBuffer(op.in).columns),
                      .route = &route,
                      .gathering = gathering};
  const bool plain = !op.gated && op.activation == model::Activation::identity;
  const std::uint32_t epilogue = op.gated ? choice::epilogueGated : plain ? choice::epilogueStore : choice::epilogueActivated;
  return projectAll(index, inputOf(op.in),
                    {&buffer(op.out), stride(op.out), 0, op.out, epilogue, activationChoice(op.activation), 1.0f, 0.0f}, opRows(op.in),
                    places);
}

// The projection of the experts whose results this op sums, which stores their sum.
Result<void> Recorder::projectSum(const model::CombineOp& op, std::size_t experts) {
  const auto& expert = std::get<model::ExpertOp>(m_c.plan.ops[experts]);
  const Input route = inputOf(op.route);
  const Input shared = inputOf(op.shared == model::none ? op.in : op.shared);
  const auto used = static_cast<std::uint32_t>(op.used);
  const Places places{.kind = choice::placesRouted,
                      .count = used,
                      .experts = static_cast<std::uint32_t>(expert.experts),
                      .xPlace = expert.perPlace ? stride(expert.in) / used : 0,
                      .columns = static_cast<std::uint32_t>(planBuffer(expert.in).columns),
                      .route = &route,
                      .summed = true,
                      .shared = op.shared == model::none ? nullptr : &shared,
                      .sharedGate = op.sharedGate};
  const std::uint32_t epilogue = op.add ? choice::epilogueAdd : choice::epilogueStore;
  return project(m_c.matrices.uses[experts].front(), inputOf(expert.in),
                 {&buffer(op.out), stride(op.out), 0, op.out, epilogue, 0, op.scale, 0.0f}, opRows(expert.in), places);
}

Result<void> Recorder::add(const model::CombineOp& op, std::size_t index) {
  if (const auto experts = expertsOfSum(m_c.plan, index)) {
    if (sumsItsResults(std::get<model::ExpertOp>(m_c.plan.ops[*experts]), *experts)) return projectSum(op, *experts);
  }
  MINERVA_ASSIGN(const vulkan::Pipeline* kernel, kernelOf<push::Combine>("combine", {flatGroup}, 0));
  const bool shared = op.shared != model::none, routed = op.route != model::none;
  const model::BufferId route = routed ? op.route : op.in;  // not read, if there is none
  const push::Combine p{
      .in_ = buffer(op.in).address,
      .route = buffer(route).address,
      .shared_ = shared ? buffer(op.shared).address : 0,
      .bias = vectorAddress(op.bias),
      .out_ = buffer(op.out).address,
      .columns = static_cast<std::uint32_t>(planBuffer(op.out).columns),
      .used = static_cast<std::uint32_t>(op.used),
      .inStride = stride(op.in),
      .inPlace = routed ? stride(op.in) / static_cast<std::uint32_t>(op.used) : static_cast<std::uint32_t>(planBuffer(op.out).columns),
      .routeStride = stride(route),
      .sharedStride = shared ? stride(op.shared) : 0,
      .outStride = stride(op.out),
      .hasShared = shared ? 1u : 0u,
      .sharedGate = op.sharedGate ? 1u : 0u,
      .hasBias = op.bias == model::none ? 0u : 1u,
      .scale = op.scale,
      .add = op.add ? 1u : 0u,
      .weighted = op.weighted ? 1u : 0u,
      .unused = 0};
  dispatch(kernel, p, VK_NULL_HANDLE, {divideUp(p.columns, flatGroup), rowsOf(op.in), 1}, {op.in, route, shared ? op.shared : op.in},
           {op.out});
  return {};
}

}  // namespace minerva::gpu
