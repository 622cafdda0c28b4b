#include "core/speed/speed_run.h"

#include "core/backend/kv_pages.h"

#include <algorithm>
#include <utility>

namespace minerva::speed {

namespace {

// A slot takes whole pages.
constexpr int morePositions = backend::kvPagePositions;

}  // namespace

int positionsOf(const SpeedTask& task) { return task.depth + task.prompt + task.generate + 3; }

engine::LoadOptions roomFor(std::span<const SpeedTask> tasks) {
  engine::LoadOptions load;
  std::int64_t most = 0;
  for (const SpeedTask& task : tasks) {
    load.sequences = std::max(load.sequences, task.batch);
    load.contextLength = std::max(load.contextLength, positionsOf(task));
    most = std::max(most, std::int64_t{task.batch} * (positionsOf(task) + morePositions));
  }
  const std::int64_t contexts = load.contextLength > 0 ? (most + load.contextLength - 1) / load.contextLength : 1;
  load.contexts = static_cast<int>(std::min<std::int64_t>(contexts, load.sequences));
  return load;
}

std::vector<engine::TokenId> SpeedRunner::randomTokens(int count) {
  std::vector<engine::TokenId> tokens(static_cast<std::size_t>(count));
  const auto vocabulary = static_cast<std::uint64_t>(m_engine.info().vocabulary);  // a tokenizer may have more
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
  m_intervals.clear();
  m_open = prompts.size();
  m_read.clear();
  m_stepTokens.reset();
  m_error.reset();
  std::vector<engine::RequestId> ids;
  for (std::size_t b = 0; b < prompts.size(); ++b) {
    engine::Request request;
    request.tokens = prompts[b];
    request.sampling.temperature = 0;
    request.maxTokens = maxTokens;
    request.ignoreEndOfTurn = true;
    request.conversation = m_conversation + b;
    ids.push_back(m_engine.submit(std::move(request)));
  }
  m_engine.waitForPrompts();
  while (m_open > 0 && m_engine.step()) {
    m_stepTokens.reset();
    if (m_stop.stop_requested())
      for (const engine::RequestId id : std::exchange(ids, {})) m_engine.cancel(id);
  }
  if (m_stop.stop_requested()) return fail({.kind = ErrorKind::cancelled, .what = "The measurement was cancelled", .where = "benchmark"});
  if (m_error) return fail(*m_error);
  return {};
}

void SpeedRunner::hear(const engine::Event& event) {
  if (const auto* token = std::get_if<engine::TokenEvent>(&event.body)) {
    if (token->index > 0) m_intervals.push_back(token->millisecondsSinceLast);
    if (!m_stepTokens) m_stepTokens = event.time;
    m_tokens[event.request].push_back(*m_stepTokens);
    m_computed += 1;
  }
  if (const auto* prefill = std::get_if<engine::PrefillProgress>(&event.body)) {
    double& read = m_read[event.request];
    m_computed += std::max(0.0, prefill->done - read);
    read = std::max<double>(read, prefill->done);
  }
  if (const auto* finished = std::get_if<engine::Finished>(&event.body)) {
    m_timings.push_back(finished->timings);
    --m_open;
  }
  if (const auto* failed = std::get_if<engine::Failed>(&event.body)) {
    m_error = failed->error;
    --m_open;
  }
  tell();
}

void SpeedRunner::tell() const {
  if (m_progress) m_progress(std::min(1.0, m_computed / m_all));
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
Result<void> SpeedRunner::addDecode(const SpeedTask& task, TimePoint start, Repetition& result) const {
  TimePoint lastFirst = start, firstEnd = TimePoint::max();
  for (const auto& [id, times] : m_tokens) {
    lastFirst = std::max(lastFirst, times.front());
    firstEnd = std::min(firstEnd, times.back());
  }
  result.intervals = m_intervals;
  int decoded = 0;
  for (const auto& [id, times] : m_tokens) {
    decoded += static_cast<int>(std::ranges::count_if(times, [&](TimePoint t) { return t > lastFirst && t <= firstEnd; }));
  }
  const double ms = millisecondsBetween(lastFirst, firstEnd);
  result.decodePerSecond = ms > 0 ? decoded / ms * 1e3 : 0;
  if (task.generate == 0 || decoded > 0) return {};
  return fail({.kind = ErrorKind::invalidArgument,
               .what = "The first reply ended before the last began, so that they cannot be measured together",
               .where = "benchmark",
               .expected = "more than " + std::to_string(task.generate) + " tokens after the first",
               .actual = std::to_string(task.batch) + " replies of as many",
               .hint = "Measure longer replies, or fewer at once"});
}

// Several conversations first have their prompts computed and then go on together, because a step has rows of prompts and replies, and
// the first would have ended before the last began. A step has room for the beginnings of at least sixteen replies.
Result<Repetition> SpeedRunner::once(const SpeedTask& task) {
  m_engine.setSink([this](const engine::Event& event) { hear(event); });
  m_computed = 0;
  m_all = task.batch * (static_cast<double>(task.depth) + task.prompt + task.generate);
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
  MINERVA_TRY(addDecode(task, start, result));
  return result;
}

Result<std::vector<SpeedRun>> measureInTurn(std::span<SpeedRunner* const> runners, const SpeedTask& task, int repetitions,
                                            const std::function<void(int repetition)>& begins) {
  std::vector<SpeedRun> runs(runners.size(), SpeedRun{.task = task});
  if (begins) begins(-1);
  for (SpeedRunner* runner : runners) {
    MINERVA_ASSIGN([[maybe_unused]] const Repetition warmUp, runner->once(task));
  }
  for (int r = 0; r < repetitions; ++r) {
    if (begins) begins(r);
    for (std::size_t i = 0; i < runners.size(); ++i) {
      const std::size_t next = (static_cast<std::size_t>(r) + i) % runners.size();
      MINERVA_ASSIGN(Repetition repetition, runners[next]->once(task));
      runs[next].repetitions.push_back(std::move(repetition));
    }
  }
  return runs;
}

}  // namespace minerva::speed
