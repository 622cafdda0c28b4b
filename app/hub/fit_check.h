// Whether a model runs here, said from its header: supported at all, and how much memory it takes on the best device of
// this machine. Safe on any thread; a question takes up to a second.
#pragma once

#include "core/base/error.h"
#include "gpu/available.h"

#include <QString>

namespace minerva::app {

struct FitVerdict {
  enum Kind { Unknown, Fits, FitsSlowly, DoesNotFit, CannotRun };
  Kind kind = Unknown;
  QString reason{};  // of the last three, whole sentences with figures
  QString architecture{}, format{};
  double parameters = 0;
  qint64 weights = 0;        // bytes
  qint64 beside = 0;         // keys, values and scratch at the usual context
  qint64 room = 0;           // what the device has for all of it; 0: not known
  double bytesPerToken = 0;  // of weights, read for each token after the first; 0: not known
};

// path: a model, or what HeaderProbe laid out. device: as the settings have it; "" the best. Opens the device for the
// question and lets it go.
[[nodiscard]] FitVerdict checkFit(const QString& path, const QString& device = {}, const BackendOptions& options = {});

[[nodiscard]] QString fitName(FitVerdict::Kind kind);  // "", "fits", "slow", "no", "cannot": as QML compares it

// Tokens a second if all of the device's bandwidth (bytes/s) went into them: to expect at most. 0: not known, or the model
// would not lie on that device alone.
[[nodiscard]] double expectedSpeed(const FitVerdict& verdict, double bandwidth);

// The same model with so many bytes of weights.
[[nodiscard]] FitVerdict scaledFit(const FitVerdict& known, qint64 weights);

}  // namespace minerva::app
