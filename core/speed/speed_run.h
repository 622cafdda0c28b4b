// Measures an open model: prompts of random tokens at a depth, and how fast they are read and continued.
#pragma once

#include "core/engine/engine.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <stop_token>
#include <vector>

namespace minerva::speed {

struct SpeedTask {
  int depth = 0;       // tokens already in the context of each conversation
  int batch = 1;       // conversations at the same time
  int prompt = 512;    // tokens, > 0
  int generate = 128;  // tokens after the first; 0: the prompt only
};

struct Repetition {
  double ttftMs = 0, prefillPerSecond = 0, decodePerSecond = 0;
  std::vector<double> intervals = {};  // ms between the tokens of each conversation
};

// What was measured at one depth and batch.
struct SpeedRun {
  SpeedTask task;
  std::vector<Repetition> repetitions = {};
  std::optional<std::uint64_t> peakMemory = {};  // of the process; nothing if it holds other models, too
};

// Load options with room for each of the tasks: slots, context, and as many whole contexts as the largest of them needs.
[[nodiscard]] engine::LoadOptions roomFor(std::span<const SpeedTask> tasks);
// Positions of a context that each of its conversations takes.
[[nodiscard]] int positionsOf(const SpeedTask& task);

// Uses new random prompts each time, so that only the tokens of the depth are reused. The engine is driven by the calling thread.
class SpeedRunner {
 public:
  using Progress = std::function<void(double share)>;  // of a repetition, from 0 to 1

  // A stop takes effect within one step; the error is `cancelled`. Others: those of requests; invalidArgument for replies so short, and so
  // many, that the first ends before the last begins.
  explicit SpeedRunner(engine::Engine& engine, std::stop_token stop = {}, Progress progress = {})
      : m_engine(engine), m_stop(std::move(stop)), m_progress(std::move(progress)) {}
  [[nodiscard]] Result<Repetition> once(const SpeedTask& task);

 private:
  std::vector<engine::TokenId> randomTokens(int count);
  using Prompts = std::vector<std::vector<engine::TokenId>>;
  void append(int count, Prompts& prompts);
  Result<void> runAll(const Prompts& prompts, int maxTokens);
  void hear(const engine::Event& event);
  void tell() const;
  void addPrefill(const SpeedTask& task, TimePoint start, Repetition& result) const;
  [[nodiscard]] Result<void> addDecode(const SpeedTask& task, TimePoint start, Repetition& result) const;

  engine::Engine& m_engine;
  std::stop_token m_stop;
  Progress m_progress;
  std::mt19937_64 m_random{1};
  std::uint64_t m_conversation = 0;
  std::map<engine::RequestId, std::vector<TimePoint>> m_tokens;
  std::vector<double> m_intervals;        // milliseconds a token; those of a step share its time
  std::optional<TimePoint> m_stepTokens;  // all tokens of a step count from its first, though they are told one after the other
  std::vector<engine::Timings> m_timings;
  std::optional<Error> m_error;
  std::size_t m_open = 0;
  double m_computed = 0, m_all = 1;                 // tokens of this repetition
  std::map<engine::RequestId, double> m_read = {};  // of each prompt that is being computed
};

// A warm-up and then so many repetitions of each runner in turn, each time beginning with the next one: what changes on the machine
// meanwhile meets all alike. Returns a run for each of them. begins: called before each repetition, from 0 on; -1 before the warm-up.
[[nodiscard]] Result<std::vector<SpeedRun>> measureInTurn(std::span<SpeedRunner* const> runners, const SpeedTask& task, int repetitions,
                                                          const std::function<void(int repetition)>& begins = {});

}  // namespace minerva::speed
