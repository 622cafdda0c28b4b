// Concurrent clients that ask for chat completions until all are asked or the time is over.
#pragma once

#include "bench/load_client.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace minerva::bench {

struct LoadTask {
  std::string where, model;  // who answers, for the report: a URL, or the device of an engine of this process
  int clients = 20;
  int writers = 0;              // further clients, not counted: their replies of `writerTokens` run beside all that is measured
  std::int64_t requests = 200;  // 0: as many as fit into the duration
  double seconds = 0;           // after which no request starts; 0: no such limit
  int promptWords = 128;        // of random text
  std::string promptText;       // instead of random text
  bool samePrompt = false, ignoreEnd = false;
  int maxTokens = 128;
  int writerTokens = 256;
  std::uint64_t seed = 1;
};

// Those that ask at the same time: never more than there are requests.
[[nodiscard]] int clientsOf(const LoadTask& task);

struct LoadResult {
  std::vector<ChatOutcome> outcomes;    // in the order of their ends within each client
  double seconds = 0;                   // from the first start to the last end
  std::vector<LoadError> writerErrors;  // of the replies beside them
};

// The text of request `index`. The same task and index give the same text. Unless all are to be the same, it begins with a number of
// its own, so that no two requests share more than the template's own words.
[[nodiscard]] std::string promptOf(const LoadTask& task, std::uint64_t index);
// Blocks the calling thread, which makes the clients: one that cannot be made is told where it can be.
[[nodiscard]] LoadResult runLoad(const LoadTask& task, const std::function<std::unique_ptr<LoadClient>()>& makeClient);

}  // namespace minerva::bench
