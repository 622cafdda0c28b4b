// Decides what runs next: admits requests to slots and composes each step from one decode row per running reply and
// chunks of prompts.
//
// Driving thread only; the engine passes in requests of other threads. At most one device step per tick.
#pragma once

#include "core/base/thread_pool.h"
#include "core/engine/chunk_pacer.h"
#include "core/engine/draft_costs.h"
#include "core/engine/loader.h"
#include "core/engine/model_drafting.h"
#include "core/engine/sequence.h"

#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace minerva::engine {

class Scheduler {
 public:
  // model and emit must outlive the scheduler. chunkMs: see LoadOptions.
  Scheduler(LoadedModel& model, double chunkMs, const Emit& emit);

  // If making the prompt failed, emits Failed for the request.
  void add(Arrival arrival, Result<Prompt> prompt);
  void cancel(RequestId id);
  void cancelUnstarted(const Arrival& arrival);
  // Runs one tick. Returns false if there was nothing to do. Where the host has too little memory for what runs, that fails.
  bool tick();

  [[nodiscard]] std::size_t waiting() const { return m_waiting.size(); }
  [[nodiscard]] int reusable(std::uint64_t conversation, std::span<const TokenId> tokens) const;

  // See Engine::evaluate. rowsAtOnce: rows per step; 0: as many as fit.
  [[nodiscard]] Result<void> evaluate(std::span<const TokenId> tokens, bool allPositions, int rowsAtOnce, const Engine::TakeLogits& take);

 private:
  struct Share {
    Sequence* sequence;
    int rows;  // without those of a draft
  };
  struct Waiting {
    Arrival arrival;
    Prompt prompt;
  };
  bool admit();
  [[nodiscard]] bool isUnderway(std::span<const TokenId> prompt, int kept) const;
  void start(Waiting waiting, const Assignment& assignment);
  void startIn(const Assignment& assignment, Arrival arrival, Prompt prompt);  // throws bad_alloc, and what a reader of replies may throw
  [[nodiscard]] bool runTick();
  [[nodiscard]] Result<void> prepare(const Assignment& assignment);
  void keepCheckpoint(int slot, int apart);
  [[nodiscard]] Result<void> fitsContext(int promptTokens) const;
  [[nodiscard]] std::vector<Share> composeStep();
  [[nodiscard]] std::vector<Share> shareOut(bool drafts);
  [[nodiscard]] std::vector<Share> repliesOfStep() const;
  // Pages, where slots share fewer contexts than there are slots (scheduler_pages.cpp).
  [[nodiscard]] bool sharesPages() const;
  [[nodiscard]] bool giveBackIdle(std::span<const int> except = {});
  [[nodiscard]] bool findPages(std::span<const backend::StepRow> ahead, int more, std::span<const int> except);
  [[nodiscard]] std::vector<backend::StepRow> rowsAhead() const;
  [[nodiscard]] std::optional<Assignment> findPagesFor(Assignment chosen, const Prompt& prompt);
  [[nodiscard]] bool pauseYoungest();
  void resumePaused();
  void draft(std::span<const Share> replies);
  void askDraftModel(std::span<const Share> replies, int rows, int room);
  void addPrompts(int chunk, int most, std::vector<Share>& shares) const;
  [[nodiscard]] int draftCell(int slot) const;
  [[nodiscard]] Result<std::vector<std::vector<RowLogits>>> logitsOf(std::span<const Share> shares);
  [[nodiscard]] Result<void> sample(std::span<const Share> shares);
  [[nodiscard]] std::vector<std::optional<std::size_t>> sampleOnce(std::span<const Share> shares,
                                                                   std::span<const std::vector<RowLogits>> logits,
                                                                   std::span<const std::size_t> open);
  void showPrediction(std::span<const Share> shares);
  [[nodiscard]] bool tell(const Share& share, bool takenBack, TimePoint stepEnded);
  void finishStep(const std::vector<Share>& shares, TimePoint stepEnded);
  [[nodiscard]] Result<bool> evaluateRows(std::span<const TokenId> tokens, std::size_t end, const Engine::TakeLogits& take);
  void failStep(const Error& error, std::span<const Share> shares);
  void failAll(const Error& error);
  void giveBack(int slot);
  void dropFinished();

  LoadedModel& m_model;
  const Emit& m_emit;
  SequenceStates m_states;
  ChunkPacer m_pacer;
  DraftCosts m_draftCosts;
  std::optional<ModelDrafting> m_drafting;  // by a draft model
  double m_draftingMs = 0;                  // in this tick
  bool m_repliesApart;                      // replies and prompts take turns, so that replies do not depend on prompts (backend::Alike)
  int m_mostAlike;                          // rows of replies that are alike then
  bool m_promptsTurn = true;                // of these, the prompts'
  int m_mostReplies = 0;                    // of a step without prompts
  std::unique_ptr<ThreadPool> m_samplers;   // of several replies; made when they are needed
  ConstraintTables m_constraints;
  std::deque<Waiting> m_waiting;
  std::vector<std::unique_ptr<Sequence>> m_running;
  std::vector<backend::StepRow> m_rows;
};

}  // namespace minerva::engine
