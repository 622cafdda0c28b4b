// Records a plan into a command buffer for one step shape: the number of rows, of rows that want logits, and the range of
// positions attention covers. Values that change with every token are read from Resident::step by the kernels.
// recorder.cpp has the frame and the small ops, recorder_proj.cpp the projections, recorder_experts.cpp those of mixtures with their
// routes and sums, recorder_attention.cpp the ops that use
// the KV cache, recorder_recurrent.cpp those that replace a recurrent state, recorder_gates.cpp those that multiply a buffer in place,
// recorder_streams.cpp those of several residual streams and further changes in place, recorder_top.cpp the lists of the best logits.
#pragma once

#include "gpu/runtime/attention_form.h"
#include "gpu/runtime/dispatch_cut.h"
#include "gpu/runtime/hazards.h"
#include "gpu/runtime/kernels.h"
#include "gpu/runtime/projection_form.h"
#include "gpu/runtime/resident.h"
#include "gpu/runtime/step_submitter.h"
#include "gpu/runtime/tuning.h"
#include "gpu/vulkan/commands.h"
#include "gpu/vulkan/texel_sets.h"
#include "gpu/vulkan/timestamps.h"

#include <algorithm>
#include <compare>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace minerva::gpu {

// Consecutive rows, and an upper bound of the positions that any of them sees: a power of two.
struct AlikeRows {
  std::uint32_t rows = 1, positions = 1;
  auto operator<=>(const AlikeRows&) const = default;
};

struct StepShape {
  std::uint32_t rows = 1, outputs = 1;
  std::uint32_t positions = 1;  // as in AlikeRows
  bool oneSlot = true;          // all rows belong to one slot: attention may process several rows per workgroup, there is one sequence
  std::uint32_t part = 0;       // index of the plan's part (model::PlanPart)
  // All rows, if each must come out as it would in every other step (PlaceOptions::alike): those of replies by the kernels of a step of
  // one row, which for attention depend on its positions; those of prompts, a run for each slot, by those of the longest steps, whose
  // outputs are then computed as a reply's are. Empty: by the kernels that are fastest for all.
  std::vector<AlikeRows> alike = {};
  bool prompts = false;  // with `alike`: the rows are of prompts
  auto operator<=>(const StepShape&) const = default;
};

[[nodiscard]] std::uint32_t activationChoice(model::Activation activation);  // choice::activation...

// State shared by all recordings of a placement; must outlive them.
struct RecordContext {
  std::shared_ptr<vulkan::Device> device;
  const model::Plan& plan;
  const MatrixPlan& matrices;
  const Resident& resident;
  const backend::PlaceOptions& options;
  const Tuning& tuning;
  Kernels& kernels;
  vulkan::TexelSets& sets;
  std::map<std::pair<int, VkDeviceAddress>, VkDescriptorSet>& matrixSets;  // (matrix, input address) -> texel descriptor set
  const std::map<model::BufferId, vulkan::Buffer>& hostRows;               // host copies of exchanged buffers
};

class Recorder {
 public:
  explicit Recorder(const RecordContext& context) : m_c(context) {}

