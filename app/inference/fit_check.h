// Checks from a model's header whether the model can run here: whether it is supported, and how much memory it takes on the
// chosen device of this machine, with the model that is to draft for it. Thread-safe; a check takes up to a second.
#pragma once

#include "app/inference/load_preferences.h"
#include "core/base/error.h"

#include <QString>

namespace minerva::app {

struct FitVerdict {
  enum Kind { Unknown, Fits, FitsSlowly, DoesNotFit, CannotRun };
  Kind kind = Unknown;
  QString reason{};      // for the last three kinds: whole sentences with figures
  bool refused = false;  // it would not be loaded on this device with this context, even if another way fits
  QString architecture{}, format{};
  double parameters = 0;
  qint64 weights = 0;        // size in the file, in bytes
  int context = 0;           // context length in tokens that the memory figures assume
  qint64 placed = 0;         // bytes of the weights as stored on the device
  qint64 cache = 0;          // KV cache, in bytes
  qint64 beside = 0;         // KV cache and scratch memory, in bytes
  qint64 room = 0;           // memory available on the device for weights and `beside`; 0: unknown
  double bytesPerToken = 0;  // bytes of weights read per token after the first; 0: unknown
  // The draft model: bytes that it takes besides on the device, in `room` too, if it will be used; else why it will not be.
  QString draftName{};
  qint64 draftWeights = 0, draftCache = 0, draftScratch = 0;
  QString draftLeft{};  // a whole sentence; "": it will be used, or none is wanted

  [[nodiscard]] QString words() const {
    return reason.isEmpty() ? draftLeft : draftLeft.isEmpty() ? reason : reason + QStringLiteral(". ") + draftLeft;
  }
  [[nodiscard]] qint64 draftTotal() const { return draftWeights + draftCache + draftScratch; }
};

struct FitQuestion {
  QString path;                   // a model, or the placeholder files written by HeaderProbe
  LoadPreferences preferences{};  // the settings the model would be loaded with
  BackendOptions backend{};
  quint64 held = 0;  // bytes of host memory held by loaded models, which would be unloaded first
  QString draft{};   // path of the draft model that the model would be loaded with; "": none

  friend bool operator==(const FitQuestion&, const FitQuestion&) = default;
};

// Opens the device for the check and closes it again.
[[nodiscard]] FitVerdict checkFit(const FitQuestion& question);

[[nodiscard]] QString fitName(FitVerdict::Kind kind);  // "", "fits", "slow", "no", "cannot", as compared in QML

// Upper bound of the decode speed in tokens per second, limited by the device's memory bandwidth. 0: unknown, or the model
// does not fit on that device alone.
[[nodiscard]] double expectedSpeed(const FitVerdict& verdict, const backend::BandwidthCurve& bandwidth);

// Estimate for the same model with `weights` bytes of weights (another quantization).
[[nodiscard]] FitVerdict scaledFit(const FitVerdict& known, qint64 weights);

}  // namespace minerva::app
