// The ops of a Plan in double precision, one function each, to be read side by side with their definitions in plan.h.
//
// Weights are dequantized through their type's traits, row by row, without caching. Single-threaded. REQUIRES a plan that
// passed checkPlan and rows that passed Slots::check.
#pragma once

#include "core/backend/kv_pages.h"
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

// Keys [pages, positions, kvHeadCount * headDim] and values [pages, positions, kvHeadCount * valueDim] of one KV state.
struct KvStore {
  int group = 0;  // of KvPages
  std::size_t keyWidth = 0, valueWidth = 0;
  model::KvType type = model::KvType::f16;  // q8_0: values are rounded as the codes would be; other types: stored in full
  std::size_t pages = 0, positions = 0;     // positions of a page
  std::vector<double> keys, values;

  [[nodiscard]] std::size_t keyElements() const { return pages * positions * keyWidth; }
  [[nodiscard]] std::size_t valueElements() const { return pages * positions * valueWidth; }
};

// A KV state of one slot.
class KvRows {
 public:
  KvRows(KvStore& store, const KvPages& pages, int slot) : m_store(store), m_pages(pages.table(store.group, slot)) {}

  [[nodiscard]] std::span<double> key(int position) const {
    return {m_store.keys.data() + row(position) * m_store.keyWidth, m_store.keyWidth};
  }
  [[nodiscard]] std::span<double> value(int position) const {
    return {m_store.values.data() + row(position) * m_store.valueWidth, m_store.valueWidth};
  }
  [[nodiscard]] model::KvType type() const { return m_store.type; }

 private:
  [[nodiscard]] std::size_t row(int position) const {
    const auto page = static_cast<std::size_t>(m_pages[static_cast<std::size_t>(position / kvPagePositions)]);
    return page * m_store.positions + static_cast<std::size_t>(position % kvPagePositions);
  }
  KvStore& m_store;
  std::span<const int> m_pages;
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
  std::vector<Matrix>& buffers;  // [plan.buffers]
  std::vector<KvStore>& kv;      // [plan.kv]
  const KvPages& pages;
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
void run(const model::PoolOp& op, StepState& step);
// streams.cpp
void run(const model::ThresholdOp& op, StepState& step);
void run(const model::XieluOp& op, StepState& step);
void run(const model::LevelOp& op, StepState& step);
void run(const model::MixOp& op, StepState& step);
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
