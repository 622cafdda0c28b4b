// What is kept of a reply (or of a benchmark): what it ran on, its figures, where its time went.
//
// Values. A figure that is not known is NaN. One row of a table below is one column of the store and of the exports.
#pragma once

#include "core/engine/events.h"

#include <QDateTime>
#include <QString>

#include <array>
#include <limits>
#include <vector>

namespace minerva::app {

inline constexpr double notMeasured = std::numeric_limits<double>::quiet_NaN();

// Milliseconds from the press of the button to the last text on the screen. No moment is counted twice.
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

  qint64 id = 0, message = 0;  // message: of the conversations; 0: of none
  Kind kind = Kind::reply;
  QDateTime created;
  QString model, path, format, type;
  QString device, deviceId;  // "CPU · AVX2"; UUID, else "cpu"
  QString end;               // "stop", "length", "cancelled", ..., "failed"
  int promptTokens = 0, reusedTokens = 0, generatedTokens = 0;
  int repetitions = 1;  // of a benchmark: the figures are medians

  double bitsPerWeight = notMeasured, prefillSpeed = notMeasured, decodeSpeed = notMeasured, ttftMs = notMeasured;
  double p50 = notMeasured, p95 = notMeasured, p99 = notMeasured;  // ms between tokens
  double stalls = notMeasured;
  double bandwidth = notMeasured, share = notMeasured;  // bytes/s measured here; of it used, 0..1
  double modelLoadMs = notMeasured;
  // Of a benchmark.
  double prefillLow = notMeasured, prefillHigh = notMeasured, decodeLow = notMeasured, decodeHigh = notMeasured;
  double ttftLow = notMeasured, ttftHigh = notMeasured;

  ReplyPhases phases;            // wallMs 0: not measured
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

// The intervals that stand out: longer than four times the median and than 50 ms. Places in `intervals`, rising.
[[nodiscard]] std::vector<int> stallsIn(const std::vector<float>& intervals);

// The engine's phases, with the way to it and back: sent and shown are the window's, ended the engine's last event.
[[nodiscard]] ReplyPhases phasesOf(const engine::Timings& timings, TimePoint sent, double loadMs, TimePoint ended, TimePoint shown);

}  // namespace minerva::app
