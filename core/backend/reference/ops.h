// The ops of a Plan in double precision, one function each, to be read side by side with their definitions in plan.h.
//
// Weights are dequantized through their type's traits, row by row, without caching. Single-threaded. REQUIRES a plan that
// passed checkPlan and rows that passed Slots::check.
#pragma once

#include "core/backend/backend.h"
#include "core/model/plan.h"

#include <cstddef>
#include <span>
#include <vector>

namespace minerva::backend::reference {

struct Matrix {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;  // [rows, columns]

  void resize(std::size_t newRows, std::size_t newColumns) {
    rows = newRows;
    columns = newColumns;
    values.assign(rows * columns, 0.0);
  }
  [[nodiscard]] std::span<double> row(std::size_t i) { return {values.data() + i * columns, columns}; }
  [[nodiscard]] std::span<const double> row(std::size_t i) const { return {values.data() + i * columns, columns}; }
};

// Keys [slots, context, kvHeadCount * headDim] and values [slots, context, kvHeadCount * valueDim] of one layer.
struct KvStore {
  std::size_t context = 0, keyWidth = 0, valueWidth = 0;
  model::KvType type = model::KvType::f16;  // q8_0: values are rounded as the codes would be; other types: stored in full
  std::vector<double> keys, values;

  [[nodiscard]] std::span<double> key(int slot, int position) { return {keys.data() + row(slot, position) * keyWidth, keyWidth}; }
  [[nodiscard]] std::span<double> value(int slot, int position) { return {values.data() + row(slot, position) * valueWidth, valueWidth}; }

 private:
  [[nodiscard]] std::size_t row(int slot, int position) const {
    return static_cast<std::size_t>(slot) * context + static_cast<std::size_t>(position);
  }
};

// A recurrent state of every slot, [slots, rows, columns].
struct RecurrentStore {
  std::size_t size = 0;  // of one slot
  std::vector<double> values;

  [[nodiscard]] std::span<double> of(int slot) { return {values.data() + static_cast<std::size_t>(slot) * size, size}; }
};

// Shared state of one step's ops.
struct StepState {
  const model::Plan& plan;
  std::span<const StepRow> rows;
  std::vector<Matrix>& buffers;            // [plan.buffers]
  std::vector<KvStore>& kv;                // [plan.kv]
  std::vector<RecurrentStore>& recurrent;  // [plan.recurrent]
};

// ops.cpp
void run(const model::EmbedOp& op, StepState& step);
void run(const model::NormOp& op, StepState& step);
void run(const model::ProjOp& op, StepState& step);
void run(const model::HeadProjOp& op, StepState& step);
void run(const model::GateOp& op, StepState& step);
void run(const model::GatedNormOp& op, StepState& step);
void run(const model::ScaleOp& op, StepState& step);
void run(const model::GatherOp& op, StepState& step);
void run(const model::HeadOp& op, StepState& step);
// attention.cpp
void run(const model::RopeKvOp& op, StepState& step);
void run(const model::AttentionOp& op, StepState& step);
// experts.cpp
void run(const model::RouteOp& op, StepState& step);
void run(const model::ExpertOp& op, StepState& step);
void run(const model::SpreadOp& op, StepState& step);
void run(const model::CombineOp& op, StepState& step);
// recurrent.cpp
void run(const model::ConvOp& op, StepState& step);
void run(const model::DeltaOp& op, StepState& step);
void run(const model::ScanOp& op, StepState& step);

}  // namespace minerva::backend::reference
