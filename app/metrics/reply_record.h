// The stored record of a reply or benchmark: model and device, figures, and time spent per phase.
//
// Value types. Unknown figures are NaN. Each row of the tables below is one column of the store and of the exports.
#pragma once

#include "core/engine/events.h"

#include <QDateTime>
#include <QString>

#include <array>
#include <limits>
#include <vector>

namespace minerva::app {

inline constexpr double notMeasured = std::numeric_limits<double>::quiet_NaN();

// Time from pressing the send button until the last text is on the screen. Phases do not overlap.
struct ReplyPhases {
  double queueMs = 0, loadMs = 0, templateMs = 0, tokenizeMs = 0, prefillMs = 0, firstTokenMs = 0, decodeMs = 0;
  double detokenizeMs = 0, renderMs = 0;
  double wallMs = 0;

  [[nodiscard]] double sumMs() const {
    return queueMs + loadMs + templateMs + tokenizeMs + prefillMs + firstTokenMs + decodeMs + detokenizeMs + renderMs;
  }
  [[nodiscard]] double unaccountedMs() const { return wallMs - sumMs(); }
};

struct PhaseRow {
  const char* key;
  double ReplyPhases::*value;
};
inline constexpr std::array phaseTable{
    PhaseRow{"queue", &ReplyPhases::queueMs},       PhaseRow{"load", &ReplyPhases::loadMs},
    PhaseRow{"template", &ReplyPhases::templateMs}, PhaseRow{"tokenize", &ReplyPhases::tokenizeMs},
    PhaseRow{"prefill", &ReplyPhases::prefillMs},   PhaseRow{"first_token", &ReplyPhases::firstTokenMs},
    PhaseRow{"decode", &ReplyPhases::decodeMs},     PhaseRow{"detokenize", &ReplyPhases::detokenizeMs},
    PhaseRow{"render", &ReplyPhases::renderMs},
};

struct ReplyRecord {
  enum class Kind { reply, benchmark };

  qint64 id = 0, message = 0;  // message: id of the chat message; 0: none
  Kind kind = Kind::reply;
  QDateTime created;
  QString model, path, format, type;
  QString device, deviceId;  // "CPU · AVX2"; UUID, else "cpu"
  QString end;               // "stop", "length", "cancelled", ..., "failed"
  int promptTokens = 0, reusedTokens = 0, generatedTokens = 0;
  int repetitions = 1;  // more than 1 for a benchmark, whose figures are medians

  double bitsPerWeight = notMeasured, prefillSpeed = notMeasured, decodeSpeed = notMeasured, ttftMs = notMeasured;
  double p50 = notMeasured, p95 = notMeasured, p99 = notMeasured;  // ms between tokens
  double stalls = notMeasured;
  double bandwidth = notMeasured, share = notMeasured;  // measured bytes/s; the fraction used, 0..1
  double modelLoadMs = notMeasured;
  // Benchmarks only: smallest and largest of the repetitions.
  double prefillLow = notMeasured, prefillHigh = notMeasured, decodeLow = notMeasured, decodeHigh = notMeasured;
  double ttftLow = notMeasured, ttftHigh = notMeasured;

  ReplyPhases phases;            // wallMs is 0 if not measured
  std::vector<float> intervals;  // ms between consecutive tokens
};

struct RecordFigure {
  const char* key;
  double ReplyRecord::*value;
};
inline constexpr std::array recordFigures{
    RecordFigure{"bits_per_weight", &ReplyRecord::bitsPerWeight},
    RecordFigure{"prefill_tokens_per_second", &ReplyRecord::prefillSpeed},
    RecordFigure{"decode_tokens_per_second", &ReplyRecord::decodeSpeed},
    RecordFigure{"ttft_ms", &ReplyRecord::ttftMs},
    RecordFigure{"tpot_p50_ms", &ReplyRecord::p50},
    RecordFigure{"tpot_p95_ms", &ReplyRecord::p95},
    RecordFigure{"tpot_p99_ms", &ReplyRecord::p99},
    RecordFigure{"stalls", &ReplyRecord::stalls},
    RecordFigure{"bandwidth_bytes_per_second", &ReplyRecord::bandwidth},
    RecordFigure{"bandwidth_share", &ReplyRecord::share},
    RecordFigure{"model_load_ms", &ReplyRecord::modelLoadMs},
    RecordFigure{"prefill_low", &ReplyRecord::prefillLow},
    RecordFigure{"prefill_high", &ReplyRecord::prefillHigh},
    RecordFigure{"decode_low", &ReplyRecord::decodeLow},
    RecordFigure{"decode_high", &ReplyRecord::decodeHigh},
    RecordFigure{"ttft_low", &ReplyRecord::ttftLow},
    RecordFigure{"ttft_high", &ReplyRecord::ttftHigh},
};

// Indices of intervals that are longer than both four times the median and 50 ms, ascending.
[[nodiscard]] std::vector<int> stallsIn(const std::vector<float>& intervals);

// The engine's phases plus the time to the engine and back. sent, shown: when the window sent the request and showed the last
// text; ended: time of the engine's last event; loadMs: time spent waiting for a model to load.
[[nodiscard]] ReplyPhases phasesOf(const engine::Timings& timings, TimePoint sent, double loadMs, TimePoint ended, TimePoint shown);

}  // namespace minerva::app
