// State of one running request: its tokens, how many of them are computed, text held back, and timestamps.
//
// Driving thread only. The scheduler decides when a sequence runs; the sequence interprets the results and emits events.
#pragma once

#include "core/engine/checkpoint_positions.h"
#include "core/engine/draft_costs.h"
#include "core/engine/constraint.h"
#include "core/engine/engine.h"
#include "core/engine/prompt.h"
#include "core/engine/sequence_states.h"
#include "core/engine/stop_matcher.h"
#include "core/text/channels.h"
#include "core/text/stream_decoder.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

namespace minerva::engine {

using Emit = std::function<void(RequestId, std::variant<Started, PrefillProgress, TokenEvent, Finished, Failed>)>;

// A submitted request with its id and arrival time.
struct Arrival {
  RequestId id = 0;
  Request request;
  TimePoint time;
};

// The parts of the model that a sequence uses.
struct SequenceModel {
  const text::Tokenizer* tokenizer = nullptr;  // null: no text, tokens only
  std::span<const TokenId> endOfTurn;
  int contextLength = 0;
  int longRopeFrom = 0;                           // as in model::Plan
  const text::ChannelFormat* channels = nullptr;  // null: no channels, everything is the answer
  bool checkpoints = false;                       // checkpoints of its states are kept
  ConstraintTables* constraints = nullptr;        // for requests with a constraint
  std::span<const TokenId> suppressed = {};       // never part of a reply, whatever the request says
};

// The logits of a row that is sampled.
struct RowLogits {
  std::optional<backend::TopLogits> best;
  std::span<const float> all;  // empty: not brought from the device
};

// What a draft's tokens come from: a place in the conversation found by a few last tokens, or by many; a draft model.
enum class DraftSource { fewTokens, manyTokens, model };

class Sequence {
 public:
  Sequence(Arrival arrival, Prompt prompt, const Assignment& assignment, const SequenceModel& model, const Emit& emit);

  [[nodiscard]] RequestId id() const { return m_arrival.id; }
  [[nodiscard]] int slot() const { return m_slot; }
  [[nodiscard]] bool finished() const { return m_finished; }
  [[nodiscard]] std::span<const TokenId> prompt() const { return std::span(m_tokens).first(static_cast<std::size_t>(m_promptLength)); }
  [[nodiscard]] int computed() const { return m_computed; }  // tokens that its state has seen
  // Number of tokens that its state has not seen: the rest of the prompt, later one at a time, or those of a draft that was taken back.
  [[nodiscard]] int pending() const { return static_cast<int>(m_tokens.size()) - m_computed; }
  [[nodiscard]] bool decoding() const { return !m_paused && m_computed >= m_repliesFrom && (pending() <= 1 || m_takenBack || m_resumed); }
  [[nodiscard]] bool prefilling() const { return !m_paused && !decoding() && pending() > 0; }

  // Gives up its state, which is computed again after resume(). What it has said stays said, and it goes on as it would have.
  void pause();
  void resume() { m_paused = false; }
  [[nodiscard]] bool paused() const { return m_paused; }

  static constexpr int mostDrafted = 15;  // tokens a step
  // The most tokens that the next step could check beside its next one; 0: none.
  [[nodiscard]] int draftRoom() const;
  // A mask needs the text of the token before.
  [[nodiscard]] bool mayDraft() const {
    return m_arrival.request.drafts && !m_constraint && m_arrival.request.callConstraint.grammar == nullptr;
  }
  // Looks in the conversation for tokens that may follow the last one.
  void findDraft();
  // Takes what the draft model suggests, in place of that; not more than draftRoom().
  void takeDraft(std::vector<TokenId> tokens);
  // Of these, so many are checked in the next step.
  void draft(int count) { m_draft.resize(static_cast<std::size_t>(count)); }
  [[nodiscard]] bool isConstrained() const { return m_constraint || m_call; }  // its next token
  [[nodiscard]] int drafted() const { return static_cast<int>(m_draft.size()); }
  [[nodiscard]] DraftSource draftSource() const { return m_draftSource; }
  [[nodiscard]] double acceptance(DraftSource source) const { return m_rates[static_cast<std::size_t>(source)].rate(); }
  [[nodiscard]] double acceptance() const { return acceptance(m_draftSource); }
  // The draft's tokens that sample() took.
  [[nodiscard]] int accepted() const { return std::max(0, std::min(m_sampled - 1, drafted())); }
  [[nodiscard]] std::span<const TokenId> tokens() const { return m_tokens; }
  // How many tokens more the reply may be expected to have: it goes on for as long as it has been going on, if not much is known.
  [[nodiscard]] int expectedMore() const;