  // A step's last command buffer, which was not submitted yet. Those before it were, while it was recorded.
  struct Recorded {
    vulkan::Commands commands;
    std::uint32_t part = 0;  // its number: 0 if there is no other
    double work = 0;         // in the unit of SubmissionPace::limit()
  };
  // stepSource: of the step's values; empty if Resident::step itself is host-visible. clock: if any, has a moment more than the plan has
  // ops, and records when each begins and the last one ends.
  [[nodiscard]] Result<Recorded> record(const StepShape& shape, const vulkan::BufferView& stepSource, StepSubmitter& submitter,
                                        const vulkan::Timestamps* clock = nullptr);
  // Adds the kernels of such a step to those collected; returns whether there were new ones. Compiles nothing.
  [[nodiscard]] Result<bool> collect(const StepShape& shape, std::set<KernelKey>& kernels);
  // Of all steps collected so far, and of each op of the plan in the last one (0 of those that it has no rows for, or that are in another
  // part). A barrier belongs to the op that waits.
  struct Counts {
    std::size_t dispatches = 0, barriers = 0;
    std::size_t unitKernels = 0;     // of the dispatches, those of kernels for matrix units
    double flops = 0, occupied = 0;  // operations; those that all cores could have done meanwhile (backend::OpCounts::stretch)
  };
  [[nodiscard]] const Counts& counts() const { return m_counts; }
  [[nodiscard]] const std::vector<Counts>& countsByOp() const { return m_countsByOp; }
  // Of all steps collected so far: operations of the longest dispatch, and the most workgroups of one along each axis.
  [[nodiscard]] double longestFlops() const { return m_longestFlops; }
  [[nodiscard]] const std::array<std::uint32_t, 3>& mostWorkgroups() const { return m_mostWorkgroups; }
  // Submissions that the last step collected would be, as long as nothing is known of the device's speed.
  [[nodiscard]] std::uint32_t submissions() const { return m_part + 1; }
  // Records each kernel of such a step once with zero workgroups, except those in `ran`, to which it adds them. Some drivers compile
  // a kernel only when it first runs: running these commands makes them do so, without computing anything.
  [[nodiscard]] Result<vulkan::Commands> recordCompilation(const StepShape& shape, std::set<const vulkan::Pipeline*>& ran);

 private:
  // Null while collecting.
  template <class Push>
  [[nodiscard]] Result<const vulkan::Pipeline*> kernelOf(const std::string& name, const std::vector<std::uint32_t>& constants,
                                                         std::uint32_t lanes) {
    if (m_collected == nullptr) return m_c.kernels.get<Push>(name, constants, lanes);
    m_collected->insert(Kernels::keyOf<Push>(name, constants, lanes));
    m_counts.unitKernels += name.find("_units") == std::string::npos ? 0 : 1;
    return nullptr;
  }
  Result<void> addOps();
  bool makeRoom(double work);
  Result<void> nextCommands(double work);
  [[nodiscard]] double mostFlops(bool units) const { return units ? m_c.tuning.unitDispatchFlops : m_c.tuning.dispatchFlops; }
  [[nodiscard]] double workOf(const DispatchWork& work, const std::array<std::uint32_t, 3>& groups) const;
  void countSince(const Counts& before, std::size_t index);
  Result<void> addLists();
  enum class Direction { fromHost, toHost };
  void exchange(const std::vector<model::BufferId>& buffers, Direction direction);
  Result<void> add(const model::EmbedOp& op, std::size_t index);
  Result<void> add(const model::NormOp& op, std::size_t index);
  Result<void> add(const model::ProjOp& op, std::size_t index);
  Result<void> add(const model::HeadProjOp& op, std::size_t index);
  Result<void> add(const model::RopeKvOp& op, std::size_t index);
  Result<void> add(const model::AttentionOp& op, std::size_t index);
  Result<void> add(const model::RouteOp& op, std::size_t index);
  Result<void> add(const model::ExpertOp& op, std::size_t index);
  Result<void> add(const model::CombineOp& op, std::size_t index);
  Result<void> add(const model::GatherOp& op, std::size_t index);
  Result<void> add(const model::HeadOp& op, std::size_t index);
  Result<void> add(const model::GateOp& op, std::size_t index);
  Result<void> add(const model::GatedNormOp& op, std::size_t index);
  Result<void> add(const model::ScaleOp& op, std::size_t index);
  Result<void> add(const model::SpreadOp& op, std::size_t index);
  Result<void> add(const model::ConvOp& op, std::size_t index);
  Result<void> add(const model::DeltaOp& op, std::size_t index);
  Result<void> add(const model::ScanOp& op, std::size_t index);
  Result<void> add(const model::PoolOp& op, std::size_t index);
  Result<void> add(const model::ThresholdOp& op, std::size_t index);
  Result<void> add(const model::XieluOp& op, std::size_t index);
  Result<void> add(const model::LevelOp& op, std::size_t index);
  Result<void> add(const model::MixOp& op, std::size_t index);

