// A placement that passes everything on, notes what was run and fails where it is told to.
#pragma once

#include "core/backend/backend.h"

#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace minerva::engine {

class WatchedPlacement : public backend::Placement {
 public:
  struct Notes {
    int steps = 0, rows = 0;
    std::map<int, std::vector<float>> logits;  // by position
    bool failsStep = false, failsSave = false, failsRestore = false;
    ErrorKind failing = ErrorKind::deviceLost;  // of a step
  };
  WatchedPlacement(std::unique_ptr<backend::Placement> inner, Notes& notes) : m_inner(std::move(inner)), m_notes(notes) {}
  Result<void> step(std::span<const backend::StepRow> rows) override {
    MINERVA_TRY(note(rows));
    return m_inner->step(rows);
  }
  Result<void> begin(std::span<const backend::StepRow> rows) override {
    MINERVA_TRY(note(rows));
    return m_inner->begin(rows);
  }
  Result<void> runPart(std::size_t part) override { return m_inner->runPart(part); }
  Result<backend::BufferRows> rows(model::BufferId buffer) override { return m_inner->rows(buffer); }
  Result<std::span<const float>> logits(int i) override {
    MINERVA_ASSIGN(const std::span<const float> found, m_inner->logits(i));
    m_notes.logits[m_outputs[static_cast<std::size_t>(i)]].assign(found.begin(), found.end());
    return found;
  }
  Result<void> copySlot(int from, int to, int length) override { return m_inner->copySlot(from, to, length); }
  Result<void> saveCheckpoint(int slot, int position, int checkpoint) override {
    if (m_notes.failsSave) return fail({.kind = ErrorKind::deviceLost, .what = "Not saved"});
    return m_inner->saveCheckpoint(slot, position, checkpoint);
  }
  Result<void> restoreCheckpoint(int checkpoint, int slot) override {
    if (m_notes.failsRestore) return fail({.kind = ErrorKind::deviceLost, .what = "Not restored"});
    return m_inner->restoreCheckpoint(checkpoint, slot);
  }
  int pagesLeft(std::span<const backend::StepRow> rows, std::span<const int> released) const override {
    return m_inner->pagesLeft(rows, released);
  }
  void release(int slot, int from) override { m_inner->release(slot, from); }
  void dropCheckpoint(int checkpoint) override { m_inner->dropCheckpoint(checkpoint); }
  backend::MemoryUse memory() const override { return m_inner->memory(); }

 private:
  Result<void> note(std::span<const backend::StepRow> rows) {
    if (std::exchange(m_notes.failsStep, false)) return fail({.kind = m_notes.failing, .what = "The step fails"});
    ++m_notes.steps;
    m_notes.rows += static_cast<int>(rows.size());
    m_outputs.clear();
    for (const backend::StepRow& row : rows) {
      if (row.wantsLogits) m_outputs.push_back(row.position);
    }
    return {};
  }

  std::unique_ptr<backend::Placement> m_inner;
  Notes& m_notes;
  std::vector<int> m_outputs;
};

}  // namespace minerva::engine
