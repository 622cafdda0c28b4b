#include "bench/device_options.h"
#include "bench/report.h"
#include "core/base/percentile.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <random>

namespace minerva::bench {
namespace {

struct SpeedOptions {
  DeviceOptions device;
  std::string model;
  int prompt = 512, generate = 128, repetitions = 5, chunk = 512, chunkMs = engine::LoadOptions{}.chunkMs;
  std::vector<int> depths{0}, batches{1};
  bool json = false;
};

struct Repetition {
  double ttftMs = 0, prefillPerSecond = 0, decodePerSecond = 0;
  std::vector<double> intervals;  // ms between the tokens of each conversation
};

struct Run {
  int depth, batch;
  std::vector<Repetition> repetitions = {};
  std::uint64_t peakMemory = 0;
};

// Uses new random prompts each time, so that only the tokens of --depth are reused.
class Speed {
 public:
  Speed(engine::Engine& engine, const SpeedOptions& options) : m_engine(engine), m_options(options) {}
  Result<Repetition> once(int depth, int batch);

 private:
  std::vector<engine::TokenId> randomTokens(int count);
  Result<void> fillDepth(int depth, int batch, std::vector<std::vector<engine::TokenId>>& prompts);
  Result<void> finishAll();

  engine::Engine& m_engine;
  const SpeedOptions& m_options;
  std::mt19937_64 m_random{1};
  std::uint64_t m_conversation = 0;
  std::map<engine::RequestId, std::vector<TimePoint>> m_tokens;
  std::vector<engine::Timings> m_timings;
  std::optional<Error> m_error;
  std::size_t m_open = 0;
};

std::vector<engine::TokenId> Speed::randomTokens(int count) {
  std::vector<engine::TokenId> tokens(static_cast<std::size_t>(count));
  const auto vocabulary = static_cast<std::uint64_t>(m_engine.tokenizer() != nullptr ? m_engine.tokenizer()->vocabularySize() : 256);
  for (engine::TokenId& token : tokens) token = static_cast<engine::TokenId>(m_random() % vocabulary);
  return tokens;
}

Result<void> Speed::finishAll() {
  while (m_open > 0 && m_engine.step()) {
  }
  if (m_error) return fail(*m_error);
  return {};
}

Result<void> Speed::fillDepth(int depth, int batch, std::vector<std::vector<engine::TokenId>>& prompts) {
  for (int b = 0; b < batch && depth > 0; ++b) {
    prompts[static_cast<std::size_t>(b)] = randomTokens(depth);
    engine::Request request{
        .chat = {}, .tokens = prompts[static_cast<std::size_t>(b)], .prompt = {}, .sampling = {}, .maxTokens = 1, .stop = {}};
    request.conversation = m_conversation + static_cast<std::uint64_t>(b);
    ++m_open;
    m_engine.submit(std::move(request));
  }
  return finishAll();
}

Result<Repetition> Speed::once(int depth, int batch) {
  m_engine.setSink([this](const engine::Event& event) {
    if (std::holds_alternative<engine::TokenEvent>(event.body)) m_tokens[event.request].push_back(event.time);
    if (const auto* finished = std::get_if<engine::Finished>(&event.body)) {
      m_timings.push_back(finished->timings);
      --m_open;
    }
    if (const auto* failed = std::get_if<engine::Failed>(&event.body)) {
      m_error = failed->error;
      --m_open;
    }
  });
  m_conversation += static_cast<std::uint64_t>(batch) + 1;
  std::vector<std::vector<engine::TokenId>> prompts(static_cast<std::size_t>(batch));
  MINERVA_TRY(fillDepth(depth, batch, prompts));
  m_tokens.clear();
  m_timings.clear();
  const TimePoint start = Clock::now();
  for (int b = 0; b < batch; ++b) {
    std::vector<engine::TokenId>& tokens = prompts[static_cast<std::size_t>(b)];
    const std::vector<engine::TokenId> more = randomTokens(m_options.prompt);
    tokens.insert(tokens.end(), more.begin(), more.end());
    engine::Request request{
        .chat = {}, .tokens = tokens, .prompt = {}, .sampling = {.temperature = 0}, .maxTokens = m_options.generate + 1, .stop = {}};
    request.ignoreEndOfTurn = true;
    request.conversation = m_conversation + static_cast<std::uint64_t>(b);
    ++m_open;
    m_engine.submit(std::move(request));
  }
  MINERVA_TRY(finishAll());

  Repetition result;
  TimePoint lastFirst = start;
  TimePoint firstEnd = TimePoint::max();
  for (const auto& [id, times] : m_tokens) {
    lastFirst = std::max(lastFirst, times.front());
    firstEnd = std::min(firstEnd, times.back());
    for (std::size_t i = 1; i < times.size(); ++i) result.intervals.push_back(millisecondsBetween(times[i - 1], times[i]));
  }
  // Combined rates: prefill until the last conversation's first token, decode while all conversations are running.
  int decoded = 0;
  for (const auto& [id, times] : m_tokens) {
    decoded += static_cast<int>(std::ranges::count_if(times, [&](TimePoint t) { return t > lastFirst && t <= firstEnd; }));
  }
  int computed = 0;
  for (const engine::Timings& t : m_timings) {
    computed += t.promptTokens - t.reusedTokens;
    result.ttftMs = std::max(result.ttftMs, t.ttftMs);
  }
  const double prefillMs = batch == 1 ? m_timings.front().prefillMs : millisecondsBetween(start, lastFirst);
  result.prefillPerSecond = prefillMs > 0 ? computed / prefillMs * 1e3 : 0;
  const double decodeMs = millisecondsBetween(lastFirst, firstEnd);
  result.decodePerSecond = decodeMs > 0 ? decoded / decodeMs * 1e3 : 0;
  return result;
}

// A decode step reads all weights once, and the state of every conversation.
double bytesPerToken(const engine::ModelInfo& info, const SpeedOptions& options, const Run& run) {
  const double positions = run.depth + options.prompt + 0.5 * options.generate;
  return static_cast<double>(info.weightBytesPerToken) / run.batch + info.stateReads.bytesAt(positions);
}

double decodeRate(const Run& run) {
  std::vector<double> rates;
  for (const Repetition& r : run.repetitions) rates.push_back(r.decodePerSecond);
  return median(rates);
}

// The bandwidth for the bytes of a whole step, whose weights are shared by the batch.
double readSpeed(const backend::BandwidthCurve& curve, const engine::ModelInfo& info, const SpeedOptions& options, const Run& run) {
  return curve.at(bytesPerToken(info, options, run) * run.batch);
}

// If a model's speed exceeds the measured bandwidth, something else ran during the measurement, so measure again.
Result<backend::BandwidthCurve> measureBandwidth(backend::Backend& device, const engine::ModelInfo& info, const SpeedOptions& options,
                                                 const std::vector<Run>& runs) {
  constexpr int most = 3;
  backend::BandwidthCurve curve;
  for (int i = 0; i < most; ++i) {
    MINERVA_ASSIGN(const backend::BandwidthCurve measured, device.measureReadBandwidth());
    curve.raiseTo(measured);
    const bool holds = std::ranges::all_of(
        runs, [&](const Run& run) { return bytesPerToken(info, options, run) * decodeRate(run) <= readSpeed(curve, info, options, run); });
    if (holds) break;
  }
  return curve;
}

Json summary(const engine::ModelInfo& info, const SpeedOptions& options, const Run& run, const backend::BandwidthCurve& curve) {
  const auto& [depth, batch, all, peakMemory] = run;
  std::vector<double> ttft, prefill, intervals;
  Json repetitions = Json::array();
  for (const Repetition& r : all) {
    ttft.push_back(r.ttftMs);
    prefill.push_back(r.prefillPerSecond);
    intervals.insert(intervals.end(), r.intervals.begin(), r.intervals.end());
    repetitions.push_back(
        {{"ttft_ms", r.ttftMs}, {"prefill_tokens_per_second", r.prefillPerSecond}, {"decode_tokens_per_second", r.decodePerSecond}});
  }
  std::ranges::sort(intervals);
  const double perToken = bytesPerToken(info, options, run), rate = decodeRate(run), bandwidth = readSpeed(curve, info, options, run);
  const double share = bandwidth > 0 ? perToken * rate / bandwidth : 0;
  return {{"model", info.displayName},
          {"format", format::name(info.format)},
          {"type", info.typeName},
          {"device", info.device.id},
          {"device_name", info.device.name},
          {"device_detail", info.device.detail},
          {"threads", info.device.threads},
          {"batch", batch},
          {"depth", depth},
          {"prompt", options.prompt},
          {"generate", options.generate},
          {"load_ms", info.loadMs},
          {"ttft_ms", median(ttft)},
          {"prefill_tokens_per_second", median(prefill)},
          {"decode_tokens_per_second", rate},
          {"tpot_ms", {{"p50", nearestRank(intervals, 50)}, {"p95", nearestRank(intervals, 95)}, {"p99", nearestRank(intervals, 99)}}},
          {"peak_memory_bytes", peakMemory},
          {"memory", toJson(info.memory)},
          {"bytes_per_token", perToken},
          {"read_bytes_per_second", bandwidth},
          {"bandwidth_share", share > 1 ? Json() : Json(share)},
          {"repetitions", repetitions}};
}

void printSummary(const Json& s) {
  std::printf("%s %s on %s (%s), %d threads, depth %d, batch %d\n", s["model"].get<std::string>().c_str(),
              s["type"].get<std::string>().c_str(), s["device"].get<std::string>().c_str(), s["device_detail"].get<std::string>().c_str(),
              s["threads"].get<int>(), s["depth"].get<int>(), s["batch"].get<int>());
  std::printf("  load %.0f ms, first token %.0f ms\n", s["load_ms"].get<double>(), s["ttft_ms"].get<double>());
  std::printf("  prefill %.1f t/s (%d tokens)\n", s["prefill_tokens_per_second"].get<double>(), s["prompt"].get<int>());
  std::printf("  decode  %.2f t/s, %.1f ms per token (p95 %.1f)", s["decode_tokens_per_second"].get<double>(),
              s["tpot_ms"]["p50"].get<double>(), s["tpot_ms"]["p95"].get<double>());
  const double bandwidth = s["read_bytes_per_second"].get<double>() / 1e9;
  if (s["bandwidth_share"].is_null()) std::printf(", more than the measured read bandwidth of %.1f GB/s allows\n", bandwidth);
  else std::printf(", %.0f%% of the read bandwidth of %.1f GB/s\n", 100 * s["bandwidth_share"].get<double>(), bandwidth);
  std::printf("  peak memory %s\n", readable(s["peak_memory_bytes"].get<std::uint64_t>()).c_str());
}

Result<void> runSpeed(const SpeedOptions& options) {
  engine::LoadOptions load{.path = options.model};
  load.sequences = *std::ranges::max_element(options.batches);
  load.contextLength = *std::ranges::max_element(options.depths) + options.prompt + options.generate + 2;
  load.chunk = options.chunk;
  load.chunkMs = options.chunkMs;
  MINERVA_ASSIGN(const OpenModel model, openModel(options.device, load));
  Speed speed(*model.engine, options);
  std::vector<Run> runs;
  for (const int depth : options.depths) {
    for (const int batch : options.batches) {
      Run& current = runs.emplace_back(depth, batch);
      MINERVA_ASSIGN([[maybe_unused]] const Repetition warmUp, speed.once(depth, batch));
      for (int r = 0; r < options.repetitions; ++r) {
        MINERVA_ASSIGN(Repetition repetition, speed.once(depth, batch));
        current.repetitions.push_back(std::move(repetition));
      }
      current.peakMemory = peakMemoryBytes();
    }
  }
  // Measured last: its buffer is larger than most models and would distort the peak memory.
  MINERVA_ASSIGN(const backend::BandwidthCurve bandwidth, measureBandwidth(*model.backend, model.engine->info(), options, runs));
  Json all = Json::array();
  for (const Run& run : runs) {
    all.push_back(summary(model.engine->info(), options, run, bandwidth));
    if (!options.json) printSummary(all.back());
  }
  if (options.json) print(all.size() == 1 && options.batches.front() == 1 ? all.front() : all);
  return {};
}

}  // namespace

Runner defineSpeed(CLI::App& app) {
  auto options = std::make_shared<SpeedOptions>();
  app.add_option("model", options->model, "A model file or folder")->required();
  app.add_option("-p,--prompt-tokens", options->prompt, "Prompt tokens")->check(CLI::Range(1, 1 << 20));
  app.add_option("-n,--generate", options->generate, "Tokens to decode after the first")->check(CLI::Range(1, 1 << 20));
  app.add_option("-r,--repetitions", options->repetitions, "Measured repetitions, after one warm-up")->check(CLI::Range(1, 1000));
  app.add_option("--depth", options->depths, "Tokens already in the context; several, separated by commas")
      ->delimiter(',')
      ->check(CLI::NonNegativeNumber);
  app.add_option("--batch", options->batches, "Concurrent conversations; several, separated by commas")
      ->delimiter(',')
      ->check(CLI::Range(1, 64));
  app.add_option("--chunk", options->chunk, "Maximum number of prompt tokens per step")->check(CLI::Range(1, 1 << 16));
  app.add_option("--chunk-ms", options->chunkMs,
                 "Target duration of a prefill step in milliseconds, by default as in the app; 0: whole chunks")
      ->check(CLI::NonNegativeNumber);
  app.add_flag("--json", options->json, "Print a JSON object; for several batches or depths, an array");
  addDeviceOptions(app, options->device);
  return [options] { return runSpeed(*options); };
}

}  // namespace minerva::bench
