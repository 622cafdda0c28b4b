#include "core/backend/cpu/recurrent_states.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace minerva::cpu {

std::uint64_t RecurrentStates::bytesNeeded(const model::Plan& plan, const backend::PlaceOptions& options) {
  const auto sequences = static_cast<std::uint64_t>(options.slots) + static_cast<std::uint64_t>(options.checkpoints);
  return sequences * plan.recurrentBytes();
}

Result<RecurrentStates> RecurrentStates::create(const model::Plan& plan, const backend::PlaceOptions& options) {
  RecurrentStates states;
  states.m_slots = options.slots;
  MINERVA_ASSIGN(states.m_memory, HostMemory::create(bytesNeeded(plan, options), true));
  for (const model::RecurrentState& state : plan.recurrent) {
    states.m_offsets.push_back(states.m_floats);
    states.m_floats += static_cast<std::size_t>(state.rows) * static_cast<std::size_t>(state.columns);
  }
  return states;
}

void RecurrentStates::copy(int from, int to) {
  if (from != to && m_floats > 0) std::memcpy(sequence(to), sequence(from), m_floats * sizeof(float));
}

void Sequences::set(std::span<const backend::StepRow> rows) {
  const auto slotOf = [&](int row) { return rows[static_cast<std::size_t>(row)].slot; };
  m_rows.resize(rows.size());
  std::iota(m_rows.begin(), m_rows.end(), 0);
  std::ranges::stable_sort(m_rows, {}, slotOf);
  m_sequences.clear();
  for (int i = 0; i < static_cast<int>(rows.size()); ++i) {
    const int row = m_rows[static_cast<std::size_t>(i)];
    if (m_sequences.empty() || m_sequences.back().slot != slotOf(row)) {
      m_sequences.push_back({slotOf(row), rows[static_cast<std::size_t>(row)].position == 0, i, 0});
    }
    ++m_sequences.back().count;
  }
}

}  // namespace minerva::cpu
