// What a load came to: JSON, words, Markdown, a chart.
#pragma once

#include "bench/load_run.h"
#include "bench/machine.h"

#include <string>

namespace minerva::bench {

// url, model, concurrency, requests {...}, output_tokens_per_second, ttft_ms {p50, p90, p95, p99}, errors [...], ...: see README.md.
// Rates count the tokens and requests that succeeded; percentiles are of those, too.
[[nodiscard]] Json loadJson(const LoadTask& task, const LoadResult& result, const Machine& client);

// Of a loadJson().
[[nodiscard]] std::string loadText(const Json& report);
[[nodiscard]] std::string loadMarkdown(const Json& report, const Machine& client);
[[nodiscard]] std::string loadSvg(const Json& report, const Machine& client);

}  // namespace minerva::bench
