// The only door to a model for app and bench: load it, submit requests, receive events.
//
// Threads: one thread drives the engine (load(), step()); submit(), cancel() and the const getters may be called from any.
// Prompts are made (template, tokenizer) on a thread of the engine's own. Events are delivered on the driving thread, from
// inside step(). Cancellation is answered within one step.
#pragma once

#include "core/backend/backend.h"
#include "core/engine/events.h"
#include "core/engine/sampling/sampling.h"
#include "core/model/model_config.h"
#include "core/text/template/chat_template.h"

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace minerva::engine {

struct LoadOptions {
  std::filesystem::path path;
  int contextLength = 0;  // 0: the model's own, at most 8192
  int sequences = 1;      // conversations whose KV cache is kept at once
  int chunk = 512;        // prompt tokens of one prefill step at most (smaller: finer progress, slower)
  int chunkMs = 200;      // shorter chunks where one would take longer than this, so that a cancel is soon seen; 0: never (chunk_pacer.h)
  int queue = 64;         // requests that may wait for their turn; further ones fail
  backend::Precision precision = backend::Precision::standard;
  model::KvType kvType = model::KvType::f16;
  bool evenIfTooLarge = false;  // a warning, no error, on the CPU: the system has to find the memory
};

// What a load found and cost; stays true until the engine is gone.
struct ModelInfo {
  std::string displayName, family;
  format::FileFormat format = format::FileFormat::gguf;
  std::string typeName;  // the element type most weight bytes have: "Q4_K"
  std::uint64_t parameters = 0;
  double bitsPerWeight = 0;
  std::uint64_t fileBytes = 0;
  std::uint64_t weightBytesPerToken = 0;      // read for each decoded token, KV apart
  model::KvType kvType = model::KvType::f16;  // how they are kept
  std::uint64_t kvBytesPerPosition = 0;
  int modelContext = 0;      // the model's own
  int contextLength = 0;     // chosen
  std::string tokenizer;     // description
  std::string chatTemplate;  // "the model's own" or the fallback's name
  backend::DeviceInfo device;
  backend::MemoryUse memory;
  double loadMs = 0;
  std::vector<std::string> warnings;
};

struct LoadProgress {
  enum class Phase { opening, tokenizer, weights, warming, done } phase = Phase::opening;
  std::uint64_t done = 0, total = 0;  // bytes, in phase weights
};

struct Request {
  // Either messages (rendered through the chat template) or ids or plain text.
  text::RenderRequest chat;     // used when chat.messages is not empty
  std::vector<TokenId> tokens;  // used when not empty
  std::string prompt;           // plain text otherwise (BOS as the tokenizer adds it)
  SamplingOptions sampling;
  int maxTokens = 0;               // 0: until the context is full
  std::vector<std::string> stop;   // stop strings; never shown, even in part
  bool ignoreEndOfTurn = false;    // speed runs: go on past eos
  bool showSpecial = false;        // keep control tokens in the text
  std::uint64_t conversation = 0;  // requests of one conversation share a KV slot; the common prefix is never computed twice
};

// A prompt as submit() would run it.
struct Preview {
  std::string text;  // what the chat template makes of the messages; empty for other requests
  std::vector<TokenId> tokens;
  int reusable = 0;  // of these, in the KV cache now
};

struct PromptMaker;

class Engine {
 public:
  using Sink = std::function<void(const Event&)>;

  // Opens, checks and places a model. The backend must outlive the engine.
  // Errors: everything ModelFile, readModelConfig, createTokenizer, buildPlan and Backend::place say; cancelled. A
  // model that does not fit is outOfMemory before anything large is allocated: what it needs, what is free, what would
  // fit (fit.h), unless evenIfTooLarge. Nothing of a failed load stays; engines that run are not touched. A file without a usable chat
  // template or tokenizer still loads (warnings say so); requests that need them fail.
  [[nodiscard]] static Result<std::unique_ptr<Engine>> load(backend::Backend& backend, const LoadOptions& options,
                                                            const std::function<void(const LoadProgress&)>& progress, std::stop_token stop);
  ~Engine();

  [[nodiscard]] const ModelInfo& info() const;
  [[nodiscard]] const text::Tokenizer* tokenizer() const;        // null: the file has none
  [[nodiscard]] const text::ChatTemplate* chatTemplate() const;  // null: broken (see warnings)
  [[nodiscard]] SamplingOptions recommendedSampling() const;     // generation_config.json, else the defaults

  void setSink(Sink sink);  // before the first submit()
  RequestId submit(Request request);
  void cancel(RequestId id);

  // Makes prompts as submit() does, on any thread and without running them.
  [[nodiscard]] PromptMaker promptMaker() const;
  // How many of a prompt's tokens are in the KV cache now. Driving thread only.
  [[nodiscard]] int reusable(std::uint64_t conversation, std::span<const TokenId> tokens) const;
  // Both together: what submit() would run; a prompt longer than the context is no error here. Driving thread only.
  // Errors: PromptMaker's.
  [[nodiscard]] Result<Preview> preview(const Request& request) const;

  // Runs one scheduler tick: at most one device step. Where nothing runs it waits some milliseconds for a prompt that is being
  // made. False: nothing was there to do.
  bool step();
  // Blocks until something is submitted or the stop is requested. False: stop.
  bool waitForWork(std::stop_token stop);

  // Logits at every position (or the last only) of a token sequence; for tools. [rows, vocabulary]. Driving thread only.
  [[nodiscard]] Result<std::vector<float>> evaluate(std::span<const TokenId> tokens, bool allPositions);
  // The same, position by position: nothing is kept, and `take` may end it (false: the error is `cancelled`). rowsAtOnce:
  // tokens of a device step, so how soon that is seen; the same number gives the same logits.
  using TakeLogits = std::function<bool(std::size_t position, std::span<const float> logits)>;
  [[nodiscard]] Result<void> evaluate(std::span<const TokenId> tokens, int rowsAtOnce, const TakeLogits& take);

 private:
  struct State;
  explicit Engine(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

}  // namespace minerva::engine
