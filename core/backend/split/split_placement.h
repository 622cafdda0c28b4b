// A plan that several devices run in turn. Contract: core/backend/backend.h.
#pragma once

#include "core/backend/backend.h"
#include "core/model/plan_split.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace minerva::backend {

// The same error with the device named, unless it is about the request or names it already.
[[nodiscard]] Error onDevice(Error error, const std::string& device);

class SplitPlacement final : public Placement {
 public:
  // devices: their names in errors, one for each plan of the split.
  SplitPlacement(model::SplitPlan plan, std::vector<std::string> devices);

  // The plans keep their addresses for as long as this object lives. A placement is needed for each plan with ops.
  [[nodiscard]] const model::SplitPlan& plan() const { return m_plan; }
  void place(std::size_t device, std::unique_ptr<Placement> placement) { m_placements[device] = std::move(placement); }

  Result<void> step(std::span<const StepRow> rows) override;
  Result<std::span<const float>> logits(int i) override;
  std::optional<TopLogits> topLogits(int i) override;
  Result<void> copySlot(int from, int to, int length) override;
  Result<void> saveCheckpoint(int slot, int position, int checkpoint) override;
  Result<void> restoreCheckpoint(int checkpoint, int slot) override;
  [[nodiscard]] int pagesLeft(std::span<const StepRow> rows, std::span<const int> released) const override;
  void release(int slot, int from) override;
  void dropCheckpoint(int checkpoint) override;
  [[nodiscard]] MemoryUse memory() const override;

 private:
  [[nodiscard]] std::size_t resultDevice() const;  // which has the head, or makes the vectors of texts
  Result<void> run(const model::SplitPart& part);
  // Calls it for every placement; the first error ends that, with the device's name.
  template <class Call>
  Result<void> onAll(Call call);

  model::SplitPlan m_plan;  // declared before the placements, which refer to its plans and must be destroyed first
  std::vector<std::string> m_devices;
  std::vector<std::unique_ptr<Placement>> m_placements;  // [plans]; null: unused
};

}  // namespace minerva::backend
