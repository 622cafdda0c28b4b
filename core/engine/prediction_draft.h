// Drafts with the target's own layer that predicts the token after the next one (model::Prediction), which costs a small part of a step.
//
// The layer reads, for each position p, the target's row of p and the token at p + 1, in a placement of its own with keys and values of its
// own. The scheduler says in which slot a request begins (begin) and shows the rows of every step that stay (observe); the next draft reads
// them, or catchUp() if there are many. The layer's positions are counted without those whose rows it never saw, as where a request could
// not have used drafts: rotary embeddings know only distances. What it drafts never changes a reply, so that this is no error, and where
// there is no memory for it, replies go on without it.
// Driving thread only.
#pragma once

#include "core/backend/backend.h"
#include "core/engine/draft_costs.h"
#include "core/engine/drafter.h"
#include "core/model/model_config.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace minerva::engine {

class PredictionDraft final : public Drafter {
 public:
  // config: the target's, whose file must outlive this. plan: buildPredictionPlan(config), placed so with Drafter's options. vocabulary
  // and embedding are the target's.
  PredictionDraft(const model::ModelConfig& config, std::unique_ptr<const model::Plan> plan, const backend::PlaceOptions& placed,
                  std::unique_ptr<backend::Placement> placement);

  // Runs a step, so that kernels which a device makes when they are first used are there, and its duration is known. Errors: those of
  // Placement::begin and runPart.
  [[nodiscard]] Result<void> warm();

  // Another request runs in the slot, whose state stands behind these tokens. copiedFrom: the slot from which it was copied; -1: none.
  void begin(int slot, int copiedFrom, std::span<const TokenId> tokens);
  // Rows of the target's last step that its state keeps: of one slot, at ascending positions. hidden: the step's rows of
  // model::Plan::hidden, of which the first of `rows` has number `first`. Only keeps them.
  void observe(std::span<const backend::StepRow> rows, const backend::BufferRows& hidden, int first);
  // Reads what was observed of slots that have much of it waiting; the rest is left to their next draft. To be called when the tokens of
  // a step are out.
  void catchUp();

  [[nodiscard]] int missing(int slot, std::span<const TokenId> tokens) const override;
  [[nodiscard]] int room(std::size_t tokens) const override;
  [[nodiscard]] double ms(int rows) const override { return m_costs.ms(rows); }
  [[nodiscard]] bool beginsAnywhere() const override { return false; }
  void draft(std::span<Wish> wishes) override;
  [[nodiscard]] bool failed() const override { return m_failed; }
  void giveUp();

  [[nodiscard]] backend::MemoryUse memory() const { return m_placement->memory(); }

 private:
  struct Row {
    int position = 0;  // of the target
    std::vector<float> hidden;
  };
  struct Read {
    int position = 0;  // of the target
    TokenId next = 0;  // the token at the position after it
  };
  struct Held {
    std::vector<TokenId> tokens;  // of the target's positions, as last observed; -1: never observed
    std::vector<Read> read;       // that the layer's keys and values are of, one for each of its positions
    std::vector<Row> waiting;     // rows that it has not read, after those. Of all but the last the token behind is known
    std::uint64_t lastUse = 0;
  };
  // A row of the layer's next step.
  struct Input {
    int slot = 0, position = 0;  // the layer's own
    TokenId next = 0;
    std::span<const float> hidden;
    bool wantsLogits = false;
  };
  // A draft that goes on.
  struct Chain {
    Wish* wish = nullptr;
    int position = 0;           // the layer's own, of its next row
    std::vector<float> hidden;  // of that row
  };
  [[nodiscard]] Held& heldBy(int slot) { return m_held[static_cast<std::size_t>(slot)]; }
  template <class F>
  void withinMemory(F&& work);
  void copyFrom(int other, int slot);
  static void forgetFrom(Held& held, int position);
  static void takeRow(Held& held, const backend::StepRow& row, std::span<const float> hidden);
  void readWaiting(int slot);
  [[nodiscard]] bool canDraft(const Wish& wish) const;
  void addWaiting(int slot, std::span<const TokenId> tokens, std::size_t count, std::vector<Input>& inputs);
  static void keepRead(Held& held, std::span<const Input> inputs);
  [[nodiscard]] std::vector<Chain> readAll(std::vector<Wish*> open);
  [[nodiscard]] std::vector<Chain> goOn(std::vector<Chain> chains);
  [[nodiscard]] bool findPages(std::span<const backend::StepRow> rows);
  void beginAgain(int slot);
  [[nodiscard]] bool run(std::span<const Input> inputs);
  [[nodiscard]] Result<void> step(std::span<const Input> inputs, std::span<const backend::StepRow> rows);
  void share(std::size_t rows, std::span<Wish* const> wishes) const;
  [[nodiscard]] bool extend(Wish& wish, int output);
  [[nodiscard]] std::vector<float> hiddenOf(int output);

  const model::ModelConfig& m_config;
  std::unique_ptr<const model::Plan> m_plan;
  backend::PlaceOptions m_placed;
  std::unique_ptr<backend::Placement> m_placement;
  DraftCosts m_costs;
  std::vector<float> m_embedded;  // a token's row of the embedding
  std::vector<Held> m_held;       // by slot
  std::uint64_t m_uses = 0;
  bool m_failed = false;
};

}  // namespace minerva::engine
