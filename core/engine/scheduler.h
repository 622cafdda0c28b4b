// What runs next: admits requests to KV slots, puts pieces of prompts and one decode row of every running reply into one step.
//
// Driving thread only; the engine hands over what other threads submitted. At most one device step a tick.
#pragma once

#include "core/engine/chunk_pacer.h"
#include "core/engine/loader.h"
#include "core/engine/sequence.h"

#include <deque>
#include <memory>
#include <vector>

namespace minerva::engine {

class Scheduler {
 public:
  // model and emit must outlive it. chunkMs: see LoadOptions.
  Scheduler(LoadedModel& model, double chunkMs, const Emit& emit);

  // A request whose prompt could not be made fails here.
  void add(Arrival arrival, Result<Prompt> prompt);
  void cancel(RequestId id);
  void cancelUnstarted(const Arrival& arrival);
  // One tick. False: nothing was there to do.
  bool tick();

  [[nodiscard]] std::size_t waiting() const { return m_waiting.size(); }
  [[nodiscard]] int reusable(std::uint64_t conversation, std::span<const TokenId> tokens) const;

  // rowsAtOnce: of a step; 0: as many as there is room for.
  [[nodiscard]] Result<void> evaluate(std::span<const TokenId> tokens, bool allPositions, int rowsAtOnce, const Engine::TakeLogits& take);

 private:
  struct Share {
    Sequence* sequence;
    int rows;
  };
  bool admit();
  void start(Arrival arrival, Prompt prompt, const Assignment& assignment);
  [[nodiscard]] Result<void> fitsContext(int promptTokens) const;
  [[nodiscard]] std::vector<Share> composeStep();
  void finishStep(const std::vector<Share>& shares);
  void failAll(const Error& error);
  void dropFinished();

  LoadedModel& m_model;
  const Emit& m_emit;
  SlotTable m_slots;
  ChunkPacer m_pacer;
  struct Waiting {
    Arrival arrival;
    Prompt prompt;
  };
  std::deque<Waiting> m_waiting;
  std::vector<std::unique_ptr<Sequence>> m_running;
  std::vector<backend::StepRow> m_rows;
};

}  // namespace minerva::engine