  struct Input {
    const vulkan::BufferView* view;
    std::uint32_t stride;
    Hazards::Resource resource;
    const model::Norm* norm = nullptr;  // not applied yet; the projection must do it
  };
  struct Output {
    const vulkan::BufferView* view;
    std::uint32_t stride, column;
    Hazards::Resource resource;
    std::uint32_t epilogue, activation;
    float scale, softCap;
    bool exact = false;  // activations stay float32 at any precision
  };
  // For projections with one matrix per place of a row: choice::placesRouted (experts chosen by `route`), placesGathered (by `gathering`)
  // or placesHeads.
  struct Places {
    std::uint32_t kind = 0, count = 1, experts = 0;
    std::uint32_t xPlace = 0, outPlace = 0, columns = 0;  // columns: valid ones of an input
    const Input* route = nullptr;
    Gathering gathering = {};
    bool summed = false;  // the results of a row are added, with the shared expert's, if there is one
    const Input* shared = nullptr;
    bool sharedGate = false;
  };
  [[nodiscard]] bool mayRound() const { return m_c.options.precision != backend::Precision::exact; }
  [[nodiscard]] Gathering gatheringFor(const model::ExpertOp& op, std::size_t index) const;
  Result<Gathering> gather(const model::ExpertOp& op, std::size_t index);
  [[nodiscard]] bool sumsItsResults(const model::ExpertOp& op, std::size_t index) const;
  Result<void> projectSum(const model::CombineOp& op, std::size_t experts);
  struct NormPlace {  // operands of a norm except its weights
    VkDeviceAddress x, out;
    std::uint32_t xStride, outStride, columns, rows;
    std::uint32_t runs = 1, run = 0, weightRun = 0;
    float scale = 1.0f;
    bool add = false;
    std::uint32_t gating = 0;  // choice::gate...: x or the result is multiplied by silu(gate)
    VkDeviceAddress gate = 0;
    std::uint32_t gateStride = 0;
  };
  // Factors of a buffer's elements: activation(value at row * stride + column / group * step), limited as GateOp says.
  struct Factors {
    VkDeviceAddress address;
    std::uint32_t stride, step, activation;
    Hazards::Resource resource;
    std::uint32_t group = 1;
    float limit = 0;
  };
  // Partial sums of a product that wait to be added up, and what that writes.
  struct Join {
    push::Matvec operands;
    Output out;
    Hazards::Resource sums, written;
  };
  // What a dispatch of the kernel rope_kv does.
  struct RopeWork {
    std::uint32_t rotated;  // heads, from the first one, that are rotated in place
    bool rotates, stores;   // stored keys are rotated on the way, if it rotates
  };
  Result<void> embedRows(const MatrixUse& use, VkDeviceAddress index, std::uint32_t indexStride, float scale, bool onTop,
                         model::BufferId out);
  Result<void> norm(const model::Norm& norm, const NormPlace& place, std::initializer_list<Hazards::Resource> reads,
                    Hazards::Resource written);
  Result<void> normHeads(model::BufferId qkv, const model::HeadNormStep& how, std::uint32_t firstColumn, std::uint32_t heads, int headDim);
  Result<void> normQueriesAndKeys(const model::RopeKvOp& op);
  Result<void> ropeKv(const model::RopeKvOp& op, const RopeWork& work);
  Result<void> attend(const model::AttentionOp& op, const AttentionForm& form, std::uint32_t first, const AlikeRows& run);
  Result<void> attendAll(const model::AttentionOp& op, const StepShape& shape, std::uint32_t chosenFor, std::uint32_t first);
  [[nodiscard]] AttentionForm attentionOf(const model::AttentionOp& op, const StepShape& shape, std::uint32_t chosenFor) const;
  Result<void> multiply(model::BufferId out, std::uint32_t column, std::uint32_t columns, const Factors& by);
  Result<Input> normalise(const model::Norm& norm, model::BufferId in);
  Result<void> projectAll(std::size_t index, const Input& in, const Output& out, const RowsOfOp& rows, const Places& places);
  Result<void> project(const MatrixUse& use, const Input& in, const Output& out, const RowsOfOp& rows, const Places& places);
  [[nodiscard]] ProjectionForm formOf(const MatrixUse& use, const Input& in, const Output& out, const RowsOfOp& rows,
                                      const Places& places) const;
  [[nodiscard]] push::Matvec operandsOf(const MatrixUse& use, const Input& in, const Output& out, std::uint32_t n,
                                        const Places& places) const;
  [[nodiscard]] static std::uint32_t alongY(const Places& places);
  [[nodiscard]] static push::Matvec runOf(push::Matvec product, const Places& places, std::uint32_t first);
  void splitColumns(push::Matvec& product, const ColumnRanges& ranges, const Output& out, Hazards::Resource written);
  Result<void> joinRanges();
  [[nodiscard]] bool fusesNorm(const model::Norm& norm, model::BufferId in) const;
  Result<VkDescriptorSet> matrixSet(const MatrixUse& use, const Input& in, const vulkan::Pipeline* pipeline);

