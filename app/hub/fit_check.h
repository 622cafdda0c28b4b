// Whether a model runs here, said from its header: supported at all, and how much memory it takes on the best device of
// this machine. Safe on any thread; a question takes up to a second.
#pragma once

#include "app/inference/load_preferences.h"
#include "core/base/error.h"

#include <QString>

namespace minerva::app {

struct FitVerdict {
  enum Kind { Unknown, Fits, FitsSlowly, DoesNotFit, CannotRun };
  Kind kind = Unknown;
  QString reason{};  // of the last three, whole sentences with figures
  QString architecture{}, format{};
  double parameters = 0;
  qint64 weights = 0;        // bytes in the file
  int context = 0;           // positions that the next three are about
  qint64 placed = 0;         // weights as they lie on the device
  qint64 cache = 0;          // keys and values
  qint64 beside = 0;         // keys, values and scratch
  qint64 room = 0;           // what the device has for all of it; 0: not known
  double bytesPerToken = 0;  // of weights, read for each token after the first; 0: not known
};

struct FitQuestion {
  QString path;                   // a model, or what HeaderProbe laid out
  LoadPreferences preferences{};  // as it would be loaded
  BackendOptions backend{};
  quint64 held = 0;  // bytes of this computer's memory that a model has now and lets go first

  friend bool operator==(const FitQuestion&, const FitQuestion&) = default;
};

// Opens the device for the question and lets it go.
[[nodiscard]] FitVerdict checkFit(const FitQuestion& question);

[[nodiscard]] QString fitName(FitVerdict::Kind kind);  // "", "fits", "slow", "no", "cannot": as QML compares it

// Tokens a second if all of the device's bandwidth went into them: to expect at most. 0: not known, or the model would not
// lie on that device alone.
[[nodiscard]] double expectedSpeed(const FitVerdict& verdict, const backend::BandwidthCurve& bandwidth);

// The same model with so many bytes of weights.
[[nodiscard]] FitVerdict scaledFit(const FitVerdict& known, qint64 weights);

}  // namespace minerva::app
