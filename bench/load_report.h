// What a load came to: JSON, words, Markdown, a chart.
#pragma once

#include "bench/load_run.h"
#include "bench/report.h"
#include "core/speed/machine.h"

#include <string>

namespace minerva::bench {

// {url, model, concurrency, requests {sent, succeeded, failed}, same_prompt, prompt_words (null: a file's text), max_tokens, ignore_eos,
// seed, duration_s, output_tokens, token_counts ("usage", "pieces" or "mixed"), prompt_tokens and cached_tokens (null: the server does not
// say), output_tokens_per_second, requests_per_second, ttft_ms, tpot_ms and latency_ms {p50, p90, p95, p99} (null: no value),
// finish_reasons {reason: count}, errors [{kind, count, first}], client {...}}. Tokens, rates and percentiles are of the requests that
// succeeded; a reply's time per output token is that from its first to its last piece, divided by its tokens after the first.
[[nodiscard]] Json loadJson(const LoadTask& task, const LoadResult& result, const speed::Machine& client);

// Of a loadJson().
[[nodiscard]] std::string loadText(const Json& report);
[[nodiscard]] std::string loadMarkdown(const Json& report, const speed::Machine& client);
[[nodiscard]] std::string loadSvg(const Json& report, const speed::Machine& client);

}  // namespace minerva::bench
