// Value types of a comparison: settings, results per column, stored runs. Copied between threads.
#pragma once

#include "app/inference/error_info.h"
#include "core/engine/sampling/sampling.h"

#include <QDateTime>
#include <QList>
#include <QPointF>
#include <QString>
#include <QStringList>

#include <limits>
#include <vector>

namespace minerva::app {

inline constexpr double unknownFigure = std::numeric_limits<double>::quiet_NaN();

enum class ColumnStage { waiting, loading, reading, writing, measuring, done, stopped, failed };

struct CompareModel {
  QString path, name, format, type;  // type as shown: "BF16", "4-bit g64"
  QString server{};                  // name of the server that runs it; empty: this program does

  friend bool operator==(const CompareModel&, const CompareModel&) = default;
};

struct CompareSettings {
  QStringList prompts;
  bool interleaved = false;
  engine::SamplingOptions sampling{.temperature = 0, .seed = 7};
  int maxTokens = 96;
};

// NaN: unknown.
struct CompareFigures {
  double loadMs = unknownFigure, ttftMs = unknownFigure, prefillSpeed = unknownFigure, decodeSpeed = unknownFigure;
  double tpotP50 = unknownFigure, tpotP95 = unknownFigure;  // ms between tokens
  double memoryBytes = unknownFigure, diskBytes = unknownFigure, bitsPerWeight = unknownFigure;
  double kl = unknownFigure, kl99 = unknownFigure, top1 = unknownFigure, perplexity = unknownFigure;
};

// The reply to one prompt, and the first token at which it differs from the reference's reply: step, position in the text,
// both tokens and their probabilities.
struct CompareReply {
  QString text;
  QList<int> tokens;  // unknown of a server's model
  int generated = 0;  // tokens that a server says it has written; 0: it does not say
  int promptTokens = 0;
  double ttftMs = unknownFigure, prefillSpeed = unknownFigure, decodeSpeed = unknownFigure;
  int differsAt = -1;  // index of the token; -1: no difference
  int markStart = -1, markLength = 0;
  QString referenceToken, ownToken;                                             // "": that reply has ended
  double referenceInReference = unknownFigure, ownInReference = unknownFigure;  // probabilities according to the reference
  double referenceInOwn = unknownFigure, ownInOwn = unknownFigure;

  [[nodiscard]] int count() const { return tokens.isEmpty() ? generated : static_cast<int>(tokens.size()); }
};

struct CompareColumn {
  CompareModel model;
  ColumnStage stage = ColumnStage::waiting;
  double progress = -1;  // of the stage, 0..1; -1: unknown
  int prompt = 0;        // index of the prompt being answered
  bool reference = false;
  CompareFigures figures;
  std::vector<CompareReply> replies;  // one per prompt begun so far
  QList<QPointF> speeds;              // seconds since the first token, tok/s
  bool pieces = false;                // so far, speeds are of pieces of text: the server may still tell how many tokens they are
  QStringList notes;                  // remarks needed to interpret the figures
  ErrorInfo error;                    // set if stage is failed

  [[nodiscard]] int generated() const {
    int sum = 0;
    for (const CompareReply& reply : replies) sum += reply.count();
    return sum;
  }
};

struct CompareRun {
  qint64 id = 0, repeats = 0;  // id 0: not stored yet; repeats: id of the repeated run, 0: none
  QDateTime created;
  CompareSettings settings;
  QString device;
  int positions = 0;  // number of tokens that distances are averaged over
  std::vector<CompareColumn> columns;
};

}  // namespace minerva::app
