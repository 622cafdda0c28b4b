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
    addDraftOption(app, options.device);
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
  load.contextLength = *std::ranges::max_element(options.depths) + options.prompt + options.generate + 3;
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

void SpeedRunner::append(int count, Prompts& prompts) {
  for (std::vector<engine::TokenId>& prompt : prompts) {
    const std::vector<engine::TokenId> more = randomTokens(count);
    prompt.insert(prompt.end(), more.begin(), more.end());
  }
}

// One request for each conversation, all at the same time. m_tokens and m_timings are those of these requests.
Result<void> SpeedRunner::runAll(const Prompts& prompts, int maxTokens) {
  m_tokens.clear();
  m_timings.clear();
  m_open = prompts.size();
  for (std::size_t b = 0; b < prompts.size(); ++b) {
    engine::Request request;
    request.tokens = prompts[b];
    request.sampling.temperature = 0;
    request.maxTokens = maxTokens;
    request.ignoreEndOfTurn = true;
    request.conversation = m_conversation + b;
    m_engine.submit(std::move(request));
  }
  while (m_open > 0 && m_engine.step()) {
  }
  if (m_error) return fail(*m_error);
  return {};
}

// Of several conversations together: until the last one's first token.
void SpeedRunner::addPrefill(const SpeedTask& task, TimePoint start, Repetition& result) const {
  TimePoint lastFirst = start;
  for (const auto& [id, times] : m_tokens) lastFirst = std::max(lastFirst, times.front());
  int computed = 0;
  for (const engine::Timings& t : m_timings) {
    computed += t.promptTokens - t.reusedTokens;
    result.ttftMs = std::max(result.ttftMs, t.ttftMs);
  }
  const double ms = task.batch == 1 ? m_timings.front().prefillMs : millisecondsBetween(start, lastFirst);
  result.prefillPerSecond = ms > 0 ? computed / ms * 1e3 : 0;
}

// Of several conversations together: while all of them write.
void SpeedRunner::addDecode(TimePoint start, Repetition& result) const {
  TimePoint lastFirst = start, firstEnd = TimePoint::max();
  for (const auto& [id, times] : m_tokens) {
    lastFirst = std::max(lastFirst, times.front());
    firstEnd = std::min(firstEnd, times.back());
    for (std::size_t i = 1; i < times.size(); ++i) result.intervals.push_back(millisecondsBetween(times[i - 1], times[i]));
  }
  int decoded = 0;
  for (const auto& [id, times] : m_tokens) {
    decoded += static_cast<int>(std::ranges::count_if(times, [&](TimePoint t) { return t > lastFirst && t <= firstEnd; }));
  }
  const double ms = millisecondsBetween(lastFirst, firstEnd);
  result.decodePerSecond = ms > 0 ? decoded / ms * 1e3 : 0;
}

// Several conversations first have their prompts computed and then go on together, because a step has rows of prompts and replies, and
// the first would have ended before the last began.
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
  Prompts prompts(static_cast<std::size_t>(task.batch));
  append(task.depth, prompts);
  if (task.depth > 0) MINERVA_TRY(runAll(prompts, 1));
  append(task.prompt, prompts);
  const bool apart = task.batch > 1 && task.generate > 0;
  Repetition result;
  const TimePoint start = Clock::now();
  MINERVA_TRY(runAll(prompts, apart ? 1 : task.generate + 1));
  addPrefill(task, start, result);
  if (apart) {
    append(1, prompts);
    MINERVA_TRY(runAll(prompts, task.generate + 1));
  }
  addDecode(start, result);
  return result;
}

}  // namespace minerva::bench