  // Appends the next `count` pending rows, and those of the draft. The last pending token, which includes every decode row, and those of
  // the draft request logits.
  void addRows(int count, std::vector<backend::StepRow>& rows, TimePoint now);
  // Samples from the logits of the last pending row, and of the draft's rows for as long as the draft has what was sampled before. Returns
  // the row of these that must be brought whole before it can go on: then call it again. May run beside others' sample(), unless it is
  // constrained: the tables of a grammar are shared.
  [[nodiscard]] std::optional<std::size_t> sample(std::span<const RowLogits> rows);
  // Whether the best logits are never enough.
  [[nodiscard]] bool needsWholeRows() const { return m_arrival.request.logprobs >= 0; }
  // Whether a draft's token was not sampled, so that the state has seen what is not in the text.
  [[nodiscard]] bool rejects() const { return !m_draft.empty() && m_sampled <= drafted(); }
  // Records that `count` pending rows of this sequence were run, with those of the draft. takenBack: its state is as before the step.
  void advance(int count, bool takenBack, SequenceStates& states, TimePoint now);
  // The most rows of a step: of a prompt, or of a reply, which has one except after a draft was taken back or a pause.
  [[nodiscard]] int rowsAtOnce() const;
  // The same, so that it does not run past the next position of a checkpoint; whether the last step ended at one.
  [[nodiscard]] int rowsToCheckpoint() const { return m_checkpoints.after(m_computed) - m_computed; }
  [[nodiscard]] bool atCheckpoint() const { return m_checkpoints.after(m_computed - 1) == m_computed; }
  // Emits what was sampled and finishes the sequence if it ends. Returns false if the logits were unusable.
  [[nodiscard]] bool take();

  void finish(FinishReason reason);
  void failWith(Error error);

 private:
  void constrain();
  void cutDraft();
  [[nodiscard]] ReplyPhase phase() const;
  [[nodiscard]] std::optional<TokenId> sampleOne(const RowLogits& row);
  [[nodiscard]] std::span<const std::uint64_t> allowedNext();
  [[nodiscard]] bool follow(TokenId token, ReplyPhase before, bool atStart, const std::string& answer);
  [[nodiscard]] bool followInCall(TokenId token, bool atStart);
  [[nodiscard]] Error unfollowed() const;
  [[nodiscard]] text::ReplyParts show(TokenId token, bool ends);
  [[nodiscard]] text::ReplyParts upToStop(text::ReplyParts parts);
  [[nodiscard]] text::ReplyParts tail(bool ended);
  [[nodiscard]] std::optional<FinishReason> reasonToEnd(bool endOfTurn) const;
  [[nodiscard]] Timings timings() const;
  [[nodiscard]] bool endsTurn(TokenId token) const;
  void takeOne(TokenId token, std::optional<Logprobs> logprobs, double sinceMs, TimePoint now);
  void beginAgainIfLong();
  void placeCheckpoints();

  Arrival m_arrival;
  SequenceModel m_model;
  const Emit& m_emit;
  Sampler m_sampler;
  std::optional<text::StreamDecoder> m_decoder;
  std::optional<text::ChannelSplitter> m_channels;  // chats only; runs before the stop strings, which are those of the answer
  StopMatcher m_stop;
  std::optional<ReplyConstraint> m_constraint;
  std::optional<ReplyConstraint> m_call;  // of the call that the model is writing (Request::callConstraint)
  text::ChannelFormat m_ownChannels;      // of constrained replies: with the format of the call alone, or without calls
  bool m_callsBegan = false;
  int m_reasoningTokens = 0;
  std::vector<TokenId> m_tokens;                    // prompt and reply
  std::vector<TokenId> m_draft;                     // of the step in progress
  int m_sampled = 0;                                // last tokens of m_tokens, of the step in progress
  std::vector<std::optional<Logprobs>> m_logprobs;  // of these tokens
  bool m_unusable = false;                          // logits of it
  bool m_nothingAllowed = false;
  bool m_takenBack = false;  // the last draft, whose accepted tokens are computed again
  DraftSource m_draftSource = DraftSource::fewTokens;
  DraftRate m_rates[3];  // by DraftSource
  int m_drafted = 0, m_accepted = 0;
  CheckpointPositions m_checkpoints;
  int m_promptLength, m_computed, m_reused, m_slot;
  int m_repliesFrom;       // tokens from here on are computed as those of a reply (backend::RowUse), also again after a pause
  bool m_paused = false;   // its state is given up
  bool m_resumed = false;  // tokens of the reply are computed again
  double m_templateMs, m_tokenizeMs;
  Phases m_phases;  // accumulated phases only; timings() derives the others
  TimePoint m_stepBegan{}, m_stepEnded{};
  std::optional<TimePoint> m_firstStep, m_prefillEnd, m_firstToken, m_lastToken;
  std::vector<double> m_intervals;  // ms between tokens
  bool m_long = false;              // uses the long rope frequencies
  bool m_finished = false;
};

// Timings of a request that was never started.
[[nodiscard]] Timings timingsOfUnstarted(TimePoint arrival);

}  // namespace minerva::engine
