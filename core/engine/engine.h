// The public interface of the inference engine for app and bench: load a model, submit requests, receive events.
//
// Threads: one thread drives the engine (load(), step()); submit(), cancel() and the const getters may be called from any
// thread unless noted otherwise. Prompts are made (template, tokenizer) on a thread owned by the engine. Events are
// delivered on the driving thread, from inside step(). Cancellation takes effect within one step.
#pragma once

#include "core/format/model_file.h"
#include "core/backend/backend.h"
#include "core/engine/events.h"
#include "core/engine/sampling/sampling.h"
#include "core/grammar/grammar.h"
#include "core/model/model_config.h"
#include "core/model/op_work.h"
#include "core/model/state_reads.h"
#include "core/text/template/chat_template.h"

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace minerva::engine {

struct LoadOptions {
  std::filesystem::path path;
  int contextLength = 0;  // 0: the model's maximum, but at most 8192
  int sequences = 1;      // number of slots: conversations whose states are kept at once
  // Whole contexts for which there are keys and values, shared by all slots; 0: one for each slot. With fewer of them than slots a request
  // waits until there are pages for its prompt, and if replies need more than there are, the youngest is computed again later.
  int contexts = 0;
  int chunk = 512;  // largest number of prompt tokens per prefill step (smaller: finer progress, slower)
  // Time budget of a prefill step, met with shorter chunks; 0: none. A step, and so a cancellation, may take up to 4 s where
  // the fixed cost of a step dominates and no other reply waits (chunk_pacer.h).
  int chunkMs = 200;
  int queue = 64;  // maximum number of waiting requests; further ones fail
  backend::Precision precision = backend::Precision::standard;
  model::KvType kvType = model::KvType::f16;
  // Check tokens that the conversation suggests (lookup_draft.h), or a layer of the model that predicts further tokens
  // (prediction_draft.h), in the steps of replies, as far as that makes them faster (draft_costs.h).
  // Only on devices whose rows of replies can be alike (backend::Alike), so that the text is the same. Models with recurrent states take
  // more memory: each slot's states once more.
  bool drafts = false;
  // Also check tokens that this smaller model of the same vocabulary suggests (draft_model.h); "": none. Implies `drafts`.
  std::filesystem::path draft = {};
  // A request has the same results, bit for bit, whatever other requests are answered beside it or were before. Beside it, that is always
  // so on a CPU, but for prompts of mixtures and of latent attention, which take longer for it when they are short; so does a GPU with
  // short prompts and with many replies at once. Before it: a conversation's last reply is read again with its next message, as it would be
  // if its state had given way to others. Errors: unsupported, where the device cannot or is found not to.
  bool batchInvariant = false;
  bool evenWithoutDraft = false;  // if the draft model cannot be used, load without it and say so in the warnings
  bool evenIfTooLarge = false;    // on the CPU, a model that does not fit only causes a warning
};

// Properties of the loaded model and costs of the load; constant for the engine's lifetime.
struct ModelInfo {
  std::string displayName, family;
  format::FileFormat format = format::FileFormat::gguf;
  std::string typeName;  // the element type with the most weight bytes, such as "Q4_K"
  std::uint64_t parameters = 0;
  int vocabulary = 0, hiddenSize = 0;  // tokens, and numbers that a layer passes on for each
  double bitsPerWeight = 0;
  std::uint64_t fileBytes = 0;
  std::uint64_t weightBytesPerToken = 0;      // read for each decoded token, without the conversation's state
  model::ExpertReads expertReads;             // of mixtures: several replies in a step read more
  model::KvType kvType = model::KvType::f16;  // element type of the KV cache
  model::StateReads stateReads;               // read for each decoded token of the conversation's states
  std::uint64_t stateBytesPerPosition = 0;    // memory of a longer context, for each further position
  int modelContext = 0;                       // the model's maximum
  int contextLength = 0;                      // in use
  std::string tokenizer;                      // description
  std::string chatTemplate;                   // "the model's own", "none", or the fallback's name
  text::ReasoningControls reasoning;          // what a request may ask of the chat template
  backend::DeviceInfo device;
  backend::MemoryUse memory;  // without the draft model's
  std::string draftName;      // of the draft model, "in the file itself" of a layer that predicts; "": neither
  backend::MemoryUse draftMemory;
  double loadMs = 0;
  std::vector<std::string> warnings;
};

struct LoadProgress {
  enum class Phase { opening, tokenizer, measuring, weights, warming, done } phase = Phase::opening;
  std::uint64_t done = 0, total = 0;  // bytes, in phase weights
};

struct Request {
  // The prompt: messages (rendered through the chat template), token ids or plain text.
  text::RenderRequest chat;     // used when chat.messages is not empty
  std::vector<TokenId> tokens;  // used when not empty
  std::string prompt;           // plain text otherwise (BOS added as the tokenizer specifies, control tokens in it read as such)
  SamplingOptions sampling;
  int maxTokens = 0;              // 0: until the context is full
  std::vector<std::string> stop;  // stop strings of the answer; never shown, not even in part
  bool ignoreEndOfTurn = false;   // for speed measurements: continue after EOS
  bool showSpecial = false;       // keep control tokens in the text
  bool drafts = true;             // false, for measurements of steps: none, even where LoadOptions::drafts allows them
  // The grammar of the answer (not of reasoning before it); null: none. The reply ends where the grammar does, so ignoreEndOfTurn says
  // nothing then.
  std::shared_ptr<const grammar::Grammar> constraint = {};
  // The grammar describes a call of a tool (constraint.h), which this format reads; null: harmony, or no call.
  bool constraintIsCall = false;
  const text::ToolCallFormat* callFormat = nullptr;
  // Of the calls of tools that the model begins by itself, with the one token that shows it: each is a text of this grammar, which begins
  // with that token. What is around them is free, or follows `constraint`. Null: calls are as the model likes.
  struct CallConstraint {
    std::shared_ptr<const grammar::Grammar> grammar = {};
    TokenId opens = -1;
  } callConstraint = {};
  bool callPieces = false;         // calls are told of in pieces before they are complete (core/text/growing_calls.h)
  int logprobs = -1;               // how many of the likeliest tokens each TokenEvent lists; -1: no probabilities at all
  std::uint64_t conversation = 0;  // requests of a conversation share a slot and reuse their common prefix
};

// The prompt that submit() would run for a request.
struct Preview {
  std::string text;  // the rendered chat template; empty for requests without messages
  std::vector<TokenId> tokens;
  int reusable = 0;  // as Engine::reusable
};

struct PromptMaker;

class Engine {
 public:
  using Sink = std::function<void(const Event&)>;

  // Opens, validates and places a model. The backend must outlive the engine. A failed load releases everything and does
  // not affect running engines. A file without a usable chat template or tokenizer still loads with a warning; requests
  // that need them fail. Errors: invalidArgument (options); those of ModelFile, readModelConfig, buildPlan and
  // Backend::place; cancelled; outOfMemory for a model that does not fit, unless evenIfTooLarge. The latter is detected
  // before any large allocation and states what the model needs, what is free and what would fit (fit.h).
  [[nodiscard]] static Result<std::unique_ptr<Engine>> load(backend::Backend& backend, const LoadOptions& options,
                                                            const std::function<void(const LoadProgress&)>& progress, std::stop_token stop);
  ~Engine();

  [[nodiscard]] const ModelInfo& info() const;
  [[nodiscard]] const text::Tokenizer* tokenizer() const;        // null if the file has no usable one (see warnings)
  [[nodiscard]] const text::ChatTemplate* chatTemplate() const;  // null if unusable (see warnings)
  [[nodiscard]] SamplingOptions recommendedSampling() const;     // from generation_config.json or GGUF metadata, else the defaults

  void setSink(Sink sink);  // call before the first submit()
  RequestId submit(Request request);
  void cancel(RequestId id);

  // Makes prompts like submit(), but without running them. The PromptMaker may be used on any thread.
  [[nodiscard]] PromptMaker promptMaker() const;
  // Number of leading tokens of the prompt that would not be computed again now: those that the conversation's state has seen, for models
  // with recurrent states up to a checkpoint. Driving thread only.
  [[nodiscard]] int reusable(std::uint64_t conversation, std::span<const TokenId> tokens) const;
  // The prompt that submit() would run and its reusable(). A prompt longer than the context is not an error here. Driving
  // thread only. Errors: those of PromptMaker.
  [[nodiscard]] Result<Preview> preview(const Request& request) const;

  // Runs one scheduler tick: at most one device step. If there is nothing to run, waits some milliseconds for a prompt in
  // preparation. Returns false if there was nothing to do.
  bool step();
  // Blocks until the prompts of all requests submitted so far are made, so that the next step() admits them together. Driving thread only.
  void waitForPrompts();
  // Blocks until something has been submitted or a stop is requested. Returns false on stop.
  bool waitForWork(std::stop_token stop);

  // Logits at every position (or only the last) of a token sequence, [rows, vocabulary]; for tools. Driving thread only.
  [[nodiscard]] Result<std::vector<float>> evaluate(std::span<const TokenId> tokens, bool allPositions);
  // Streaming variant: passes the logits of each position to `take` without keeping them. `take` may return false to
  // abort (the error is `cancelled`). rowsAtOnce: tokens per device step, which bounds how soon an abort takes effect;
  // the same number gives the same logits.
  using TakeLogits = std::function<bool(std::size_t position, std::span<const float> logits)>;
  [[nodiscard]] Result<void> evaluate(std::span<const TokenId> tokens, int rowsAtOnce, const TakeLogits& take);

 private:
  struct State;
  explicit Engine(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

}  // namespace minerva::engine