  // Records one dispatch, preceded by a barrier if needed, or several where so many operations would take too long; only counts them and
  // barriers while collecting.
  template <class Push>
  void dispatch(const vulkan::Pipeline* pipeline, const Push& push, VkDescriptorSet set, std::array<std::uint32_t, 3> groups,
                std::initializer_list<Hazards::Resource> reads, std::initializer_list<Hazards::Resource> writes,
                const DispatchWork& work = {}) {
    dispatchSets(pipeline, push, set, groups, {reads.begin(), reads.size()}, {writes.begin(), writes.size()}, work);
  }
  template <class Push>
  void dispatchSets(const vulkan::Pipeline* pipeline, const Push& push, VkDescriptorSet set, std::array<std::uint32_t, 3> groups,
                    std::span<const Hazards::Resource> reads, std::span<const Hazards::Resource> writes, const DispatchWork& work = {}) {
    if (m_ran != nullptr) {
      if (m_ran->insert(pipeline).second) m_commands->dispatch(*pipeline, &push, sizeof push, set, 0, 0, 0);
      return;
    }
    const std::vector<vulkan::Workgroups> parts = cutDispatch(groups, work.flops, mostFlops(work.units));
    const double all = workOf(work, groups);
    if (pipeline == nullptr) {
      for (const vulkan::Workgroups& part : parts) makeRoom(all * shareOf(part, groups));
      m_counts.dispatches += parts.size();
      m_counts.barriers += m_hazards.add(reads, writes) ? 1 : 0;
      m_counts.flops += work.flops;
      m_counts.occupied += work.flops * stretchOf(groups, m_c.device->info().cores);
      m_longestFlops = std::max(m_longestFlops, work.flops * shareOfLargest(parts, groups));
      for (std::size_t axis = 0; axis < groups.size(); ++axis) m_mostWorkgroups[axis] = std::max(m_mostWorkgroups[axis], groups[axis]);
      return;
    }
    for (bool pending = false; const vulkan::Workgroups& part : parts) {
      if (makeRoom(all * shareOf(part, groups))) pending = false;
      if (!pending && m_hazards.add(reads, writes)) m_commands->barrier();
      pending = true;
      m_commands->dispatch(*pipeline, &push, sizeof push, set, part);
    }
  }

