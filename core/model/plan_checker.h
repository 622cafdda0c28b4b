// What checkPlan() does, op by op: plan_check.cpp has the frame and the plain ops, plan_check_mixers.cpp attention and recurrence,
// plan_check_experts.cpp mixtures of experts, plan_check_streams.cpp several residual streams. Internal to core/model.
#pragma once

#include "core/model/plan.h"

#include <cstdint>
#include <string>
#include <vector>

namespace minerva::model {

struct HeadCounts {
  int kv, headCount, kvHeadCount, headDim, valueDim;
};

// Of a buffer, in elements: far above any model, far below 32-bit overflow.
inline constexpr int maxColumns = 1 << 26;

class Checker {
 public:
  explicit Checker(const Plan& plan) : m_plan(plan), m_written(plan.buffers.size(), false) {}
  Result<void> check();

 private:
  Result<void> tables() const;
  Result<void> states() const;
  Result<void> ropes() const;
  Result<void> result() const;
  Result<void> operation(const EmbedOp& op) const;
  Result<void> operation(const NormOp& op) const;
  Result<void> operation(const ProjOp& op) const;
  Result<void> operation(const HeadProjOp& op) const;
  Result<void> operation(const RopeKvOp& op) const;
  Result<void> limited(const RopeKvOp& op) const;
  Result<void> operation(const AttentionOp& op) const;
  Result<void> operation(const RouteOp& op) const;
  Result<void> operation(const ExpertOp& op) const;
  Result<void> operation(const CombineOp& op) const;
  Result<void> operation(const GatherOp& op) const;
  Result<void> operation(const HeadOp& op) const;
  Result<void> operation(const GateOp& op) const;
  Result<void> operation(const GatedNormOp& op) const;
  Result<void> operation(const ScaleOp& op) const;
  Result<void> operation(const SpreadOp& op) const;
  Result<void> operation(const ConvOp& op) const;
  Result<void> operation(const DeltaOp& op) const;
  Result<void> operation(const ScanOp& op) const;
  Result<void> operation(const PoolOp& op) const;
  Result<void> operation(const ThresholdOp& op) const;
  Result<void> operation(const XieluOp& op) const;
  Result<void> operation(const LevelOp& op) const;
  Result<void> operation(const MixOp& op) const;
  Result<void> bufferInRange(BufferId id) const;
  Result<void> sameRows(BufferId a, BufferId b) const;
  Result<void> matrix(WeightId id, std::int64_t columns, std::int64_t rows, const char* role) const;
  Result<void> stack(WeightId id, std::int64_t count, std::int64_t columns, std::int64_t rows, const char* role) const;
  Result<void> vector(WeightId id, std::int64_t columns, const char* role, bool optional) const;
  Result<void> norm(const Norm& norm, std::int64_t columns) const;
  Result<void> headNorm(const HeadNormStep& step, int headCount, int headDim) const;
  Result<void> heads(const HeadCounts& heads) const;
  Result<void> groupedNorm(const Norm& norm, std::int64_t columns, std::int64_t group) const;
  Result<void> temperature(const QueryTemperature& temperature) const;
  Result<void> inside(BufferId id, int column, std::int64_t columns, const char* role) const;
  Result<void> everyRow(BufferId in, BufferId out) const;
  Result<void> recurrent(int state, std::int64_t rows, std::int64_t columns) const;
  Result<void> atLeast(BufferId id, std::int64_t wanted, const char* role) const;
  Result<void> width(BufferId id, std::int64_t wanted, const char* role) const;
  Result<void> finite(float value, const char* role) const;
  Result<void> ofProjections(Activation activation) const;
  Result<void> expertMatrices(const ExpertOp& op, std::int64_t rows, std::int64_t inputs) const;

  [[nodiscard]] int columns(BufferId id) const { return m_plan.buffers[static_cast<std::size_t>(id)].columns; }
  [[nodiscard]] bool outputRows(BufferId id) const { return m_plan.buffers[static_cast<std::size_t>(id)].outputRows; }
  [[nodiscard]] std::string where() const;
  [[nodiscard]] std::unexpected<Error> wrong(std::string what, std::string expected, std::string actual) const;

  const Plan& m_plan;
  std::vector<bool> m_written;
  std::size_t m_op = 0;
};

}  // namespace minerva::model
