#include "bench/speed_run.h"

#include <algorithm>

namespace minerva::bench {

void addSpeedOptions(CLI::App& app, SpeedOptions& options, bool batches) {
  app.add_option("-p,--prompt-tokens", options.prompt, "Prompt tokens")->check(CLI::Range(1, 1 << 20));
  app.add_option("-n,--generate", options.generate, "Tokens to decode after the first")->check(CLI::Range(1, 1 << 20));
  app.add_option("-r,--repetitions", options.repetitions, "Measured repetitions, after one warm-up")->check(CLI::Range(1, 1000));
  app.add_option("--depth", options.depths, "Tokens already in the context; several, separated by commas")
      ->delimiter(',')
      ->allow_extra_args(false)  // what follows is the model
      ->check(CLI::NonNegativeNumber);
  if (batches) {
    app.add_option("--batch", options.batches, "Concurrent conversations; several, separated by commas")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::Range(1, 64));
  }
  app.add_option("--chunk", options.chunk, "Maximum number of prompt tokens per step")->check(CLI::Range(1, 1 << 16));
  app.add_option("--chunk-ms", options.chunkMs,
                 "Target duration of a prefill step in milliseconds, by default as in the app; 0: whole chunks")
      ->check(CLI::NonNegativeNumber);
  addDeviceOptions(app, options.device);
}

Result<OpenModel> openForSpeed(const SpeedOptions& options, const std::string& model) {
  engine::LoadOptions load{.path = model};
  load.sequences = *std::ranges::max_element(options.batches);
  load.contextLength = *std::ranges::max_element(options.depths) + options.prompt + options.generate + 2;
  load.chunk = options.chunk;
  load.chunkMs = options.chunkMs;
  return openModel(options.device, load);
}

std::vector<engine::TokenId> SpeedRunner::randomTokens(int count) {
  std::vector<engine::TokenId> tokens(static_cast<std::size_t>(count));
  const auto vocabulary = static_cast<std::uint64_t>(m_engine.tokenizer() != nullptr ? m_engine.tokenizer()->vocabularySize() : 256);
  for (engine::TokenId& token : tokens) token = static_cast<engine::TokenId>(m_random() % vocabulary);
  return tokens;
}

Result<void> SpeedRunner::finishAll() {
  while (m_open > 0 && m_engine.step()) {
  }
  if (m_error) return fail(*m_error);
  return {};
}

Result<void> SpeedRunner::fillDepth(const SpeedTask& task, std::vector<std::vector<engine::TokenId>>& prompts) {
  for (int b = 0; b < task.batch && task.depth > 0; ++b) {
    prompts[static_cast<std::size_t>(b)] = randomTokens(task.depth);
    engine::Request request{
        .chat = {}, .tokens = prompts[static_cast<std::size_t>(b)], .prompt = {}, .sampling = {}, .maxTokens = 1, .stop = {}};
    request.conversation = m_conversation + static_cast<std::uint64_t>(b);
    ++m_open;
    m_engine.submit(std::move(request));
  }
  return finishAll();
}

Result<Repetition> SpeedRunner::once(const SpeedTask& task) {
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
  m_conversation += static_cast<std::uint64_t>(task.batch) + 1;
  std::vector<std::vector<engine::TokenId>> prompts(static_cast<std::size_t>(task.batch));
  MINERVA_TRY(fillDepth(task, prompts));
  m_tokens.clear();
  m_timings.clear();
  const TimePoint start = Clock::now();
  for (int b = 0; b < task.batch; ++b) {
    std::vector<engine::TokenId>& tokens = prompts[static_cast<std::size_t>(b)];
    const std::vector<engine::TokenId> more = randomTokens(task.prompt);
    tokens.insert(tokens.end(), more.begin(), more.end());
    engine::Request request{
        .chat = {}, .tokens = tokens, .prompt = {}, .sampling = {.temperature = 0}, .maxTokens = task.generate + 1, .stop = {}};
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
  const double prefillMs = task.batch == 1 ? m_timings.front().prefillMs : millisecondsBetween(start, lastFirst);
  result.prefillPerSecond = prefillMs > 0 ? computed / prefillMs * 1e3 : 0;
  const double decodeMs = millisecondsBetween(lastFirst, firstEnd);
  result.decodePerSecond = decodeMs > 0 ? decoded / decodeMs * 1e3 : 0;
  return result;
}

}  // namespace minerva::bench