  [[nodiscard]] const Matrix& matrixOf(const MatrixUse& use) const { return m_c.matrices.matrices[static_cast<std::size_t>(use.matrix)]; }
  [[nodiscard]] Input inputOf(model::BufferId id) const {
    const auto norm = m_normLater.find(id);
    if (norm == m_normLater.end()) return {&buffer(id), stride(id), id, nullptr};
    const model::NormOp& op = *norm->second;
    return {&buffer(op.in), stride(op.in), op.in, &op.norm};
  }
  [[nodiscard]] VkDeviceAddress vectorAddress(model::WeightId id) const {
    return id == model::none ? 0 : m_c.resident.constants.address + m_c.resident.vectors.at(id);
  }
  [[nodiscard]] VkDeviceAddress normWeights(const model::Norm& norm) const {
    return norm.weight == model::none ? m_c.resident.constants.address + m_c.resident.ones : vectorAddress(norm.weight);
  }
  // The distance of the weights of consecutive runs: 0 if all runs of `group` elements share them.
  [[nodiscard]] std::uint32_t weightRunOf(const model::Norm& norm, std::uint32_t group) const {
    if (norm.weight == model::none) return 0;
    return m_c.plan.weights[static_cast<std::size_t>(norm.weight)].view.shape.elements() == group ? 0 : group;
  }
  [[nodiscard]] const model::Buffer& planBuffer(model::BufferId id) const { return m_c.plan.buffers[static_cast<std::size_t>(id)]; }
  [[nodiscard]] const vulkan::BufferView& buffer(model::BufferId id) const { return m_c.resident.buffers[static_cast<std::size_t>(id)]; }
  [[nodiscard]] std::uint32_t stride(model::BufferId id) const { return m_c.resident.strides[static_cast<std::size_t>(id)]; }
  [[nodiscard]] std::uint32_t rowsOf(model::BufferId id) const { return planBuffer(id).outputRows ? m_shape.outputs : m_shape.rows; }
  // Of an op that reads or writes this buffer.
  [[nodiscard]] RowsOfOp opRows(model::BufferId id) const;
  [[nodiscard]] VkDeviceAddress stepAddress(std::uint64_t at) const { return m_c.resident.step.address + at; }
  [[nodiscard]] VkDeviceAddress pagesAddress(std::size_t state) const {
    return stepAddress(m_c.resident.stepLayout.pages[static_cast<std::size_t>(m_c.resident.kvGroups[state])]);
  }
  [[nodiscard]] std::string cacheVariant(const std::string& kernel) const {
    constexpr std::array suffixes{"", "_f32", "_q8_0"};  // by CacheKind
    return kernel + suffixes[static_cast<std::size_t>(m_c.resident.cacheKind)];
  }
  [[nodiscard]] VkDeviceAddress recurrentState(int state) const { return m_c.resident.recurrent[static_cast<std::size_t>(state)].address; }
  // Sequences that a step of this shape may have at most: what kernels with a recurrent state run for.
  [[nodiscard]] std::uint32_t sequences() const {
    return m_shape.oneSlot ? 1 : std::min(m_shape.rows, m_c.resident.stepLayout.sequenceCount);
  }
  // Subgroups of a kernel that sums over rows of so many columns.
  [[nodiscard]] std::uint32_t rowTeams(std::uint32_t columns) const {
    return std::clamp(columns / (4 * m_c.tuning.lanes), 1U, m_c.tuning.normTeams);
  }
  // Resource numbers for Hazards: first the plan's buffers, then its KV states, its recurrent states and the Extra ones.
  [[nodiscard]] int cacheOf(int kv) const { return static_cast<int>(m_c.plan.buffers.size()) + kv; }
  [[nodiscard]] int recurrentOf(int state) const { return cacheOf(static_cast<int>(m_c.plan.kv.size())) + state; }
  enum Extra { normed, aside, partial, step, byExpert, chunks, lists };
  [[nodiscard]] int extra(Extra e) const { return recurrentOf(static_cast<int>(m_c.plan.recurrent.size())) + e; }

  static constexpr std::uint32_t flatGroup = 64;  // workgroup size of kernels without subgroup operations
  static std::uint32_t divideUp(std::uint32_t a, std::uint32_t b) { return (a + b - 1) / b; }
  static std::uint32_t quads(std::uint64_t bytes) { return static_cast<std::uint32_t>(bytes / 16); }

  RecordContext m_c;
  StepShape m_shape;
  Hazards m_hazards;
  std::optional<vulkan::Commands> m_recording;
  vulkan::Commands* m_commands = nullptr;  // the same, or recordCompilation()'s
  StepSubmitter* m_submitter = nullptr;    // record()
  std::uint32_t m_part = 0;                // command buffers before the one that is recorded
  double m_work = 0;                       // of that one
  Result<void> m_parted;                   // whether all before it could be submitted
  const vulkan::Timestamps* m_clock = nullptr;
  std::set<KernelKey>* m_collected = nullptr;  // collect()
  Counts m_counts;
  std::vector<Counts> m_countsByOp;
  double m_longestFlops = 0;
  std::array<std::uint32_t, 3> m_mostWorkgroups{};
  // The route whose places Resident::byExpert lists, and in tiles of how many.
  std::pair<model::BufferId, std::uint32_t> m_gathered = {model::none, 0};
  std::vector<Join> m_joins;
  std::uint32_t m_partialUsed = 0;                              // floats of Resident::partial that they have
  std::map<model::BufferId, const model::NormOp*> m_normLater;  // by their results: norms that are left to what reads these
  std::set<const vulkan::Pipeline*>* m_ran = nullptr;           // recordCompilation()
};

}  // namespace minerva::gpu
