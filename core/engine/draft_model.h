// A second, smaller model of the same vocabulary that drafts: its likeliest tokens after those of a sequence, which a step of the target
// checks beside the next one.
//
// It keeps a state for each slot of the target and follows what the target's sequence there says: it runs the tokens that it has not seen,
// after going back to where they differ from what it has. States that cannot be cut back return to the end of the last sequence it drafted
// for, or else begin again. What it drafts never changes a reply, so its states are a cache, and given back where pages are needed.
// Driving thread only.
#pragma once

#include "core/backend/backend.h"
#include "core/engine/draft_costs.h"
#include "core/engine/drafter.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace minerva::engine {

struct LoadedModel;

class DraftModel final : public Drafter {
 public:
  // vocabulary: the target's, which may be smaller.
  DraftModel(std::unique_ptr<LoadedModel> model, int vocabulary);
  ~DraftModel() override;
  DraftModel(const DraftModel&) = delete;
  DraftModel& operator=(const DraftModel&) = delete;

  // Placement options for drafting beside a target that was placed with these.
  [[nodiscard]] static backend::PlaceOptions placeOptions(const backend::PlaceOptions& target, const model::Plan& plan);

  [[nodiscard]] int missing(int slot, std::span<const TokenId> tokens) const override;
  [[nodiscard]] int room(std::size_t tokens) const override;
  [[nodiscard]] double ms(int rows) const override { return m_costs.ms(rows); }
  [[nodiscard]] bool beginsAnywhere() const override { return true; }
  void draft(std::span<Wish> wishes) override;
  [[nodiscard]] bool failed() const override { return m_failed; }

  [[nodiscard]] const LoadedModel& model() const { return *m_model; }

 private:
  struct Held {
    std::vector<TokenId> tokens;  // that the slot's state has seen
    int checkpoint = -1;          // the position to which it can return in its cell; -1: none
    bool longRope = false;
    std::uint64_t lastUse = 0;
  };
  [[nodiscard]] Held& heldBy(const Wish& wish) { return m_held[static_cast<std::size_t>(wish.slot)]; }
  [[nodiscard]] bool cutsBack() const;
  [[nodiscard]] bool isLong(std::size_t tokens) const;
  [[nodiscard]] int kept(const Held& held, std::span<const TokenId> tokens) const;
  void copyFromAnother(const Wish& wish);
  [[nodiscard]] bool goBack(const Wish& wish);
  void addRows(const Wish& wish, int most);
  [[nodiscard]] bool giveBackAnother(std::span<Wish* const> wishes);
  void compose(std::vector<Wish*>& wishes);
  [[nodiscard]] bool runStep(std::span<Wish* const> wishes);
  [[nodiscard]] bool extend(Wish& wish, TokenId token) const;
  [[nodiscard]] std::vector<Wish*> takeLogits(std::span<Wish* const> wishes, bool reading);
  void keep(const Wish& wish);
  void giveUp();

  std::unique_ptr<LoadedModel> m_model;
  int m_vocabulary;
  DraftCosts m_costs;
  std::vector<Held> m_held;
  std::vector<backend::StepRow> m_rows;
  std::uint64_t m_uses = 0;
  bool m_failed = false;
};

}  // namespace minerva::engine
