// Concurrent clients that send chat completions to a server until all are sent or the time is over.
#pragma once

#include "bench/load_client.h"

#include <cstdint>
#include <string>
#include <vector>

namespace minerva::bench {

struct LoadTask {
  LoadTarget target;
  std::string key, model;  // model "": the field is left out
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
  std::chrono::milliseconds timeout{300'000};
};

struct LoadResult {
  std::vector<ChatOutcome> outcomes;  // in the order of their ends within each client
  double seconds = 0;                 // from the first start to the last end
};

// The text of request `index`. The same task and index give the same text. Unless all are to be the same, it begins with a number of
// its own, so that no two requests share more than the template's own words.
[[nodiscard]] std::string promptOf(const LoadTask& task, std::uint64_t index);
// Blocks the calling thread.
[[nodiscard]] LoadResult runLoad(const LoadTask& task);

}  // namespace minerva::bench
