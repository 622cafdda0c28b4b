// A placement without a model, which computes nothing. What it answers is the tests' own.
#pragma once

#include "core/backend/backend.h"

namespace minerva::engine {

class IdlePlacement : public backend::Placement {
 public:
  Result<void> copySlot(int, int, int) override { return {}; }
  Result<void> saveCheckpoint(int, int, int) override { return {}; }
  Result<void> restoreCheckpoint(int, int) override { return {}; }
  int pagesLeft(std::span<const backend::StepRow>, std::span<const int>) const override { return 0; }
  void release(int, int) override {}
  void dropCheckpoint(int) override {}
  backend::MemoryUse memory() const override { return {}; }
};

}  // namespace minerva::engine
