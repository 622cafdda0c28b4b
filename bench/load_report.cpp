#include "bench/load_report.h"

#include "core/base/percentile.h"
#include "core/speed/chart.h"
#include "core/speed/document.h"

#include <algorithm>
#include <array>
#include <map>

namespace minerva::bench {
using namespace speed;
namespace {

constexpr std::array loadPercents{50, 90, 95, 99};

std::string percentName(int percent) { return "p" + std::to_string(percent); }

Json percentilesOf(std::vector<double> values) {
  std::ranges::sort(values);
  Json out = Json::object();
  for (const int percent : loadPercents) out[percentName(percent)] = values.empty() ? Json() : Json(nearestRank(values, percent));
  return out;
}

// What the replies that succeeded add up to.
struct Sums {
  std::int64_t succeeded = 0, outputTokens = 0, promptTokens = 0, cachedTokens = 0;
  // Replies whose tokens, whose prompt's tokens, or of these those from a cache, the server counted.
  std::int64_t counted = 0, promptCounted = 0, cacheCounted = 0;
  std::vector<double> ttft, tpot, latency;
  std::map<std::string, std::int64_t> finishReasons;

  void add(const ChatOutcome& outcome) {
    const ChatProgress& p = outcome.progress;
    const int tokens = p.completionTokens.value_or(p.pieces);
    ++succeeded;
    counted += p.completionTokens.has_value();
    promptCounted += p.promptTokens.has_value();
    cacheCounted += p.cachedTokens.has_value();
    outputTokens += tokens;
    promptTokens += p.promptTokens.value_or(0);
    cachedTokens += p.cachedTokens.value_or(0);
    latency.push_back(millisecondsBetween(outcome.start, outcome.end));
    if (p.pieces > 0) ttft.push_back(millisecondsBetween(outcome.start, p.first));
    if (p.pieces > 1 && tokens > 1) tpot.push_back(millisecondsBetween(p.first, p.last) / (tokens - 1));
    ++finishReasons[p.finishReason];
  }
  [[nodiscard]] const char* countedBy() const { return counted == succeeded ? "usage" : counted == 0 ? "pieces" : "mixed"; }
};

std::vector<LoadError> errorsOf(const std::vector<ChatOutcome>& outcomes) {
  std::vector<LoadError> errors;
  for (const ChatOutcome& outcome : outcomes)
    if (outcome.progress.error) errors.push_back(*outcome.progress.error);
  return errors;
}

Json countedByKind(const std::vector<LoadError>& errors) {
  std::map<std::string, std::pair<std::int64_t, std::string>> kinds;
  for (const LoadError& error : errors) {
    auto& [count, words] = kinds[error.kind];
    if (count++ == 0) words = error.words;
  }
  Json out = Json::array();
  for (const auto& [kind, found] : kinds) out.push_back({{"kind", kind}, {"count", found.first}, {"first", found.second}});
  return out;
}

std::string figureOrNone(const Json& value) { return value.is_number() ? figure(value.get<double>()) : "none"; }

std::string countNote(const Json& report) {
  const auto by = report["token_counts"].get<std::string>();
  if (by == "usage") return "as the server counts them";
  if (by == "pieces") return "counted in streamed pieces, because the server gives no usage: a piece may hold several tokens";
  return "in part counted in streamed pieces, because the server gives no usage for some replies";
}

struct Measure {
  const char* key;
  const char* name;
};
constexpr std::array<Measure, 3> measures{{{"ttft_ms", "first token"}, {"tpot_ms", "per output token"}, {"latency_ms", "whole reply"}}};

// Of the clients that are measured, and of those that write beside them.
constexpr std::array<std::pair<const char*, const char*>, 2> errorLists{{{"errors", ""}, {"beside_errors", "beside: "}}};

std::string loadTitle(const Json& report) {
  const int writers = report["beside"].get<int>();
  const std::string beside = writers > 0 ? " beside " + std::to_string(writers) + " that write" : "";
  return report["model"].get<std::string>() + " at " + report["url"].get<std::string>() + ", " +
         std::to_string(report["concurrency"].get<int>()) + " clients" + beside;
}

}  // namespace

Json loadJson(const LoadTask& task, const LoadResult& result, const Machine& client) {
  Sums sums;
  for (const ChatOutcome& outcome : result.outcomes)
    if (!outcome.progress.error) sums.add(outcome);
  const auto sent = static_cast<std::int64_t>(result.outcomes.size());
  const auto perSecond = [&](std::int64_t count) { return result.seconds > 0 ? static_cast<double>(count) / result.seconds : 0; };
  return {{"url", task.where},
          {"model", task.model.empty() ? "(not named)" : task.model},
          {"concurrency", clientsOf(task)},
          {"beside", task.writers},
          {"requests", {{"sent", sent}, {"succeeded", sums.succeeded}, {"failed", sent - sums.succeeded}}},
          {"same_prompt", task.samePrompt},
          {"prompt_words", task.promptText.empty() ? Json(task.promptWords) : Json()},
          {"max_tokens", task.maxTokens},
          {"ignore_eos", task.ignoreEnd},
          {"seed", task.seed},
          {"duration_s", result.seconds},
          {"output_tokens", sums.outputTokens},
          {"token_counts", sums.countedBy()},
          {"prompt_tokens", sums.promptCounted > 0 ? Json(sums.promptTokens) : Json()},
          {"cached_tokens", sums.cacheCounted > 0 ? Json(sums.cachedTokens) : Json()},
          {"output_tokens_per_second", perSecond(sums.outputTokens)},
          {"requests_per_second", perSecond(sums.succeeded)},
          {"ttft_ms", percentilesOf(sums.ttft)},
          {"tpot_ms", percentilesOf(sums.tpot)},
          {"latency_ms", percentilesOf(sums.latency)},
          {"finish_reasons", sums.finishReasons},
          {"errors", countedByKind(errorsOf(result.outcomes))},
          {"beside_errors", countedByKind(result.writerErrors)},
          {"client", toJson(client)}};
}

std::string loadText(const Json& report) {
  const Json& requests = report["requests"];
  std::string out = loadTitle(report) + "\n";
  out += "  " + requests["succeeded"].dump() + " of " + requests["sent"].dump() + " requests succeeded in " +
         figure(report["duration_s"].get<double>()) + " s: " + figure(report["requests_per_second"].get<double>()) + " a second\n";
  out += "  output " + figure(report["output_tokens_per_second"].get<double>()) + " tokens/s; " + report["output_tokens"].dump() +
         " tokens, " + countNote(report) + "\n";
  const Json& cached = report["cached_tokens"];
  if (report["prompt_tokens"].is_number())
    out += "  prompts " + report["prompt_tokens"].dump() + " tokens" +
           (cached.is_number() ? ", " + cached.dump() + " of them from the server's cache" : "") + "\n";
  for (const Measure& measure : measures) {
    out += std::string("  ") + measure.name + ":";
    for (const int percent : loadPercents)
      out += " " + percentName(percent) + " " + figureOrNone(report[measure.key][percentName(percent)]);
    out += " ms\n";
  }
  for (const auto& [reason, count] : report["finish_reasons"].items()) out += "  ended by " + reason + ": " + count.dump() + "\n";
  for (const auto& [field, whose] : errorLists) {
    for (const Json& error : report[field])
      out += std::string("  error ") + whose + error["kind"].get<std::string>() + ": " + error["count"].dump() +
             " times; first: " + error["first"].get<std::string>() + "\n";
  }
  return out;
}

std::string loadMarkdown(const Json& report, const Machine& client) {
  const Json& requests = report["requests"];
  std::string out = "# " + loadTitle(report) + "\n\n";
  out += markdownTable({"output tokens/s", "requests/s", "succeeded", "failed", "output tokens", "seconds"},
                       {{figure(report["output_tokens_per_second"].get<double>()), figure(report["requests_per_second"].get<double>()),
                         requests["succeeded"].dump(), requests["failed"].dump(), report["output_tokens"].dump(),
                         figure(report["duration_s"].get<double>())}});
  std::vector<Cells> rows;
  for (const Measure& measure : measures) {
    Cells& row = rows.emplace_back(Cells{measure.name});
    for (const int percent : loadPercents) row.push_back(figureOrNone(report[measure.key][percentName(percent)]));
  }
  out += "\n" + markdownTable({"ms", "p50", "p90", "p95", "p99"}, rows);
  out += "\nTokens are " + countNote(report) + ". Prompts: " + (report["same_prompt"].get<bool>() ? "all the same" : "all different") +
         ", at most " + report["max_tokens"].dump() + " tokens a reply.\n";
  std::vector<Cells> errors;
  for (const auto& [field, whose] : errorLists) {
    for (const Json& error : report[field])
      errors.push_back({whose + error["kind"].get<std::string>(), error["count"].dump(), error["first"].get<std::string>()});
  }
  if (!errors.empty()) out += "\n" + markdownTable({"error", "count", "first"}, errors);
  return out + "\nClient: " + toText(client) + "\n";
}

std::string loadSvg(const Json& report, const Machine& client) {
  Chart chart{.kind = ChartKind::bars,
              .title = loadTitle(report),
              .note = figure(report["output_tokens_per_second"].get<double>()) + " output tokens/s, " +
                      report["requests"]["failed"].dump() + " of " + report["requests"]["sent"].dump() +
                      " requests failed. Client: " + toText(client),
              .xTitle = "percentile",
              .yTitle = "milliseconds",
              .labels = {},
              .x = {},
              .series = {}};
  for (const int percent : loadPercents) chart.labels.push_back(percentName(percent));
  for (const Measure& measure : {measures[0], measures[1]}) {
    Series& series = chart.series.emplace_back(Series{measure.name, {}});
    for (const int percent : loadPercents) {
      const Json& value = report[measure.key][percentName(percent)];
      series.values.push_back(value.is_number() ? std::optional(value.get<double>()) : std::nullopt);
    }
  }
  return toSvg(chart);
}

}  // namespace minerva::bench
