#include "bench/load_run.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <thread>

namespace minerva::bench {
namespace {

// Frequent words, one token each in most vocabularies.
constexpr std::array words{"the",  "house", "river", "old",   "light", "under", "small", "world", "keep",  "green", "water",
                           "year", "after", "long",  "night", "city",  "music", "paper", "great", "stone", "open",  "field",
                           "work", "early", "story", "road",  "sound", "table", "young", "never", "cold",  "garden"};

ChatAsk askOf(const LoadTask& task, std::uint64_t index) {
  return {.prompt = promptOf(task, index), .maxTokens = task.maxTokens, .ignoreEnd = task.ignoreEnd};
}

ChatAsk askOfWriter(const LoadTask& task, std::size_t writer) {
  return {.prompt = std::to_string(writer) + " " + words[writer % words.size()], .maxTokens = task.writerTokens, .ignoreEnd = true};
}

using MakeClient = std::function<std::unique_ptr<LoadClient>()>;
using Connections = std::vector<std::unique_ptr<LoadClient>>;

Connections connect(const MakeClient& makeClient, std::size_t count) {
  Connections connections;
  for (std::size_t i = 0; i < count; ++i) connections.push_back(makeClient());
  return connections;
}

constexpr std::chrono::milliseconds pauseAfterError{100};  // a server that refuses at once would be asked thousands of times a second

// Clients that write until this ends or is destroyed, which waits for the ends of their replies.
class Writers {
 public:
  Writers(const LoadTask& task, const MakeClient& makeClient)
      : m_connections(connect(makeClient, static_cast<std::size_t>(task.writers))), m_errors(m_connections.size()) {
    for (std::size_t i = 0; i < m_connections.size(); ++i) {
      m_threads.emplace_back([&client = *m_connections[i], &errors = m_errors[i], ask = askOfWriter(task, i)](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
          const ChatOutcome outcome = client.chat(ask);
          if (!outcome.progress.error) continue;
          errors.push_back(*outcome.progress.error);
          std::this_thread::sleep_for(pauseAfterError);
        }
      });
    }
    if (task.writers > 0) std::this_thread::sleep_for(settling);
  }
  ~Writers() { stop(); }
  // Returns what went wrong.
  std::vector<LoadError> end() {
    stop();
    m_threads.clear();
    std::vector<LoadError> all;
    for (std::vector<LoadError>& errors : m_errors) std::ranges::move(errors, std::back_inserter(all));
    return all;
  }
  Writers(const Writers&) = delete;
  Writers& operator=(const Writers&) = delete;

 private:
  void stop() {
    for (std::jthread& thread : m_threads) thread.request_stop();
  }

  static constexpr std::chrono::seconds settling{2};
  Connections m_connections;
  std::vector<std::vector<LoadError>> m_errors;  // of each
  std::vector<std::jthread> m_threads;
};

class Clients {
 public:
  explicit Clients(const LoadTask& task) : m_task(task), m_start(Clock::now()) {}

  std::vector<ChatOutcome> work(LoadClient& client) {
    std::vector<ChatOutcome> outcomes;
    while (const auto index = next()) {
      outcomes.push_back(client.chat(askOf(m_task, *index)));
      if (m_task.requests == 0 && outcomes.back().progress.error) std::this_thread::sleep_for(pauseAfterError);
    }
    return outcomes;
  }

 private:
  std::optional<std::uint64_t> next() {
    if (m_task.seconds > 0 && millisecondsBetween(m_start, Clock::now()) >= m_task.seconds * 1e3) return std::nullopt;
    const std::uint64_t index = m_next.fetch_add(1);
    if (m_task.requests > 0 && index >= static_cast<std::uint64_t>(m_task.requests)) return std::nullopt;
    return index;
  }

  const LoadTask& m_task;
  const TimePoint m_start;
  std::atomic<std::uint64_t> m_next{0};
};

}  // namespace

std::string promptOf(const LoadTask& task, std::uint64_t index) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
  std::mt19937_64 random(task.seed * odd + (task.samePrompt ? 0 : index));
  const std::string number = std::to_string(random());
  if (!task.promptText.empty()) return task.samePrompt ? task.promptText : number + "\n" + task.promptText;
  std::string text = number;
  for (int i = 1; i < task.promptWords; ++i) text += std::string(" ") + words[random() % words.size()];
  return text;
}

int clientsOf(const LoadTask& task) {
  return task.requests > 0 ? static_cast<int>(std::min<std::int64_t>(task.clients, task.requests)) : task.clients;
}

LoadResult runLoad(const LoadTask& task, const MakeClient& makeClient) {
  const auto count = static_cast<std::size_t>(clientsOf(task));
  const Connections connections = connect(makeClient, count);
  Writers writers(task, makeClient);
  std::vector<std::vector<ChatOutcome>> all(count);
  Clients clients(task);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < count; ++i)
      threads.emplace_back([&clients, &client = *connections[i], &mine = all[i]] { mine = clients.work(client); });
  }
  LoadResult result;
  result.writerErrors = writers.end();
  for (std::vector<ChatOutcome>& mine : all) std::ranges::move(mine, std::back_inserter(result.outcomes));
  if (result.outcomes.empty()) return result;
  const TimePoint first = std::ranges::min(result.outcomes, {}, &ChatOutcome::start).start;
  const TimePoint last = std::ranges::max(result.outcomes, {}, &ChatOutcome::end).end;
  result.seconds = millisecondsBetween(first, last) / 1e3;
  return result;
}

}  // namespace minerva::bench
