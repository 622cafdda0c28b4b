// Measures an open model: prompts of random tokens at a depth, and how fast they are read and continued.
#pragma once

#include "bench/device_options.h"
#include "bench/report.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <vector>

namespace minerva::bench {

struct SpeedOptions {
  DeviceOptions device;
  int prompt = 512, generate = 128, repetitions = 5, chunk = 512, chunkMs = engine::LoadOptions{}.chunkMs;
  std::vector<int> depths{0}, batches{1};
};

// -p, -n, -r, --depth, --chunk, --chunk-ms and the device's; --batch and --draft where conversations may run together.
void addSpeedOptions(CLI::App& app, SpeedOptions& options, bool batches);
// Opens the model with room for the largest depth and batch of the options.
[[nodiscard]] Result<OpenModel> openForSpeed(const SpeedOptions& options, const std::string& model);

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

// Uses new random prompts each time, so that only the tokens of --depth are reused.
class SpeedRunner {
 public:
  explicit SpeedRunner(engine::Engine& engine) : m_engine(engine) {}
  [[nodiscard]] Result<Repetition> once(const SpeedTask& task);

 private:
  std::vector<engine::TokenId> randomTokens(int count);
  using Prompts = std::vector<std::vector<engine::TokenId>>;
  void append(int count, Prompts& prompts);
  Result<void> runAll(const Prompts& prompts, int maxTokens);
  void addPrefill(const SpeedTask& task, TimePoint start, Repetition& result) const;
  void addDecode(TimePoint start, Repetition& result) const;

  engine::Engine& m_engine;
  std::mt19937_64 m_random{1};
  std::uint64_t m_conversation = 0;
  std::map<engine::RequestId, std::vector<TimePoint>> m_tokens;
  std::vector<engine::Timings> m_timings;
  std::optional<Error> m_error;
  std::size_t m_open = 0;
};

}  // namespace minerva::bench
