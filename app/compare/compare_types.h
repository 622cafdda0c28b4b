// A comparison as values: what is asked, what each column has so far, what is kept. Copied between threads.
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
};

struct CompareSettings {
  QStringList prompts;
  bool interleaved = false;
  engine::SamplingOptions sampling{.temperature = 0, .seed = 7};
  int maxTokens = 96;
};

// NaN: not known.
struct CompareFigures {
  double loadMs = unknownFigure, ttftMs = unknownFigure, prefillSpeed = unknownFigure, decodeSpeed = unknownFigure;
  double tpotP50 = unknownFigure, tpotP95 = unknownFigure;  // ms between tokens
  double memoryBytes = unknownFigure, diskBytes = unknownFigure, bitsPerWeight = unknownFigure;
  double kl = unknownFigure, kl99 = unknownFigure, top1 = unknownFigure, perplexity = unknownFigure;
};

// To one prompt. Where it differs from the reference's: step, the part of the text, both tokens and their
// probabilities.
struct CompareReply {
  QString text;
  QList<int> tokens;
  int promptTokens = 0;
  double ttftMs = unknownFigure, prefillSpeed = unknownFigure, decodeSpeed = unknownFigure;
  int differsAt = -1;  // -1: nowhere
  int markStart = -1, markLength = 0;
  QString referenceToken, ownToken;                                             // "": that reply had ended
  double referenceInReference = unknownFigure, ownInReference = unknownFigure;  // probabilities in the reference
  double referenceInOwn = unknownFigure, ownInOwn = unknownFigure;
};

struct CompareColumn {
  CompareModel model;
  ColumnStage stage = ColumnStage::waiting;
  double progress = -1;  // of the stage, 0..1; -1: not known
  int prompt = 0;        // being answered
  bool reference = false;
  CompareFigures figures;
  std::vector<CompareReply> replies;  // one a prompt, as far as they are
  QList<QPointF> speeds;              // seconds since the first token, tok/s
  QStringList notes;                  // what the reader of the figures must know
  ErrorInfo error;                    // stage failed

  [[nodiscard]] int generated() const {
    int sum = 0;
    for (const CompareReply& reply : replies) sum += static_cast<int>(reply.tokens.size());
    return sum;
  }
};

struct CompareRun {
  qint64 id = 0, repeats = 0;  // 0: not kept yet; of no other
  QDateTime created;
  CompareSettings settings;
  QString device;
  int positions = 0;  // tokens of the text that distances are means over
  std::vector<CompareColumn> columns;
};

}  // namespace minerva::app
