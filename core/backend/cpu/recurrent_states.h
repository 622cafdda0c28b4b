// The recurrent states of all slots and checkpoints, float32, and the sequences of a step that replace them.
//
// All states of a slot are contiguous, as are those of a checkpoint, so a copy is a single one. Only kernels read a state, so its
// layout is theirs: a scan's heads are kept as [stateSize, headDim], all others as the plan says.
#pragma once

#include "core/backend/backend.h"
#include "core/backend/cpu/memory.h"

#include <span>
#include <vector>

namespace minerva::cpu {

class RecurrentStates {
 public:
  [[nodiscard]] static std::uint64_t bytesNeeded(const model::Plan& plan, const backend::PlaceOptions& options);
  // Physical pages are allocated when a slot or a checkpoint is first used.
  [[nodiscard]] static Result<RecurrentStates> create(const model::Plan& plan, const backend::PlaceOptions& options);

  [[nodiscard]] float* of(int state, int slot) const { return sequence(slot) + m_offsets[static_cast<std::size_t>(state)]; }
  void copySlot(int from, int to) { copy(from, to); }
  void save(int slot, int checkpoint) { copy(slot, m_slots + checkpoint); }
  void restore(int checkpoint, int slot) { copy(m_slots + checkpoint, slot); }
  [[nodiscard]] std::uint64_t bytes() const { return m_memory.size(); }

 private:
  [[nodiscard]] float* sequence(int index) const {
    return reinterpret_cast<float*>(m_memory.data()) + static_cast<std::size_t>(index) * m_floats;
  }
  void copy(int from, int to);

  std::vector<std::size_t> m_offsets;  // by state, in floats
  std::size_t m_floats = 0;            // all states of one sequence
  int m_slots = 0;
  HostMemory m_memory;  // [slots + checkpoints]
};

// The rows of a step by sequence. Rows of several slots may alternate; those of one slot are in order.
class Sequences {
 public:
  struct Sequence {
    int slot;
    bool fresh;  // begins at position 0, where all states are zeros
    int first, count;
  };
  void set(std::span<const backend::StepRow> rows);
  [[nodiscard]] int count() const { return static_cast<int>(m_sequences.size()); }
  [[nodiscard]] const Sequence& operator[](int i) const { return m_sequences[static_cast<std::size_t>(i)]; }
  [[nodiscard]] const int* rowsOf(const Sequence& sequence) const { return m_rows.data() + sequence.first; }

 private:
  std::vector<Sequence> m_sequences;
  std::vector<int> m_rows;  // indices of the step's rows, by sequence
};

}  // namespace minerva::cpu
