#include "core/speed/speed_report.h"

#include "core/base/byte_text.h"
#include "core/base/percentile.h"
#include "core/speed/chart.h"
#include "core/speed/document.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>

namespace minerva::speed {
namespace {

// A decode step reads all weights once, of experts those that some conversation chooses, and the state of every conversation.
double bytesPerToken(const engine::ModelInfo& info, const SpeedRun& run) {
  const double positions = run.task.depth + run.task.prompt + 0.5 * run.task.generate;
  const double moreExperts = info.expertReads.bytesOfStep(run.task.batch) - info.expertReads.bytesOfStep(1);
  return (static_cast<double>(info.weightBytesPerToken) + moreExperts) / run.task.batch + info.stateReads.bytesAt(positions);
}

double decodeRate(const SpeedRun& run) {
  std::vector<double> rates;
  for (const Repetition& r : run.repetitions) rates.push_back(r.decodePerSecond);
  return median(rates);
}

// The bandwidth for the bytes of a whole step, whose weights are shared by the batch.
double readSpeed(const backend::BandwidthCurve& curve, const engine::ModelInfo& info, const SpeedRun& run) {
  return curve.at(bytesPerToken(info, run) * run.task.batch);
}

std::string speedLabel(const Json& row) {
  return row["model"].get<std::string>() + " " + row["format"].get<std::string>() + " " + row["type"].get<std::string>();
}

std::set<int> distinct(const Json& rows, const char* field) {
  std::set<int> values;
  for (const Json& row : rows) values.insert(row[field].get<int>());
  return values;
}

std::string textOfAny(const Json& rows, const char* field) { return rows.empty() ? "" : rows.front()[field].get<std::string>(); }

struct SpeedFigure {
  const char* field;
  const char* title;
};
constexpr std::array speedFigures{SpeedFigure{"decode_tokens_per_second", "Decode"}, SpeedFigure{"prefill_tokens_per_second", "Prefill"}};

// A line for each model and each value of `other`, over the values of `across`. A single point beside lines is none.
void addSpeedLines(Chart& chart, const Json& rows, const char* field, const char* across, const char* other) {
  const std::set<int> values = distinct(rows, across);
  chart.x.assign(values.begin(), values.end());
  const bool several = distinct(rows, other).size() > 1;
  for (const Json& row : rows) {
    const std::string name = speedLabel(row) + (several ? std::string(", ") + other + " " + row[other].dump() : "");
    auto series = std::ranges::find(chart.series, name, &Series::name);
    if (series == chart.series.end())
      series = chart.series.insert(series, Series{name, std::vector<std::optional<double>>(chart.x.size())});
    const auto at = std::distance(values.begin(), values.find(row[across].get<int>()));
    series->values[static_cast<std::size_t>(at)] = row[field].get<double>();
  }
  const auto isLine = [](const Series& series) {
    return std::ranges::count_if(series.values, [](const auto& value) { return value.has_value(); }) > 1;
  };
  if (std::ranges::any_of(chart.series, isLine)) std::erase_if(chart.series, [&](const Series& series) { return !isLine(series); });
}

// "87 %", or why there is no such figure.
std::string shareText(const Json& row) {
  const Json& share = row["bandwidth_share"];
  if (share.is_number()) return figure(100 * share.get<double>()) + " %";
  if (row.contains("draft_model")) return "not known with drafts";
  return row["read_bytes_per_second"].get<double>() > 0 ? "more than measured" : "not measured";
}

}  // namespace

Result<backend::BandwidthCurve> measureBandwidth(backend::Backend& device, const engine::ModelInfo& info, const std::vector<SpeedRun>& runs,
                                                 const std::stop_token& stop) {
  constexpr int most = 3;
  backend::BandwidthCurve curve;
  for (int i = 0; i < most; ++i) {
    MINERVA_ASSIGN(const backend::BandwidthCurve measured, device.measureReadBandwidth([&stop] { return stop.stop_requested(); }));
    curve.raiseTo(measured);
    const bool holds = std::ranges::all_of(
        runs, [&](const SpeedRun& run) { return bytesPerToken(info, run) * decodeRate(run) <= readSpeed(curve, info, run); });
    if (holds) break;
  }
  return curve;
}

Json speedJson(const engine::ModelInfo& info, const SpeedRun& run, const backend::BandwidthCurve& curve) {
  std::vector<double> ttft, prefill, intervals;
  Json repetitions = Json::array();
  for (const Repetition& r : run.repetitions) {
    ttft.push_back(r.ttftMs);
    prefill.push_back(r.prefillPerSecond);
    intervals.insert(intervals.end(), r.intervals.begin(), r.intervals.end());
    repetitions.push_back(
        {{"ttft_ms", r.ttftMs}, {"prefill_tokens_per_second", r.prefillPerSecond}, {"decode_tokens_per_second", r.decodePerSecond}});
  }
  std::ranges::sort(intervals);
  const double perToken = bytesPerToken(info, run), rate = decodeRate(run), bandwidth = readSpeed(curve, info, run);
  const double share = bandwidth > 0 ? perToken * rate / bandwidth : 0;
  // With drafts a step reads the weights for several tokens, and those of another model, too.
  const bool known = bandwidth > 0 && share <= 1 && info.draftName.empty();
  Json out{{"model", info.displayName},
           {"format", format::name(info.format)},
           {"type", info.typeName},
           {"device", info.device.id},
           {"device_name", info.device.name},
           {"device_detail", info.device.detail},
           {"threads", info.device.threads},
           {"batch", run.task.batch},
           {"depth", run.task.depth},
           {"prompt", run.task.prompt},
           {"generate", run.task.generate},
           {"load_ms", info.loadMs},
           {"ttft_ms", median(ttft)},
           {"prefill_tokens_per_second", median(prefill)},
           {"decode_tokens_per_second", rate},
           {"tpot_ms", {{"p50", nearestRank(intervals, 50)}, {"p95", nearestRank(intervals, 95)}, {"p99", nearestRank(intervals, 99)}}},
           {"peak_memory_bytes", run.peakMemory ? Json(*run.peakMemory) : Json()},
           {"memory", toJson(info.memory)},
           {"bytes_per_token", perToken},
           {"read_bytes_per_second", bandwidth},
           {"bandwidth_share", known ? Json(share) : Json()},
           {"repetitions", repetitions}};
  addDraft(out, info);
  return out;
}

void printSpeed(const Json& s) {
  std::printf("%s %s on %s (%s), %d threads, depth %d, batch %d\n", s["model"].get<std::string>().c_str(),
              s["type"].get<std::string>().c_str(), s["device"].get<std::string>().c_str(), s["device_detail"].get<std::string>().c_str(),
              s["threads"].get<int>(), s["depth"].get<int>(), s["batch"].get<int>());
  std::printf("  load %.0f ms, first token %.0f ms\n", s["load_ms"].get<double>(), s["ttft_ms"].get<double>());
  std::printf("  prefill %.1f tok/s (%d tokens)\n", s["prefill_tokens_per_second"].get<double>(), s["prompt"].get<int>());
  std::printf("  decode  %.2f tok/s, %.1f ms per token (p95 %.1f)", s["decode_tokens_per_second"].get<double>(),
              s["tpot_ms"]["p50"].get<double>(), s["tpot_ms"]["p95"].get<double>());
  const double bandwidth = s["read_bytes_per_second"].get<double>() / 1e9;
  std::printf("\n  share of the read bandwidth of %.1f GB/s: %s\n", bandwidth, shareText(s).c_str());
  const bool alone = s["peak_memory_bytes"].is_number();
  const Json& bytes = alone ? s["peak_memory_bytes"] : s["memory"]["total"];
  std::printf("  %s %s\n", alone ? "peak memory" : "memory of the model", readable(bytes.get<std::uint64_t>()).c_str());
}

std::string speedMarkdown(const Json& rows, const Machine& machine) {
  std::vector<Cells> cells;
  const bool peaks = std::ranges::any_of(rows, [](const Json& row) { return row["peak_memory_bytes"].is_number(); });
  for (const Json& row : rows) {
    const Json& peak = row["peak_memory_bytes"];
    cells.push_back({row["model"].get<std::string>(), row["format"].get<std::string>(), row["type"].get<std::string>(), row["depth"].dump(),
                     row["batch"].dump(), figure(row["prefill_tokens_per_second"].get<double>()),
                     figure(row["decode_tokens_per_second"].get<double>()), figure(row["ttft_ms"].get<double>()),
                     figure(row["tpot_ms"]["p50"].get<double>()), figure(row["tpot_ms"]["p95"].get<double>()), shareText(row),
                     readable(row["memory"]["total"].get<std::uint64_t>())});
    if (peaks) cells.back().push_back(peak.is_number() ? readable(peak.get<std::uint64_t>()) : "several models");
  }
  Cells header{"model",
               "format",
               "type",
               "depth",
               "batch",
               "prefill tok/s",
               "decode tok/s",
               "first token ms",
               "ms a token p50",
               "p95",
               "share of bandwidth",
               "memory"};
  if (peaks) header.emplace_back("peak of the process");
  std::string out = markdownTable(header, cells);
  if (!rows.empty()) {
    const Json& row = rows.front();
    out += "\n" + row["prompt"].dump() + " prompt tokens, " + row["generate"].dump() + " decoded, medians of " +
           std::to_string(row["repetitions"].size()) +
           " repetitions after a warm-up; rates are of all conversations together. Device: " + textOfAny(rows, "device") + " (" +
           textOfAny(rows, "device_detail") + "), " + row["threads"].dump() + " threads.\n";
  }
  return out + "\n" + toText(machine) + "\n";
}

std::string speedSvg(const Json& rows, const Machine& machine) {
  std::vector<Chart> charts;
  const auto add = [&](ChartKind kind, const SpeedFigure& figure, const char* over) -> Chart& {
    return charts.emplace_back(Chart{.kind = kind,
                                     .title = figure.title + std::string(" on ") + textOfAny(rows, "device"),
                                     .note = {},
                                     .xTitle = over,
                                     .yTitle = "tokens/s, all conversations together",
                                     .labels = {},
                                     .x = {},
                                     .series = {}});
  };
  const auto addLines = [&](const char* across, const char* other, const char* over) {
    if (distinct(rows, across).size() < 2) return;
    for (const SpeedFigure& figure : speedFigures) addSpeedLines(add(ChartKind::lines, figure, over), rows, figure.field, across, other);
  };
  addLines("batch", "depth", "conversations at the same time");
  addLines("depth", "batch", "tokens in the context");
  if (charts.empty()) {
    for (const SpeedFigure& figure : speedFigures) {
      Chart& chart = add(ChartKind::bars, figure, "");
      Series& series = chart.series.emplace_back(Series{figure.title, {}});
      for (const Json& row : rows) {
        chart.labels.push_back(speedLabel(row));
        series.values.emplace_back(row[figure.field].get<double>());
      }
    }
  }
  charts.back().note = toText(machine);
  return toSvg(charts);
}

}  // namespace minerva::speed
